"""Files: open, save, export, recordings, and what is kept against a crash."""

from __future__ import annotations

import json
from pathlib import Path

from lissom.analysis.files import write_findings
from lissom.analysis.models import write_glb
from lissom.analysis.report import findings, json_text
from lissom.scene import Scene, SceneError, new_scene, state_path
from lissom.scene.files import make_folder, write_atomically
from lissom.session import replaying
from lissom.session.desk import Desk, desk_path, load_desk, moved_to, save_desk
from lissom.session.gallery import gallery
from lissom.session.history import Moment
from lissom.session.messages.commands import Discard, Drop, ExportFile, Files, New, Open, Record, Replay, Save, Script
from lissom.session.messages.events import Notice
from lissom.session.messages.values import Json
from lissom.session.recording import read_recording
from lissom.session.running import before_an_edit, rewind, running
from lissom.session.scripting import Base, script
from lissom.session.session import Act, Session
from lissom.session.shapes import shapes
from lissom.session.slots import Slot, full_slots
from lissom.simulation import Halted, Simulation

DEMO = "demo:"
UNSAVED = "unsaved:"
RECENT = 12


# ---- opening ---------------------------------------------------------------------------------------------------------


def new(session: Session, command: New) -> Json:
    if command.template.startswith(DEMO):
        open_demo(session, command.template.removeprefix(DEMO))
        return None
    text = new_scene(command.template) if command.template else 'format = 1\ntitle = "Untitled"\n'
    simulation = Simulation(Scene.from_toml(text))
    leave(session)
    session.begin(simulation, Slot.untitled(session.workspace))
    return None


def open_demo(session: Session, name: str) -> None:
    """A scene of the gallery: it has no file of its own in the workspace until it is saved."""
    file = gallery().get(name)
    if file is None:
        raise ValueError(f"demo {name!r:.60}: there is none of this name")
    leave(session)
    open_slot(session, Slot.demo(session.workspace, name), file)


def open_(session: Session, command: Open) -> Json:
    if command.path.startswith(UNSAVED):
        slot = Slot.named(session.workspace, command.path.removeprefix(UNSAVED))
        leave(session)
        open_slot(session, slot, None)
        return None
    file = session.workspace.scene(command.path)
    Scene.load(file)  # raises while the scene of before is still there
    leave(session)
    open_file(session, file)
    return None


def open_file(session: Session, file: Path) -> None:
    """A scene file of the workspace."""
    open_slot(session, Slot.of(session.workspace, file), file)
    remember_recent(session, file)


def open_slot(session: Session, slot: Slot, file: Path | None) -> None:
    """The scene with its state and the desk beside it; with the edits that were never saved, where there are any."""
    if slot.is_full and recovered(session, slot):
        return
    if file is None:
        raise ValueError(f"{slot.name}: there are no unsaved edits of this name")
    session.begin(Simulation.open(file), slot, desk_beside(session, file))


def recovered(session: Session, slot: Slot) -> bool:
    """Takes unsaved edits over, where there are any that can be read."""
    try:
        session.begin(Simulation.open(slot.kept), slot, desk_beside(session, slot.kept))
    except (SceneError, ValueError, OSError) as error:
        session.tell(Notice("warning", f"unsaved edits of before cannot be used: {error}"))
        return False
    session.base = Base(session.simulation.scene)
    session.unsaved = session.recovered = True
    return True


def desk_beside(session: Session, file: Path) -> Desk:
    path = desk_path(file)
    if not path.is_file():
        return Desk()
    try:
        return load_desk(path)[0]
    except (ValueError, OSError) as error:
        session.tell(Notice("warning", f"{path.name} cannot be used: {error}"))
        return Desk()


# ---- saving ----------------------------------------------------------------------------------------------------------


def save(session: Session, command: Save) -> Json:
    """Answered with the path. A drag under way ends first: where it leads is what is saved."""
    if command.path is not None:
        file = session.workspace.scene(command.path)
    elif session.file is not None:
        file = session.file
    else:
        raise ValueError("save: this scene has no file yet: give it a name")
    if session.grabbed is not None:
        session.do(Drop())
    for beside in (desk_path(file), state_path(file)):
        session.workspace.inside(beside)
    file.parent.mkdir(parents=True, exist_ok=True)
    run = session.running
    ran = None if run is None or run.machine.time == 0.0 else session.moment()
    rewind(session)
    session.desk = moved_to(session.desk, session.simulation.scene, file.parent)
    session.simulation.save_as(file)
    save_desk(desk_path(file), session.desk, shapes(session))
    session.slot.forget()
    session.slot = Slot.of(session.workspace, file)
    session.slot.forget()
    session.unsaved = session.recovered = False
    session.described = False
    session.base, session.script = Base(session.simulation.scene, file), ()
    remember_recent(session, file)
    if ran is not None:
        go_on_from(session, ran, file)
    return session.workspace.said(file)


def go_on_from(session: Session, ran: Moment, file: Path) -> None:
    """A machine is saved as it begins; it goes on from where it was, unless its meshes are now looked for elsewhere."""
    kept = session.base, session.script, session.desk
    time = 0.0 if ran.state.machine is None else ran.state.machine.time
    if ran.state.scene.folder.resolve() == file.parent.resolve():
        session.go_to(ran)
        running(session)
        session.base, session.script, session.desk = kept
        there = f"here it stays at {time:.2f} s"
    else:
        there = "it is there now"
    session.tell(Notice("info", f"Saved as the machine begins, at 0 s; {there}."))


def autosave(session: Session) -> None:
    """Keeps unsaved edits; not while something is held, which is not yet an edit."""
    if not session.unsaved or session.grabbed is not None:
        return
    keep(session, session.slot.kept)


def keep(session: Session, file: Path) -> None:
    """Writes scene, state and desk; the session goes on as it was. Of a machine that ran, how it begins."""
    if session.running is not None and session.running.machine.time > 0.0:
        session.simulation.start.save(file)
        Simulation(session.simulation.start).save_state(state_path(file))
    else:
        session.simulation.save(file)
    desk = moved_to(session.desk, session.simulation.scene, file.parent)
    save_desk(desk_path(file), desk, shapes(session))


def discard(session: Session, command: Discard) -> Json:
    """Back to the file or the demo; to the empty scene where there is none."""
    slot = session.slot
    slot.forget()
    session.unsaved = False
    session.grabbed = session.held = None
    try:
        if slot.file is not None:
            open_file(session, slot.file)
        elif slot.demo_name is not None:
            open_demo(session, slot.demo_name)
        else:
            new(session, New())
    except Halted:
        session.unsaved = True
        autosave(session)
        raise
    return None


def leave(session: Session) -> None:
    """Unsaved edits of the scene that is left stay where they can be recovered; so does a recording."""
    if session.grabbed is not None:
        session.do(Drop())
    autosave(session)
    if session.recorder.on:
        session.tell(Notice("info", f"The recording was ended: {end_recording(session)}"))


def recent(session: Session) -> list[str]:
    file = session.workspace.hidden / "recent.json"
    try:
        names = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else []
    except ValueError:
        return []
    return [k for k in names if isinstance(k, str) and (session.workspace.folder / k).is_file()][:RECENT]


def remember_recent(session: Session, file: Path) -> None:
    name = session.workspace.said(file)
    names = [name, *(k for k in recent(session) if k != name)][:RECENT]
    try:
        write_atomically(session.workspace.hidden / "recent.json", json.dumps(names).encode())
    except OSError as error:  # the scene is open all the same
        session.tell(Notice("warning", f"the list of recent scenes could not be written: {error.strerror or error}"))


def files(session: Session, command: Files) -> Json:
    demos = []
    for name, file in gallery().items():
        demos.append({"name": name, "title": Scene.load(file).title, "question": desk_beside(session, file).question})
    return {
        "scenes": session.workspace.scenes(),
        "recordings": session.workspace.recordings(),
        "recent": recent(session),
        "gallery": demos,
        "unsaved": [f"{UNSAVED}{k.name}" for k in full_slots(session.workspace) if k != session.slot],
    }


# ---- exports, recordings ---------------------------------------------------------------------------------------------


def export(session: Session, command: ExportFile) -> Json:
    """Answered with the paths of the files in the workspace."""
    stem = "untitled" if session.file is None else session.file.stem
    simulation = session.simulation
    if command.format == "table":
        folder = session.workspace.file(f"{stem} results" if command.path is None else command.path)
        make_folder(folder)
        for there in folder.iterdir():
            session.workspace.inside(there)
        return [session.workspace.said(k) for k in write_findings(findings(simulation, session.report), folder)]
    ending = {"picture": ".png", "shapes": ".glb", "report": ".json"}[command.format]
    workspace = session.workspace
    file = workspace.free_name(stem, ending) if command.path is None else workspace.file(command.path)
    if file.suffix.lower() != ending:
        raise ValueError(f"{file.name}: must end in {ending}")
    if command.format == "picture":
        simulation.picture(file)
    elif command.format == "shapes":
        write_glb(file, simulation)
    else:
        write_atomically(file, json_text(findings(simulation, session.report)).encode())
    return [session.workspace.said(file)]


def record(session: Session, command: Record) -> Json:
    """Answered with the path of what was recorded, at its end."""
    session.described = False
    if not command.on:
        if not session.recorder.on:
            raise ValueError("nothing is being recorded")
        return end_recording(session)
    if session.grabbed is not None:
        session.do(Drop())
    before_an_edit(session)
    kept = session.workspace.hidden / "recording.json"
    keep(session, kept)
    session.recorder.begin(kept)
    return None


def end_recording(session: Session) -> str:
    stem = "untitled" if session.file is None else session.file.stem
    file = session.workspace.free_name(stem, ".session.jsonl")
    session.recorder.end(file)
    return session.workspace.said(file)


def replay(session: Session, command: Replay) -> Json:
    """From its beginning, at the pace of then; answered with how many commands it has."""
    kept = session.workspace.hidden / "replay.json"
    entries = read_recording(session.workspace.file(command.path), kept)
    simulation = Simulation.open(kept)
    leave(session)
    session.begin(simulation, Slot.untitled(session.workspace), desk_beside(session, kept))
    replaying.begin(session, command.path, entries)
    return len(entries)


def script_(session: Session, command: Script) -> Json:
    return script(session.base, session.script, session.workspace.folder)


ACTS = {
    New: Act(new),
    Open: Act(open_),
    Save: Act(save),
    Discard: Act(discard),
    ExportFile: Act(export),
    Record: Act(record),
    Replay: Act(replay),
    Script: Act(script_),
    Files: Act(files),
}
