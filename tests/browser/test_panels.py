"""Tree and properties: selecting, hiding, naming, and values that are typed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

Open = Callable[..., Any]


def test_the_tree_searches_hides_isolates_and_locks(studio: Open) -> None:
    page = studio("harness.toml")
    page.page.locator('[data-test="tree-search"]').fill("plug")
    page.page.locator('[data-test="row-bar"]').wait_for(state="hidden")
    assert page.sees("row-left plug")
    page.page.locator('[data-test="tree-search"]').fill("")
    page.click("row-bar")
    page.until("lissom.selection()[0] === 'bar'")
    page.page.keyboard.press("h")
    page.until("lissom.store.get('scene').hidden.includes('bar')")
    page.page.keyboard.press("h")
    page.until("lissom.store.get('scene').hidden.length === 0")
    page.click("row-trunk")
    page.page.keyboard.press("i")
    page.until("lissom.store.get('scene').hidden.includes('bar')")
    assert "trunk" not in page.state("scene")["hidden"]
    page.send("Arrange", hidden=[], locked=["left plug"])
    refused = page.ask("lissom.send({ kind: 'Grab', path: 'left plug' }).then(() => '', (e) => e.message)")
    assert "locked" in refused
    before, start = page.position("left plug"), page.pixels(page.place("left", 0.5))
    page.send("Arrange", locked=["left"])
    page.drag(start, (start[0] + 30, start[1] - 30))
    page.until("lissom.store.get('said').some((k) => k.text.includes('left is locked: the padlock'))")
    assert page.state("dragging") is None
    page.release()
    assert page.position("left plug") == before


def test_rename_duplicate_delete_and_undo(studio: Open) -> None:
    page = studio("clips.toml")
    name = page.state("scene")["cables"][0]["name"]
    shape = page.place(name, 0.4)
    page.click(f"row-{name}")
    page.page.keyboard.press("F2")
    page.fill("rename", "renamed")
    page.until("lissom.store.get('scene').cables[0].name === 'renamed'")
    page.until("lissom.place('renamed', 0.4) !== null")
    assert math.dist(page.place("renamed", 0.4), shape) < 1e-9, "a name has changed the shape"
    page.page.keyboard.press("Control+d")
    page.until("lissom.store.get('scene').cables.length === 2")
    page.select("renamed")
    page.page.keyboard.press("Delete")
    page.until("lissom.store.get('scene').cables.length === 1")
    page.page.keyboard.press("Control+z")
    page.until("lissom.store.get('scene').cables.length === 2")
    page.page.keyboard.press("Control+Shift+z")
    page.until("lissom.store.get('scene').cables.length === 1")


def test_several_cables_are_edited_at_once_and_undone_at_once(studio: Open) -> None:
    page = studio("harness.toml")
    page.select("left", "right")
    page.fill("several-points", "33")
    page.until("lissom.store.get('scene').cables.filter((k) => k.fields.points === 33).length === 2")
    page.click("undo")
    page.until("lissom.store.get('scene').cables.find((k) => k.name === 'left').fields.points === 41")
    assert page.cable("right")["fields"]["points"] == 41


def test_a_typed_length_may_carry_a_unit_and_a_bad_one_says_why(studio: Open) -> None:
    page = studio("brake-hose.toml")
    page.select("brake hose")
    page.fill("cable-length", "46 cm")
    page.until("Math.abs(lissom.store.get('scene').cables[0].length - 0.46) < 1e-9")
    page.until("Math.abs(lissom.store.get('readouts').cables[0].length - 0.46) < 1e-9")
    page.fill("cable-length", "46 kg")
    page.page.locator('[data-test="cable-length-error"]').wait_for(state="visible")
    assert "mass" in page.text("cable-length-error") or "length" in page.text("cable-length-error")
    page.fill("cable-length", "long")
    page.until("document.querySelector('[data-test=cable-length-error]').innerText.includes('a length in mm,')")
    assert math.isclose(page.cable("brake hose")["length"], 0.46)


def test_the_make_of_a_cable_is_edited_live_and_taken_from_the_library(studio: Open) -> None:
    page = studio("brake-hose.toml")
    page.select("brake hose")
    before = page.cable("brake hose")["stiffness"]["bending about d1"]
    page.fill("make-material-youngs_modulus", "15 MPa")
    page.until("lissom.store.get('scene').cables[0].stiffness['bending about d1'] > 1.9 * argument", before)
    assert math.isclose(page.cable("brake hose")["stiffness"]["bending about d1"], 2.0 * before, rel_tol=1e-9)
    options = page.page.locator('[data-test="cable-type"] option')
    values = [options.nth(k).get_attribute("value") for k in range(options.count())]
    value = next(k for k in values if k.startswith("library:"))
    page.page.locator('[data-test="cable-type"]').select_option(value)
    page.until("lissom.store.get('scene').cables[0].type === argument", value)
    page.until("lissom.store.get('readouts').status === 'converged'")


def test_a_typed_pose_moves_the_end(studio: Open) -> None:
    page = studio("brake-hose.toml")
    page.select("brake hose/end")
    page.page.locator('[data-test^="position"] input, input[data-test^="position"]').first.fill("100")
    page.page.keyboard.press("Enter")
    page.until("Math.abs(lissom.position('brake hose/end')[0] - 0.1) < 1e-9")
    page.until("Math.abs(lissom.place('brake hose', 1)[0] - 0.1) < 1e-6")


def test_clips_are_spaced_evenly_and_change_kind(studio: Open) -> None:
    page = studio("brake-hose.toml")
    page.select("brake hose")
    page.page.locator('[data-test="clips-count"]').fill("3")
    page.click("clips-space")
    page.until("lissom.store.get('scene').cables[0].supports.length === 5")
    places = [k["at"] for k in page.cable("brake hose")["supports"]]
    assert all(math.isclose(a, b, abs_tol=1e-9) for a, b in zip(places, (0, 0.25, 0.5, 0.75, 1), strict=True))
    page.page.locator('[data-test="kind-clip 2"]').select_option("ball")
    page.until("lissom.store.get('scene').cables[0].supports[2].kind === 'ball'")


def test_loads_stretches_and_types_of_a_cable(studio: Open) -> None:
    page = studio("brake-hose.toml")
    page.select("brake hose")
    before = page.place("brake hose", 0.75)
    page.click("load-add")
    page.fill("load-0-at", "300 mm")
    page.fill("load-0-force-z", "-3 N")
    page.until("lissom.store.get('scene').cables[0].fields.loads?.[0].force[2] === -3")
    page.until("lissom.place('brake hose', 0.75)[2] < argument", before[2] - 0.002)
    page.until("lissom.store.get('readouts').status === 'converged'")
    page.click("stretch-add")
    page.until("lissom.store.get('scene').cables[0].fields.stretches?.length === 1")
    page.click("make-type")
    page.fill("type-name", "stiffer")
    page.until("lissom.store.get('scene').cables[0].type === 'stiffer'")
    page.select()
    page.click("type-copy-stiffer")
    page.fill("type-name", "spare")
    page.until("lissom.store.get('scene').types.some(k => k.name === 'spare')")
    page.click("type-remove-spare")
    page.until("!lissom.store.get('scene').types.some(k => k.name === 'spare')")
    page.until("lissom.store.get('readouts').status === 'converged'")


def test_fields_filled_in_before_the_first_is_answered_are_all_kept(studio: Open) -> None:
    page = studio("brake-hose.toml")
    page.select("brake hose")
    page.click("load-add")
    page.until("lissom.store.get('scene').cables[0].fields.loads?.length === 1")
    page.ask(
        """[['at', '300 mm'], ['force-x', '1 N'], ['force-z', '-3 N']].forEach(([field, text]) => {
          const input = document.querySelector(`[data-test=load-0-${field}]`);
          input.value = text;
          input.dispatchEvent(new Event('input', { bubbles: true }));
          input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
        })"""
    )
    page.until("lissom.store.get('scene').cables[0].fields.loads[0].force[2] === -3")
    load = page.state("scene")["cables"][0]["fields"]["loads"][0]
    assert load["force"] == [1, 0, -3]
    assert math.isclose(load["at"], 0.3 / 0.42)


def test_the_length_tools(studio: Open) -> None:
    page = studio("brake-hose.toml")
    page.select("brake hose")
    page.click("length-mode-soft")
    page.until("lissom.store.get('scene').cables[0].mode === 'soft'")
    page.click("length-mode-fixed")
    page.until("lissom.store.get('scene').cables[0].mode === 'fixed'")
    found = page.state("scene")["cables"][0]["length"]  # what it found for itself, and keeps
    assert 0.3 < found < 0.6
    page.page.locator('[data-test="lengthen-amount"]').fill("15 mm")
    page.click("lengthen-by")
    page.until("Math.abs(lissom.store.get('scene').cables[0].length - argument) < 1e-6", found + 0.015)
    page.click("how-long")
    page.until("document.querySelector('[data-test=how-long-answer]').textContent.includes('mm')", timeout=60_000)


def test_ends_are_joined_into_a_junction(studio: Open) -> None:
    page = studio("brake-hose.toml")
    page.send("Duplicate", path="brake hose", offset=[0, 0.05, 0])
    page.until("lissom.store.get('scene').cables.length === 2")
    before = page.place("brake hose", 1.0)
    page.select("brake hose/end", "brake hose copy/end")
    page.click("join")
    page.until("lissom.store.get('scene').junctions.length === 1")
    page.until(  # nothing holds them any more but each other
        "Math.hypot(...lissom.place('brake hose', 1).map((x, k) => x - argument[k])) > 0.001", before
    )
    page.until("lissom.store.get('readouts').status === 'converged'")
    ends = page.ask("[lissom.place('brake hose', 1), lissom.place('brake hose copy', 1)]")  # of one frame
    assert abs(math.dist(*ends) - 0.05) < 1e-6  # the free junction keeps them as they were to each other


def test_a_cable_is_switched_to_a_kinematic_one_says_its_level_and_is_switched_back_by_undo(studio: Open) -> None:
    page = studio("brake-hose.toml")
    page.select("brake hose")
    level = "document.querySelector('[data-test=value-level]')?.textContent.includes(argument)"
    page.until(level, "–")
    page.page.locator('[data-test="advanced"] summary').click()
    page.click("cable-kinematic")
    page.until(level, "64 segments")
    start = page.pixels(page.position("brake hose/end"))
    page.drag(start, (start[0] + 20, start[1] - 20))
    page.until(level, "segments")
    page.release()
    page.until("lissom.store.get('dragging') === null")
    page.until(level, "64 segments")
    assert page.cable("brake hose")["fields"]["model"] == "kinematic"
    page.send("Undo")
    page.until(level, "64 segments")
    page.send("Undo")
    page.until(level, "–")
