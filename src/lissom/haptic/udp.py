"""A device driver in any language, over UDP: poses come in, forces go out [docs/haptic.md, The packet].

Every packet is little-endian. To lissom, 88 bytes:

    4s  b"LSP1"      u32 sequence      u64 token      f64 time of the device, s
    3 × f64 position, m                4 × f64 quaternion (w, x, y, z)            u32 buttons      4 bytes of 0

and back, to where the pose came from, 88 bytes:

    4s  b"LSF1"      u32 sequence of the pose answered      u64 token      f64 time of the loop, s
    3 × f64 force, N                   3 × f64 torque, N m                        u32 status       12 bytes of 0

Nothing that comes in is trusted: what has another size, word or token, comes from another sender, is older than what
was taken, not finite, no rotation, or too far from the pose before, is counted and dropped.
"""

import math
import socket
import struct
from collections import Counter
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lissom.scene.frames import conjugate, normalized, product
from lissom.scene.pose import Pose

Array = NDArray[np.float64]

POSE: Final = struct.Struct("<4sIQd3d4dI4x")
FORCE: Final = struct.Struct("<4sIQd3d3dI12x")
POSE_WORD: Final = b"LSP1"
FORCE_WORD: Final = b"LSF1"
PORT: Final = 7421
LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")

GOOD: Final = 0
LOST: Final = 2  # no pose for a while: the hand is told no force

FASTEST: Final = 5.0
"""m/s, and 20 rad/s: a handle that goes faster has jumped."""
FASTEST_TURN: Final = 20.0
ROOM: Final = 0.005
"""m, that a handle may jump in any case; and so many rad."""
PATIENCE: Final = 0.1
"""s without a pose after which the connection is lost, and another sender may take over."""
MOST_AT_ONCE: Final = 64
"""Packets looked at in one tick: a flood does not stop the loop."""


@dataclass(slots=True)
class _Peer:
    address: tuple[str, int]
    sequence: int
    heard: float  # s of the loop
    pose: Pose
    zero: Pose  # its first one, which
    home: Pose  # is this one of the gripper


class UdpDevice:
    """Listens on one port. Beyond this machine a token is needed, so that nobody else's device is taken for yours;
    it is no secret on the wire.

    The first pose of a device, wherever it is, is that of the gripper where it stands: nothing jumps when one connects.
    """

    def __init__(self, home: Pose, *, host: str = "127.0.0.1", port: int = PORT, token: int = 0) -> None:
        if host not in LOOPBACK and token == 0:
            raise ValueError(f"token = 0: must be given to listen on {host}; any number from 1 to 2^64 - 1 will do")
        if not 0 <= token < 2**64:
            raise ValueError(f"token = {token}: must be from 0 to 2^64 - 1")
        self.token = token
        self.refused: Counter[str] = Counter()  # by what was wrong
        self.taken = 0
        self._peer: _Peer | None = None
        self._pose = home
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.socket(family, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        try:
            self._socket.bind((host, port))
        except (OSError, OverflowError) as error:
            self._socket.close()
            raise ValueError(f"cannot listen on {host}, port {port}: {error}; choose another port") from None

    @property
    def address(self) -> tuple[str, int]:
        """Host and port it listens on."""
        name = self._socket.getsockname()
        return str(name[0]), int(name[1])

    @property
    def connected(self) -> bool:
        """Whether a pose has come and none is overdue."""
        return self._peer is not None

    def read(self, time: float) -> Pose:
        """The newest good pose; the last one where none has come since."""
        if self._peer is not None and time - self._peer.heard > PATIENCE:
            self._peer = None
        for _ in range(MOST_AT_ONCE):
            try:
                data, sender = self._socket.recvfrom(256)
            except BlockingIOError:
                break
            except OSError:  # an answer that found nobody there: some systems say so here
                self.refused["unreachable"] += 1
                continue
            wrong = self._take(data, (str(sender[0]), int(sender[1])), time)
            if wrong:
                self.refused[wrong] += 1
            else:
                self.taken += 1
        if self._peer is not None:
            self._pose = carried(self._peer)
        return self._pose

    def _take(self, data: bytes, sender: tuple[str, int], time: float) -> str:
        """What is wrong with a packet; where nothing is, it becomes the pose."""
        if len(data) != POSE.size:
            return "size"
        word, sequence, token, _, *numbers, _ = POSE.unpack(data)
        if word != POSE_WORD:
            return "word"
        if token != self.token:
            return "token"
        peer = self._peer
        if peer is not None and sender != peer.address:
            return "sender"
        if not all(math.isfinite(k) and abs(k) < 1e6 for k in numbers):
            return "numbers"
        x, y, z, w, i, j, k = numbers
        norm = math.sqrt(w * w + i * i + j * j + k * k)
        if abs(norm - 1.0) > 1e-3:
            return "quaternion"
        pose: Pose = (x, y, z), (w / norm, i / norm, j / norm, k / norm)
        if peer is not None:
            ahead = (sequence - peer.sequence) % 2**32  # it may run over
            if ahead == 0 or ahead >= 2**31:
                return "old"
            if is_jump(peer.pose, pose, time - peer.heard):
                return "jump"
        zero, home = (pose, self._pose) if peer is None else (peer.zero, peer.home)
        self._peer = _Peer(sender, sequence, time, pose, zero, home)
        return ""

    def write(self, time: float, force: Array, torque: Array) -> None:
        peer = self._peer
        if peer is None:
            return
        lost = time - peer.heard > 0.5 * PATIENCE
        numbers = (0.0,) * 6 if lost else (*force.tolist(), *torque.tolist())
        packet = FORCE.pack(FORCE_WORD, peer.sequence, self.token, time, *numbers, LOST if lost else GOOD)
        try:
            self._socket.sendto(packet, peer.address)
        except OSError:
            self.refused["unreachable"] += 1

    def close(self) -> None:
        self._socket.close()


def carried(peer: _Peer) -> Pose:
    """The pose of the gripper: it goes and turns as the handle has since its first pose."""
    (x, y, z), (a, b, c), (o, p, q) = peer.pose[0], peer.zero[0], peer.home[0]
    turn = product(product(peer.pose[1], conjugate(peer.zero[1])), peer.home[1])
    return (o + x - a, p + y - b, q + z - c), normalized(turn)


def is_jump(a: Pose, b: Pose, seconds: float) -> bool:
    """Whether a handle could not have gone from one pose to the other in this time."""
    room = max(seconds, 0.001)
    cosine = abs(sum(p * q for p, q in zip(a[1], b[1], strict=True)))
    turn = 2.0 * math.acos(min(1.0, cosine))
    return math.dist(a[0], b[0]) > ROOM + FASTEST * room or turn > ROOM + FASTEST_TURN * room
