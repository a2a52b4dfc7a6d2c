"""Places of elements in whole vectors, one by one."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nask.compiled.places import Places
from nask.compiled.vectors import LANES, VECTOR_BYTES


@given(data=st.data())
def test_every_element_has_one_place_in_its_block_and_in_order(data):
    sizes = data.draw(st.lists(st.integers(0, 12), min_size=1, max_size=8))
    ptr = np.concatenate([[0], np.cumsum(sizes)])
    first = data.draw(st.integers(0, len(sizes) - 1))
    inside = data.draw(st.sets(st.integers(first, len(sizes))))
    cuts = np.array(sorted({first, len(sizes)} | inside))
    n = sum(sizes)
    order = np.array(data.draw(st.lists(st.integers(0, 5), min_size=n, max_size=n)), dtype=int)
    places = Places.of(ptr, cuts, order)
    assert (places.ptr % LANES == 0).all()
    for k in range(len(cuts) - 1):
        block = places.source[places.ptr[k] : places.ptr[k + 1]].tolist()
        elements = range(ptr[cuts[k]], ptr[cuts[k + 1]])
        # Python's sort leaves equal ones in their order.
        expected = sorted(elements, key=lambda element: order[element])
        assert block == expected + [-1] * (len(block) - len(expected))
        assert len(block) - len(expected) < LANES


def test_values_by_place_and_back():
    ptr, cuts, order = np.array([0, 2, 3, 5]), np.array([1, 2, 3]), np.array([1, 0, 2, 9, 8])
    places = Places.of(ptr, cuts, order)
    values = np.array([[10, 11, 12, 13, 14], [20, 21, 22, 23, 24]], dtype=np.int32)
    taken = places.take(values, -7)
    assert taken.dtype == np.int32
    assert taken.ctypes.data % VECTOR_BYTES == 0
    fill = [-7] * 7
    assert taken[0].tolist() == [12, *fill, 14, 13, *fill[1:]]
    positions = places.positions(5)
    np.testing.assert_array_equal(taken[:, positions[2:]], values[:, 2:])
