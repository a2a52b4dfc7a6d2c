"""Early stopping, and the part that is held out."""

import numpy as np
import pytest
import torch

from nask.lab.rivals.networks.training import Outcome, Schedule, apart, held_out, train


class Counter(torch.nn.Module):
    """Its one weight counts steps: Adam moves it by the learning rate at first."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(()))


def run(validation_losses, patience):
    network, judged = Counter(), iter(validation_losses)

    def losses():
        yield -network.weight

    def judge():
        loss = next(judged)
        return 1.0 / (1.0 + loss), loss

    outcome = train(network, losses, judge, Schedule(1.0, 0.0, len(validation_losses), patience))
    return outcome, float(network.weight.detach())


@pytest.mark.parametrize(
    ("validation_losses", "patience", "best", "n_epochs"),
    [
        ([5, 4, 3, 2, 1], 2, 5, 5),
        ([5, 4, 6, 6, 1], 2, 2, 4),
        ([5, 4, 6, 6, 1], 3, 5, 5),
        ([5, 6, 6, 6, 6], 4, 1, 5),
        ([5, 5, 5, 5, 5], 1, 1, 2),
        ([float("nan"), float("nan"), 1, 1, 1], 2, 0, 2),
    ],
)
def test_weights_are_those_of_the_best_epoch(validation_losses, patience, best, n_epochs):
    outcome, weight = run(validation_losses, patience)
    assert (outcome.epoch, outcome.n_epochs) == (best, n_epochs)
    assert weight == pytest.approx(best, abs=1e-3)
    if best:
        assert outcome.loss == validation_losses[best - 1]


def test_accuracy_counts_before_loss():
    assert Outcome(0.9, 5.0, 1, 1).better_than(Outcome(0.8, 0.1, 1, 1))
    assert Outcome(0.9, 0.1, 1, 1).better_than(Outcome(0.9, 0.2, 1, 1))
    assert not Outcome(0.9, 0.1, 1, 1).better_than(Outcome(0.9, 0.1, 1, 1))


@pytest.mark.parametrize("sizes", [[100, 50], [3, 2, 2], [40, 1, 1], [19, 20, 21, 5], [2, 2]])
def test_a_tenth_of_each_class_is_held_out(sizes):
    codes = np.random.default_rng(0).permutation(np.repeat(np.arange(len(sizes)), sizes))
    for seed in range(5):
        kept, out = held_out(codes, seed)
        assert sorted([*kept, *out]) == list(range(len(codes)))
        assert len(out) == max(1, round(0.1 * sum(size for size in sizes if size > 1)))
        assert set(codes[kept]) == set(codes)
        shares = np.bincount(codes[out], minlength=len(sizes)) - np.array(sizes) / 10
        assert np.abs(shares).max() <= 1
    assert not np.array_equal(held_out(codes, 0)[1], held_out(codes, 3)[1]) or len(codes) < 10


def test_one_of_each_class_is_trained_and_judged_on():
    kept, out = held_out(np.array([0, 1, 2]), 0)
    assert kept.tolist() == out.tolist() == [0, 1, 2]


def test_an_error_leaves_threads_and_random_numbers_as_they_were():
    threads, state = torch.get_num_threads(), torch.get_rng_state()

    def fails():
        torch.rand(3)
        raise KeyError

    with pytest.raises(KeyError), apart():
        fails()
    assert torch.get_num_threads() == threads
    assert torch.equal(torch.get_rng_state(), state)
