"""Tools of the view: new cables, clips, measures, parts from files."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Open = Callable[..., Any]


def box_stl(size: float) -> bytes:
    """A closed box with its corner at the origin."""
    corners = size * np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], dtype=float)
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    triangles = [(a, b, c) for a, b, c, _ in quads] + [(a, c, d) for a, _, c, d in quads]
    rows = b"".join(struct.pack("<12fH", 0, 0, 0, *corners[list(t)].reshape(-1), 0) for t in triangles)
    return b"box".ljust(80) + struct.pack("<I", len(triangles)) + rows


def test_the_clip_tool_sets_a_clip_where_it_is_clicked(studio: Open) -> None:
    page = studio("brake-hose.toml")
    shape = page.place("brake hose", 0.25)
    page.page.keyboard.press("k")
    page.page.mouse.click(*page.pixels(page.place("brake hose", 0.7)))
    page.until("lissom.store.get('scene').cables[0].supports.length === 4")
    clip = page.cable("brake hose")["supports"][2]
    assert abs(clip["at"] - 0.7) < 0.02
    assert math.dist(page.place("brake hose", 0.25), shape) < 1e-5, "a clip where the cable is moves nothing"


def test_a_measure_along_the_cable_is_kept_and_live(studio: Open) -> None:
    page = studio("brake-hose.toml")
    page.page.keyboard.press("m")
    for at in (0.2, 0.8):
        page.page.mouse.click(*page.pixels(page.place("brake hose", at)))
    page.until("lissom.store.get('readouts').measures.length === 1")
    first = page.state("readouts")["measures"][0]
    assert abs(first["arc"] - 0.6 * 0.42) < 0.02
    apart = math.dist(page.place("brake hose", 0.2), page.place("brake hose", 0.8))
    assert abs(first["distance"] - apart) < 0.02
    page.send("Edit", values={"brake hose/length": 0.5})
    page.until("lissom.store.get('readouts').measures[0].arc > argument + 0.03", first["arc"])
    page.page.keyboard.press("Control+z")
    page.until("Math.abs(lissom.store.get('readouts').measures[0].arc - argument) < 1e-6", first["arc"])


def test_a_mesh_file_becomes_a_part(studio: Open, tmp_path: Path) -> None:
    page = studio("brake-hose.toml")
    file = tmp_path / "fixture.stl"
    file.write_bytes(box_stl(60.0))
    page.click("tree-add")
    with page.page.expect_file_chooser() as chooser:
        page.click("add-part")
    chooser.value.set_files(str(file))
    page.page.locator('[data-test="mesh-dialog"]').wait_for(state="visible")
    before = page.ask("lissom.camera().height")
    page.page.locator('[data-test="mesh-units"]').select_option("m")
    page.until("lissom.camera().height > 50 * argument", before)  # it is shown in its box, where it would stand
    page.page.locator('[data-test="mesh-warning"]').wait_for(state="visible")
    assert "times" in page.text("mesh-warning") or "larger" in page.text("mesh-warning")
    page.page.locator('[data-test="mesh-units"]').select_option("mm")
    page.page.locator('[data-test="mesh-position-z"]').fill("300")
    page.page.locator('[data-test="mesh-dialog"] button[type="submit"]').click()
    page.until("lissom.store.get('scene').parts.length === 1")
    part = page.state("scene")["parts"][0]
    assert part["triangles"] == 12
    assert part["solid"]
    assert math.isclose(part["position"][2], 0.3, abs_tol=1e-9)
    assert (tmp_path / "meshes").is_dir()


def test_a_file_that_is_no_mesh_is_refused_with_a_reason(studio: Open, tmp_path: Path) -> None:
    page = studio("brake-hose.toml")
    file = tmp_path / "broken.stl"
    file.write_bytes(b"solid nothing of the kind")
    page.click("tree-add")
    with page.page.expect_file_chooser() as chooser:
        page.click("add-part")
    chooser.value.set_files(str(file))
    page.page.locator('[role="alert"]:visible').first.wait_for()
    assert page.state("scene")["parts"] == []
    page.errors.clear()  # the browser notes the refused upload
