"""PLY files, ASCII and binary of both byte orders. Nothing is allocated before the header is seen to fit the file."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

import numpy as np

from lissom.exchange.polygons import Polygons, triangulated
from lissom.exchange.raw import RawMesh, Unreadable, Vertices, numbers, refuse_too_many, refuse_too_many_vertices

LONGEST_HEADER: Final = 2**16
MOST_PROPERTIES: Final = 200
_BLOCK: Final = 200_000

_TYPES: Final = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1",
    "short": "i2", "int16": "i2", "ushort": "u2", "uint16": "u2",
    "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4",
    "float": "f4", "float32": "f4", "double": "f8", "float64": "f8",
}  # fmt: skip


@dataclass(frozen=True)
class Property:
    """A value, or a list of values with a count before it."""

    name: str
    type: str
    count_type: str | None = None

    @property
    def smallest(self) -> int:
        """Bytes in a binary file: of a list, those of its count."""
        return int((self.count_type or self.type)[1:])


@dataclass
class Element:
    name: str
    count: int
    properties: list[Property] = field(default_factory=list)

    @property
    def has_lists(self) -> bool:
        return any(p.count_type for p in self.properties)

    def named(self, *names: str) -> int:
        """The number of the property of one of these names."""
        for k, known in enumerate(self.properties):
            if known.name in names:
                return k
        raise Unreadable(f'has no "{names[0]}" in the element "{self.name}"')


def read_ply(raw: bytes) -> RawMesh:
    elements, order, body = _header(raw)
    _check_room(elements, order, len(raw) - body)
    reader = _Ascii(raw, body) if order is None else _Binary(raw, body, order)
    vertices: Vertices | None = None
    polygons: Polygons | None = None
    for element in elements:
        if element.name == "vertex":
            vertices = reader.vertices(element)
        elif element.name == "face":
            polygons = reader.faces(element)
        elif vertices is None or polygons is None:
            reader.skip(element)
    if vertices is None or polygons is None:
        missing = "vertices" if vertices is None else "faces"
        raise Unreadable(f"has no {missing}: it is no surface")
    return RawMesh(vertices, triangulated(vertices, polygons), polygons.notes)


def _header(raw: bytes) -> tuple[list[Element], str | None, int]:
    """The elements, the byte order (None: ASCII), and where the data begin."""
    end = re.search(rb"(?:^|[\r\n])[ \t]*end_header[ \t]*(?:\r\n|\r|\n|$)", raw[:LONGEST_HEADER])
    if not re.match(rb"ply[ \t]*[\r\n]", raw) or end is None:
        raise Unreadable("does not begin with the header of a PLY file: it is cut off, or another format")
    elements: list[Element] = []
    order: str | None = ""
    for line in raw[: end.start()].decode("latin-1").splitlines()[1:]:
        words = line.split()
        if not words or words[0] in ("comment", "obj_info"):
            continue
        try:
            if words[0] == "format":
                order = {"ascii": None, "binary_little_endian": "<", "binary_big_endian": ">"}[words[1]]
            elif words[0] == "element":
                elements.append(Element(words[1], _count(words[2])))
            elif words[0] == "property":
                elements[-1].properties.append(_property(words[1:]))
        except (KeyError, IndexError, ValueError):
            raise Unreadable(f"has a header line that cannot be read: {line[:60]!r}") from None
    if order == "":
        raise Unreadable("does not say its format in the header")
    if sum(len(e.properties) for e in elements) > MOST_PROPERTIES or len(elements) > MOST_PROPERTIES:
        raise Unreadable(f"has more than {MOST_PROPERTIES} properties: that is no surface")
    return elements, order, end.end()


def _count(word: str) -> int:
    if not (word.isascii() and word.isdigit() and len(word) < 16):
        raise ValueError(word)
    return int(word)


def _property(words: list[str]) -> Property:
    if words[0] == "list":
        counted = _TYPES[words[1]]
        if counted[0] == "f":
            raise ValueError("a count")
        return Property(words[3], _TYPES[words[2]], counted)
    return Property(words[1], _TYPES[words[0]])


def _check_room(elements: list[Element], order: str | None, room: int) -> None:
    """In ASCII a value takes a character and what separates it, the last one perhaps not."""
    for element in elements:
        if element.count and not element.properties:
            raise Unreadable(f'has an element "{element.name}" without properties')
        least = element.count * sum(2 if order is None else p.smallest for p in element.properties)
        room -= least
        if room < (-1 if order is None else 0):
            message = f'says it has {element.count} of the element "{element.name}", but is too short for them'
            raise Unreadable(f"{message}: it is cut off or damaged")
        if element.name == "face":
            refuse_too_many(element.count)
        if element.name == "vertex":
            refuse_too_many_vertices(element.count)


class _Binary:
    def __init__(self, raw: bytes, at: int, order: str) -> None:
        self.raw, self.at, self.order = raw, at, order

    def table(self, element: Element, lengths: list[int]) -> np.ndarray[tuple[int, ...], np.dtype[np.void]]:
        """All rows, if every list had the length it has in the first row."""
        fields: list[tuple[str, str] | tuple[str, str, int]] = []
        for k, p in enumerate(element.properties):
            if p.count_type:
                fields += [(f"n{k}", self.order + p.count_type), (f"p{k}", self.order + p.type, lengths[k])]
            else:
                fields.append((f"p{k}", self.order + p.type))
        dtype = np.dtype(fields)
        if element.count * dtype.itemsize > len(self.raw) - self.at:
            raise Unreadable("is too short for its data: it is cut off or damaged")
        rows: np.ndarray[tuple[int, ...], np.dtype[np.void]]
        rows = np.frombuffer(self.raw, dtype=dtype, count=element.count, offset=self.at)
        return rows

    def vertices(self, element: Element) -> Vertices:
        if element.has_lists:
            raise Unreadable("has lists in its vertices: export it without them")
        x, y, z = (element.named(name) for name in "xyz")
        rows = self.table(element, [])
        self.at += rows.nbytes
        return np.stack([rows[f"p{k}"].astype(np.float64) for k in (x, y, z)], axis=1)

    def faces(self, element: Element) -> Polygons:
        corners = element.named("vertex_indices", "vertex_index")
        _check_indices(element.properties[corners])
        polygons = Polygons()
        if not element.count:
            return polygons
        begin = self.at
        lengths, _ = self.row(element)
        self.at = begin
        try:
            rows = self.table(element, lengths)
        except Unreadable:
            rows = None  # lists of other lengths may still fit
        if rows is not None and all(
            np.all(rows[f"n{k}"] == lengths[k]) for k, p in enumerate(element.properties) if p.count_type
        ):
            self.at += rows.nbytes
            polygons.add_all(rows[f"p{corners}"].astype(np.int64))
            refuse_too_many(polygons.triangles)
            return polygons
        for _ in range(element.count):
            lengths, begins = self.row(element)
            p = element.properties[corners]
            found = np.frombuffer(self.raw, self.order + p.type, lengths[corners], begins[corners])
            polygons.add(found.tolist())
            refuse_too_many(polygons.triangles)
        return polygons

    def row(self, element: Element) -> tuple[list[int], list[int]]:
        """The lengths of the lists in the row that begins here, and where the values begin; moves on behind it."""
        lengths, begins, at = [], [], self.at
        for p in element.properties:
            length = 1
            if p.count_type:
                size = int(p.count_type[1:])
                if at + size > len(self.raw):
                    raise Unreadable("is too short for its data: it is cut off or damaged")
                length = int(np.frombuffer(self.raw, self.order + p.count_type, 1, at)[0])
                at += size
            if length < 0 or at + length * int(p.type[1:]) > len(self.raw):
                raise Unreadable("is too short for its data: it is cut off or damaged")
            lengths.append(length)
            begins.append(at)
            at += length * int(p.type[1:])
        self.at = at
        return lengths, begins

    def skip(self, element: Element) -> None:
        if element.has_lists:
            for _ in range(element.count):
                self.row(element)
        else:
            self.at += element.count * sum(p.smallest for p in element.properties)


def _check_indices(p: Property) -> None:
    if p.count_type is None or p.type[0] == "f":
        raise Unreadable("has faces that are no lists of vertices: it is damaged")


class _Ascii:
    """One row on each line."""

    def __init__(self, raw: bytes, at: int) -> None:
        body = raw[at:]
        if b"\r" in body[:2000]:
            body = body.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        self.lines = (line for line in io.BytesIO(body) if not line.isspace())

    def vertices(self, element: Element) -> Vertices:
        if element.has_lists:
            raise Unreadable("has lists in its vertices: export it without them")
        columns = [element.named(name) for name in "xyz"]
        blocks: list[Vertices] = [np.zeros((0, 3))]
        left = element.count
        while left:
            block = list(islice(self.lines, min(left, _BLOCK)))
            if not block:
                raise Unreadable("is too short for its vertices: it is cut off")
            left -= len(block)
            rows = numbers(b" ".join(block), len(element.properties) * len(block))
            if rows is None:
                raise Unreadable("has vertices that are no rows of numbers, as many as the header says")
            blocks.append(rows.reshape(len(block), -1)[:, columns])
        return np.concatenate(blocks)

    def faces(self, element: Element) -> Polygons:
        corners = element.named("vertex_indices", "vertex_index")
        _check_indices(element.properties[corners])
        polygons = Polygons()
        for _ in range(element.count):
            line = next(self.lines, None)
            if line is None:
                raise Unreadable("is too short for its faces: it is cut off")
            found = _listed(line.split(), element.properties[:corners])
            if found is None:
                raise Unreadable(f"has a face that cannot be read: {line[:60].decode('latin-1').strip()!r}")
            polygons.add(found)
            refuse_too_many(polygons.triangles)
        return polygons

    def skip(self, element: Element) -> None:
        for _ in islice(self.lines, element.count):
            pass


def _listed(words: list[bytes], before: list[Property]) -> list[int] | None:
    """The numbers of a list behind these properties; None if that is not what the words are."""
    at = 0
    try:
        for p in before:
            at += 1 + (max(int(words[at]), 0) if p.count_type else 0)
        count = int(words[at])
        found = [int(word) for word in words[at + 1 : at + 1 + max(count, 0)]]
    except (ValueError, IndexError):
        return None
    good = len(found) == count and all(0 <= k < 2**40 for k in found)
    return found if good else None
