"""Machines in the page: the clock, hands, motors, ropes with their tension, tables and plots over time."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from typing import Any

import pytest

Open = Callable[..., Any]

CRANE = "machines/crane.toml"
G = 9.81


def clock(page: Any) -> dict[str, Any]:
    found: dict[str, Any] = page.state("frame")["clock"]
    return found


def until_time(page: Any, seconds: float) -> None:
    page.until("lissom.store.get('frame').clock.time >= argument", seconds, timeout=30_000)


def readouts(page: Any) -> dict[str, Any]:
    """Of the machine, as it stands now."""
    page.until("lissom.store.get('readouts').frame >= lissom.store.get('frame').number")
    page.until("Math.abs(lissom.store.get('machine').time - lissom.store.get('frame').clock.time) < 1e-9")
    found: dict[str, Any] = page.state("machine")
    return found


def until_pulled(page: Any, tension: float) -> None:
    """Until every span of the first rope is told of with this tension, N: what is said may come before."""
    near = "Math.abs(k.tension - argument) < 1e-3 * argument"
    page.until(f"lissom.store.get('machine').ropes[0].spans.every((k) => {near})", tension, timeout=60_000)


def spans(page: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = readouts(page)["ropes"][0]["spans"]
    return found


def test_the_crane_is_drawn_with_its_rope_and_the_tension_of_every_span(studio: Open) -> None:
    page = studio(CRANE)
    assert page.sees("transport")
    page.until("lissom.stage.scene.getObjectByName('rope hoist') !== undefined")
    page.until("lissom.span('hoist', 1) !== null")
    x, _, z = page.ask("lissom.span('hoist', 1)")
    assert (x, z) == pytest.approx((13.8, 20.8), abs=0.3)  # between trolley and hook block
    page.ask("lissom.drawn()")
    labels = page.ask("[...document.querySelectorAll('.view-label.span:not([hidden])')].map((k) => k.textContent)")
    assert labels
    assert all(k == "9810 N" for k in labels)
    assert "rope tension (kN)" in page.page.locator(".view-legend").inner_text()
    assert page.text("span-hoist-1").split("\t")[1:2] == ["9810 N"]
    assert "59.99" in page.text("wheel-hoist-0") or "60.0" in page.text("wheel-hoist-0")
    x, y = page.pixels(page.ask("lissom.span('hoist', 1)"))
    page.page.mouse.move(x, y)
    page.until("document.querySelector('.view-tip').textContent.includes('hoist')")
    assert not page.sees("tab-motion")  # forces move these joints, no slider does


def test_play_pause_step_and_reset_with_the_mouse_and_the_keys(studio: Open) -> None:
    page = studio(CRANE)
    page.click("machine-play")
    until_time(page, 0.3)
    page.page.locator("canvas.view-canvas").focus()
    page.press("Space")
    page.until("!lissom.store.get('frame').clock.playing")
    stands = clock(page)["time"]
    page.click("machine-step")
    page.until("Math.abs(lissom.store.get('frame').clock.time - argument) < 1e-9", stands + 1.0 / 60.0)
    page.page.locator("canvas.view-canvas").focus()
    page.press(".")
    page.until("Math.abs(lissom.store.get('frame').clock.time - argument) < 1e-9", stands + 2.0 / 60.0)
    page.until(f"document.querySelector('[data-test=machine-time]').textContent === '{stands + 2.0 / 60.0:.2f} s'")
    page.page.locator('[data-test="machine-speed"]').select_option("0.25")
    page.until("lissom.store.get('frame').clock.pace === 0.25")
    page.click("machine-reset")
    page.until("lissom.store.get('frame').clock.time === 0")
    assert page.position("hook block") == [14, 0, 12]
    page.click("undo")
    page.until("lissom.store.get('frame').clock.time > 0")


def test_motors_are_set_live_and_the_hook_goes_down(studio: Open) -> None:
    page = studio(CRANE)
    page.click("machine-play")
    page.fill("motor-winch", "-2")
    page.until("lissom.store.get('machine').joints.find((k) => k.name === 'winch').setting === -2")
    until_time(page, clock(page)["time"] + 0.8)
    page.until("lissom.position('hook block')[2] < 11.9")
    page.page.locator('[data-test="motor-travel-slider"]').focus()
    for _ in range(3):
        page.page.keyboard.press("PageUp")
    page.until("lissom.store.get('machine').joints.find((k) => k.name === 'travel').setting > 0.1")
    page.until("lissom.position('trolley')[0] > 14.02")
    page.page.locator('[data-test="motor-winch-drive"]').select_option("tension")
    page.until("lissom.store.get('machine').joints.find((k) => k.name === 'winch').drive === 'tension'")
    page.click("motor-winch-back")
    page.until("lissom.store.get('machine').joints.find((k) => k.name === 'winch').drive === 'speed'")
    page.fill("motor-winch", "fast")
    page.until("document.querySelector('[data-test=motor-winch-error]').textContent.includes('is no angular speed')")
    assert page.state("scene")["unsaved"] is False


@pytest.mark.parametrize(
    ("joint", "drive", "typed", "setting"),
    [
        ("winch", "speed", "180 deg/s", math.pi),
        ("winch", "speed", "2 rpm", 2.0 * math.tau / 60.0),
        ("winch", "torque", "1,5 kN m", 1500.0),
        ("winch", "tension", "12 kN", 12000.0),
        ("travel", "speed", "30 m/min", 0.5),
        ("travel", "torque", "2 kN", 2000.0),
    ],
)
def test_what_is_typed_for_a_motor_may_have_its_unit(
    studio: Open, joint: str, drive: str, typed: str, setting: float
) -> None:
    page = studio(CRANE)
    page.page.locator(f'[data-test="motor-{joint}-drive"]').select_option(drive)
    page.until(
        "lissom.store.get('machine').joints.find((k) => k.name === argument[0]).drive === argument[1]", [joint, drive]
    )
    page.fill(f"motor-{joint}", typed)
    now = "lissom.store.get('machine').joints.find((k) => k.name === argument[0]).setting"
    page.until(f"Math.abs({now} - argument[1]) < 1e-9 * argument[1]", [joint, setting])
    page.fill(f"motor-{joint}", "3 bananas")
    page.until(f"document.querySelector('[data-test=motor-{joint}-error]').textContent.includes('3 bananas')")
    assert page.ask(now, [joint]) == pytest.approx(setting)


def test_a_body_is_pulled_with_the_pointer_and_let_go(studio: Open) -> None:
    page = studio(CRANE)
    page.until("lissom.still()")
    x, y = page.pixels(page.position("hook block"))
    page.drag((x, y), (x + 80.0, y))
    page.until("(lissom.store.get('frame').held?.force ?? 0) > 100")
    page.until("[...document.querySelectorAll('.view-label.measure')].some((k) => /N$/.test(k.textContent))")
    start = [14.0, 0.0, 12.0]
    page.until("Math.hypot(...lissom.position('hook block').map((v, k) => v - argument[k])) > 0.2", start)
    page.release()
    page.until("lissom.store.get('frame').held === null && !lissom.store.get('frame').clock.playing")
    page.until("lissom.store.get('scene').undo === 'pull hook block'")
    stands = page.position("hook block")
    page.ask("lissom.drawn()")
    assert page.position("hook block") == stands  # paused: it stands where it was pulled
    page.click("undo")
    page.until("lissom.store.get('frame').clock.time === 0")
    assert page.position("hook block") == start


def test_rest_tells_tensions_and_holding_torques(studio: Open) -> None:
    page = studio(CRANE)
    page.click("machine-rest")
    page.until("lissom.store.get('said').some((k) => k.text.startsWith('At rest'))", timeout=60_000)
    page.until("lissom.store.get('machine').joints.find((k) => k.name === 'winch').torque !== 0")
    for span in spans(page):
        assert span["tension"] == pytest.approx(2000.0 * G / 2.0, rel=1e-3)
    winch = next(k for k in readouts(page)["joints"] if k["name"] == "winch")
    assert abs(winch["torque"]) == pytest.approx(2000.0 * G / 2.0 * 0.308, rel=1e-2)
    page.until("document.querySelector('[data-test=joint-row-winch]').textContent.includes('N m')")


def test_curves_over_time_are_drawn_chosen_and_exported(studio: Open) -> None:
    page = studio(CRANE)
    page.click("tab-time")
    page.send("SetMotor", joint="winch", drive="speed", value=-1.0, most=20000.0)
    page.click("machine-play")
    until_time(page, 1.0)
    page.click("machine-play")
    page.until("document.querySelector('[data-test=time-plot-tension] canvas') !== null")
    page.until("document.querySelector('[data-test=time-plot-torque] canvas') !== null")
    page.click("time-series")
    page.click("series-joint/winch")
    page.until("document.querySelector('[data-test=time-plot-hinge] canvas') !== null")
    page.until("lissom.store.get('machine').series.some((k) => k.key === 'joint/winch')")
    series = next(k for k in readouts(page)["series"] if k["key"] == "joint/winch")
    assert series["values"][-1] == pytest.approx(-series["times"][-1], abs=0.02)
    page.click("export-run")
    page.until("document.querySelector('[data-test=export-path]') !== null")
    folder = page.server.folder / page.text("export-path")
    with (folder / "run.csv").open() as file:
        rows = list(csv.DictReader(file))
    last = rows[-1]
    assert float(last["winch [rad]"]) == pytest.approx(-float(last["time [s]"]), abs=1e-3)
    assert any(k.startswith("hoist tension") for k in last)


def test_a_slack_rope_is_marked(studio: Open) -> None:
    page = studio("machines/hilbert-2-slack.toml")
    page.until("lissom.store.get('machine') !== null && lissom.store.get('machine').ropes.length > 0")
    slack = [k for k in spans(page) if k["slack"]]
    assert slack
    page.until("document.querySelectorAll('.rope-row.slack').length > 0")
    tension = page.ask("[...lissom.store.get('frame').ropes.values()][0].tension.filter((k) => Number.isNaN(k)).length")
    assert tension > 0


def test_a_rope_that_breaks_is_said_and_fails(studio: Open) -> None:
    page = studio(CRANE)
    page.send("Edit", values={"hoist/breaking_force": 12_000.0, "hoist/limits": None})
    page.send("SetMotor", joint="winch", drive="speed", value=5.0, most=1e6)  # lifts with a blow
    page.send("Advance", substeps=60)
    page.until("lissom.store.get('machine').ropes[0].broke !== ''")
    assert "broke at 0.0" in page.text("rope-hoist")
    assert " N between " in page.text("rope-hoist")
    page.until("document.querySelector('[data-test=checks-total]').textContent === '1 of 1 fail'")
    assert "taut" not in page.text("span-hoist-1")


def test_an_edit_goes_back_to_the_start_and_saving_keeps_it(studio: Open) -> None:
    page = studio(CRANE)
    page.send("Advance", substeps=300)
    page.send("Save")
    assert clock(page)["time"] == pytest.approx(0.5)
    text = (page.server.folder / CRANE).read_text()
    assert "position = [14, 0, 12]" in text
    page.send("Edit", values={"hook block/mass": 1500})
    page.until("lissom.store.get('frame').clock.time === 0")
    page.until("lissom.store.get('said').some((k) => k.text.includes('how it begins'))")
    page.click("machine-rest")
    page.until("lissom.store.get('said').some((k) => k.text.startsWith('At rest'))", timeout=60_000)
    until_pulled(page, 1500.0 * G / 2.0)


def test_the_gallery_has_a_machine_and_a_scene_without_one_has_no_clock(studio: Open) -> None:
    page = studio(CRANE)
    page.send("New", template="demo:tower-crane")
    page.until("lissom.store.get('scene').question.includes('swing')")
    page.until("document.querySelector('[data-test=\"check-hoist-safety_factor\"]') !== null")
    page.click("machine-play")
    until_time(page, 0.5)
    assert math.isfinite(page.position("load")[0])
    page.send("New", template="demo:hot-pipe")
    page.until("lissom.store.get('scene').machine === null")
    page.until("document.querySelector('[data-test=transport]').hidden")
    page.until("document.querySelector('[data-test=tab-machine]').hidden")
    page.page.locator("canvas.view-canvas").focus()
    page.press("Space")
    page.until("lissom.store.get('scene').simulate === false")
    page.press("Space")
    page.until("lissom.store.get('scene').simulate === true")


def test_in_a_small_window_nothing_covers_the_legend_and_the_table_is_whole(studio: Open) -> None:
    page = studio(CRANE)
    page.page.set_viewport_size({"width": 1100, "height": 620})
    page.page.locator('[data-test="motor-winch-drive"]').select_option("tension")
    page.ask("lissom.drawn()")
    bar, legend = (page.page.locator(k).bounding_box() for k in (".transport", ".view-legend"))
    assert legend["y"] + legend["height"] <= bar["y"] or legend["x"] + legend["width"] <= bar["x"]
    last = page.page.locator('[data-test="span-hoist-1"] td').last.bounding_box()
    view = page.page.locator("#view").bounding_box()
    assert page.page.locator('[data-test="span-hoist-1"] td').last.inner_text() == "taut"
    assert last["x"] + last["width"] <= view["x"] + view["width"]
    cut = "(k) => k.scrollWidth > k.clientWidth"
    assert not page.ask(f"[...document.querySelectorAll('.view-legend .tick')].some({cut})")


def test_what_is_said_of_joints_has_its_name_and_its_unit(studio: Open) -> None:
    page = studio(CRANE)
    page.until("document.querySelector('[data-test=joint-table] th:last-child').textContent === 'Torque, force'")
    choices = page.page.locator('[data-test="motor-travel-drive"] option').all_inner_texts()
    assert choices == ["off", "speed", "force"]
    page.send("SetMotor", joint="winch", drive="speed", value=-50.0)
    page.send("Advance", substeps=600)
    turns = 50.0 / math.tau
    page.until(f"document.querySelector('[data-test=joint-row-winch]').textContent.includes('-{turns:.1f} turns')")
    page.select("hoist")
    page.until("document.querySelector('[data-test=rope-allowed]') !== null")
    assert page.text("rope-allowed") == "no safety factor given"


def test_labels_and_tables_tell_of_the_same_instant(studio: Open) -> None:
    page = studio("machines/elastic-soft.toml")
    page.click("machine-play")
    until_time(page, 0.2)
    seen, differ = page.ask(
        """(new Promise((done) => {
          const words = (which) => new Set([...document.querySelectorAll(which)].map((k) => k.textContent));
          let seen = 0, differ = 0, written = 0;
          const watch = new MutationObserver(() => {  // the table was just written, and no message has come since
            const table = words('.rope-row.span td:nth-child(2)');
            const labels = [...words('.view-label.span:not([hidden]):not(.slack)')];
            seen += labels.length;
            differ += labels.some((text) => !table.has(text)) ? 1 : 0;
            if (++written < 40) return;
            watch.disconnect();
            done([seen, differ]);
          });
          const table = document.querySelector('[data-test=rope-table]');
          watch.observe(table, { subtree: true, childList: true, characterData: true });
        }))"""
    )
    assert seen > 0
    assert differ == 0


def test_the_colours_of_ropes_follow_what_pulls_now(studio: Open) -> None:
    page = studio("machines/elastic-soft.toml")
    page.until("document.querySelectorAll('.view-legend .tick').length > 0")
    top = "Number([...document.querySelectorAll('.view-legend .tick')].at(-1).textContent)"
    least = page.ask(top)
    assert least >= 0.01 * page.state("scene")["machine"]["weight"]  # nothing pulls yet
    page.send("Advance", substeps=600)
    page.until(f"{top} > 10 * argument", least)
    page.click("machine-reset")
    page.until("lissom.store.get('frame').clock.time === 0")
    page.until(f"{top} === argument", least)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_machine_fits_a_small_window_in_both_themes(studio: Open, theme: str) -> None:
    page = studio(CRANE, theme=theme)
    page.click("machine-play")
    until_time(page, 0.2)
    box = page.page.locator(".transport").bounding_box()
    view = page.page.locator("#view").bounding_box()
    legend = page.page.locator(".view-legend").bounding_box()
    assert view["x"] <= box["x"]
    assert box["x"] + box["width"] <= view["x"] + view["width"]
    assert legend["x"] + legend["width"] <= box["x"]
