"""The socket that the studio listens on."""

import asyncio
import socket

from lissom.studio.running import bound


def test_small_messages_are_sent_at_once() -> None:
    """They waited for the last one to be acknowledged: 40 ms from each move of the pointer to its shape."""

    async def nodelay() -> int:
        found: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        async def served(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            found.set_result(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        listener = bound("127.0.0.1", 0)
        server = await asyncio.start_server(served, sock=listener)
        _, writer = await asyncio.open_connection(*listener.getsockname())
        found_it = await asyncio.wait_for(found, 10)
        writer.close()
        server.close()
        return found_it

    assert asyncio.run(nodelay()) != 0
