"""The laboratory: what experiments need and users do not.

The library reaches it by name: nothing of it is imported until a rival or one of its
datasets is asked for.
"""

from typing import TYPE_CHECKING

from nask.lazy import lazy_names

_MODULES = {
    "make_social_network": "nask.lab.generators.social",
    "make_social_networks": "nask.lab.generators.social",
    "make_synthetic": "nask.lab.generators.synthetic",
    "make_synthetic_new": "nask.lab.generators.synthetic",
    "make_synthie": "nask.lab.generators.synthie",
    "read_pokec": "nask.lab.pokec.reader",
    "rival": "nask.lab.rivals.catalogue",
}
__all__ = sorted(_MODULES)  # noqa: PLE0605
if TYPE_CHECKING:
    from nask.lab.generators.social import make_social_network as make_social_network
    from nask.lab.generators.social import make_social_networks as make_social_networks
    from nask.lab.generators.synthetic import make_synthetic as make_synthetic
    from nask.lab.generators.synthetic import make_synthetic_new as make_synthetic_new
    from nask.lab.generators.synthie import make_synthie as make_synthie
    from nask.lab.pokec.reader import read_pokec as read_pokec
    from nask.lab.rivals.catalogue import rival as rival
else:
    __getattr__, __dir__ = lazy_names(__name__, _MODULES)
