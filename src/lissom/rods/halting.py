"""Giving up a solve from outside: whoever runs one watches it, and is asked between its steps.

What is given up fails as if it had run out of iterations: all cables are as they were last solved, or without a shape
after a cold start. Only then, and once, the whole solve ends with `Halted`: nobody takes it for a cable that cannot
follow.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


class Halted(Exception):
    """A solve was given up because somebody wanted that."""


@dataclass(slots=True)
class Watch:
    is_over: Callable[[], bool]
    given_up: bool = False


_watch: ContextVar[Watch | None] = ContextVar("watch", default=None)


@contextmanager
def watched(is_over: Callable[[], bool]) -> Iterator[None]:
    """While the block runs, solves ask again and again whether they are to be given up."""
    token = _watch.set(Watch(is_over))
    try:
        yield
    finally:
        _watch.reset(token)


def given_up() -> bool:
    """Whether the present solve is; asked between two steps of it. Once it is, it stays so to its end."""
    watch = _watch.get()
    if watch is None:
        return False
    watch.given_up = watch.given_up or watch.is_over()
    return watch.given_up


def end() -> None:
    """Of a whole solve: raises `Halted` where it was given up."""
    watch = _watch.get()
    if watch is not None and watch.given_up:
        watch.given_up = False
        raise Halted("stopped")
