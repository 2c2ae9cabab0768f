"""Pages: they see each other's edits, take up where they were, and are never held up by one another."""

import json
import struct
import time
from typing import Any

import numpy as np
import pytest
import trimesh
from websockets.sync.client import connect

from tests.studio.server import Page, Server, header


def test_two_pages_see_each_others_edits(server: Server, page: Page) -> None:
    with server.page() as other:
        other.ready()
        page.do("Edit", values={"hose/length": 0.41})
        other.until(lambda k: k["kind"] == "SceneEvent" and k["cables"][0]["length"] == 0.41)
        other.do("Undo")
        page.until(lambda k: k["kind"] == "SceneEvent" and k["cables"][0]["length"] == 0.4)
        page.do("Grab", path="hose/end")
        page.do("Drag", position=[0.29, 0.02, -0.05])
        frame = other.next_frame()
        while frame["held"] is None:
            frame = other.next_frame()
        assert frame["held"]["path"] == "hose/end"
        page.do("Cancel")


def test_answers_go_to_the_page_that_asked(server: Server, page: Page) -> None:
    """Two pages number their commands alike; one used to take the other's answers for its own."""
    with server.page() as other:
        other.ready()
        mine = page.do("Files")
        assert "scenes" in mine
        assert other.do("Script").startswith("import lissom")
        page.do("Files")
        assert [k["to"] for k in other.events if k["kind"] == "Answer"] == [1]
        assert [k["to"] for k in page.events if k["kind"] == "Answer"] == [1, 2]


def test_a_drag_belongs_to_its_page(server: Server, page: Page) -> None:
    with server.page() as other:
        other.ready()
        page.do("Grab", path="hose/end")
        for kind, fields in (("Grab", {"path": "hose/start"}), ("Drag", {"position": [0, 0, 0]}), ("Drop", {})):
            assert "another window" in other.refused(kind, **fields)
        page.do("Drag", position=[0.29, 0.0, -0.05])
        page.do("Cancel")
        other.do("Grab", path="hose/end")
        other.do("Drag", position=[0.29, 0.0, -0.04])
    # the page that held it is gone: it was let go there, as one step
    scene = page.until(lambda k: k["kind"] == "SceneEvent" and k["undo"] == "drag hose/end")
    np.testing.assert_allclose(scene["cables"][0]["supports"][-1]["position"], [0.29, 0.0, -0.04], atol=1e-9)
    page.do("Undo")


def test_who_comes_back_gets_what_was_missed_once_and_in_order(server: Server, page: Page) -> None:
    with server.page("page=mine") as first:
        first.ready()
        first.do("Edit", values={"title": "a"})
        seen = max(k["seq"] for k in first.events)
        number = first.send("Edit", values={"title": "b"})  # its answer comes when nobody listens, or just before
    page.do("Edit", values={"title": "c"})
    page.do("Undo")
    with server.page(f"page=mine&after={seen}") as again:
        again.do("Script")  # everything before it has come
        numbers = [k["seq"] for k in again.events]
        assert numbers == sorted(set(numbers))
        assert min(numbers) > seen
        wanted = [k["seq"] for k in page.events if k["seq"] > seen and k["kind"] != "Answer"]
        assert [k["seq"] for k in again.events if k["kind"] != "Answer"] == wanted
        assert next(k["to"] for k in again.events if k["kind"] == "Answer") == number
        titles = [k["title"] for k in again.events if k["kind"] == "SceneEvent"]
        assert titles == ["b", "c", "b"]
        again.do("Undo")
        again.do("Undo")


@pytest.mark.parametrize("after", ["0", "1", "99999999999999", "-1", "x", "9" * 100, ""])
def test_who_was_away_too_long_gets_the_whole_scene(server: Server, after: str) -> None:
    with server.page(f"after={after}") as page:
        page.ready()
        assert [k["kind"] for k in page.events] == ["Status", "SceneEvent"]
        assert page.next_frame()["status"] == "converged"


def test_a_slow_page_skips_frames_and_no_events(server: Server, page: Page) -> None:
    given = {"Origin": server.origin}
    address = f"ws://{server.host}/socket?page=slow"
    page.do("Edit", values={"hose/points": 2000})  # so that frames are large, and fill what lies between
    with connect(address, additional_headers=given, max_size=None, max_queue=1, ping_interval=None) as socket:
        slow = Page(socket)
        slow.ready()
        known = max(k["seq"] for k in slow.events)
        page.do("Grab", path="hose/end")
        for k in range(300):  # nobody reads the other socket meanwhile
            page.do("Drag", position=[0.28, 0.05 * np.sin(0.05 * k), -0.05])
        page.do("Drop")
        page.do("Edit", values={"title": "last"})
        while not any(k["kind"] == "SceneEvent" and k["title"] == "last" for k in slow.events):
            slow.hear()
        while header(slow.frames[-1])["number"] < header(page.frames[-1])["number"]:
            slow.hear()
        numbers = [header(k)["number"] for k in slow.frames]
        assert numbers == sorted(set(numbers))
        mine = [k["seq"] for k in page.events if k["kind"] != "Answer" and k["seq"] > known]
        assert [k["seq"] for k in slow.events if k["kind"] != "Answer" and k["seq"] > known] == mine
        assert len(slow.frames) < len(page.frames)  # the latest won
    for _ in range(3):
        page.do("Undo")


def test_drags_that_wait_are_superseded_and_all_answered(page: Page) -> None:
    page.do("Grab", path="hose/end")
    numbers = [page.send("Drag", position=[0.28, 0.0001 * k, -0.05]) for k in range(500)]
    for number in numbers:
        assert page.answer(number)["ok"]
    frame = header(page.frames[-1])
    while not frame["held"] or frame["held"]["position"][1] != pytest.approx(0.0499):
        frame = page.next_frame()
    assert len(page.frames) < 500
    page.do("Cancel")


def test_read_outs_follow_the_last_frame(page: Page) -> None:
    page.do("Edit", values={"hose/length": 0.42})
    deadline = time.monotonic() + 30
    while not page.readouts or page.readouts[-1]["cables"][0]["length"] != pytest.approx(0.42):
        page.hear(deadline - time.monotonic())
    while page.readouts[-1]["frame"] != header(page.frames[-1])["number"]:
        page.hear(deadline - time.monotonic())
    (values,) = page.readouts[-1]["cables"]
    assert values["length"] == pytest.approx(0.42)
    assert json.dumps(page.readouts[-1], allow_nan=False)
    page.do("Undo")


def test_a_large_mesh_does_not_stop_a_drag(server: Server, page: Page) -> None:
    """Reading it used to hold every other command up."""
    ball: Any = trimesh.creation.uv_sphere(radius=20.0, count=[300, 300])
    key = json.loads(server.get("/upload?name=ball.stl", ball.export(file_type="stl"))[1])["upload"]
    page.do("Grab", path="hose/end")
    number = page.send("AddPart", upload=key, name="ball", units="mm", position=[0.0, 0.5, 0.0])
    page.until(lambda k: k["kind"] == "Status" and k["text"] == "Reading ball.")
    page.do("Drag", position=[0.28, 0.01, -0.05])
    page.do("Drop")
    assert not any(k["kind"] == "Answer" and k["to"] == number for k in page.events)
    found = page.answer(number)
    assert found["value"] == "ball"
    (part,) = page.scene()["parts"]
    assert part["triangles"] > 170_000
    status, packed = server.get(f"/mesh/{part['mesh']}")
    assert status == 200
    assert struct.unpack("<II", packed[:8])[1] == part["triangles"]
    page.do("Undo")
    page.do("Undo")
