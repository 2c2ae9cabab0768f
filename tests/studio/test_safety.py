"""Who may talk to the studio, and what nobody may do through it."""

import contextlib
import json
import os
import socket
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from lissom.session.uploads import LARGEST
from lissom.studio.guarding import is_local
from lissom.studio.server import LARGEST_MESSAGE
from tests.studio.server import Page, Server, alive


def listening(port: int) -> set[str]:
    """Addresses on which anyone listens on the port."""
    found = set()
    for file, size in (("/proc/net/tcp", 4), ("/proc/net/tcp6", 16)):
        for line in Path(file).read_text().splitlines()[1:]:
            local, state = line.split()[1], line.split()[3]
            address, number = local.split(":")
            if int(number, 16) == port and state == "0A":
                raw = bytes.fromhex(address)
                words = struct.unpack(f"<{size // 4}I", raw)
                packed = struct.pack(f">{size // 4}I", *words)
                found.add(socket.inet_ntop(socket.AF_INET if size == 4 else socket.AF_INET6, packed))
    return found


def test_it_listens_on_this_machine_only(server: Server) -> None:
    port = int(server.host.rpartition(":")[2])
    assert listening(port) == {"127.0.0.1"}
    assert server.token == ""


@pytest.mark.parametrize(
    ("host", "local"),
    [("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("::", False)],
)
def test_which_addresses_are_local(host: str, local: bool) -> None:
    assert is_local(host) is local


def test_another_host_needs_the_token(serve: Callable[..., Server]) -> None:
    server = serve("hose.toml", host="0.0.0.0")
    assert len(server.token) >= 32
    port = server.host.rpartition(":")[2]
    server.host, server.origin = f"127.0.0.1:{port}", f"http://127.0.0.1:{port}"
    for path in ("/", "/?token=", "/?token=wrong", "/mesh/x", "/file/hose.toml", "/upload"):
        assert server.get(path)[0] == 403
    assert server.get("/file/hose.toml", Cookie="lissom-token=wrong")[0] == 403
    assert server.get(f"/file/hose.toml?token={server.token}")[0] == 200
    assert server.get("/file/hose.toml", Cookie=f"lissom-token={server.token}")[0] == 200
    for query in ("", "token=wrong"):
        with pytest.raises(InvalidStatus), server.page(query):
            pass
    with server.page(f"token={server.token}") as page:
        page.ready()


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "127.0.0.1.evil.example"},
        {"Host": "192.168.1.1"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "http://[::1"},
        {"Origin": "http://user@127.0.0.1"},
    ],
    ids=str,
)
def test_strangers_are_refused(server: Server, headers: dict[str, str]) -> None:
    for path in ("/", "/mesh/x", "/file/hose.toml"):
        assert server.get(path, None, **headers)[0] == 403
    assert server.get("/upload?name=x.stl", b"data", **headers)[0] == 403
    if "Origin" in headers:
        with pytest.raises(InvalidStatus), server.page(origin=headers["Origin"]):
            pass


def test_a_socket_without_an_origin_is_refused(server: Server) -> None:
    from websockets.sync.client import connect

    with pytest.raises(InvalidStatus), connect(f"ws://{server.host}/socket"):
        pass


def test_the_page_is_kept_to_itself(server: Server) -> None:
    import urllib.request

    with urllib.request.urlopen(server.origin + "/file/hose.toml") as answer:
        headers = answer.headers
    assert "default-src 'self'" in headers["content-security-policy"]
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "access-control-allow-origin" not in headers


# ---- the fence around the workspace ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "../secret.txt",
        "..%2fsecret.txt",
        "%2e%2e/secret.txt",
        "..%5csecret.txt",
        "%2fetc%2fpasswd",
        "//etc/passwd",
        "C:%5Cx",
        ".lissom/recent.json",
        "a%00b",
        "link",
        "dir/secret.txt",
        "%ff%fe",
        "%ed%a0%80",
    ],
)
def test_downloads_stay_inside(server: Server, page: Page, path: str) -> None:
    folder = Path(os.readlink(f"/proc/{server.process.pid}/cwd"))
    secret = folder.parent / "secret.txt"
    secret.write_text("secret")
    for name, target in (("link", secret), ("dir", folder.parent)):
        if not (folder / name).is_symlink():
            (folder / name).symlink_to(target)
    status, content = server.get("/file/" + path)
    assert status in (400, 404)
    assert b"secret" not in content.replace(b"secret.txt", b"")
    assert b"root:" not in content


def test_a_file_of_the_workspace_can_be_fetched(server: Server) -> None:
    status, content = server.get("/file/hose.toml")
    assert status == 200
    assert b"[[cables]]" in content
    assert server.get("/file/none.toml")[0] == 404


@pytest.mark.parametrize(
    "path", ["../out.toml", "/tmp/out.toml", "C:\\out.toml", ".hidden.toml", "a\0b.toml", "\ud800"]
)
def test_commands_stay_inside(page: Page, path: str) -> None:
    for kind in ("Save", "Open"):
        page.refused(kind, path=path)
    page.refused("ExportFile", format="table", path=path)
    page.refused("Replay", path=path)


@pytest.mark.parametrize("name", ["x.exe", "x", "", "../x.stl/..", "x.stl.toml", "x.gltf"])
def test_only_mesh_files_are_taken(server: Server, name: str) -> None:
    assert server.get(f"/upload?name={name}", b"solid")[0] == 400


def test_an_upload_is_named_by_its_contents(server: Server) -> None:
    name = "..%2F..%2F..%2Fetc%2Fx%00%ED%A0%80.stl"
    status, content = server.get(f"/upload?name={name}", cube_stl())
    found = json.loads(content)
    assert status == 200, found
    assert found["triangles"] == 12
    assert found["closed"]
    assert found["low"] == [-1.0, -1.0, -1.0]
    assert len(found["corners"]) == 12 * 9
    assert set(found["corners"]) == {-1.0, 1.0}
    folder = Path(os.readlink(f"/proc/{server.process.pid}/cwd"))
    assert (folder / ".lissom/uploads" / found["upload"]).read_bytes() == cube_stl()


@pytest.mark.parametrize(
    "content", [b"", b"solid x", b"\0" * 200, b"\xff" * 84], ids=["empty", "text", "zeros", "claims"]
)
def test_what_is_no_mesh_is_refused(server: Server, content: bytes) -> None:
    status, said = server.get("/upload?name=x.stl", content)
    assert status == 400
    assert "error" in json.loads(said)
    assert "/" not in json.loads(said)["error"].replace("and/or", "")  # no path of this machine


def test_an_upload_that_is_too_large_is_cut_off(server: Server) -> None:
    """It ends when the limit is passed, or before, when the sender says how much there is."""
    port = int(server.host.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=60) as line:
        head = f"POST /upload?name=x.stl HTTP/1.1\r\nHost: {server.host}\r\nContent-Length: {LARGEST + 1}\r\n\r\n"
        line.sendall(head.encode())
        assert line.recv(4096).startswith(b"HTTP/1.1 413")


def cube_stl() -> bytes:
    import trimesh

    return bytes(trimesh.creation.box(extents=(2, 2, 2)).export(file_type="stl"))


# ---- malformed messages ----------------------------------------------------------------------------------------------

GARBAGE: list[str | bytes] = [
    "",
    "nonsense",
    "null",
    "[]",
    '"text"',
    "7",
    "{",
    "{}",
    '{"id": 1}',
    '{"id": "1", "kind": "Undo"}',
    '{"id": true, "kind": "Undo"}',
    '{"id": 1.5, "kind": "Undo"}',
    '{"id": 1e400, "kind": "Undo"}',
    '{"id": 1, "kind": "__class__"}',
    '{"id": 1, "kind": ["Undo"]}',
    '{"id": 1, "kind": "Undo", "more": 1}',
    '{"id": 1, "kind": "Drag"}',
    '{"id": 1, "kind": "Drag", "position": "here"}',
    '{"id": 1, "kind": "Drag", "position": [0, 0]}',
    '{"id": 1, "kind": "Drag", "position": [0, 0, NaN]}',
    '{"id": 1, "kind": "Drag", "position": [0, 0, Infinity]}',
    '{"id": 1, "kind": "Drag", "position": [0, 0, 1e999]}',
    '{"id": 1, "kind": "Drag", "position": [0, 0, true]}',
    '{"id": 1, "kind": "Drag", "position": [0, 0, ' + "9" * 400 + "]}",
    '{"id": 1, "kind": "Drag", "position": [0, 0, ' + "9" * 10000 + "]}",
    '{"id": 1, "kind": "SpaceClips", "cable": "hose", "count": ' + "9" * 300 + "}",
    '{"id": 1, "kind": "SpaceClips", "cable": "hose", "count": 1000000000}',
    '{"id": 1, "kind": "Edit", "values": {"hose/length": NaN}}',
    '{"id": 1, "kind": "Edit", "values": {"hose/length": 1e999}}',
    '{"id": 1, "kind": "Edit", "values": {"hose/points": 1000000000}}',
    '{"id": 1, "kind": "Edit", "values": {"title": "\\ud800"}}',
    '{"id": 1, "kind": "Rename", "path": "hose", "name": "\\udfff"}',
    '{"id": 1, "kind": "Edit", "values": ' + '{"a":' * 50 + "1" + "}" * 50 + "}",
    "[" * 100_000,
    '{"a":' * 100_000,
    '{"id": 1, "kind": "Lengthen", "cable": "hose", "to": 1e299}',
    '{"id": 1, "kind": "AddPoints", "name": "x", "text": "' + "0,x" * 100_000 + '", "units": "mm", "cable": "hose"}',
    '{"id": 1, "kind": "KeepView", "view": 3}',
    '{"id": -99999999999999999999, "kind": "Undo"}',
    b"",
    b"\x00\x01\x02\xff",
    b'{"id": 1, "kind": "Undo"}',
]


def test_no_malformed_message_ends_the_session(server: Server, page: Page) -> None:
    before = server.simulation_process()
    page.numbers = iter(range(10_000, 20_000))  # type: ignore[assignment]
    for message in GARBAGE:
        page.socket.send(message)
        assert page.do("Files")["scenes"] == ["hose.toml"]  # it still answers
    answers = [k for k in page.events if k["kind"] == "Answer" and k["to"] < 10_000]
    texts = [k for k in GARBAGE if isinstance(k, str)]
    assert len(answers) == len(texts)  # each is answered once
    assert not any(k["ok"] for k in answers)
    assert server.simulation_process() == before
    assert alive(before)
    scene = page.scene()
    assert [k["name"] for k in scene["cables"]] == ["hose"]


def test_a_message_that_is_too_large_closes_that_page_only(server: Server, page: Page) -> None:
    with server.page() as other:
        other.ready()
        with contextlib.suppress(ConnectionClosed):
            other.socket.send("x" * (LARGEST_MESSAGE + 1))
        with pytest.raises(ConnectionClosed):
            other.until(lambda k: False, timeout=30)
    assert page.do("Files")["scenes"] == ["hose.toml"]


def test_numbers_of_a_frame_are_finite(page: Page) -> None:
    page.do("Grab", path="hose/end")
    assert "norm" in page.refused("Drag", position=[0.3, 0.0, 0.0], quaternion=[0.0, 0.0, 0.0, 0.0])
    assert "must lie between" in page.refused("Drag", position=[1e200, 0.0, 0.0])  # no scene could say it
    page.send("Drag", position=[9e5, 0.0, 0.0])
    header = page.next_frame()
    size = int.from_bytes(page.frames[-1][:4], "little")
    numbers = np.frombuffer(page.frames[-1][4 + size :], dtype="<f4")
    assert np.isfinite(numbers).all()
    assert header["status"] == "converged"
    page.do("Cancel")
