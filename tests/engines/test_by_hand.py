"""Two stars computed by hand, digit by digit.

G is the path a - b, its nodes with x = 0 and x = 1 and colours red and blue; its edge is 2 long.
G' is the single node c with x = 0.5, colour red.
G'' is the path d - e, both x = 1, colours blue and missing; its edge is 4 long.

Training range of x: [0, 1]; of the length: [2, 4]. gamma = 1, two attributes, so w = 1/2 each.

Write decay(t) = exp(-t). For x, s' = decay(|x - x'|); for the colour, s' = 1 if equal and decay(1)
if not.
"""

from math import exp, sqrt

import numpy as np
import pytest

import nask

NESTED = ["reference", "pairwise", "distinct"]
BALL = ["reference", "pairwise", "explicit"]


def decay(t):
    return exp(-t)


G = nask.AttributedGraph(
    2, [(0, 1)], {"x": [0.0, 1.0], "colour": ["red", "blue"]}, {"length": [2.0]}
)
SINGLE = nask.AttributedGraph(1, [], {"x": [0.5], "colour": ["red"]})
OTHER = nask.AttributedGraph(
    2, [(0, 1)], {"x": [1.0, 1.0], "colour": ["blue", None]}, {"length": [4.0]}
)

# P between the nodes of G and the node c.
P_ac = (decay(0.5) + 1) / 2
P_bc = (decay(0.5) + decay(1)) / 2
# P within G.
P_aa, P_bb, P_ab = 1.0, 1.0, decay(1)
# P between G and the nodes d, e of the other path; a missing colour matches nothing.
P_ad, P_ae = (decay(1) + decay(1)) / 2, (decay(1) + decay(1)) / 2
P_bd, P_be = (1 + 1) / 2, (1 + decay(1)) / 2
# P within the other path: e does not even match its own missing colour.
P_dd, P_ee, P_de = 1.0, (1 + decay(1)) / 2, (1 + decay(1)) / 2
# P between the two edges: their lengths are a whole range apart.
P_edges = decay(1)


@pytest.mark.parametrize("engine", NESTED)
def test_one_hop(engine):
    kernel = nask.NASK(n_hops=1, star_norm=False, normalize=False, engine=engine).fit(
        [G, SINGLE, OTHER]
    )
    # Both stars of G have the nodes a and b, and the edge; the star of c is c alone.
    k_ac = P_ac * (P_ac + P_bc)
    k_bc = P_bc * (P_ac + P_bc)
    # Stars of G against stars of the other path: four pairs of nodes and one of edges.
    members = P_ad + P_ae + P_bd + P_be + P_edges
    expected = [
        [(P_aa + P_bb + 2 * P_ab) * (P_aa + P_bb + 2 * P_ab + 1), k_ac + k_bc,
         (P_ad + P_ae + P_bd + P_be) * members],
        [k_ac + k_bc, 1.0, np.nan],
        [(P_ad + P_ae + P_bd + P_be) * members, np.nan,
         (P_dd + P_ee + 2 * P_de) * (P_dd + P_ee + 2 * P_de + 1)],
    ]  # fmt: skip
    K = kernel.transform([G, SINGLE, OTHER])
    known = ~np.isnan(expected)
    np.testing.assert_allclose(K[known], np.array(expected)[known], rtol=1e-12)


@pytest.mark.parametrize("engine", NESTED)
def test_two_nested_hops(engine):
    """The second hop compares stars: P_1 = exp(-gamma_star (1 - normalised k_1))."""
    kernel = nask.NASK(n_hops=2, gamma_star=3.0, normalize=False, engine=engine).fit([G, SINGLE])
    members = P_aa + P_bb + 2 * P_ab + 1  # of either star of G with either, its edge included
    k1_self = members  # times P_aa = P_bb = 1
    k1_ab = P_ab * members
    hat_ab = k1_ab / k1_self
    # Against the single node, whose k_1 with itself is 1 (no edge).
    hat_ac = P_ac * (P_ac + P_bc) / sqrt(k1_self)
    hat_bc = P_bc * (P_ac + P_bc) / sqrt(k1_self)
    first = [[2 + 2 * hat_ab, hat_ac + hat_bc], [hat_ac + hat_bc, 1.0]]

    Q_ab, Q_ac, Q_bc = decay(3 * (1 - hat_ab)), decay(3 * (1 - hat_ac)), decay(3 * (1 - hat_bc))
    members2 = 2 + 2 * Q_ab + 1  # the edge term stays that of the first hop
    hat2_ab = Q_ab
    hat2_ac = Q_ac * (Q_ac + Q_bc) / sqrt(members2)
    hat2_bc = Q_bc * (Q_ac + Q_bc) / sqrt(members2)
    second = [[2 + 2 * hat2_ab, hat2_ac + hat2_bc], [hat2_ac + hat2_bc, 1.0]]

    np.testing.assert_allclose(kernel.hop_grams([G, SINGLE]), [first, second], rtol=1e-12)


@pytest.mark.parametrize("engine", BALL)
def test_two_ball_hops_on_a_path(engine):
    """On the path 0 - 1 - 2 without attributes, P is 1 and a star counts its members."""
    path = nask.AttributedGraph(3, [(0, 1), (1, 2)])
    kernel = nask.NASK(
        n_hops=2, expansion="ball", star_norm=False, normalize=False, engine=engine
    ).fit([path])
    # One hop: 2, 3, 2 nodes and 1, 2, 1 edges. Two hops: all 3 nodes and both edges.
    one = (2 + 3 + 2) ** 2 + (1 + 2 + 1) ** 2
    two = (3 + 3 + 3) ** 2 + (2 + 2 + 2) ** 2
    np.testing.assert_allclose(kernel.hop_grams([path])[:, 0, 0], [one, two], rtol=1e-12)


@pytest.mark.parametrize("engine", BALL)
def test_ball_edges_need_an_endpoint_one_hop_nearer(engine):
    """In a triangle with a tail, one hop from the tail's end sees one edge, two hops three of four.

    0 - 1, 1 - 2, 1 - 3, 2 - 3: from node 0, the edge 2 - 3 joins two nodes at distance 2.
    """
    graph = nask.AttributedGraph(4, [(0, 1), (1, 2), (1, 3), (2, 3)])
    single = nask.AttributedGraph(2, [(0, 1)])
    kernel = nask.NASK(
        n_hops=2, expansion="ball", star_norm=False, normalize=False, engine=engine
    ).fit([single])
    # Against each of the two stars of the single edge, of 2 nodes and 1 edge.
    nodes = [(2 + 4 + 3 + 3) * 2 * 2, (4 + 4 + 4 + 4) * 2 * 2]
    edges = [(1 + 3 + 2 + 2) * 1 * 2, (3 + 4 + 4 + 4) * 1 * 2]
    np.testing.assert_allclose(kernel.hop_grams([graph])[:, 0, 0], np.add(nodes, edges), rtol=1e-12)


@pytest.mark.parametrize("engine", NESTED)
def test_pruned_cores(engine):
    """Dissimilar cores count exactly 0, and similarity of cores is measured from the floor."""
    red = nask.AttributedGraph(1, [], {"colour": ["red"]})
    blue = nask.AttributedGraph(1, [], {"colour": ["blue"]})
    kernel = nask.NASK(n_hops=3, prune_cores=True, normalize=False, engine=engine)
    assert kernel.fit_transform([red, blue]).tolist() == [[3.0, 0.0], [0.0, 3.0]]
    plain = nask.NASK(n_hops=1, prune_cores=True, star_norm=False, normalize=False, engine=engine)
    K = plain.fit([G, SINGLE]).transform([SINGLE])
    floor = decay(1)
    cores = (P_ac - floor) / (1 - floor) + (P_bc - floor) / (1 - floor)
    np.testing.assert_allclose(K[0, 0], cores * (P_ac + P_bc), rtol=1e-12)


@pytest.mark.parametrize("engine", NESTED)
def test_no_value_anywhere_normalises_to_zero(engine):
    """A node without any value prunes even its own core: 0 / 0 is 0, and never NaN."""
    blank = nask.AttributedGraph(1, [], {"colour": [None]})
    red = nask.AttributedGraph(1, [], {"colour": ["red"]})
    kernel = nask.NASK(n_hops=2, prune_cores=True, engine=engine)
    K = kernel.fit_transform([red, blank])
    assert K[0, 0] == pytest.approx(1.0, rel=1e-12)
    assert [K[0, 1], K[1, 0], K[1, 1]] == [0.0, 0.0, 0.0]
