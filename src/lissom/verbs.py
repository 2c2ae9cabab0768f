"""All or nothing: what becomes of a simulation when one of its verbs breaks.

Everything is as it was before. What the caller got wrong is raised, as it was; an error inside, which callers cannot
mend, is a report: the verb's own if it gives one, else that of the next solve.
"""

import dis
import time
from collections.abc import Callable
from functools import wraps
from types import TracebackType
from typing import Any, Protocol, TypeVar, cast

from lissom.reports import Report, SolveError, error_reason

Verb = TypeVar("Verb", bound=Callable[..., Any])


class Overall(Protocol):
    def overall(self, iterations: int, began: float) -> Report: ...


class Simulation(Protocol):
    """What is asked of one."""

    _broken: Report | None  # of a verb that gives none: the next solve says it
    _is_changing: bool  # a verb is at work

    @property
    def _cables(self) -> Overall: ...
    def _before(self) -> Any: ...
    def _put_back(self, before: Any) -> None: ...


def whole(verb: Verb) -> Verb:
    """A verb of a simulation, or of something that has one as `_simulation`, that changes it wholly or not at all."""
    gives = verb.__annotations__["return"]

    @wraps(verb)
    def done(self: Any, *args: Any, **kwargs: Any) -> Any:
        simulation: Simulation = getattr(self, "_simulation", self)
        if simulation._is_changing:  # as part of another verb
            return verb(self, *args, **kwargs)
        began = time.perf_counter()
        before = simulation._before()
        simulation._is_changing = True
        try:
            return verb(self, *args, **kwargs)
        except Exception as broken:
            simulation._put_back(before)
            if is_of_caller(broken):
                raise
            return _told(simulation, error_report(simulation, broken, began), gives)
        finally:
            simulation._is_changing = False

    return cast(Verb, done)


def error_report(simulation: Simulation, broken: Exception, began: float) -> Report:
    """Of an error inside; raises it where tests run."""
    return simulation._cables.overall(0, began)._replace(status="error", reason=error_reason(broken))


def _told(simulation: Simulation, report: Report, gives: Any) -> Any:
    """What a broken verb gives."""
    if gives is Report:
        return report
    if gives is None:
        simulation._broken = report
        return None
    raise SolveError(f"{report.status}: {report.reason}")  # there is nothing to give


def is_of_caller(broken: Exception) -> bool:
    """Whether lissom raised an error on purpose, for the caller to read; else it happened to us.

    That is one that a `raise` of ours began, or arguments that do not fit the verb.
    """
    if isinstance(broken, AssertionError):
        return False
    trace: TracebackType | None = broken.__traceback__
    assert trace is not None
    if trace.tb_next is None:  # the verb was not entered
        return isinstance(broken, TypeError)
    while trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code
    is_ours = trace.tb_frame.f_globals.get("__name__", "").partition(".")[0] == __name__.partition(".")[0]
    return is_ours and dis.opname[code.co_code[trace.tb_lasti]] == "RAISE_VARARGS"
