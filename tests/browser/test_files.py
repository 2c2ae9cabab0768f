"""Files: saved, opened, exported, recorded, and kept against a crash."""

from __future__ import annotations

import json
import math
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.studio.server import crossing

Open = Callable[..., Any]


def test_save_as_and_open_give_the_same_shape(studio: Open) -> None:
    page = studio("brake-hose.toml")
    page.send("Edit", values={"brake hose/length": 0.45})
    page.page.keyboard.press("Control+Shift+s")
    page.fill("save-path", "kept")
    page.until("lissom.store.get('scene').file === 'kept.toml' && !lissom.store.get('scene').unsaved")
    assert (page.server.folder / "kept.toml").is_file()
    assert (page.server.folder / "kept.state.npz").is_file()
    page.ready()
    shape = page.place("brake hose", 0.37)
    page.press("Control+o")
    page.click("file-brake-hose.toml")
    page.until("Math.abs(lissom.store.get('scene').cables[0].length - 0.42) < 1e-9")
    page.send("Open", path="kept.toml")
    page.until("Math.abs(lissom.store.get('scene').cables[0].length - 0.45) < 1e-9")
    page.until("lissom.store.get('readouts').status === 'converged'")
    page.until_at("lissom.place('brake hose', 0.37)", shape, 1e-6)


def test_exports_are_written_and_offered(studio: Open) -> None:
    page = studio("brake-hose.toml")
    page.click("file-menu")
    page.click("export-report")
    page.page.locator('[data-test="export-download"]').wait_for(state="visible", timeout=60_000)
    with page.page.expect_download() as download:
        page.click("export-download")
    data = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    assert data["status"] == "converged"
    assert data["cables"]["brake hose"]["residual"] < 1e-7


def test_a_recording_replays_to_the_same_shape(studio: Open) -> None:
    page = studio("brake-hose.toml")
    page.send("Record", on=True)
    page.until("lissom.store.get('scene').recording")
    page.send("Grab", path="brake hose/end")
    page.send("Drag", position=[0.1, 0.24, -0.12])
    page.send("Drop")
    page.send("AddClip", cable="brake hose", at=0.75)
    shape = page.place("brake hose", 0.9)
    file = page.send("Record", on=False)
    page.send("Open", path="brake-hose.toml")
    page.send("Discard")
    page.until("Math.abs(lissom.position('brake hose/end')[0] - 0.09) < 1e-9")
    page.ask("void (window.states = [], lissom.store.on('status', (k) => window.states.push([k.state, k.can_stop])))")
    page.click("file-menu")
    page.click("file-replay")
    page.click(f"file-{file}")
    page.until("window.states.some(([state, stops]) => state === 'replaying' && stops)")
    page.until("lissom.store.get('said').some((k) => k.text.includes('replayed to its end'))")
    page.until("Math.abs(lissom.position('brake hose/end')[0] - 0.1) < 1e-9")
    page.until_at("lissom.place('brake hose', 0.9)", shape, 1e-6)
    page.until("document.querySelector('[data-test=stop]').hidden")


def test_what_takes_long_is_stopped_with_escape(studio: Open) -> None:
    page = studio("brake-hose.toml")
    (page.server.folder / "tangle.toml").write_text(crossing())
    shape = page.place("brake hose", 0.6)
    page.ask("void lissom.send({ kind: 'Open', path: 'tangle.toml' }).catch((e) => (window.refused = e.message))")
    page.page.locator('[data-test="stop"]').wait_for(state="visible")
    assert "Esc stops it" in page.text("waiting")
    page.page.keyboard.press("Escape")
    page.until("window.refused?.startsWith('Stopped')")
    page.page.locator('[data-test="stop"]').wait_for(state="hidden")
    assert page.state("scene")["file"] == "brake-hose.toml"
    page.send("Edit", values={"brake hose/length": 0.43})  # and it goes on
    page.until("Math.abs(lissom.store.get('scene').cables[0].length - 0.43) < 1e-9")
    page.until("Math.hypot(...lissom.place('brake hose', 0.6).map((v, k) => v - argument[k])) > 1e-4", shape)
    page.until("lissom.store.get('readouts').status === 'converged'")


def test_the_session_as_python_does_the_same(studio: Open) -> None:
    page = studio("brake-hose.toml")
    page.send("Edit", values={"brake hose/length": 0.44})
    page.send("Move", path="brake hose/end", position=[0.1, 0.25, -0.12])
    page.until_at("lissom.place('brake hose', 1)", (0.1, 0.25, -0.12), 1e-6)
    page.click("file-menu")
    page.click("file-script")
    page.until("document.querySelector('[data-test=script-text]').textContent.includes('import lissom')")
    text = page.text("script-text")
    names: dict[str, Any] = {}
    here = os.getcwd()
    os.chdir(page.server.folder)
    try:
        exec(text, names)
    finally:
        os.chdir(here)
    hose = names["sim"].cable("brake hose")
    assert math.isclose(hose.length, 0.44)
    assert math.dist(hose.positions[-1], (0.1, 0.25, -0.12)) < 1e-6


def kept(page: Any) -> None:
    """Until unsaved edits are on the disk."""
    hidden = page.server.folder / ".lissom"
    while not list(hidden.glob("unsaved-*.studio.json")):  # the last of its files
        page.page.wait_for_timeout(50)


def test_edits_survive_a_server_that_is_killed(studio: Open, server: Callable[..., Any]) -> None:
    page = studio("brake-hose.toml", own=True)
    page.send("Edit", values={"brake hose/length": 0.47})
    kept(page)
    os.kill(page.server.process.pid, signal.SIGKILL)
    page.page.locator('[data-test="disconnected"]').wait_for(state="visible", timeout=20_000)
    assert math.dist(page.place("brake hose", 0.0), (0, 0, 0)) < 1e-6, "the last shape does not stay"
    page.errors.clear()  # the browser notes the lost connection
    again = server("brake-hose.toml", copy=False)
    page.page.goto(again.address)
    page.ready()
    page.errors.clear()
    assert math.isclose(page.state("scene")["cables"][0]["length"], 0.47)
    page.page.locator('[data-test="recovered"]').wait_for(state="visible")
    page.click("discard")
    page.until("Math.abs(lissom.store.get('scene').cables[0].length - 0.42) < 1e-9")


def test_a_simulation_that_dies_comes_back_and_says_so(studio: Open) -> None:
    page = studio("brake-hose.toml", own=True)
    page.send("Edit", values={"brake hose/length": 0.46})
    kept(page)
    server = page.server.process.pid
    for child in Path(f"/proc/{server}/task/{server}/children").read_text().split():
        if "spawn_main" in Path(f"/proc/{child}/cmdline").read_text():
            os.kill(int(child), signal.SIGKILL)
    page.until("lissom.store.get('said').some((k) => k.text.includes('started again'))", timeout=60_000)
    page.until("lissom.store.get('status').state === 'restarted'", timeout=120_000)
    assert math.isclose(page.state("scene")["cables"][0]["length"], 0.46)


def test_help_lists_the_keys_and_the_hint_can_be_dismissed(studio: Open) -> None:
    page = studio("brake-hose.toml")
    assert page.sees("first-hint")
    page.page.keyboard.press("?")
    page.page.locator('[data-test="help-dialog"]').wait_for(state="visible")
    assert "undo" in page.text("help-dialog").lower()
    page.page.keyboard.press("Escape")
    page.page.locator('[data-test="help-dialog"]').wait_for(state="hidden")


def test_an_empty_scene_and_the_gallery(studio: Open) -> None:
    page = studio("brake-hose.toml")
    page.send("New")
    page.until("lissom.store.get('scene').cables.length === 0")
    assert page.sees("empty-scene")
    demos = page.send("Files")["gallery"]
    assert len(demos) >= 7
    for demo in demos:
        assert demo["question"].endswith("?"), demo
    page.send("New", template=f"demo:{demos[0]['name']}")
    page.until(
        "lissom.store.get('readouts').cables.length > 0 && lissom.store.get('readouts').status === 'converged'",
        timeout=60_000,
    )
    assert page.sees("question")
