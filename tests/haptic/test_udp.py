"""The packet: what a driver sends and gets, and what is dropped."""

import math
import socket
import struct
from collections.abc import Iterator

import numpy as np
import pytest

from lissom.haptic.udp import FORCE, LOST, PATIENCE, POSE, POSE_WORD, UdpDevice
from lissom.scene.pose import Pose

HOME: Pose = (1.0, 2.0, 3.0), (1.0, 0.0, 0.0, 0.0)
TURNED = (math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))


class Driver:
    """The other side, in a few lines: what docs/haptic.md promises."""

    def __init__(self, device: UdpDevice) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.settimeout(2.0)
        self.to = device.address
        self.sequence = 0

    def send(
        self,
        x: float = 0.0,
        q: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0),
        *,
        token: int = 0,
        sequence: int | None = None,
    ) -> None:
        self.sequence = self.sequence + 1 if sequence is None else sequence
        self.raw(struct.pack("<4sIQd3d4dI4x", b"LSP1", self.sequence % 2**32, token, 0.0, x, 0.0, 0.0, *q, 0))

    def raw(self, data: bytes) -> None:
        self.socket.sendto(data, self.to)


@pytest.fixture
def device() -> Iterator[UdpDevice]:
    made = UdpDevice(HOME, port=0)
    yield made
    made.close()


def test_poses_come_in_relative_to_the_first_and_forces_go_back(device: UdpDevice) -> None:
    driver = Driver(device)
    assert device.read(0.0) == HOME
    driver.send(0.5)
    assert device.read(0.001) == HOME  # wherever the device is, the gripper stays where it was
    driver.send(0.503, TURNED, sequence=2)
    assert device.read(0.002) == HOME  # a quarter turn at once: a jump
    driver.send(0.503)
    position, _ = device.read(0.051)
    assert position == pytest.approx((1.003, 2.0, 3.0))
    device.write(0.051, np.array([1.0, 2.0, 3.0]), np.array([0.1, 0.2, 0.3]))
    word, sequence, _, time, *felt, status = struct.unpack("<4sIQd3d3dI12x", driver.socket.recv(200))
    assert (word, sequence, time, status) == (b"LSF1", 3, 0.051, 0)
    assert felt == pytest.approx([1.0, 2.0, 3.0, 0.1, 0.2, 0.3])


def test_hostile_packets_are_counted_and_dropped(device: UdpDevice) -> None:
    driver, other = Driver(device), Driver(device)
    driver.send(0.0)
    device.read(0.0)
    good = struct.pack("<4sIQd3d4dI4x", b"LSP1", 9, 0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0)
    driver.raw(b"")
    driver.raw(b"x" * 200)
    driver.raw(good[:-1])
    driver.raw(b"EVIL" + good[4:])
    driver.send(0.001, token=5)
    driver.send(math.nan)
    driver.send(math.inf)
    driver.send(1e300)
    driver.send(0.001, (0.0, 0.0, 0.0, 0.0))
    driver.send(0.001, (2.0, 0.0, 0.0, 0.0))
    driver.send(0.001, sequence=1)
    driver.send(0.9, sequence=50)
    other.send(0.0)
    assert device.read(0.001) == HOME
    assert dict(device.refused) == {
        "size": 3, "word": 1, "token": 1, "numbers": 3, "quaternion": 2, "old": 1, "jump": 1, "sender": 1,
    }  # fmt: skip
    assert device.taken == 1


def test_a_flood_does_not_stop_the_loop(device: UdpDevice) -> None:
    driver = Driver(device)
    for _ in range(150):
        driver.raw(b"flood")
    device.read(0.0)
    assert device.refused["size"] <= 64


def test_sequence_may_run_over(device: UdpDevice) -> None:
    driver = Driver(device)
    driver.send(0.0, sequence=2**32 - 1)
    device.read(0.0)
    driver.send(0.001, sequence=0)
    assert device.read(0.001)[0][0] == pytest.approx(1.001)


def test_a_silent_device_is_told_no_force_and_another_may_take_over(device: UdpDevice) -> None:
    driver, other = Driver(device), Driver(device)
    driver.send(0.0)
    device.read(0.0)
    device.write(0.6 * PATIENCE, np.ones(3), np.ones(3))
    *_, status = FORCE.unpack(driver.socket.recv(200))
    assert status == LOST
    other.send(7.0)
    assert device.read(1.5 * PATIENCE) == HOME
    assert device.connected
    other.send(7.001)
    assert device.read(1.6 * PATIENCE)[0][0] == pytest.approx(1.001)


def test_listening_beyond_this_machine_needs_a_token() -> None:
    with pytest.raises(ValueError, match="token = 0: must be given"):
        UdpDevice(HOME, host="0.0.0.0", port=0)
    taken = UdpDevice(HOME, port=0)
    with pytest.raises(ValueError, match="choose another port"):
        UdpDevice(HOME, port=taken.address[1])
    taken.close()


def test_packets_have_the_documented_size() -> None:
    assert POSE.size == FORCE.size == 88
    assert POSE_WORD == b"LSP1"
