"""Errors of every tabulated reference case at 65 and 129 points: `python -m tests.rods.reference_table`."""

from lissom.simulation import Simulation
from tests.rods.reference_scenes import CABLE, compare, make
from tests.rods.test_references import CASES, HELIX_POINTS


def row(case: str, points: int) -> str:
    simulation = Simulation(make(case, points))
    report = simulation.solve()
    if not report.ok:
        return f"| {case} | {points} | {report.status} | | | | |"
    result = simulation.cable(CABLE)
    found = compare(case, result)
    values = (found.position, found.force, found.moment, found.energy)
    cells = " | ".join("–" if value != value else f"{value:.0e}" for value in values)
    return f"| {case} | {points} | {result.report.element} | {cells} |"


def main() -> None:
    print("| case | points | element | position / L | force | moment | energy |")
    print("|---|---|---|---|---|---|---|")
    for case in CASES:
        for points in (65, 129):
            print(row(case, points))
    print(row("localized_helix_gazzola", HELIX_POINTS))


if __name__ == "__main__":
    main()
