"""What the docs point at exists: paths, functions, equation numbers, sections."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "lissom"
DOCS = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs/theory").glob("*.md")),
]
NAMES = [path.relative_to(ROOT).as_posix() for path in DOCS]
THEORY = ROOT / "docs" / "theory" / "rods.md"
CONTACT = ROOT / "docs" / "theory" / "contact.md"
MACHINES = ROOT / "docs" / "theory" / "machines.md"
ROUTING = ROOT / "docs" / "theory" / "routing.md"
MOTION = ROOT / "docs" / "theory" / "motion.md"
HAPTIC = ROOT / "docs" / "theory" / "haptic.md"
KINEMATIC = ROOT / "docs" / "theory" / "kinematic.md"

TOP_FOLDERS = {"src", "docs", "tests", "examples", "benchmarks", ".ci"}
TOP_FILES = {"Makefile", "LICENSE", "README.md", "CHANGELOG.md", "pyproject.toml", "requirements.lock"}
MODULES = {path.stem: path for path in PACKAGE.rglob("*.py") if path.parent.name in ("rods", "judge", "geometry")}
MODULES["growing"] = PACKAGE / "scene" / "growing.py"

CITED = re.compile(r"(?:\btheory|rods\.md),?\s*\((\d+)\)(?:\s*[–-]\s*\((\d+)\))?")
CITED_SECTION = re.compile(r"(?:\btheory|rods\.md),?\s*§(\d+)")
CITED_CONTACT = re.compile(r"contact\.md,?\s*\((\d+)\)(?:\s*[–-]\s*\((\d+)\))?")
CITED_CONTACT_SECTION = re.compile(r"contact\.md,?\s*§(\d+)")
CITED_ROUTING = re.compile(r"routing\.md,?\s*\((\d+)\)(?:\s*[–-]\s*\((\d+)\))?")
CITED_HAPTIC = re.compile(r"haptic\.md,?\s*\((\d+)\)(?:\s*[–-]\s*\((\d+)\))?")
CITED_HAPTIC_SECTION = re.compile(r"haptic\.md,?\s*§(\d+)")
CITED_KINEMATIC = re.compile(r"kinematic\.md,?\s*\((\d+)\)")
CITED_RODS = re.compile(r"(?<=\brods )(?:\((\d+)\)|§(\d+))")
CITED_HERE = re.compile(r"(?<![\w$])\((\d{1,2})\)(?:[–-]\((\d{1,2})\))?")


def prose(text: str) -> str:
    """The text without fenced blocks: examples there name files of the reader."""
    return re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)


def backticked(text: str) -> list[str]:
    return re.findall(r"`([^`\n]+)`", prose(text))


def looks_like_a_path(word: str) -> bool:
    if not re.fullmatch(r"[\w.\-/]+", word):
        return False
    return word in TOP_FILES or ("/" in word and word.split("/")[0] in TOP_FOLDERS)


def links(text: str) -> list[str]:
    """Targets of markdown links and pictures within the repository."""
    found = re.findall(r"\]\(([^)\s#]+)(?:#[^)]*)?\)", prose(text))
    return [target for target in found if re.match(r"^[\w./\-]+$", target)]


def numbers(pattern: re.Pattern[str], text: str) -> Iterator[int]:
    """Every equation number cited, ranges filled in."""
    for match in pattern.finditer(text):
        first = int(match[1])
        yield from range(first, int(match[2] or first) + 1)


def equations(theory: Path = THEORY) -> list[int]:
    return [int(n) for n in re.findall(r"\\tag\{(\d+)\}", theory.read_text(encoding="utf-8"))]


def sections(theory: Path = THEORY) -> list[int]:
    return [int(n) for n in re.findall(r"^## (\d+)\.", theory.read_text(encoding="utf-8"), re.MULTILINE)]


@pytest.mark.parametrize("path", DOCS, ids=NAMES)
def test_paths_exist(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    missing = [word for word in backticked(text) if looks_like_a_path(word) and not (ROOT / word).exists()]
    missing += [target for target in links(text) if not (path.parent / target).exists()]
    assert not missing, f"{path.name} names what is not there: {missing}"


@pytest.mark.parametrize("path", DOCS, ids=NAMES)
def test_functions_exist(path: Path) -> None:
    """`module.name` or `module.Class.name` of the rods and the geometry, wherever the docs have one."""
    missing = []
    for word in backticked(path.read_text(encoding="utf-8")):
        parts = word.split("(")[0].split(".")
        is_code = len(parts) > 1 and parts[0] in MODULES and all(part.isidentifier() for part in parts)
        if is_code and parts[1] not in ("py", "toml") and not defines(MODULES[parts[0]], parts[1:]):
            missing.append(word)
    assert not missing, f"{path.name} names what is not there: {missing}"


def defines(module: Path, names: list[str]) -> bool:
    """Whether a module has the name, or a class in it the attribute."""
    body: list[ast.stmt] = ast.parse(module.read_text(encoding="utf-8")).body
    for name in names:
        found = [node for node in body if name in names_bound(node)]
        if not found:
            return False
        body = found[0].body if isinstance(found[0], ast.ClassDef) else []
    return True


def names_bound(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Assign):
        return {target.id for target in node.targets if isinstance(target, ast.Name)}
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return {node.target.id}
    return set()


@pytest.mark.parametrize(
    "theory", [THEORY, CONTACT, ROUTING, MOTION, MACHINES, HAPTIC, KINEMATIC], ids=lambda p: p.stem
)
def test_equations_are_numbered_in_order(theory: Path) -> None:
    assert equations(theory) == list(range(1, len(equations(theory)) + 1))


@pytest.mark.parametrize(
    "theory", [THEORY, CONTACT, ROUTING, MOTION, MACHINES, HAPTIC, KINEMATIC], ids=lambda p: p.stem
)
def test_sections_are_numbered_in_order(theory: Path) -> None:
    assert sections(theory) == list(range(1, len(sections(theory)) + 1))


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_equations_cited_by_the_code_exist(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert set(numbers(CITED, text)) <= set(equations())
    assert {int(n) for n in CITED_SECTION.findall(text)} <= set(sections())
    assert set(numbers(CITED_CONTACT, text)) <= set(equations(CONTACT))
    assert {int(n) for n in CITED_CONTACT_SECTION.findall(text)} <= set(sections(CONTACT))
    assert set(numbers(CITED_ROUTING, text)) <= set(equations(ROUTING))
    assert set(numbers(CITED_HAPTIC, text)) <= set(equations(HAPTIC))
    assert {int(n) for n in CITED_HAPTIC_SECTION.findall(text)} <= set(sections(HAPTIC))
    assert {int(n) for n in CITED_KINEMATIC.findall(text)} <= set(equations(KINEMATIC))


@pytest.mark.parametrize("name", ["docs/theory/rods.md", "docs/notation.md"])
def test_equations_cited_by_the_docs_exist(name: str) -> None:
    text = re.sub(r"\\tag\{\d+\}", "", (ROOT / name).read_text(encoding="utf-8"))
    assert set(numbers(CITED_HERE, text)) <= set(equations())


@pytest.mark.parametrize(
    ("theory", "least"),
    [(CONTACT, 6), (ROUTING, 5), (MOTION, 2), (KINEMATIC, 4)],
    ids=["contact", "routing", "motion", "kinematic"],
)
def test_what_the_other_theories_cite_exists(theory: Path, least: int) -> None:
    """Their own equations as (5), those of the rods as rods (23), rods §6."""
    text = re.sub(r"\\tag\{\d+\}", "", theory.read_text(encoding="utf-8"))
    rods = CITED_RODS.findall(text)
    assert {int(n) for n, _ in rods if n} <= set(equations())
    assert {int(n) for _, n in rods if n} <= set(sections())
    assert len(rods) >= least
    assert set(numbers(CITED_HERE, CITED_RODS.sub("", text))) <= set(equations(theory))


def test_citations_are_seen() -> None:
    """The tests above would pass on anything if they saw no citations."""
    text = "[theory (8)] [docs/theory/rods.md (5)] [docs/theory/rods.md, (17)–(22)] [docs/theory/rods.md §5]"
    assert list(numbers(CITED, text)) == [8, 5, 17, 18, 19, 20, 21, 22]
    assert CITED_SECTION.findall(text) == ["5"]
    source = "".join(path.read_text(encoding="utf-8") for path in (PACKAGE / "rods").glob("*.py"))
    assert {5, 8, 9, 13, 16, 17, 22, 27} <= set(numbers(CITED, source))
    assert set(numbers(CITED_CONTACT, source)) >= {2, 3, 4, 5, 6, 8, 9}
    assert set(numbers(CITED_ROUTING, source)) >= {3, 6}
    assert looks_like_a_path("src/lissom/rods/chain.py")
    assert not looks_like_a_path("brake hose/length")
    assert defines(MODULES["newton"], ["equilibrium"])
    assert not defines(MODULES["newton"], ["no_such_function"])
