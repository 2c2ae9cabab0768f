"""A session as a Python script: each command as the call that does the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lissom.session.messages import (
    AddCable,
    AddClip,
    Cancel,
    Command,
    Drag,
    Drop,
    Edit,
    Feed,
    Freeze,
    Grab,
    HowLong,
    Lengthen,
    Mount,
    Move,
    Remove,
    Soften,
    Solve,
    SpaceClips,
    Turn,
    Undo,
)


def script(commands: Iterable[Command], file: str) -> str:
    """The text of the script."""
    lines = ["import lissom", "", f"sim = lissom.Simulation.open({file!r})", ""]
    return "\n".join([*lines, *calls(commands), "print(sim.solve())"]) + "\n"


def calls(commands: Iterable[Command]) -> Iterator[str]:
    grabbed: Grab | None = None
    for command in commands:
        if isinstance(command, Grab):
            grabbed = command
            if command.at is not None:
                yield f'grip = sim.grip({command.path!r}, at={command.at!r}, kind="ball")'
        elif isinstance(command, Drag) and grabbed is not None:
            if grabbed.at is not None:
                yield f"grip.move(position={short(command.position)}, max_step=0.01)"
            else:
                turn = "" if command.quaternion is None else f", quaternion={short(command.quaternion)}"
                yield f"sim.move({grabbed.path!r}, position={short(command.position)}{turn})"
                yield "sim.solve()"
        elif isinstance(command, Drop) and grabbed is not None:
            if grabbed.at is not None:
                yield "grip.release()" if command.keep is None else f"grip.keep({command.keep!r})"
                yield "sim.solve()"
            grabbed = None
        elif isinstance(command, Cancel):
            grabbed = None
            yield "# (the drag was cancelled)"
        else:
            yield from call(command)


def call(command: Command) -> Iterator[str]:
    if isinstance(command, Move):
        given = {
            k: getattr(command, k) for k in ("position", "quaternion", "tangent") if getattr(command, k) is not None
        }
        said = [f"{key}={short(value)}" for key, value in given.items()]
        said += [] if command.roll is None else [f"roll={command.roll!r}"]
        yield f"sim.move({command.path!r}, {', '.join(said)})"
    elif isinstance(command, Turn):
        yield f"# turn {command.path} by {command.by!r} rad"
        return
    elif isinstance(command, Edit):
        yield f"sim.replace_scene(sim.scene.with_values({command.values!r}))"
    elif isinstance(command, AddClip):
        yield f"sim.add_clip({command.cable!r}, at={command.at!r}, kind={command.clip!r})"
    elif isinstance(command, SpaceClips):
        yield f"sim.space_clips({command.cable!r}, {command.count}, kind={command.clip!r})"
    elif isinstance(command, AddCable):
        ends = ", ".join(f"{key}={mount(k)}" for key, k in (("start", command.start), ("end", command.end)))
        more = "".join(f", {k}={getattr(command, k)!r}" for k in ("type", "length") if getattr(command, k) is not None)
        yield f"sim.add_cable({(command.name or 'cable 1')!r}, {ends}{more})"
    elif isinstance(command, Remove):
        yield from (f"sim.remove({path!r})" for path in command.paths)
    elif isinstance(command, Lengthen):
        given = {k: getattr(command, k) for k in ("by", "to", "between") if getattr(command, k) is not None}
        yield f"sim.lengthen({command.cable!r}, {', '.join(f'{k}={v!r}' for k, v in given.items())})"
    elif isinstance(command, Soften):
        yield f"mode = sim.soften({command.cable!r}, bent={command.bent!r})"
    elif isinstance(command, Feed):
        yield f"mode = sim.feed({command.cable!r}, between={command.between!r})"
    elif isinstance(command, Freeze):
        yield "mode.freeze()"
        return
    elif isinstance(command, Solve):
        yield f"sim.solve(cold={command.cold!r})"
        return
    elif isinstance(command, Undo):
        yield "# undo"
        return
    elif isinstance(command, HowLong):
        return
    else:
        return
    yield "sim.solve()"


def mount(at: Mount) -> str:
    on = "" if at.on is None else f", 'on': {at.on!r}"
    return f"{{'position': {short(at.position)}, 'tangent': {short(at.tangent)}{on}}}"


def short(values: tuple[float, ...]) -> str:
    return "(" + ", ".join(f"{v:.6g}" for v in values) + ")"
