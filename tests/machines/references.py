"""Closed-form pulley cases, with their source in tests/data/references."""

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "data" / "references"


def reference(name: str) -> dict[str, Any]:
    """Parameters of a case and the values of its scalars, by name."""
    case = json.loads((FOLDER / f"{name}.json").read_text())
    scalars = {key: entry["value"] for key, entry in case["reference"]["scalars"].items()}
    return {**case["parameters"], **scalars}
