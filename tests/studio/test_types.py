"""The page's types are those of the messages."""

from pathlib import Path

from lissom.studio.types import source

PAGE = Path(__file__).parents[2] / "client/src/messages.ts"


def test_the_types_of_the_page_are_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == source(), "run: python -m lissom.studio.types"
