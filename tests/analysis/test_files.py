"""File names of cables: safe, and all different."""

from lissom.analysis.files import stems


def test_names_that_file_systems_refuse_are_changed_and_kept_apart() -> None:
    names = ["brake hose", "Brake Hose", "a:b", "a*b", "..", "é 1"]
    assert list(stems(names).values()) == ["brake hose", "Brake Hose 2", "a-b", "a-b 2", "cable", "é 1"]


def test_no_cable_takes_the_name_of_the_table_of_contacts() -> None:
    assert stems(["Contacts"]) == {"Contacts": "Contacts 2"}
