"""Motion: sliders, positions, the timeline, recording, sweeps and what they found, in the page."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from lissom.scene import Scene

Open = Callable[..., Any]

PAD = 9.0
"""px beside the track of the timeline."""


def banjo(joints: dict[str, list[float]]) -> list[float]:
    """Where the joints of the steered brake hose put the end of the hose."""
    angle, travel = joints["steering"][0], joints["travel"][0]
    c, s = math.cos(angle), math.sin(angle)
    return [c * 0.09 + s * 0.04, 0.3 + s * 0.09 - c * 0.04, -0.13 + travel]


def slide(page: Any, test: str, start: float, end: float) -> None:
    """Drags a slider from one part of its way to another."""
    box = page.page.locator(f'[data-test="{test}"]').bounding_box()
    y = box["y"] + box["height"] / 2.0
    room = box["width"] - 16.0  # the thumb stays inside
    page.drag((box["x"] + 8.0 + start * room, y), (box["x"] + 8.0 + end * room, y))


def track(page: Any, time: float, row: float) -> tuple[float, float]:
    """Pixels of a time on the timeline; row 0 is the ruler."""
    box = page.page.locator('[data-test="timeline"]').bounding_box()
    first, last = (float(k) for k in page.ask("document.querySelector('[data-test=timeline]').dataset.range").split())
    x = PAD + (time - first) / (last - first) * (box["width"] - 2.0 * PAD)
    return box["x"] + x, box["y"] + (10.0 if row == 0 else 22.0 + 19.0 * (row - 0.5))


def certified(page: Any) -> None:
    page.until("lissom.store.get('readouts').frame >= lissom.store.get('frame').number")
    readouts = page.state("readouts")
    assert readouts["status"] == "converged"
    assert all(k["residual"] < 1e-6 for k in readouts["cables"])


def joints(page: Any) -> dict[str, list[float]]:
    found: dict[str, list[float]] = page.state("frame")["joints"]
    return found


def test_a_slider_turns_its_part_and_the_hose_follows(studio: Open) -> None:
    page = studio("steered-brake-hose.toml")
    assert page.sees("motion-panel")
    slide(page, "joint-steering-slider", 0.5, 0.8)
    page.release()
    page.until("lissom.store.get('scene').undo === 'move steering'")
    angle = joints(page)["steering"][0]
    assert math.degrees(angle) == pytest.approx(21.0, abs=3.0)
    assert math.dist(page.place("hose", 1.0), banjo(joints(page))) < 1e-6
    certified(page)
    page.fill("joint-travel", "-6 cm")
    page.until("lissom.store.get('frame').joints.travel[0] === -0.06")
    assert math.dist(page.place("hose", 1.0), banjo(joints(page))) < 1e-6
    certified(page)
    page.fill("joint-steering", "50 deg")
    page.until("document.querySelector('[data-test=joint-steering-error]').textContent.includes('-35° to 35°')")
    assert joints(page)["steering"][0] == angle
    page.click("undo")
    page.click("undo")
    page.until("lissom.store.get('frame').joints.steering[0] === 0 && lissom.store.get('frame').joints.travel[0] === 0")


def test_positions_are_kept_and_gone_to_and_scenes_without_joints_show_none(studio: Open) -> None:
    page = studio("steered-brake-hose.toml")
    page.click("position-full lock, droop")
    page.until("lissom.store.get('frame').joints.travel[0] === -0.08")
    assert joints(page)["steering"][0] == pytest.approx(math.radians(35.0))
    certified(page)
    page.fill("joint-steering", "12")
    page.until("Math.abs(lissom.store.get('frame').joints.steering[0] - Math.PI / 15) < 1e-9")
    page.click("position-keep")
    page.fill("position-name", "in the bend")
    page.until("lissom.store.get('scene').positions.length === 3")
    page.click("position-full lock, bump")
    page.until("lissom.store.get('frame').joints.travel[0] === 0.08")
    page.click("position-in the bend")
    page.until("lissom.store.get('frame').joints.travel[0] === -0.08")
    assert joints(page)["steering"][0] == pytest.approx(math.radians(12.0))
    assert math.dist(page.place("hose", 1.0), banjo(joints(page))) < 1e-6
    page.send("New", template="demo:hot-pipe")
    page.until("lissom.store.get('scene').joints.length === 0")
    page.until("document.querySelector('[data-test=tab-motion]').hidden")
    assert not page.sees("motion-panel")


def test_scrubbing_and_playing_give_the_joints_of_the_motion(studio: Open) -> None:
    page = studio("steered-brake-hose.toml")
    page.drag(track(page, 0.0, 0), track(page, 1.1, 0))
    page.until("Math.abs((lissom.store.get('frame').playhead?.time ?? 0) - 1.1) < 0.02")
    page.release()
    page.until("lissom.store.get('scene').undo === 'move pothole in a bend'")
    time = page.state("frame")["playhead"]["time"]
    assert joints(page)["travel"][0] == pytest.approx(-0.07 * time / 1.2, abs=1e-9)
    assert joints(page)["steering"][0] == pytest.approx(math.radians(20.0) * (2.0 - time), abs=1e-9)
    assert math.dist(page.place("hose", 1.0), banjo(joints(page))) < 1e-6
    certified(page)
    page.page.locator('[data-test="speed"]').select_option("0.5")
    page.press("j")
    page.until("lissom.store.get('frame').playhead.time > 1.45")
    page.click("play")
    page.until("document.querySelector('[data-test=play]').title.startsWith('Play')")
    page.until("document.body.dataset.busy !== '1'")
    now = page.state("frame")
    later = now["playhead"]["time"]
    assert 1.45 < later <= 2.0
    assert now["joints"]["travel"][0] == pytest.approx(0.06 * (2.0 - later) / 0.6, abs=1e-9)
    # where the hose cannot follow, it stops and says why
    page.send("GoToTime", motion="pothole in a bend", seconds=0.0)
    page.send("Edit", values={"hose/length": 0.345})
    page.press("j")
    page.until("document.querySelector('[data-test=motion-note]').textContent.includes('too short')")
    page.until("document.querySelector('[data-test=play]').title.startsWith('Play')")
    assert 0.0 < page.state("frame")["playhead"]["time"] < 2.0
    assert math.dist(page.place("hose", 1.0), [0.0, 0.0, 0.0]) <= 0.345 + 1e-6


def test_what_is_dragged_while_recording_is_a_motion_in_the_saved_file(studio: Open) -> None:
    page = studio("tailgate.toml")
    assert "No motion yet" in page.text("no-motion")
    page.click("take")
    page.until("lissom.store.get('scene').taking")
    slide(page, "joint-opening-slider", 0.0, 0.6)
    page.release()
    page.until("lissom.store.get('scene').undo === 'move opening'")
    reached = joints(page)["opening"][0]
    page.click("take")
    page.until("lissom.store.get('scene').motions.length === 1")
    page.press("Control+s")
    page.until("!lissom.store.get('scene').unsaved")
    motion = Scene.load(page.server.folder / "tailgate.toml").motions[0]
    assert motion.name == "motion"
    assert motion.keyframes[0].joints["opening"] == 0.0
    assert motion.keyframes[-1].joints["opening"] == pytest.approx(reached, abs=1e-12)
    assert reached > math.radians(40.0)
    page.click("time")
    page.fill("time", str(motion.keyframes[-1].time / 2.0))
    page.until("Math.abs(lissom.store.get('frame').playhead?.time - argument) < 2e-3", motion.keyframes[-1].time / 2.0)
    certified(page)
    page.click("undo")
    page.click("undo")
    page.until("lissom.store.get('scene').motions.length === 0")


def test_a_sweep_shows_lights_and_the_button_goes_where_it_is_worst(studio: Open) -> None:
    page = studio("tailgate.toml")
    page.click("motion-more")
    page.click("motion-over-opening")
    page.until("lissom.store.get('scene').motions.length === 1")
    page.click("sweep")
    slide(page, "joint-opening-slider", 0.0, 0.3)  # dragging goes on meanwhile
    page.release()
    page.until("lissom.store.get('frame').joints.opening[0] > 0.3")
    page.until("lissom.store.get('sweeps').sweeps[0]?.progress === 'done'", timeout=120_000)
    sweep = page.state("sweeps")["sweeps"][0]
    assert not sweep["stale"]
    assert set(sweep["reasons"]) == {""}
    band = next(k for k in sweep["bands"] if (k["cable"], k["rule"]) == ("washer hose", "bend_radius"))
    page.click("worst-washer hose-bend_radius")
    page.until("lissom.store.get('frame').playhead?.time === argument", sweep["times"][band["worst"]])
    certified(page)
    check = next(
        k for k in page.state("readouts")["checks"] if (k["cable"], k["rule"]) == ("washer hose", "bend_radius")
    )
    assert check["value"] == pytest.approx(band["values"][band["worst"]], rel=1e-4)
    assert check["value"] == pytest.approx(min(band["values"]), rel=1e-4)
    # a click among the lights goes to a position that was swept
    x, y = track(page, sweep["times"][40], 2)
    page.page.mouse.click(x, y)
    page.until("lissom.store.get('frame').playhead?.time === argument", sweep["times"][40])
    # the envelope holds the cable
    page.click("envelope")
    page.click("envelope-washer hose")
    page.until("lissom.stage.scene.getObjectByName('envelope of washer hose') !== undefined", timeout=120_000)
    low, high = page.ask(
        "(() => { const g = lissom.stage.scene.getObjectByName('envelope of washer hose').geometry;"
        " g.computeBoundingBox(); return [g.boundingBox.min.toArray(), g.boundingBox.max.toArray()]; })()"
    )
    for at in (0.0, 0.5, 1.0):
        assert all(a < v < b for a, v, b in zip(low, page.place("washer hose", at), high, strict=True))
    page.send("Edit", values={"loom/length": 0.32})
    page.until("document.querySelector('[data-test=motion-note]').textContent.includes('edited since')")
    assert page.state("sweeps")["sweeps"][0]["stale"]
