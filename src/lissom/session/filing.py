"""Files: open, save, export, recordings, and what is kept against a crash."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from lissom.analysis.files import make_folder, write_findings
from lissom.analysis.report import findings
from lissom.scene import Scene, new_scene, state_path
from lissom.session.desk import Desk, desk_path, load_desk, save_desk
from lissom.session.gallery import gallery
from lissom.session.messages import (
    Discard,
    ExportFile,
    Files,
    Json,
    New,
    Notice,
    Open,
    Record,
    Replay,
    Save,
    Script,
)
from lissom.session.recording import Recorder, read_recording
from lissom.session.scripting import script
from lissom.session.session import Act, Session
from lissom.session.shapes import shapes
from lissom.simulation import Simulation

DEMO = "demo:"
RECENT = 12


# ---- opening ---------------------------------------------------------------------------------------------------------


def new(session: Session, command: New) -> Json:
    if command.template.startswith(DEMO):
        open_demo(session, command.template.removeprefix(DEMO))
        return None
    text = new_scene(command.template) if command.template else 'format = 1\ntitle = "Untitled"\n'
    leave(session)
    session.begin(Simulation(Scene.from_toml(text)), None)
    return None


def open_demo(session: Session, name: str) -> None:
    """A scene of the gallery: it has no file of its own in the workspace until it is saved."""
    file = gallery().get(name)
    if file is None:
        raise ValueError(f"demo {name!r:.60}: there is none of this name")
    leave(session)
    open_file(session, file)
    session.file = None
    session.described = False


def open_(session: Session, command: Open) -> Json:
    file = session.workspace.scene(command.path)
    leave(session)
    open_file(session, file)
    recover(session)
    remember_recent(session, file)
    return None


def open_file(session: Session, file: Path) -> None:
    """The scene with its state, and the desk beside it."""
    desk, _, _ = desk_beside(session, file)
    session.begin(Simulation.open(file), file, desk)
    session.recorder = Recorder()


def desk_beside(session: Session, file: Path) -> tuple[Desk, dict[str, object], dict[str, object]]:
    path = desk_path(file)
    if not path.is_file():
        return Desk(), {}, {}
    try:
        desk, stored, extra = load_desk(path)
    except (ValueError, OSError) as error:
        session.tell(Notice("warning", f"{path.name} cannot be used: {error}"))
        return Desk(), {}, {}
    return desk, dict(stored), extra


# ---- saving ----------------------------------------------------------------------------------------------------------


def save(session: Session, command: Save) -> Json:
    """Answered with the path."""
    if command.path is not None:
        file = session.workspace.scene(command.path)
    elif session.file is not None:
        file = session.file
    else:
        raise ValueError("save: this scene has no file yet: give it a name")
    file.parent.mkdir(parents=True, exist_ok=True)
    old = autosave_file(session)
    session.simulation.save(file)
    save_desk(desk_path(file), session.desk, shapes(session))
    reread = Scene.load(file)  # from now on paths of meshes lead from there
    session.simulation._scene = reread
    forget(old)
    session.file = file
    session.unsaved = session.recovered = False
    session.described = False
    forget(autosave_file(session))
    remember_recent(session, file)
    return session.workspace.said(file)


def autosave_file(session: Session) -> Path:
    """Where unsaved edits of this scene are kept."""
    name = "untitled" if session.file is None else hashlib.sha256(str(session.file).encode()).hexdigest()[:16]
    ending = ".toml" if session.file is None else session.file.suffix
    return session.workspace.hidden / f"unsaved-{name}{ending}"


def autosave(session: Session) -> None:
    """Keeps unsaved edits; not while something is held, which is not yet an edit."""
    if not session.unsaved or session.grabbed is not None:
        return
    file = autosave_file(session)
    session.simulation.save(file)
    save_desk(desk_path(file), session.desk, shapes(session))


def recover(session: Session) -> None:
    """Takes unsaved edits over, where a session of before was cut off."""
    kept, file = autosave_file(session), session.file
    if not kept.is_file():
        return
    try:
        desk, _, _ = desk_beside(session, kept)
        session.begin(Simulation.open(kept), file, desk)
    except ValueError as error:
        session.tell(Notice("warning", f"unsaved edits of before cannot be used: {error}"))
        return
    session.unsaved = session.recovered = True
    session.tell(Notice("info", "Unsaved edits of the last session were recovered."))


def discard(session: Session, command: Discard) -> Json:
    """Back to the file; to the empty scene where there is none."""
    forget(autosave_file(session))
    if session.file is not None:
        open_file(session, session.file)
    else:
        new(session, New())
    return None


def leave(session: Session) -> None:
    """Unsaved edits of the scene that is left stay where they can be recovered."""
    if session.grabbed is not None:
        session.go_to(session.grabbed.before)
    autosave(session)
    session.file = None


def forget(file: Path) -> None:
    for path in (file, desk_path(file), state_path(file)):
        path.unlink(missing_ok=True)


def recent(session: Session) -> list[str]:
    file = session.workspace.hidden / "recent.json"
    try:
        names = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else []
    except ValueError:
        return []
    return [k for k in names if isinstance(k, str) and (session.workspace.folder / k).is_file()][:RECENT]


def remember_recent(session: Session, file: Path) -> None:
    from lissom.scene.saving import write_atomically

    name = session.workspace.said(file)
    names = [name, *(k for k in recent(session) if k != name)][:RECENT]
    write_atomically(session.workspace.hidden / "recent.json", json.dumps(names).encode())


def files(session: Session, command: Files) -> Json:
    demos = []
    for name, file in gallery().items():
        desk, _, _ = desk_beside(session, file)
        demos.append({"name": name, "title": Scene.load(file).title, "question": desk.question})
    return {
        "scenes": session.workspace.scenes(),
        "recordings": session.workspace.recordings(),
        "recent": recent(session),
        "gallery": demos,
    }


# ---- exports, recordings ---------------------------------------------------------------------------------------------


def export(session: Session, command: ExportFile) -> Json:
    """Answered with the path of the file or folder in the workspace."""
    stem = "untitled" if session.file is None else session.file.stem
    simulation = session.simulation
    if command.format == "table":
        folder = session.workspace.file(command.path or f"{stem} results")
        make_folder(folder)
        list(write_findings(findings(simulation, session.report), folder))
        return session.workspace.said(folder)
    ending = {"picture": ".png", "shapes": ".glb", "report": ".json"}[command.format]
    file = session.workspace.file(command.path) if command.path else session.workspace.free_name(stem, ending)
    if file.suffix.lower() != ending:
        raise ValueError(f"{file.name}: must end in {ending}")
    if command.format == "picture":
        simulation.picture(file)
    elif command.format == "shapes":
        from lissom.analysis.models import write_glb

        write_glb(file, simulation)
    else:
        from lissom.analysis.report import json_text
        from lissom.scene.saving import write_atomically

        write_atomically(file, json_text(findings(simulation, session.report)).encode())
    return session.workspace.said(file)


def record(session: Session, command: Record) -> Json:
    """Answered with the path of what was recorded, at its end."""
    session.described = False
    if command.on:
        scene = session.simulation.scene
        session.recorder.begin(scene, session.workspace.said(scene.folder / "x"))
        return None
    if not session.recorder.on:
        raise ValueError("nothing is being recorded")
    stem = "untitled" if session.file is None else session.file.stem
    file = session.workspace.free_name(stem, ".session.jsonl")
    session.recorder.end(file)
    return session.workspace.said(file)


def replay(session: Session, command: Replay) -> Json:
    """Does everything again, as fast as it goes; answered with how many commands were done."""
    file = session.workspace.file(command.path)
    scene, commands = read_recording(file)
    leave(session)
    session.begin(Simulation(scene), None)
    done = 0
    for _, entry in commands:
        session.do(entry)
        done += 1
    return done


def script_(session: Session, command: Script) -> Json:
    name = "scene.toml" if session.file is None else session.workspace.said(session.file)
    return script(session.recorder.done, name)


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
