"""lissom: the true shape, forces and moments of cables, hoses, wire harnesses and ropes."""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from lissom.batch import BatchResult, solve_many
    from lissom.gripping import haptic_loop
    from lissom.grips import Grip
    from lissom.haptic.loop import HapticLoop
    from lissom.reaching import Reach, reach
    from lissom.reports import Report, SolveError
    from lissom.rods.result import CableResult, Wrench
    from lissom.scene import Scene, SceneError, library
    from lissom.simulation import Simulation
    from lissom.sweeping import Snap, Visit

# The one import path of each public name; modules are loaded when first asked for, so that `import lissom` is quick.
_HOME = {
    "Scene": "lissom.scene",
    "SceneError": "lissom.scene",
    "library": "lissom.scene",
    "Simulation": "lissom.simulation",
    "Grip": "lissom.grips",
    "Report": "lissom.reports",
    "SolveError": "lissom.reports",
    "CableResult": "lissom.rods.result",
    "Wrench": "lissom.rods.result",
    "Reach": "lissom.reaching",
    "reach": "lissom.reaching",
    "BatchResult": "lissom.batch",
    "HapticLoop": "lissom.haptic.loop",
    "haptic_loop": "lissom.gripping",
    "solve_many": "lissom.batch",
    "Snap": "lissom.sweeping",
    "Visit": "lissom.sweeping",
}

__all__ = [
    "BatchResult",
    "CableResult",
    "Grip",
    "HapticLoop",
    "Reach",
    "Report",
    "Scene",
    "SceneError",
    "Simulation",
    "Snap",
    "SolveError",
    "Visit",
    "Wrench",
    "haptic_loop",
    "library",
    "reach",
    "solve_many",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        from importlib import import_module

        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'lissom' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
