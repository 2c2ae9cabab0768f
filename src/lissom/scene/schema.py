"""The JSON Schema of a scene file, from which editors complete and check it."""

from __future__ import annotations

from typing import Any

from lissom.scene.scene import Scene


def json_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a scene file, unit strings included.

    It says what may stand where; what must hold between fields is checked on reading.
    """
    schema = Scene.model_json_schema(by_alias=True, mode="validation")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "lissom scene"}
