"""A device driver in thirty lines: sends poses to `lissom feel SCENE --device udp`, and prints what comes back.

Run: lissom feel examples/haptic/over-edge.toml --device udp --seconds 10 &
     python examples/haptic/udp_client.py

The packet is described in docs/haptic.md. Nothing of lissom is needed on this side.
"""

import math
import socket
import struct
import sys
import time

POSE = struct.Struct("<4sIQd3d4dI4x")
FORCE = struct.Struct("<4sIQd3d3dI12x")


def main(port: int = 7421, seconds: float = 5.0) -> int:
    """Moves the handle slowly up and down by 20 mm; gives how many forces came back."""
    link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    link.settimeout(0.01)
    began, answers = time.perf_counter(), 0
    for sequence in range(1, round(1000 * seconds) + 1):
        now = time.perf_counter() - began
        z = 0.02 * math.sin(now)
        link.sendto(POSE.pack(b"LSP1", sequence, 0, now, 0.0, 0.0, z, 1.0, 0.0, 0.0, 0.0, 0), ("127.0.0.1", port))
        try:
            word, answered, _, _, fx, fy, fz, *_ = FORCE.unpack(link.recv(256))
        except (TimeoutError, OSError):
            continue
        answers += word == b"LSF1"
        if answered % 500 == 0:
            print(f"{now:6.2f} s  z {1000 * z:6.2f} mm  force {fx:7.3f} {fy:7.3f} {fz:7.3f} N")
        time.sleep(max(0.0, began + 0.001 * sequence - time.perf_counter()))
    return answers


if __name__ == "__main__":
    print(main(int(sys.argv[1]) if len(sys.argv) > 1 else 7421), "answers")
