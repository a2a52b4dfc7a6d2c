"""Quick dropout: the share, the mean, the gradient, and that numbers are dropped independently."""

import numpy as np
import pytest
import torch

from nask.lab.rivals.networks.akgnn import quick_dropout


@pytest.mark.parametrize("share", [0.1, 0.5, 0.6])
def test_share_mean_and_independence(share):
    torch.manual_seed(0)
    dropped = quick_dropout(torch.ones(500, 403), share, training=True).numpy()
    kept = dropped != 0
    close = 5 * np.sqrt(share * (1 - share) / kept.size)
    assert kept.mean() == pytest.approx(1 - share, abs=close)
    np.testing.assert_allclose(dropped[kept], 1 / (1 - share), rtol=1e-4)
    # Four numbers share one draw: each place and each pair of places is as likely as any other.
    flat = kept.ravel()[: kept.size // 4 * 4].reshape(-1, 4)
    assert abs(flat.mean(axis=0) - (1 - share)).max() < 2 * close
    together = (flat.T.astype(float) @ flat) / len(flat)
    apart = ~np.eye(4, dtype=bool)
    assert abs(together[apart] - (1 - share) ** 2).max() < 0.01


def test_gradients_pass_where_numbers_do():
    torch.manual_seed(0)
    rows = torch.ones(20, 7, requires_grad=True)
    dropped = quick_dropout(rows, 0.5, training=True)
    dropped.sum().backward()
    torch.testing.assert_close(rows.grad, dropped.detach())


def test_nothing_happens_outside_training_or_without_a_share():
    rows = torch.randn(3, 5)
    assert quick_dropout(rows, 0.5, training=False) is rows
    assert quick_dropout(rows, 0.0, training=True) is rows


def test_a_share_of_nearly_all_stays_finite():
    dropped = quick_dropout(torch.ones(1000, 300), 1 - 1e-9, training=True)
    assert torch.isfinite(dropped).all()
