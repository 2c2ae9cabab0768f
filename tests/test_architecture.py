"""What may know what: imports go one way, and every module says what it is for."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "lissom"
MODULES = sorted(PACKAGE.rglob("*.py"))
NAMES = [path.relative_to(PACKAGE).as_posix() for path in MODULES]

# Part of the package → the parts it may import besides itself. A new part has to say here what it knows.
MAY_IMPORT: dict[str, set[str]] = {
    "kernels": set(),
    "scene": set(),
    "geometry": {"kernels"},
    "exchange": {"scene", "geometry", "kernels"},
    "machines": {"scene", "geometry", "kernels", "exchange"},
    "spawning": set(),
    "haptic": {"scene", "geometry", "kernels", "exchange", "spawning"},
    "rods": {"scene", "geometry", "kernels"},
    "kinematic": {"geometry", "kernels"},
    "jointed": {"geometry", "kinematic", "rods"},
    "assembling": {"scene", "geometry", "exchange", "rods", "kinematic", "jointed"},
    "reports": {"rods"},
    "posing": {"scene", "rods"},
    "standing": {"posing", "scene", "rods"},
    "judging": {"scene", "geometry", "rods", "assembling"},
    "twisting": {"rods"},
    "cables": {
        "posing",
        "scene",
        "geometry",
        "rods",
        "jointed",
        "assembling",
        "judging",
        "reports",
        "standing",
        "twisting",
    },
    "verbs": {"reports"},
    "routing": {"scene", "rods", "reports", "standing", "cables", "verbs"},
    "laying": {"scene", "rods", "reports", "standing", "routing", "verbs"},
    "building": {"scene", "rods", "laying", "verbs"},
    "grips": {"posing", "scene", "rods", "reports", "standing", "laying", "building", "verbs"},
    "keeping": {"scene", "rods", "machines", "standing", "cables"},
    "ropelines": {"scene", "rods", "machines"},
    "simulation": {
        "posing",
        "scene",
        "geometry",
        "rods",
        "reports",
        "standing",
        "cables",
        "routing",
        "building",
        "grips",
        "keeping",
        "machines",
        "ropelines",
        "verbs",
    },
    "batch": {"posing", "scene", "geometry", "kernels", "rods", "reports", "simulation"},
    "gripping": {"scene", "geometry", "exchange", "haptic", "rods", "assembling", "simulation"},
    "reaching": {"posing", "scene", "rods", "reports", "routing", "simulation", "verbs"},
    "sweeping": {"posing", "scene", "exchange", "rods", "reports", "keeping", "simulation", "verbs"},
    "analysis": {
        "scene",
        "geometry",
        "kernels",
        "exchange",
        "rods",
        "machines",
        "haptic",
        "reports",
        "keeping",
        "simulation",
        "batch",
        "gripping",
        "reaching",
        "sweeping",
    },
    "session": {
        "posing",
        "scene",
        "geometry",
        "exchange",
        "assembling",
        "rods",
        "machines",
        "routing",
        "building",
        "reports",
        "grips",
        "keeping",
        "simulation",
        "reaching",
        "sweeping",
        "analysis",
    },
    "studio": {"spawning", "scene", "exchange", "simulation", "analysis", "session"},
    "__init__": {
        "scene",
        "exchange",
        "rods",
        "haptic",
        "gripping",
        "grips",
        "reports",
        "simulation",
        "batch",
        "reaching",
        "sweeping",
        "analysis",
    },
    "__main__": {"cli"},
    "cli": {
        "haptic",
        "gripping",
        "machines",
        "scene",
        "geometry",
        "kernels",
        "exchange",
        "rods",
        "simulation",
        "batch",
        "reaching",
        "analysis",
        "session",
        "studio",
    },
}
# What a person asks a simulation to show: imported when asked, so that the rest never needs it.
WHEN_ASKED = {
    "simulation": {
        "lissom.analysis.files.picture",
        "lissom.studio.showing.show",
        "lissom.sweeping.Visit",
        "lissom.sweeping.sweep",
    }
}
# What anyone may take from the package itself.
OF_THE_PACKAGE = {"__version__"}


def part_of(path: Path) -> str:
    """The part of the package a file belongs to: its folder, or its own name."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(tree: ast.AST, package: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """(line, dotted name) of everything imported from lissom, wherever in the file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "lissom":
                    yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            if module.split(".")[0] == "lissom":
                for alias in node.names:
                    yield node.lineno, f"{module}.{alias.name}"


def is_allowed(name: str, part: str) -> bool:
    parts = name.split(".")
    if len(parts) == 1:  # the whole package: which part is meant cannot be seen
        return False
    return parts[1] in MAY_IMPORT[part] | {part} | OF_THE_PACKAGE


@pytest.mark.parametrize("path", MODULES, ids=NAMES)
def test_imports_go_one_way(path: Path) -> None:
    part = part_of(path)
    assert part in MAY_IMPORT, f"{part} is new: say in MAY_IMPORT what it may import"
    package = ("lissom", *path.relative_to(PACKAGE).parts[:-1])
    tree = ast.parse(path.read_text(encoding="utf-8"))
    wrong = [
        f"line {line}: {name}"
        for line, name in imported(tree, package)
        if not is_allowed(name, part) and name not in WHEN_ASKED.get(part, ())
    ]
    assert not wrong, f"{part} may not import {', '.join(wrong)}"


def test_the_rules_have_no_cycle() -> None:
    """Each part stands on parts that can be listed before it."""
    placed: set[str] = set()
    while len(placed) < len(MAY_IMPORT):
        ready = {part for part, below in MAY_IMPORT.items() if part not in placed and below <= placed}
        assert ready, f"a cycle among {sorted(set(MAY_IMPORT) - placed)}"
        placed |= ready


def test_nobody_imports_the_command_line() -> None:
    assert [name for name, below in MAY_IMPORT.items() if "cli" in below] == ["__main__"]


def test_imports_are_seen() -> None:
    """The test above would pass on anything if it saw no imports."""
    text = "import lissom.cli\nfrom lissom.rods import newton\ndef f():\n    from . import grid\n"
    found = [name for _, name in imported(ast.parse(text), ("lissom", "rods"))]
    assert found == ["lissom.cli", "lissom.rods.newton", "lissom.rods.grid"]
    assert not is_allowed("lissom.cli", "rods")
    assert not is_allowed("lissom.simulation.Simulation", "rods")
    assert not is_allowed("lissom", "rods")
    assert is_allowed("lissom.scene.Scene", "rods")


@pytest.mark.parametrize("path", MODULES, ids=NAMES)
def test_no_module_is_a_drawer(path: Path) -> None:
    """A function lives with the idea it serves, not with others that had no home."""
    for name in path.relative_to(PACKAGE).with_suffix("").parts:
        assert name.strip("_") not in {"utils", "util", "helpers", "helper", "common", "misc"}


@pytest.mark.parametrize("path", MODULES, ids=NAMES)
def test_every_module_says_what_it_is_for(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), "it has no docstring"


JUDGE = [path for path in MODULES if path.parent.name == "judge"]
JUDGE_MAY_IMPORT = ("lissom.kernels", "lissom.geometry", "lissom.rods.line", "lissom.rods.judge")


@pytest.mark.parametrize("path", JUDGE, ids=[path.name for path in JUDGE])
def test_the_judge_knows_nothing_of_the_solvers(path: Path) -> None:
    """No element, no factorisation, no border, no contact list: only what was asked and what is handed out."""
    imported = [k for node in ast.walk(ast.parse(path.read_text())) for k in imported_by(node)]
    assert [k for k in imported if k.startswith("lissom") and not k.startswith(JUDGE_MAY_IMPORT)] == []


def imported_by(node: ast.AST) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return [k.name for k in node.names] if isinstance(node, ast.Import) else []
