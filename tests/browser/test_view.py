"""The view: pointing, selecting, dragging, tools and camera, with mouse and keys as a person uses them."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from tests.browser.conftest import Studio

Open = Callable[..., Studio]
HOSE = "brake-hose.toml"


def difference(a: list[float], b: list[float]) -> list[float]:
    return [q - p for p, q in zip(a, b, strict=True)]


def settled(studio: Studio) -> None:
    """Until nothing is dragged and the last drag is done."""
    studio.until("lissom.store.get('dragging') === null && lissom.store.get('held') === null")


def look(studio: Studio, key: str) -> None:
    """A standing point, and until the camera is there."""
    studio.page.keyboard.press(key)
    studio.until("lissom.still()")
    studio.ask("lissom.drawn()")


def test_click_selects_and_tells_the_place(studio: Open) -> None:
    page = studio(HOSE)
    point = page.pixels(page.place("brake hose", 0.25))
    page.page.mouse.move(*point)
    page.until("document.querySelector('.view-tip')?.textContent.includes('from start')")
    said = page.ask("document.querySelector('.view-tip').textContent")
    assert "105.0 mm from start" in said
    assert "315.0 mm from end" in said
    page.page.mouse.click(*point)
    assert page.state("selection") == ["brake hose"]
    assert page.state("selectedPlace") == {"cable": "brake hose", "at": pytest.approx(0.25, abs=2e-3)}
    page.page.keyboard.press("Escape")
    assert page.state("selection") == []


def test_end_is_under_the_pointer_while_it_is_dragged(studio: Open) -> None:
    page = studio(HOSE)
    x, y = page.pixels(page.position("brake hose/end"))
    before = page.position("brake hose/end")
    page.drag((x, y), (x - 20, y - 24))
    page.until("lissom.store.get('held')?.path === 'brake hose/end'")
    page.until(
        "Math.hypot(...lissom.project(lissom.position('brake hose/end')).map((k, i) => k - argument[i])) < 2",
        [x - 20, y - 24],
    )
    page.page.keyboard.press("Escape")
    settled(page)
    page.release()
    page.until("Math.hypot(...lissom.position('brake hose/end').map((k, i) => k - argument[i])) < 1e-6", before)


def test_axis_key_keeps_a_drag_to_the_axis(studio: Open) -> None:
    page = studio(HOSE)
    before = page.position("brake hose/end")
    x, y = page.pixels(before)
    page.page.keyboard.down("z")
    page.drag((x, y), (x + 15, y - 25))
    page.release()
    page.page.keyboard.up("z")
    settled(page)
    page.until("lissom.store.get('scene').undo === 'drag brake hose/end'")
    dx, dy, dz = difference(before, page.position("brake hose/end"))
    assert (dx, dy) == pytest.approx((0, 0), abs=1e-7)
    assert dz > 0.005


def test_pulled_cable_springs_back_or_keeps_a_clip(studio: Open) -> None:
    page = studio(HOSE)
    before = page.place("brake hose", 0.2)
    x, y = page.pixels(before)
    page.drag((x, y), (x + 4, y - 18))
    page.until("lissom.store.get('held') !== null")
    page.release()
    settled(page)
    page.until("Math.hypot(...lissom.place('brake hose', 0.2).map((k, i) => k - argument[i])) < 1e-3", before)
    assert len(page.state("scene")["cables"][0]["supports"]) == 3
    page.drag((x, y), (x + 4, y - 18))
    page.page.keyboard.down("Control")
    page.release()
    page.page.keyboard.up("Control")
    page.until("lissom.store.get('scene').cables[0].supports.length === 4")


def test_drag_beyond_the_length_stops_and_says_why(studio: Open) -> None:
    page = studio(HOSE)
    x, y = page.pixels(page.position("brake hose/end"))
    page.drag((x, y), (x + 220, y - 160))
    page.until("document.querySelector('.view-tip.stopped')?.hidden === false")
    assert page.ask("document.querySelector('.view-tip.stopped').textContent") == page.state("held")["reason"]
    assert math.dist(page.state("held")["position"], page.state("held")["wanted"]) > 0.01
    page.release()
    settled(page)


def test_gizmo_moves_along_an_axis_and_turns(studio: Open) -> None:
    page = studio(HOSE)
    path = "brake hose/end"
    page.ask("lissom.store.select(argument)", [path])
    page.ask("lissom.drawn()")
    before = page.position(path)
    x, y = page.ask("lissom.handle('move', 'z')")
    page.drag((x, y), (x, y - 20))
    page.release()
    settled(page)
    dx, dy, dz = difference(before, page.position(path))
    assert (dx, dy) == pytest.approx((0, 0), abs=1e-7)
    assert dz > 0.003
    turned = "lissom.store.get('frame').bodies.get('brake hose/end').quaternion"
    was, place = page.ask(turned), page.position(path)
    x, y = page.ask("lissom.handle('turn', 'z')")
    page.drag((x, y), (x + 18, y + 8))
    page.release()
    settled(page)
    assert abs(sum(a * b for a, b in zip(was, page.ask(turned), strict=True))) < 0.9999
    assert page.position(path) == pytest.approx(place, abs=1e-7)


def test_twist_knob_counts_whole_turns(studio: Open) -> None:
    page = studio(HOSE)
    page.ask("lissom.store.select(['brake hose/end'])")
    page.ask("lissom.drawn()")
    before = page.state("readouts")["cables"][0]["twist"]
    middle = page.pixels(page.position("brake hose/end"))
    x, y = page.ask("lissom.handle('knob', 'z')")
    mouse = page.page.mouse
    mouse.move(x, y)
    page.ask("lissom.drawn()")
    mouse.down()
    for k in range(1, 49):  # twice around the screen position of the end: the knob follows the angle
        angle = k * math.pi / 12
        dx, dy = x - middle[0], y - middle[1]
        mouse.move(
            middle[0] + dx * math.cos(angle) - dy * math.sin(angle),
            middle[1] + dx * math.sin(angle) + dy * math.cos(angle),
        )
        page.ask("lissom.drawn()")
    mouse.up()
    settled(page)
    page.until("Math.abs(lissom.store.get('readouts').cables[0].twist - argument) > 10", before)
    assert page.state("scene")["undo"] == "drag brake hose/end"  # one step, however many turns


def test_new_cable_between_parts(studio: Open) -> None:
    page = studio("harness.toml")
    look(page, "5")  # from above
    page.page.keyboard.press("n")
    for y in (-0.11, 0.04):
        point = page.pixels([0.18, y, 0.05])
        page.page.mouse.move(*point)
        page.page.mouse.click(*point)
    page.until("lissom.store.get('scene').cables.length === 4")
    cable = page.state("scene")["cables"][3]
    assert [support["on"] for support in cable["supports"]] == ["bar", "bar"]
    assert cable["supports"][0]["position"] == pytest.approx([0.18, -0.11, 0.05], abs=2e-3)
    assert page.state("tool") == "select"


def test_measure_from_a_hole_centre_to_a_place_on_a_cable(studio: Open) -> None:
    page = studio("harness.toml")
    look(page, "1")  # from the front: the end of the bar is a circle
    page.page.keyboard.press("m")
    page.page.mouse.click(*page.pixels([0.18, -0.15, 0.03]))
    page.page.mouse.click(*page.pixels(page.place("right", 0.9)))
    page.until("lissom.store.get('readouts').measures.length === 1")
    measure = page.state("scene")["measures"][0]
    found = page.state("readouts")["measures"][0]
    assert found["a"] == pytest.approx([0.18, -0.15, 0.03], abs=1e-6)  # not moved by the place of the bar once more
    assert found["distance"] == pytest.approx(math.dist(found["a"], page.place("right", 0.9)), abs=5e-3)
    assert (measure["b"]["kind"], measure["b"]["path"]) == ("place", "right")
    assert measure["b"]["at"] == pytest.approx(0.9, abs=5e-3)


def test_box_selects_what_is_in_it(studio: Open) -> None:
    page = studio("clips.toml")
    mouse = page.page.mouse
    box = page.page.locator("#view").bounding_box()
    corners = (box["x"] + 12, box["y"] + box["height"] - 12), (box["x"] + box["width"] - 12, box["y"] + 60)
    page.page.keyboard.down("Shift")
    mouse.move(*corners[0])
    mouse.down()
    mouse.move(*corners[1], steps=5)
    mouse.up()
    page.page.keyboard.up("Shift")
    assert page.state("selection") == ["harness"]


def test_camera(studio: Open) -> None:
    page = studio(HOSE)
    look(page, "1")
    kept = page.ask("lissom.camera()")
    assert kept["up"] == pytest.approx([0, 0, 1], abs=1e-9)
    assert kept["eye"][1] < kept["target"][1]
    look(page, "o")
    page.until("lissom.camera().orthographic")
    assert page.ask("lissom.camera()")["height"] == pytest.approx(kept["height"])
    look(page, "5")
    assert page.ask("lissom.camera()")["up"] == pytest.approx([0, 1, 0], abs=1e-9)
    page.ask("lissom.store.get('viewport').goTo(argument)", kept)
    page.until("lissom.still()")
    now = page.ask("lissom.camera()")
    assert now["eye"] == pytest.approx(kept["eye"], abs=1e-9)
    assert not now["orthographic"]
    # The wheel keeps what is under the pointer there.
    place = page.place("brake hose", 0.5)
    point = page.pixels(place)
    page.page.mouse.move(*point)
    page.page.mouse.wheel(0, -300)
    page.until("lissom.camera().height < argument * 0.8", kept["height"])
    assert page.pixels(place) == pytest.approx(point, abs=1.5)


def test_section_is_cut_away_for_the_pointer_too(studio: Open) -> None:
    page = studio("harness.toml")
    look(page, "5")
    point = page.pixels([0.18, -0.1, 0.05])
    page.page.mouse.move(*point)
    page.until("lissom.store.get('hovered') === 'bar'")
    page.ask("lissom.store.setOptions({ section: { on: true, normal: [0, -1, 0], offset: 0.05, cables: false } })")
    page.page.mouse.move(point[0] + 1, point[1])
    page.until("lissom.store.get('hovered') === null")
