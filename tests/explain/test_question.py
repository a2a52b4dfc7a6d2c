"""Which functions a question is about."""

import numpy as np
import pytest

from nask.explain.question import Question, scores_of
from nask.learning.held_out import class_scores


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("scheme", ["ovr", "ovo"])
def test_weights_give_the_scores_of_classes(n_classes, scheme):
    draw = np.random.default_rng(n_classes)
    n_functions = n_classes * (n_classes - 1) // 2
    if scheme == "ovr" and n_classes > 2:
        n_functions = n_classes
    for _ in range(20):
        decisions = draw.normal(size=n_functions)
        [scores] = class_scores(decisions[None], scheme, n_classes)
        np.testing.assert_array_equal(scores_of(decisions, scheme, n_classes), scores)
        for target in range(n_classes):
            own = Question(target, None, n_classes, 1.0, 0.0, "")
            assert own.weights(decisions, scheme) @ decisions == pytest.approx(scores[target])
            for against in set(range(n_classes)) - {target}:
                both = Question(target, against, n_classes, 3.0, 0.0, "")
                margin = 3 * (scores[target] - scores[against])
                assert both.weights(decisions, scheme) @ decisions == pytest.approx(margin)
