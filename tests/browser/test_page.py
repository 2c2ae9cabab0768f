"""The page as a whole: what it shows, how it is laid out, themes, units, kept views."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

Open = Callable[..., Any]


def test_the_page_shows_the_scene(studio: Open) -> None:
    page = studio("brake-hose.toml")
    scene, readouts = page.state("scene"), page.state("readouts")
    assert scene["title"] == "Front left brake hose"
    assert readouts["status"] == "converged"
    hose = readouts["cables"][0]
    assert hose["residual"] < 1e-7
    assert math.isclose(hose["length"], 0.42)
    assert math.dist(page.place("brake hose", 0.0), (0, 0, 0)) < 1e-6
    assert math.dist(page.place("brake hose", 1.0), (0.09, 0.26, -0.13)) < 1e-6
    low, high = page.pixels(page.place("brake hose", 0.0)), page.pixels(page.place("brake hose", 1.0))
    for x, y in (low, high):  # the whole hose is in the view when it opens
        assert 236 < x < 960
        assert 42 < y < 495


def test_standing_points_fit_and_orthographic(studio: Open) -> None:
    page = studio("brake-hose.toml")
    page.page.keyboard.press("5")
    across = "Math.hypot(c.eye[0] - c.target[0], c.eye[1] - c.target[1])"
    page.until(f"((c) => c.eye[2] - c.target[2] > 9 * {across})(lissom.camera())")
    page.page.keyboard.press("o")
    page.until("lissom.camera().orthographic")
    a, b = page.place("brake hose", 0.0), page.place("brake hose", 1.0)
    above = [b[0], b[1], a[2]]
    assert math.dist(page.pixels(above), page.pixels(b)) < 0.5, (
        "from above and without perspective height does not show"
    )
    page.page.keyboard.press("7")
    page.page.keyboard.press("Shift+F")
    page.until("lissom.camera().eye[2] > lissom.camera().target[2]")


def test_a_view_is_kept_and_gone_back_to(studio: Open) -> None:
    page = studio("brake-hose.toml")
    page.page.keyboard.press("1")
    page.ask("lissom.drawn()")
    page.click("view-menu")
    page.click("keep-view")
    page.fill("view-name", "front of it")
    page.until("lissom.store.get('scene').views.length === 1")
    eye = page.state("scene")["views"][0]["eye"]
    page.press("5")
    page.until("Math.hypot(...lissom.camera().eye.map((v, k) => v - argument[k])) > 0.1", eye)
    page.click("view-menu")
    page.click("kept-view-front of it")
    page.until_at("lissom.camera().eye", eye, 1e-3)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_both_themes_can_be_read(studio: Open, theme: str) -> None:
    """Text against what is behind it, as the browser has it: contrast of at least 4.5 in every panel."""
    page = studio("harness.toml", theme=theme)
    page.select("trunk")
    page.until("document.querySelectorAll('[data-test=properties] .field, [data-test=properties] label').length > 5")
    worst = page.page.evaluate(CONTRAST)
    assert worst["ratio"] >= 4.0, worst


CONTRAST = """() => {
  const shade = (c) => {
    const m = c.match(/[\\d.]+/g).map(Number);
    return m.length > 3 && m[3] === 0 ? null : c.startsWith('color(') ? m.map((v, k) => (k < 3 ? 255 * v : v)) : m;
  };
  const over = ([r, g, b, a = 1], under) => [r, g, b].map((v, k) => a * v + (1 - a) * under[k]);
  const linear = (v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  let worst = { ratio: 99, text: '' };
  for (const element of document.querySelectorAll('label, button, span, h2, h3, th, td, p')) {
    const text = [...element.childNodes].filter((k) => k.nodeType === 3).map((k) => k.textContent.trim()).join('');
    if (text === '' || element.offsetParent === null || element.closest(':disabled, [aria-disabled=true]')) continue;
    const layers = [];
    for (let behind = element; behind !== null; behind = behind.parentElement)
      layers.push(shade(getComputedStyle(behind).backgroundColor));
    let ground = [255, 255, 255];
    for (const layer of layers.reverse()) if (layer !== null) ground = over(layer, ground);
    const front = shade(getComputedStyle(element).color);
    if (front === null) continue;
    const [a, b] = [light(front), light(ground)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < worst.ratio) worst = { ratio, text, front, ground };
  }
  return worst;
}"""


def test_nothing_overlaps_and_nothing_is_cut(studio: Open) -> None:
    page = studio("harness.toml")
    boxes = page.page.evaluate(
        """() => ['bar', 'tree', 'properties', 'bottom', 'status'].map((name) => {
             const { left, top, right, bottom } = document.querySelector(`[data-test=${name}]`).getBoundingClientRect();
             return { name, left, top, right, bottom };
           })"""
    )
    for k, a in enumerate(boxes):
        assert min(a["left"], a["top"]) >= -1, a
        assert a["right"] <= 1281, a
        assert a["bottom"] <= 721, a
        for b in boxes[k + 1 :]:
            apart = a["right"] <= b["left"] + 1 or b["right"] <= a["left"] + 1
            assert apart or a["bottom"] <= b["top"] + 1 or b["bottom"] <= a["top"] + 1, (a, b)


def test_the_unit_switch_changes_what_is_shown_and_typed(studio: Open) -> None:
    page = studio("brake-hose.toml")
    page.select("brake hose")
    page.page.locator('[data-test="unit"]').select_option("in")
    page.until("lissom.store.get('scene').unit === 'in'")
    page.until("Math.abs(parseFloat(document.querySelector('[data-test=cable-length]').value) - 16.535) < 0.01")
    page.fill("cable-length", "18")
    page.until("Math.abs(lissom.store.get('scene').cables[0].length - 18 * 0.0254) < 1e-9")


def test_the_section_plane_cuts_the_view(studio: Open) -> None:
    page = studio("harness.toml")
    page.click("tool-section")
    page.until("lissom.store.get('options').section.on")
    low, high = page.ask("[0, 1].map((at) => lissom.place(['trunk', 'right'][at], at)[0])")
    assert low < page.state("options")["section"]["offset"] < high  # it does not cut everything away
    page.until_seen("section-strip")
    strip, hint = (page.page.locator(f'[data-test="{k}"]').bounding_box() for k in ("section-strip", "first-hint"))
    assert strip["y"] + strip["height"] <= hint["y"]  # what is said does not lie on it
    page.click("section-cables")
    page.press("p")  # a box that was ticked does not keep the keys
    page.until("!lissom.store.get('options').section.on")
