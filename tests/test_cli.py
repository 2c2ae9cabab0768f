"""The command line: what it prints, where, and how it ends. Bad input never shows a traceback."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import pytest
from typer.testing import CliRunner

import lissom
from lissom import __version__, cli
from lissom.cli.beginning import Kind
from lissom.reports import Report
from lissom.scene import Scene
from lissom.scene.templates import TEMPLATES
from lissom.simulation import Simulation
from lissom.studio import running
from lissom.studio.launching import Start

EXAMPLES = Path(__file__).parents[1] / "examples"
DEMO = str(EXAMPLES / "brake-hose.toml")


def run(*arguments: str) -> tuple[int, str, str]:
    """(exit status, standard output, standard error) of a command, in this process."""
    result = CliRunner().invoke(cli.app, list(arguments))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def test_solve_prints_a_table_and_ends_well() -> None:
    status, out, _ = run("solve", DEMO)
    assert status == 0
    assert "converged, stable" in out
    assert "✓" in out


def test_json_is_alone_on_standard_output(tmp_path: Path) -> None:
    status, out, err = run("solve", DEMO, "--json", "-o", str(tmp_path / "deep" / "folder"))
    assert status == 0
    assert json.loads(out)["status"] == "converged"
    assert "wrote" in err


def test_output_folder_gets_every_file(tmp_path: Path) -> None:
    status, out, _ = run("solve", DEMO, "-o", str(tmp_path))
    wanted = {"result.json", "brake hose.csv"}
    wanted |= {f"brake hose-{plot}.{kind}" for plot in ("along", "shape") for kind in ("png", "svg")}
    assert status == 0
    assert {path.name for path in tmp_path.iterdir()} == wanted
    assert all(path.stat().st_size > 500 for path in tmp_path.iterdir())
    assert out.count("wrote ") == len(wanted)


def test_solve_leaves_the_folder_of_the_scene_alone(tmp_path: Path) -> None:
    scene = tmp_path / "hose.toml"
    scene.write_bytes(Path(DEMO).read_bytes())
    run("solve", str(scene))
    assert list(tmp_path.iterdir()) == [scene]


def test_set_changes_the_scene() -> None:
    _, out, _ = run("solve", DEMO, "--set", "brake hose/length=450 mm", "--set", "brake hose/points=33", "--json")
    cable = json.loads(out)["cables"]["brake hose"]
    assert cable["length"] == 0.45
    assert 33 <= len(cable["s"]) <= 36


def test_a_failing_check_ends_with_3() -> None:
    status, out, _ = run("solve", DEMO, "--set", "types.epdm-hose-10.limits.bend_radius=80 mm")
    assert status == 3
    assert "✗" in out


def test_not_certified_ends_with_4_and_says_why_on_stderr() -> None:
    status, out, err = run("solve", DEMO, "--set", "brake hose/end.position=[0, 0.9, 0]", "--json")
    told = json.loads(out)
    assert status == 4
    assert told["status"] == "infeasible"
    assert told["cables"]["brake hose"]["shortfall"] > 0.3
    assert "too short" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["solve", "nowhere.toml"], "no such file"),
        (["solve", str(EXAMPLES)], "toml"),
        (["solve", DEMO, "--set", "brake hose/lenght=1"], "length"),
        (["solve", DEMO, "--set", "nonsense"], "equals sign"),
        (["solve", DEMO, "--set", "brake hose/length=-3"], "must lie"),
        (["solve", DEMO, "-o", DEMO], "cannot be written"),
        (["solve"], "SCENE"),
        (["library", "rg-85"], "rg-58"),
        (["new", "scene.txt"], ".toml"),
        (["new", "--kind", "spaghetti"], "spaghetti"),
        (["schema", "-o", "/nowhere/at/all/schema.json"], "cannot be written"),
        (["frobnicate"], "frobnicate"),
    ],
)
def test_bad_input_ends_with_2_and_a_message(arguments: list[str], words: str) -> None:
    status, out, err = run(*arguments)
    assert status == 2
    assert words in err
    assert "Traceback" not in out + err


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe", b"cables = 3", b"[[cables]]\nname = 'x'", b"{", b"format = 2", b"\x00"]
)
def test_bad_files_end_with_2(tmp_path: Path, content: bytes) -> None:
    scene = tmp_path / "scene.toml"
    scene.write_bytes(content)
    status, _, err = run("solve", str(scene))
    assert status == 2
    assert err.startswith("lissom: ")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_unwritable_folder_ends_with_2(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert run("solve", DEMO, "-o", str(tmp_path / "out"))[0] == 2


def test_new_writes_a_scene_that_solves_and_never_overwrites(tmp_path: Path) -> None:
    file = tmp_path / "my hose.toml"
    assert run("new", str(file))[0] == 0
    assert run("solve", str(file))[0] == 0
    status, _, err = run("new", str(file), "--kind", "rope")
    assert status == 2
    assert "--force" in err
    assert run("new", str(file), "--kind", "rope", "--force")[0] == 0
    assert Scene.load(file).cables[0].name == "rope"


def test_new_without_a_file_prints_it_and_knows_every_kind() -> None:
    assert {kind.value for kind in Kind} == set(TEMPLATES)
    assert Scene.from_toml(run("new", "--kind", "moulded")[1]).cables


def test_schema_is_json(tmp_path: Path) -> None:
    assert json.loads(run("schema")[1])["title"] == "lissom scene"
    assert run("schema", "-o", str(tmp_path / "s.json"))[0] == 0
    assert json.loads((tmp_path / "s.json").read_text())["title"] == "lissom scene"


def test_library_lists_types_and_shows_one() -> None:
    _, out, _ = run("library")
    assert "brake-hose-epdm" in out
    assert max(map(len, out.splitlines())) <= 80
    _, out, _ = run("library", "library:rg-58")
    assert "source" in out
    assert "N m²" in out


def test_demo_solves_the_shipped_scene() -> None:
    status, out, _ = run("demo", "--json")
    assert status == 0
    assert json.loads(out)["title"] == "Front left brake hose"


def test_the_shipped_scene_is_the_example() -> None:
    shipped = Path(lissom.__file__).parent / "examples" / "brake-hose.toml"
    assert shipped.read_bytes() == Path(DEMO).read_bytes()


def test_the_package_is_the_command_too() -> None:
    said = subprocess.run([sys.executable, "-m", "lissom", "--version"], capture_output=True, text=True, check=True)
    assert said.stdout == f"lissom {__version__}\n"


def test_version_and_help() -> None:
    assert run("--version") == (0, f"lissom {__version__}\n", "")
    status, out, _ = run("--help")
    assert status == 0
    assert "solve" in out
    assert "studio" in out


def test_plain_lissom_opens_the_studio_on_the_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Start] = []
    monkeypatch.setattr(running, "run_studio", lambda start, **options: opened.append(start))
    status, _, _ = run()
    assert status == 0
    assert [start.demo for start in opened] == ["brake-hose"]


FLOOR = """
[[cables]]
name = "hose"
section = { diameter = "10 mm" }
material = { youngs_modulus = "10 MPa", poisson = 0.5, density = 1000 }
limits = { clearance = "3 mm" }
length = 0.42
points = 33
start = { position = [-0.2, 0, 0], tangent = [1, 0, 0], roll = 0 }
end = { position = [0.2, 0, 0], tangent = [1, 0, 0], roll = 0 }
[[parts]]
name = "floor"
shape = { kind = "plane" }
position = [0, 0, -0.06]
"""


def test_contacts_are_printed_and_written(tmp_path: Path) -> None:
    scene, folder = tmp_path / "floor.toml", tmp_path / "out"
    scene.write_text(FLOOR)
    status, out, _ = run("solve", str(scene), "-o", str(folder))
    assert status == 3  # it lies where it should keep 3 mm away
    assert "touched by" in out
    assert "✗  clearance" in out
    assert (folder / "contacts.csv").read_text().startswith("cable,at [1],place [m],part,")
    told = json.loads((folder / "result.json").read_text())
    assert {contact["part"] for contact in told["contacts"]} == {"floor"}
    assert told["checks"][0]["part"] == "floor"


def test_without_contacts_there_is_no_table_of_them(tmp_path: Path) -> None:
    scene = tmp_path / "floor.toml"
    scene.write_text(FLOOR.replace("-0.06", "-0.1"))
    status, out, _ = run("solve", str(scene), "-o", str(tmp_path / "out"))
    assert status == 0
    assert "clearance to floor" in out
    assert not (tmp_path / "out" / "contacts.csv").exists()


@pytest.mark.parametrize("parts", [False, True])
def test_kernels_that_have_to_be_compiled_are_announced(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, parts: bool
) -> None:
    """Also where others are compiled already, as for the first scene with parts."""
    compiled: Any = numba.njit
    solve = Simulation.solve

    def solve_cold(simulation: Simulation) -> Report:
        compiled(lambda x: 2 * x)(1)
        return solve(simulation)

    scene = tmp_path / "floor.toml"
    scene.write_text(FLOOR)
    file = str(scene) if parts else DEMO
    run("solve", file, "--json")
    assert "compiling" not in run("solve", file, "--json")[2]
    monkeypatch.setattr(Simulation, "solve", solve_cold)
    _, out, err = run("solve", file, "--json")
    assert err.count("compiling (once)") == 1
    json.loads(out)


def in_shell(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "lissom", *arguments],
        capture_output=True,
        env={**os.environ, **environment},
        timeout=120,
    )


def test_a_terminal_without_unicode_is_no_reason_to_fail() -> None:
    done = in_shell("solve", DEMO, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"46.14 mm" in done.stdout


def test_help_imports_nothing_heavy() -> None:
    heavy = ["numpy", "numba", "scipy", "matplotlib", "pydantic", "rich"]
    code = f"import sys, lissom.cli; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_solving_needs_no_matplotlib() -> None:
    code = f"""
import sys
from lissom import cli
try:
    cli.app(["solve", {DEMO!r}, "--json"])
except SystemExit:
    pass
print([m for m in ("matplotlib", "tomlkit") if m in sys.modules], file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_a_cable_that_finds_its_own_length(tmp_path: Path) -> None:
    file = tmp_path / "hose.toml"
    run("new", str(file))
    lengths = {}
    for bent in ("0.1", "0.9"):
        status, out, err = run("solve", str(file), "--soft", f"hose={bent}", "--json")
        assert status in (0, 3)
        lengths[bent] = json.loads(out)["cables"]["hose"]["length"]
        assert f"{1000 * lengths[bent]:.4f} mm long" in err
    assert 0.28 < lengths["0.1"] < lengths["0.9"] < 0.42
    for wrong, why in (("hose=2", "rather straight"), ("hoze", "no cable of this name"), ("hose=x", "number")):
        status, _, err = run("solve", str(file), "--soft", wrong)
        assert status == 2
        assert why in err


# ---- lissom sweep ------------------------------------------------------------------------------------------------


def swept_hose(folder: Path) -> str:
    from tests.test_sweeping import HOSE

    (folder / "hose.toml").write_text(HOSE)
    return str(folder / "hose.toml")


def test_sweep_prints_the_worst_and_ends_with_3_where_a_check_fails(tmp_path: Path) -> None:
    status, out, _ = run("sweep", swept_hose(tmp_path), "--grid", "steering=3,travel=3")
    assert status == 3
    assert "9 of 9 positions certified" in out
    assert "bend radius" in out
    assert "steering 35°, travel -80 mm" in out
    status, _, _ = run(
        "sweep", swept_hose(tmp_path), "--positions", "left,bump", "--set", "types.hose.limits.bend_radius=5 mm"
    )
    assert status == 0


def test_sweep_json_is_alone_and_whole(tmp_path: Path) -> None:
    _, out, _ = run("sweep", swept_hose(tmp_path), "--motion", "lane change", "--frames", "7", "--back", "--json")
    told = json.loads(out)
    thirds = [*range(7), *reversed(range(6))]
    assert [3 * k["time"] for k in told["positions"]] == pytest.approx(thirds)
    assert told["certified"] == 13
    assert told["hysteresis"] == []


def test_a_sweep_that_goes_on_says_so(tmp_path: Path) -> None:
    """From what an interrupted one has left."""
    from lissom.analysis.sweepfiles import Request, SweepFolder, run_sweep
    from lissom.scene import Scene

    file = swept_hose(tmp_path)
    scene, request, out = Scene.load(Path(file)), Request(grid={"steering": 5}), tmp_path / "out"
    interrupted = run_sweep(scene, request, SweepFolder(out, scene, request))
    next(interrupted)
    next(interrupted)
    interrupted.close()  # type: ignore[attr-defined]
    _, _, err = run("sweep", file, "--grid", "steering=5", "-o", str(out))
    assert "had visited 2 of 5 positions: going on there" in err
    _, _, err = run("sweep", file, "--grid", "steering=5", "-o", str(out))
    assert "going on" not in err


def test_sweep_ends_with_4_and_names_the_positions_that_fail(tmp_path: Path) -> None:
    status, out, err = run("sweep", swept_hose(tmp_path), "--grid", "travel=5", "--set", "hose/length=335 mm")
    assert status == 4
    assert "✗ travel -80 mm: infeasible" in out
    assert "not certified at" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "one of --motion, --grid and --positions"),
        (["--grid", "steering"], "joints and how many values of each"),
        (["--grid", "steering=-3"], "joints and how many values of each"),
        (["--grid", "wheel=3"], "there is no joint of this name"),
        (["--positions", "up"], "there is no position of this name"),
        (["--motion", "up"], "there is no motion of this name"),
        (["--grid", "steering=3", "--envelope"], "say where with -o DIR"),
        (["--grid", "steering=3,steering=5"], "names steering twice"),
        (["--grid", "steering=1000000000"], "1000000000 positions; must be from 1 to 1000000"),
        (["--grid", "roll=3"], "roll has no range"),
        (["--grid", "neck=3"], "neck is a ball joint"),
    ],
)
def test_sweep_refuses_what_it_cannot_do(tmp_path: Path, arguments: list[str], words: str) -> None:
    path = Path(swept_hose(tmp_path))
    for part, joint in (
        ("wheel", 'name = "roll"\nkind = "hinge"\naxis = [1, 0, 0]'),
        ("head", 'name = "neck"\nkind = "ball"'),
    ):
        more = f'[[parts]]\nname = "{part}"\nmotion = "driven"\n[[joints]]\npart = "{part}"\n{joint}\n'
        path.write_text(path.read_text() + more)
    status, out, err = run("sweep", str(path), *arguments)
    assert status == 2
    assert words in err
    assert out == ""


def test_names_are_said_as_they_are_and_may_hold_commas(tmp_path: Path) -> None:
    """A position "left, up" can be asked for, and a cable "hose:b" is not printed with a picture in its name."""
    path = Path(swept_hose(tmp_path))
    text = path.read_text().replace('name = "hose"', 'name = "[red]hose:b:"')
    path.write_text(text.replace("[positions]\n", '[positions]\n"left, up" = { steering = "35 deg" }\n'))
    _, out, err = run("sweep", str(path), "--positions", "left, up,bump")
    assert "2 of 2 positions certified" in out, err
    assert "left, up" in out
    assert "[red]hose:b:" in out


def test_a_killed_sweep_goes_on_where_it_was(tmp_path: Path) -> None:
    """The process is killed after some positions; the next one does not visit them again, and finds the same."""
    arguments = ["sweep", swept_hose(tmp_path), "--grid", "steering=7,travel=7", "--json", "-o"]
    script = (
        "import os, sys\n"
        "from lissom.analysis import sweepfiles\n"
        "sweepfiles.KEEP_EVERY = 0.0\n"
        "append = sweepfiles.SweepFolder.append\n"
        "def dying(folder, reading, shapes):\n"
        "    if reading.number == 20: os._exit(9)\n"
        "    append(folder, reading, shapes)\n"
        "sweepfiles.SweepFolder.append = dying\n"
        "from lissom import cli\n"
        "cli.app(sys.argv[1:])\n"
    )
    folder = tmp_path / "out"
    dead = subprocess.run([sys.executable, "-c", script, *arguments, str(folder)], capture_output=True, check=False)
    assert dead.returncode == 9
    assert json.loads((folder / "resume.json").read_text())["number"] == 19
    went_on, once = run(*arguments, str(folder)), run(*arguments, str(tmp_path / "other"))
    assert went_on[0] == once[0] == 3
    a, b = json.loads(went_on[1]), json.loads(once[1])
    assert len(a["positions"]) == len(b["positions"]) == 49
    for one, other in zip(a["positions"], b["positions"], strict=True):
        assert one["settings"] == other["settings"]
        for key in ("bend_radius", "tension", "torsion", "twist", "forces"):
            value = one["cables"]["hose"][key]
            assert other["cables"]["hose"][key] == pytest.approx(value, rel=1e-5, abs=1e-6)
    assert [k["position"] for k in a["worst"]] == [k["position"] for k in b["worst"]]
