"""Random drags over parts: `python -m tests.rods.drags --seed 0 --count 100 [--jobs 2]`.

One to four cables over or beside a solid or a mesh; an end of one of them goes along a random way, 1–20 mm a frame, 60
frames, always with slack and clear of everything. Prints how many frames were certified, how the others ended, and how
long they took. What is certified is checked by other code (`part_checks.py`) in every tenth frame, and where cables
jump.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import numpy as np
import trimesh
from benchmarks.bracket import bracket
from numpy.typing import NDArray

from lissom import Scene, Simulation
from lissom.scene.placing import part_poses
from lissom.scene.pose import Pose
from tests.rods.part_checks import Distance, Frame, distances_of, passed_through

Array = NDArray[np.float64]
Rng = np.random.Generator
Data = dict[str, Any]

FRAMES = 60
KINDS = ("bracket", "box", "sphere", "cylinder", "plane", "torus", "corner", "blocks", "profile", "octahedron")
SLACK = 1.12  # of the cable over the farthest that its ends get apart, at least
CLEAR = 3.0  # radii between ends and parts
JUMP = 4.0  # times the way of the end: where a cable moves more than that it is looked at


@dataclass
class Played:
    """What became of a drag."""

    seed: int
    kind: str
    frames: int = 0
    touching: int = 0
    many: int = 0  # frames with five contacts or more
    refused: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    milliseconds: list[float] = field(default_factory=list)
    methods: Counter[str] = field(default_factory=Counter)


# ---- scenes ----------------------------------------------------------------------------------------------------------


def scene(seed: int, folder: Path) -> tuple[Data, str, float]:
    """Cables and parts of a seed, its kind, and the step of the drag, m."""
    rng = np.random.default_rng([seed, 19])
    kind = KINDS[seed % len(KINDS)]
    radius = float(rng.uniform(0.003, 0.008))
    parts = obstacles(rng, kind, folder / f"{seed}.stl")
    count = 1 + int(rng.integers(4)) if rng.random() < 0.3 else 1
    cables = [hose(rng, f"c{k}", radius, 6.0 * radius * k) for k in range(count)]
    for cable in cables:
        raise_clear(cable, parts, radius)
    return {"cables": cables, "parts": parts}, kind, float(rng.choice([0.001, 0.005, 0.01, 0.02]))


def hose(rng: Rng, name: str, radius: float, beside: float) -> Data:
    """Between two points 0.36 m apart, `beside` (m) others."""
    ends = np.array([[-0.18, beside, rng.uniform(0.03, 0.1)], [0.18, beside, rng.uniform(0.03, 0.1)]])
    bending = float(10 ** rng.uniform(-2.2, -1.0))
    points = int(rng.choice([33, 49, 65, 101]))
    length = float(rng.uniform(SLACK + 0.1, 1.7)) * 0.36
    held: list[Data] = []
    for k, x in enumerate(ends):
        tangent = np.array([1.0, 0.0, 0.0]) + 0.5 * rng.normal(size=3)
        loose = rng.random() < 0.25
        held.append({"position": x.tolist()} if loose and k else {"position": x.tolist(), "tangent": tangent.tolist()})
    return {
        "name": name, "length": length, "points": points, "radius": radius,
        "stiffness": {"bending": bending, "torsion": 0.8 * bending}, "mass_per_length": float(rng.uniform(0.05, 0.3)),
        "start": held[0], "end": held[1],
    }  # fmt: skip


def obstacles(rng: Rng, kind: str, file: Path) -> list[Data]:
    """Under the cables, where they hang to."""
    where = np.array([rng.uniform(-0.05, 0.05), rng.uniform(-0.02, 0.05), rng.uniform(-0.05, 0.02)])
    size = float(rng.uniform(0.02, 0.045))
    if kind == "plane":
        return [{"name": "part", "shape": {"kind": "plane"}, "position": [0.0, 0.0, float(where[2]) - 0.02]}]
    if kind == "corner":
        tilted = {"name": "wall", "shape": {"kind": "plane"}, "position": [0.0, -0.1, 0.0], "tangent": [0.3, 1.0, 0.4]}
        return [{"name": "part", "shape": {"kind": "plane"}, "position": [0.0, 0.0, float(where[2]) - 0.02]}, tilted]
    if kind == "blocks":
        return [
            part(rng, f"part{k}", {"shape": {"kind": "box", "size": (size * rng.uniform(0.5, 1.5, 3)).tolist()}}, x)
            for k, x in enumerate(where + rng.uniform(-0.1, 0.1, (4, 3)) * [1.0, 0.7, 0.2])
        ]
    shapes: dict[str, Data] = {
        "box": {"kind": "box", "size": (size * rng.uniform(0.7, 2.5, 3)).tolist()},
        "sphere": {"kind": "sphere", "radius": size},
        "cylinder": {"kind": "cylinder", "radius": 0.7 * size, "length": 0.4},
        "profile": {
            "kind": "profile",
            "points": (size * np.array([[1.0, 0.0], [0.3, 0.8], [-0.9, 0.5], [-0.6, -0.7], [0.5, -0.8]])).tolist(),
            "length": 0.3,
        },
    }
    if kind in shapes:
        return [part(rng, "part", {"shape": shapes[kind]}, where)]
    if kind == "bracket":
        made = trimesh.Trimesh(*bracket(int(rng.choice([1000, 5000, 20000]))), process=False)
        turn = [1.0, 0.0, 0.0, 0.0]
        made.export(file)
        return [{"name": "part", "mesh": str(file), "units": "m", "quaternion": turn}]
    made = torus(size) if kind == "torus" else octahedron(size)
    made.export(file)
    return [part(rng, "part", {"mesh": str(file), "units": "m"}, where)]


def torus(size: float) -> trimesh.Trimesh:
    made: trimesh.Trimesh = trimesh.creation.torus(size, 0.35 * size, major_sections=24, minor_sections=12)
    return made


def octahedron(size: float) -> trimesh.Trimesh:
    corners = size * np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]])
    faces = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]]
    return trimesh.Trimesh(corners, faces)


def part(rng: Rng, name: str, shape: Data, where: Array) -> Data:
    q = rng.normal(size=4)
    return {"name": name, "position": where.tolist(), "quaternion": (q / np.linalg.norm(q)).tolist(), **shape}


def room(parts: list[Data]) -> list[tuple[Distance, Pose]]:
    """Distances of the parts of a scene, and where they stand."""
    made = Scene.from_dict({"cables": [], "parts": parts})
    found, poses = distances_of(made), part_poses(made)
    return [(found[k.name], poses[k.name]) for k in made.parts]


def raise_clear(cable: Data, parts: list[Data], radius: float) -> None:
    """Ends are lifted until they, and what leaves them along their tangents, are clear."""
    around = room(parts)
    for end, sign in (("start", 1.0), ("end", -1.0)):
        x, t = np.array(cable[end]["position"]), np.array(cable[end].get("tangent", [0.0, 0.0, 0.0]))
        for _ in range(100):
            line = x + np.linspace(0.0, 0.03, 4)[:, None] * sign * t / max(float(np.linalg.norm(t)), 1e-9)
            if all(k.world(line, pose).min() > CLEAR * radius for k, pose in around):
                break
            x[2] += 0.005
        cable[end]["position"] = x.tolist()


def way(seed: int, data: Data, step: float) -> Iterator[Array]:
    """Places of the end of the first cable."""
    rng = np.random.default_rng([seed, 20])
    cable, around = data["cables"][0], room(data["parts"])
    x, start = np.array(cable["end"]["position"]), np.array(cable["start"]["position"])
    t = np.array(cable["end"].get("tangent", [0.0, 0.0, 0.0]))
    t = t / max(float(np.linalg.norm(t)), 1e-9)
    low, high = np.array([0.08, -0.15, -0.03]), np.array([0.22, 0.15, 0.16])
    v = rng.normal(size=3)
    for _ in range(FRAMES):
        for _ in range(50):
            v = 0.9 * v + 0.45 * rng.normal(size=3)
            y = x + step * v / np.linalg.norm(v)
            line = y - np.linspace(0.0, 0.03, 4)[:, None] * t
            fits = np.all(y > low) and np.all(y < high) and SLACK * float(np.linalg.norm(y - start)) < cable["length"]
            if fits and all(k.world(line, pose).min() > CLEAR * cable["radius"] for k, pose in around):
                break
            v = -v
        else:
            return
        x = y
        yield x


# ---- playing ---------------------------------------------------------------------------------------------------------


def play(seed: int) -> Played:
    with tempfile.TemporaryDirectory() as folder:
        data, kind, step = scene(seed, Path(folder))
        made = Scene.from_dict(data)
        out = Played(seed, kind)
        simulation, distances = Simulation(made), distances_of(made)
        report = simulation.solve()
        if not report.ok:
            out.refused.append(f"cold: {report.reason}")
        before: Frame | None = None
        for number, x in enumerate(way(seed, data, step)):
            one_frame(simulation, number, x, out)
            valid = all(simulation.cable(k.name).valid for k in made.cables) if before or report.ok else False
            if not valid:
                before = None
                continue
            frame = Frame(simulation, distances)
            jumped = before is not None and moved(before, frame) > JUMP * step
            if number % 10 == 0 or jumped:
                out.wrong += [f"frame {number}: {text}" for text in frame.faults()]
                if before is not None:
                    out.wrong += [f"frame {number}: {text}" for text in passed_through(before, frame)]
            before = frame
        return out


def played(seeds: Iterable[int], jobs: int) -> Iterator[Played]:
    """One after the other, as they are done."""
    with Pool(jobs) as pool:
        yield from pool.imap(play, seeds)


def one_frame(simulation: Simulation, number: int, x: Array, out: Played) -> None:
    began = time.perf_counter()
    simulation.move("c0/end", position=tuple(x))
    report = simulation.solve()
    out.milliseconds.append(1e3 * (time.perf_counter() - began))
    out.frames += 1
    contacts = len(simulation.contacts)
    out.touching += contacts > 0
    out.many += contacts >= 5
    out.methods[report.cables["c0"].methods[-1] if report.cables["c0"].methods else ""] += 1
    if not report.ok:
        out.refused.append(f"frame {number}: {report.reason}")


def moved(before: Frame, after: Frame) -> float:
    """m"""
    return max(float(np.abs(after.results[k].positions - before.results[k].positions).max()) for k in after.results)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=1)
    asked = parser.parse_args()
    seeds = range(asked.seed, asked.seed + asked.count)
    done: list[Played] = []
    for k in played(seeds, asked.jobs):
        done.append(k)
        print("W" if k.wrong else "r" if k.refused else ".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    print(summary(done))
    return 1 if any(k.wrong for k in done) else 0


def summary(done: list[Played]) -> str:
    frames, times = sum(k.frames for k in done), np.concatenate([k.milliseconds for k in done])
    lost = sum(len(k.refused) for k in done)
    methods = sum((k.methods for k in done), Counter())
    lines = [
        f"{len(done)} drags, {frames} frames, {100 * sum(k.touching for k in done) / frames:.0f} % in contact, "
        f"{100 * sum(k.many for k in done) / frames:.0f} % with five contacts or more",
        f"certified {100 * (1 - lost / frames):.2f} %, refused {lost}, wrong {sum(bool(k.wrong) for k in done)} drags",
        "ms p50 {:.2f}, p95 {:.2f}, p99 {:.1f}, p99.9 {:.0f}, most {:.0f}".format(
            *np.percentile(times, [50, 95, 99, 99.9, 100])
        ),
        str(methods.most_common(12)),
    ]
    for k in done:
        lines += [f"wrong {k.seed} {k.kind}: {text}" for text in k.wrong[:3]]
        lines += [f"refused {k.seed} {k.kind}: {len(k.refused)} of {k.frames}, {k.refused[0]}"] if k.refused else []
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
