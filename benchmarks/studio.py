"""The studio as a page sees it: from a move of the pointer to the new shape on the wire and to the picture of it in a
browser, and how many shapes a second.

`python -m benchmarks.studio`; `--quick` for fewer frames, `--markdown` for the table of docs/benchmark.md.
"""

import argparse
import math
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import trimesh
from playwright.sync_api import sync_playwright
from rich.console import Console
from tests.browser.chromium import FLAGS, MISSING, find
from tests.studio.server import Page, Server, header

from benchmarks.dragged import at_most, percentiles
from benchmarks.table import Row, markdown, table
from lissom.scene import Scene

TYPE = {"radius": 0.004, "stiffness": {"bending": 0.02, "torsion": 0.015}, "mass_per_length": 0.1}
LIMITS = {"bend_radius": 0.03, "clearance": 0.002}
HERE = (0.4, 0.0, 0.0)  # the end that is dragged, m
RADIUS = 0.03  # of the circle it is dragged along, m
STEP = 0.1  # rad of it, of one move: 3 mm
SIDES = 224  # of the ball: 100,000 triangles
WATCH = """() => {
  const { stage, store } = window.lissom;
  const draw = stage.draw.bind(stage);
  const seen = (window.seen = { moved: 0, wanted: "", times: [] });
  window.addEventListener("pointermove", (event) => (seen.moved = event.timeStamp), true);
  stage.draw = () => {
    draw();
    const wanted = String(store.get("held")?.wanted ?? "");
    if (wanted === seen.wanted) return;
    seen.wanted = wanted;
    stage.renderer.getContext().finish();
    seen.times.push(performance.now() - seen.moved);
  };
}"""
"""In the page: ms from each move of the pointer until the first picture of a shape that follows it is finished."""


def scene(cables: int) -> Scene:
    """Hoses of 101 points side by side above a ball that none of them touches."""
    hoses = [
        {
            "name": f"hose {k}",
            "type": "hose",
            "length": 0.45,
            "points": 101,
            "start": {"position": [0.0, 0.06 * k, 0.0], "tangent": [1.0, 0.0, 0.0], "roll": 0.0},
            "end": {"position": [HERE[0], 0.06 * k, HERE[2]], "tangent": [1.0, 0.0, 0.0], "roll": 0.0},
        }
        for k in range(cables)
    ]
    ball = {"name": "ball", "mesh": "ball.stl", "units": "m", "position": [0.2, 0.0, -0.35]}
    return Scene.from_dict({"types": {"hose": {**TYPE, "limits": LIMITS}}, "cables": hoses, "parts": [ball]})


@contextmanager
def studio(cables: int) -> Iterator[tuple[Server, Page, float]]:
    """A server, a page on it that is ready, and the seconds it took from nothing."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        trimesh.creation.uv_sphere(radius=0.12, count=[SIDES, SIDES]).export(folder / "ball.stl")
        scene(cables).save(folder / "hoses.toml")
        began = time.perf_counter()
        server = Server(folder, "hoses.toml")
        try:
            with server.page() as page:
                page.ready()
                yield server, page, time.perf_counter() - began
        finally:
            server.close()


def pointer(number: int) -> list[float]:
    angle = STEP * number
    return [HERE[0] - RADIUS * (1.0 - math.cos(angle)), HERE[1], HERE[2] + RADIUS * math.sin(angle)]


def latencies(page: Page, frames: int) -> list[float]:
    """ms from sending each move to the shape that follows it, one after the other."""
    page.do("Grab", path="hose 0/end")
    found: list[float] = []
    for number in range(frames):
        wanted = pointer(number)
        began = time.perf_counter()
        page.send("Drag", position=wanted)
        while not is_at(page.next_frame(), wanted):
            pass
        found.append(1e3 * (time.perf_counter() - began))
    page.do("Drop")
    return found


def is_at(frame: dict[str, Any], wanted: list[float]) -> bool:
    return bool(frame["held"]) and math.dist(frame["held"]["wanted"], wanted) < 1e-12


def drawn(server: Server, other: Page, path: str, frames: int) -> list[float]:
    """ms from moving the mouse to the picture of the shape that follows, in a real browser, one after the other.

    The `other` page hears them too.
    """
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(), args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.goto(server.address)
        page.wait_for_function("() => window.lissom?.store.get('readouts') && window.lissom.still()")
        page.evaluate(WATCH)
        x, y = page.evaluate("(path) => lissom.project(lissom.position(path))", path)
        page.mouse.move(x, y)
        page.evaluate("lissom.drawn()")
        page.mouse.down()
        for number in range(1, frames + 1):
            angle = STEP * number
            page.mouse.move(x - 60.0 * (1.0 - math.cos(angle)), y - 60.0 * math.sin(angle))
            page.wait_for_function("(number) => window.seen.times.length >= number", arg=number)
            hear_all(other)
        page.mouse.up()
        found: list[float] = page.evaluate("window.seen.times")
        browser.close()
    return found


def rate(page: Page, seconds: float) -> float:
    """Shapes a second while the pointer moves 125 times a second, whether they come or not."""
    page.do("Grab", path="hose 0/end")
    began, number, first = time.perf_counter(), 0, len(page.frames)
    while (now := time.perf_counter() - began) < seconds:
        while number < 125.0 * now:
            page.send("Drag", position=pointer(number))
            number += 1
        hear_all(page)
    count = len(page.frames) - first
    page.do("Drop")
    return count / seconds


def hear_all(page: Page) -> None:
    """What has come so far, and a little waiting."""
    with suppress(TimeoutError):
        page.hear(timeout=0.001)
        while True:
            page.hear(timeout=0)


def measure(quick: bool) -> list[Row]:
    frames, seconds = (100, 2.0) if quick else (1000, 10.0)
    rows: list[Row] = []
    for cables in (1, 10):
        what = f"{cables} × 101 points, 100k triangles"
        group = "one hose" if cables == 1 else "ten hoses"
        with studio(cables) as (server, page, load):
            latencies(page, 20)
            times = latencies(page, frames)
            aim = at_most(float(np.percentile(times, 95)), 8.0, "p95 ≤ 8") if cables == 1 else {}
            rows.append(Row(group, "pointer to shape", 101 * cables, **percentiles(times), note=what, **aim))
            per_second = rate(page, seconds)
            often = f"{per_second:.0f} a second"
            enough = per_second >= 60.0
            rows.append(Row(group, "shapes while it moves", note=often, aim="≥ 60 a second", met=enough))
            size = len(page.frames[-1])
            head = size - 32 * sum(k["points"] for k in header(page.frames[-1])["strands"])
            rows.append(Row(group, "bytes of a frame", note=f"{size:,}, of which {head:,} are its header"))
            if find() is None:
                rows.append(Row(group, "pointer to picture", note=MISSING))
            else:
                times = drawn(server, page, "hose 0/end", frames // 4)[5:]
                where = "in chromium, 1280 × 720, drawn by the processor"
                rows.append(Row(group, "pointer to picture", 101 * cables, **percentiles(times), note=where))
            rows.append(Row(group, "from the command to ready", mean=1e3 * load, note="kernels compiled before"))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    rows = measure(options.quick)
    if options.markdown:
        print(markdown(rows))
    else:
        Console(width=140).print(table("The studio", rows))


if __name__ == "__main__":
    main()
