"""The server: the page, meshes, uploads and the socket. It never simulates; the simulation is another process."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Final

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from lissom.session.uploads import TooLarge, Upload
from lissom.session.workspace import Workspace, WorkspaceError
from lissom.studio.bridge import Bridge, Reader
from lissom.studio.guarding import Guard
from lissom.studio.preview import Previews

PAGE: Final = Path(__file__).parent / "page"
LARGEST_MESSAGE: Final = 16 * 2**20
"""Bytes of one command."""
NUMBER: Final = re.compile(r"[0-9]{1,16}")

HEADERS: Final = {
    "content-security-policy": (
        "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
        "connect-src 'self'; worker-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
}


def make_app(bridge: Bridge, workspace: Workspace, guard: Guard) -> Starlette:
    """The whole application."""
    routes = [
        Route("/", index),
        Route("/mesh/{key}", mesh),
        Route("/upload", upload, methods=["POST"]),
        Route("/file/{path:path}", download),
        WebSocketRoute("/socket", socket),
    ]
    if (PAGE / "assets").is_dir():
        routes.append(Mount("/assets", StaticFiles(directory=PAGE / "assets")))
    app = Starlette(routes=routes, lifespan=lifespan, middleware=[Middleware(Guarded, guard=guard)])
    app.state.bridge, app.state.workspace, app.state.guard = bridge, workspace, guard
    app.state.previews = Previews()
    return app


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[None]:
    app.state.bridge.open(asyncio.get_running_loop())
    try:
        yield
    finally:
        app.state.bridge.close()
        app.state.previews.close()


class Guarded:
    """Refuses strangers before anything else sees them, and adds the headers that keep the page to itself."""

    def __init__(self, app: ASGIApp, guard: Guard) -> None:
        self.app, self.guard = app, guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        refusal = self.guard.refusal(HTTPConnection(scope))
        if refusal and scope["type"] == "websocket":
            await WebSocket(scope, receive, send).close(code=1008, reason=refusal[:120])
            return
        if refusal:
            await PlainTextResponse(refusal, status_code=403)(scope, receive, send)
            return

        async def with_headers(message: dict[str, object]) -> None:
            if message["type"] == "http.response.start":
                headers = list(message.get("headers", []))  # type: ignore[call-overload]
                headers += [(k.encode(), v.encode()) for k, v in HEADERS.items()]
                message = {**message, "headers": headers}
            await send(message)

        await self.app(scope, receive, with_headers if scope["type"] == "http" else send)  # type: ignore[arg-type]


async def index(request: Request) -> Response:
    page = PAGE / "index.html"
    if not page.is_file():
        return HTMLResponse("<h1>lissom</h1><p>The page is not built: run <code>make page</code>.", status_code=503)
    response = FileResponse(page, headers={"cache-control": "no-cache"})
    token = request.app.state.guard.token
    if token is not None:
        response.set_cookie("lissom-token", token, httponly=True, samesite="strict")
    return response


async def mesh(request: Request) -> Response:
    packed = request.app.state.bridge.meshes.get(request.path_params["key"])
    if packed is None:
        return PlainTextResponse("there is no such mesh", status_code=404)
    headers = {"cache-control": "public, max-age=31536000, immutable"}
    return Response(packed, media_type="application/octet-stream", headers=headers)


async def upload(request: Request) -> Response:
    """The body is the file; its name is in the query. Answered with the key, and what the page shows of it."""
    name = request.query_params.get("name", "")[:200]
    size = request.headers.get("content-length", "")
    workspace: Workspace = request.app.state.workspace
    try:
        with closing(Upload(workspace, name, int(size) if NUMBER.fullmatch(size) else 0)) as coming:
            async for chunk in request.stream():
                coming.add(chunk)
            key = coming.keep()
        seen = await request.app.state.previews.preview(workspace, key)
    except TooLarge as error:
        return JSONResponse({"error": str(error)}, status_code=413, headers={"connection": "close"})
    except ClientDisconnect:
        return Response(status_code=400)
    except ValueError as error:
        return JSONResponse({"error": str(error)}, status_code=400)
    return JSONResponse({"upload": key, **seen})


async def download(request: Request) -> Response:
    """A file of the workspace: what was exported."""
    try:
        file = request.app.state.workspace.file(request.path_params["path"])
    except WorkspaceError as error:
        return PlainTextResponse(str(error), status_code=400)
    if not file.is_file():
        return PlainTextResponse("there is no such file", status_code=404)
    return FileResponse(file, filename=file.name)


async def socket(websocket: WebSocket) -> None:
    """One page: its commands in, events and the latest snapshots out."""
    bridge: Bridge = websocket.app.state.bridge
    await websocket.accept()
    after = websocket.query_params.get("after", "")
    page = websocket.query_params.get("page", "")[:64] or secrets.token_hex(8)
    sender = asyncio.create_task(feed(websocket, bridge, page, int(after) if NUMBER.fullmatch(after) else 0))
    try:
        while True:
            message = await websocket.receive()
            if message["type"] == "websocket.disconnect":
                break
            text = message.get("text")
            if text is not None and len(text) <= LARGEST_MESSAGE:
                bridge.send(page, text)
    except WebSocketDisconnect:
        return
    finally:
        sender.cancel()


async def feed(websocket: WebSocket, bridge: Bridge, page: str, seen: int) -> None:
    """Sends events in order, then the latest snapshots; a slow page skips frames, never events."""
    wake = asyncio.Event()
    reader = Reader(page, wake.set, seen)
    bridge.page_came(reader)
    frame: bytes | None = None
    readouts: str | None = None
    sweeps: str | None = None
    machine: str | None = None
    try:
        while True:
            for text in bridge.missed(reader):
                await websocket.send_text(text)
            if bridge.frame is not None and bridge.frame is not frame:
                frame = bridge.frame
                await websocket.send_bytes(frame)
            if bridge.readouts is not None and bridge.readouts is not readouts:
                readouts = bridge.readouts
                await websocket.send_text(readouts)
            if bridge.sweeps is not None and bridge.sweeps is not sweeps:
                sweeps = bridge.sweeps
                await websocket.send_text(sweeps)
            if bridge.machine is not None and bridge.machine is not machine:
                machine = bridge.machine
                await websocket.send_text(machine)
            sent = (frame, readouts, sweeps, machine, reader.seen)
            if sent == (bridge.frame, bridge.readouts, bridge.sweeps, bridge.machine, bridge.seq):
                wake.clear()
                await wake.wait()
    except (WebSocketDisconnect, RuntimeError):
        return  # the page has gone
    finally:
        bridge.page_went(reader)
