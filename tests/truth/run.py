"""Random scenes solved and judged: `python -m tests.truth.run --seed 0 --count 200 [--jobs 2]`.

Prints how often features and pairs of them occurred, how many answers were right, wrong or refused, and which.
"""

import argparse
import copy
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import combinations
from multiprocessing import Pool
from pathlib import Path
from typing import Any
from unittest import mock

import lissom
import lissom.cables
from tests.truth.checker import check
from tests.truth.scenes import folded, scene

BENT = 0.4  # of soft lengths
# Pairs that cannot be, or that the scene format refuses.
NEVER = (
    ("rope", {"moment", "body moment", "twist", "many turns", "flat", "rest", "rest varies", "moulded", "stretch"}),
    ("rope", {"clamp", "swivel", "sleeve", "soft", "free axis", "harness", "plug", "loop", "held junction"}),
    ("soft", {"harness", "plug", "cables", "loop", "held junction", "stretch", "free axis"}),
    ("plug", {"harness", "loop", "held junction", "twist", "many turns"}),
    ("cables", {"harness", "loop", "held junction"}),
    ("twist", {"many turns", "harness", "loop", "held junction"}),
    ("many turns", {"harness", "loop", "held junction"}),
    ("free axis", {"plug"}),
)


@dataclass
class Outcome:
    """What became of one seed."""

    seed: int
    features: set[str]
    kind: str  # right, wrong, refused, raised
    text: str = ""
    seconds: float = 0.0
    excused: bool = False
    alarm: bool = False  # refused by the judge alone, and right by the checker
    unchecked: list[str] = field(default_factory=list)
    strain: dict[str, float] = field(default_factory=dict)


def judge(seed: int) -> Outcome:
    """Builds, solves and classifies the scene of one seed."""
    began = time.perf_counter()
    data, features = scene(seed)
    done = Outcome(seed, features, "raised")
    try:
        classify(data, done)
    except Exception:
        done.text = traceback.format_exc(limit=-3)
    done.seconds = time.perf_counter() - began
    return done


def classify(data: dict[str, Any], done: Outcome) -> None:
    sim = lissom.Simulation(lissom.Scene.from_dict(copy.deepcopy(data)))
    if "soft" in done.features:
        sim.soften("c0", bent=BENT)
    report = sim.solve()
    if not report.ok:
        done.kind, done.text = "refused", f"{report.status}: {report.reason}"
        done.excused = is_hard(data)
        done.alarm = report.status == "not_converged" and is_false_alarm(data, done.features)
        return
    soft = (data, BENT) if "soft" in done.features else None
    verdict = check(data if soft is None else sim.scene.to_dict(), sim, soft=soft)
    done.kind = "wrong" if verdict else "right"
    said = {k for name in sim.cables for k in report.cables[name].warnings}
    done.text = "; ".join([*map(str, verdict), *(f"[it warns: {k}]" for k in said)])
    done.unchecked, done.strain = verdict.unchecked, verdict.strain


def is_false_alarm(data: dict[str, Any], features: set[str]) -> bool:
    """Whether the answer would have been handed out but for the judge, and the checker finds nothing wrong with it."""
    with mock.patch.object(lissom.cables, "with_certificate", lambda report, *_: report):
        sim = lissom.Simulation(lissom.Scene.from_dict(copy.deepcopy(data)))
        if "soft" in features:
            sim.soften("c0", bent=BENT)
        if not sim.solve().ok:
            return False
        soft = (data, BENT) if "soft" in features else None
        return not check(data if soft is None else sim.scene.to_dict(), sim, soft=soft)


def is_hard(data: dict[str, Any]) -> bool:
    """More than a turn of twist, or a slide with a load or the border of a stretch near it."""
    for cable in data["cables"]:
        if abs(cable.get("twist") or 0.0) > 6.2832:
            return True
        slides = [k["at"] for k in cable.get("clips") or [] if k["kind"] in ("ring", "sleeve")]
        stops = [k["at"] for k in cable.get("loads") or []]
        stops += [b for k in cable.get("stretches") or [] for b in (k["from"], k["to"])]
        if any(abs(a - b) < 0.2 for a in slides for b in stops):
            return True
    return False


def judged(seeds: Iterable[int], jobs: int = 1) -> Iterable[Outcome]:
    """One after the other, as they are done."""
    if jobs == 1:
        yield from map(judge, seeds)
        return
    with Pool(jobs) as pool:
        yield from pool.imap(judge, seeds, chunksize=4)


# ---- coverage ------------------------------------------------------------------------------------------------------


def coverage(drawn: list[set[str]]) -> str:
    """A table of features and pairs, and the share of scenes with three features or more."""
    sets = [folded(k) for k in drawn]
    names = sorted({name for k in sets for name in k})
    pairs = Counter(pair for k in sets for pair in combinations(sorted(k), 2))
    share = sum(len(k) >= 3 for k in sets) / max(len(sets), 1)
    width = max(map(len, names), default=0)
    lines = [f"{'':{width}} " + " ".join(f"{k:>4}" for k in range(len(names)))]
    for i, a in enumerate(names):
        row = [sum(a in k for k in sets) if a == b else pairs[min(a, b), max(a, b)] for b in names]
        lines.append(f"{a:>{width}} " + " ".join(f"{k:>4}" for k in row) + f"  {i}")
    possible = [p for p in combinations(names, 2) if not any(impossible(*p, a, never) for a, never in NEVER)]
    enough = sum(pairs[p] >= len(sets) / 100 for p in possible)
    least = min((pairs[p], p) for p in possible) if possible else (0, ())
    lines.append(f"pairs in 1 % of scenes or more: {enough} of {len(possible)}; rarest: {least[0]} {least[1]}")
    lines.append(f"scenes with three features or more: {100.0 * share:.0f} %")
    return "\n".join(lines)


def impossible(a: str, b: str, one: str, others: set[str]) -> bool:
    return (a == one and b in others) or (b == one and a in others)


def summary(done: list[Outcome]) -> str:
    """Totals and the bad seeds."""
    counts = Counter(k.kind for k in done)
    excused = sum(k.excused for k in done if k.kind == "refused")
    lines = [
        f"{len(done)} scenes: {counts['right']} certified and right, {counts['wrong']} certified and wrong, "
        f"{counts['refused']} refused ({excused} of them hard, {sum(k.alarm for k in done)} false alarms), "
        f"{counts['raised']} raised; "
        f"{sum(k.seconds for k in done):.0f} s",
    ]
    for kind in ("raised", "wrong", "refused"):
        for k in done:
            if k.kind == kind:
                hard = " (hard)" if k.excused else ""
                hard += " (false alarm)" if k.alarm else ""
                lines.append(f"{kind}{hard} {k.seed} {sorted(k.features)}: {k.text}")
    return "\n".join(lines)


def closest(done: list[Outcome]) -> str:
    """The largest share of its bound that each condition used up in right answers."""
    worst: dict[str, tuple[float, int]] = {}
    for k in done:
        if k.kind == "right":
            for what, share in k.strain.items():
                worst[what] = max(worst.get(what, (0.0, -1)), (share, k.seed))
    return "\n".join(f"{share:9.2g}  {what} (seed {seed})" for what, (share, seed) in sorted(worst.items()))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="the first one")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--bounds", action="store_true", help="how near right answers come to the bounds")
    parser.add_argument("--coverage", action="store_true", help="draw the scenes, solve nothing")
    asked = parser.parse_args(arguments)
    seeds = range(asked.seed, asked.seed + asked.count)
    if asked.coverage:
        print(coverage([scene(k)[1] for k in seeds]))
        return 0
    done: list[Outcome] = []
    for k in judged(seeds, asked.jobs):
        done.append(k)
        mark = {"right": ".", "wrong": "W", "refused": "r", "raised": "E"}[k.kind]
        print(mark, end="" if len(done) % 100 else "\n", file=sys.stderr, flush=True)
    print(coverage([k.features for k in done]))
    print(f"lissom of {Path(lissom.__file__).parent}")
    print(summary(done))
    if asked.bounds:
        print(closest(done))
    return 1 if any(k.kind in ("wrong", "raised") for k in done) else 0


if __name__ == "__main__":
    sys.exit(main())
