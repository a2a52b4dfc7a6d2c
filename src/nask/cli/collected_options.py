"""Options that several commands share, given to each of them as one argument."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any


def with_collected(
    command: Callable[..., None],
    options: Mapping[str, inspect.Parameter],
    collect: Callable[..., Any],
    argument: str,
) -> Callable[..., None]:
    """Add options to a command, which gets what they make together as one argument.

    Parameters
    ----------
    command : function
    options : mapping of str to Parameter
        With their types and defaults.
    collect : function
        Called with the options; the command gets what it returns.
    argument : str
        The name of that argument of the command.

    Examples
    --------
    >>> def options(size: int = 3) -> None: ...
    >>> def show(name: str, style: dict[str, Any]) -> None:
    ...     print(name, style)
    >>> styled = with_collected(show, inspect.signature(options).parameters, dict, "style")
    >>> styled(name="a", size=4)
    a {'size': 4}
    >>> list(inspect.signature(styled).parameters)
    ['name', 'size']
    """
    own = inspect.signature(command, eval_str=True)

    @functools.wraps(command)
    def with_options(**arguments: Any) -> None:
        chosen = {name: arguments.pop(name) for name in options if name in arguments}
        command(**arguments, **{argument: collect(**chosen)})

    parameters = [p for name, p in own.parameters.items() if name != argument]
    # By keyword only, so that options with defaults may come before arguments without them.
    keyword = [
        p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in (*parameters, *options.values())
    ]
    with_options.__signature__ = own.replace(parameters=keyword)  # type: ignore[attr-defined]
    return with_options
