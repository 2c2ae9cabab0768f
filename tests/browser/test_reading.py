"""Reading off: colours, plots, checks, variants, measured points."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Open = Callable[..., Any]


def test_the_colour_carries_the_quantity(studio: Open) -> None:
    page = studio("brake-hose.toml")
    page.page.locator('[data-test="colour"]').select_option("tension")
    page.until("lissom.store.get('frame').colour === 'tension'")
    shown = page.ask("Array.from(lissom.store.get('frame').strands.get('brake hose').colour)")
    assert math.isclose(max(shown), page.state("readouts")["cables"][0]["tension"], rel_tol=1e-4)


def test_plots_show_the_selected_cable_and_link_to_it(studio: Open) -> None:
    page = studio("brake-hose.toml")
    page.select("brake hose")
    page.until("lissom.store.get('readouts').curves?.cable === 'brake hose'")
    curves = page.state("readouts")["curves"]
    assert math.isclose(
        1.0 / max(curves["curvature"]), page.state("readouts")["cables"][0]["bend_radius"], rel_tol=0.02
    )
    plot = page.page.locator('[data-test="plot-of-curvature"] .u-over').bounding_box()
    page.page.mouse.move(plot["x"] + 0.5 * plot["width"], plot["y"] + 0.5 * plot["height"])
    page.until("lissom.store.get('place') !== null")
    assert abs(page.state("place")["at"] - 0.5) < 0.05


def test_a_check_that_fails_is_red_and_leads_to_its_place(studio: Open) -> None:
    page = studio("brake-hose.toml")
    page.send("Edit", values={"types.epdm-hose-10.limits.bend_radius": 0.08})
    page.until("lissom.store.get('readouts').checks.some((k) => !k.ok)")
    check = next(k for k in page.state("readouts")["checks"] if k["rule"] == "bend_radius")
    assert not check["ok"]
    page.click("check-brake hose-bend_radius")
    page.until("lissom.selection().includes('brake hose')")
    page.until("lissom.still()")
    x, y = page.pixels(check["point"])
    assert 236 < x < 960, "what fails is not in sight"
    assert 42 < y < 495, "what fails is not in sight"


def test_a_variant_is_kept_compared_and_taken(studio: Open) -> None:
    page = studio("brake-hose.toml")
    page.click("tab-variants")
    page.click("variant-keep")
    page.fill("variant-name", "short")
    page.until("lissom.store.get('scene').variants.length === 1")
    page.send("Edit", values={"brake hose/length": 0.47})
    page.send("AddClip", cable="brake hose", at=0.8, clip="ring")
    page.until("Math.abs(lissom.store.get('readouts').cables[0].length - 0.47) < 1e-9")
    page.until("document.querySelector('[data-test=variant-now]').innerText.includes('1 ring')")
    assert page.text("variant-now-make") == "epdm-hose-10 · 1 swivel, 1 ring"
    assert page.text("variant-short-make") == "epdm-hose-10 · 1 swivel"
    assert page.ask("document.querySelector('[data-test=variant-short-make] .differs').textContent") == "1 swivel"
    kept = page.state("scene")["variants"][0]
    assert math.isclose(kept["cables"][0]["length"], 0.42)
    page.click("variant-take-short")
    page.until("Math.abs(lissom.store.get('scene').cables[0].length - 0.42) < 1e-9")


def test_measured_points_show_how_far_they_are(studio: Open) -> None:
    page = studio("brake-hose.toml")
    points = np.array([page.place("brake hose", at) for at in (0.2, 0.5, 0.8)])
    points[:, 2] += 0.004
    text = "x,y,z\n" + "\n".join(",".join(f"{1000 * v:.6f}" for v in row) for row in points)
    page.send("AddPoints", name="scan", text=text, units="mm", cable="brake hose")
    page.until("lissom.store.get('readouts').deviations.length === 1")
    found = page.state("readouts")["deviations"][0]
    assert 0.0005 < found["mean"] <= 0.004 + 1e-6
    assert found["largest"] <= 0.004 + 1e-6


def test_reactions_balance_the_weight(studio: Open) -> None:
    page = studio("brake-hose.toml")
    readouts = page.state("readouts")
    total = np.sum([k["force"] for k in readouts["reactions"]], axis=0)
    assert np.allclose(total, [0, 0, readouts["cables"][0]["weight"]], atol=1e-6)
