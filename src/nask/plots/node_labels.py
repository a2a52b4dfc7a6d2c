"""What is written into nodes: which attribute, and as much of it as fits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from nask.exceptions import ParameterError, did_you_mean
from nask.graph.attribute import Attribute
from nask.graph.attributed_graph import AttributedGraph
from nask.messages import quoted

Labels: TypeAlias = bool | str | Sequence[object] | None

# An attribute of more values tells nodes apart, but says little about them.
MOST_VALUES = 20
# Mean width of a character, with a little space around it, and the height of a line, relative to
# the size of the font.
CHARACTER_WIDTH, LINE_HEIGHT = 0.68, 1.2
SMALLEST_FONT, LARGEST_FONT = 5.5, 10.0
# Of one label at least so many characters are shown, or none is.
FEWEST_CHARACTERS = 3


def node_texts(graph: AttributedGraph, labels: Labels) -> list[str] | None:
    """Text of each node; None if nothing is to be written.

    Parameters
    ----------
    graph : AttributedGraph
    labels : bool, str, sequence or None
        True: the first categorical attribute of 20 values at most that is not a yes or no. Text:
        the attribute of that name. A sequence: one label per node. False or None: nothing.

    Examples
    --------
    >>> ring = AttributedGraph(2, [(0, 1)], {"aromatic": [True, False], "element": ["C", None]})
    >>> node_texts(ring, True), node_texts(ring, "aromatic"), node_texts(ring, False)
    (['C', ''], ['True', 'False'], None)
    >>> node_texts(ring, "elemnt")
    Traceback (most recent call last):
    nask.exceptions.ParameterError: The nodes have no attribute 'elemnt'. Did you mean 'element'?
    """
    if labels is None or labels is False:
        return None
    attributes = graph.node_attributes
    if labels is True:
        telling = [own for own in attributes.values() if _tells(own)]
        return _written(telling[0].values()) if telling else None
    if isinstance(labels, str):
        if labels not in attributes:
            raise ParameterError(
                f"The nodes have no attribute {quoted(labels)}. {did_you_mean(labels, attributes)}"
            )
        return _written(attributes[labels].values())
    try:
        texts = _written(list(labels))
    except TypeError:
        raise ParameterError(
            "labels must be True, False, the name of a node attribute, or one label per node. Got "
            f"{quoted(labels)}."
        ) from None
    if len(texts) != graph.n_nodes:
        raise ParameterError(
            f"labels must hold one label per node ({graph.n_nodes}). Got {len(texts)}."
        )
    return texts


def fitted(texts: list[str], width: float) -> tuple[list[str], float]:
    """Labels that fit into circles, and the size of their font; none if they would be too small.

    Labels that do not fit in the smallest font are cut, with an ellipsis at their end.

    Parameters
    ----------
    texts : list of str
    width : float
        Diameter of a circle in points.

    Examples
    --------
    >>> fitted(["C", "Cl"], 20.0)
    (['C', 'Cl'], 10.0)
    >>> fitted(["Kosice", "Bratislava"], 20.0)
    (['Kosi…', 'Brat…'], 5.5)
    >>> fitted(["C"], 4.0)
    ([], 5.5)
    """
    longest = max(map(len, texts), default=0)
    font = float(np.clip(_largest_font(longest, width), SMALLEST_FONT, LARGEST_FONT))
    if _largest_font(longest, width) >= font:
        return texts, font
    most = next(k for k in range(longest, -1, -1) if _largest_font(k, width) >= font or not k)
    if most < FEWEST_CHARACTERS:
        return [], font
    return [own if len(own) <= most else f"{own[: most - 1]}…" for own in texts], font


def _largest_font(n_characters: int, width: float) -> float:
    """Size of the font in which so many characters fit into a circle of that diameter."""
    return width / float(np.hypot(CHARACTER_WIDTH * max(n_characters, 1), LINE_HEIGHT / 2))


def _tells(attribute: Attribute) -> bool:
    """Whether an attribute is one to write into nodes: some values, but few, and not yes or no."""
    values = attribute.categories
    few = attribute.kind == "categorical" and 0 < len(values) <= MOST_VALUES
    return few and not all(isinstance(value, bool) for value in values)


def _written(values: Sequence[object]) -> list[str]:
    """Values as text of one line."""
    return ["" if value is None else " ".join(str(value).split()) for value in values]
