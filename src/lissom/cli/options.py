"""Arguments and options that several commands share, and the scene that they name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from lissom.scene import Scene

SceneFile = Annotated[Path, typer.Argument(metavar="SCENE", help="A scene file, .toml or .json.")]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="PATH=VALUE", help='Change the scene first: "brake hose/length=450 mm".'),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, on standard output.")]
Folder = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="DIR", help="Write JSON, CSV, plots and pictures there."),
]


def load(path: Path, settings: list[str]) -> Scene:
    from lissom.scene import Scene, parse_assignment

    scene = Scene.load(path)
    for text in settings:
        place, value = parse_assignment(text)
        scene = scene.with_value(place, value)
    return scene
