"""A kernel that remembers its last comparison answers for the graphs that it is asked about."""

import numpy as np
import pytest

import nask
from nask.kernels.remembering import RememberingKernel


@pytest.mark.parametrize("gram", ["linear", "rbf"])
def test_other_graphs_are_compared_anew(mutag, gram):
    model = nask.NASKClassifier(n_hops=1, gram=gram).fit(mutag.graphs[:40], mutag.y[:40])
    lists = [mutag.graphs[k : k + 5] for k in (40, 45, 40)]
    expected = [(model.decision_function(own), model.applicability(own)) for own in lists]
    kernel = model.kernel_.fitted_
    model.kernel_.fitted_ = RememberingKernel.of(kernel)
    for own, (decisions, shares) in zip(lists, expected, strict=True):
        np.testing.assert_array_equal(model.decision_function(own), decisions)
        np.testing.assert_array_equal(model.applicability(own), shares)
    assert not np.array_equal(expected[0][0], expected[1][0])
