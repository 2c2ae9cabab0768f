"""A sheet-metal bracket: a base with two holes, a bend, and a flange with one. An open sheet with sharp edges."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

BEND = 0.008  # m, radius
BASE, TOP, HALF_WIDTH = 0.1, 0.17, 0.06  # m, along the sheet from its middle, and across it
HOLES = ((-0.05, 0.02, 0.02), (0.03, -0.025, 0.015), (0.14, 0.0, 0.012))  # along, across, radius, m


def bracket(triangles: int) -> tuple[Array, Indices]:
    """Vertices (v, 3), m, and about so many triangles (t, 3)."""
    cells = np.sqrt(triangles / 2)
    nu, nv = int(1.4 * cells), int(cells / 1.4)
    u, v = np.linspace(-BASE, TOP, nu + 1), np.linspace(-HALF_WIDTH, HALF_WIDTH, nv + 1)
    sheet = np.stack(np.meshgrid(u, v, indexing="ij"), axis=-1)
    middle = 0.25 * (sheet[1:, 1:] + sheet[:-1, 1:] + sheet[1:, :-1] + sheet[:-1, :-1])
    kept = np.ones((nu, nv), dtype=bool)
    for along, across, radius in HOLES:
        kept &= np.hypot(middle[..., 0] - along, middle[..., 1] - across) > radius
    rim = np.zeros((nu + 1, nv + 1), dtype=bool)
    for i in (0, 1):
        for j in (0, 1):
            rim[i : i + nu, j : j + nv] |= ~kept
    for along, across, radius in HOLES:  # stairs become a round rim
        away = sheet - [along, across]
        far = np.linalg.norm(away, axis=-1)
        near = rim & (far < 1.5 * radius) & (far > 0.0)
        sheet[near] = [along, across] + radius * away[near] / far[near][:, None]
    number = np.arange((nu + 1) * (nv + 1)).reshape(nu + 1, nv + 1)
    a, b, c, d = (k[kept] for k in (number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]))
    faces = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    used, faces = np.unique(faces, return_inverse=True)
    return bent(sheet.reshape(-1, 2)[used]), faces.reshape(-1, 3)


def bent(sheet: Array) -> Array:
    """(v, 3) from (v, 2) places on the flat sheet."""
    along, across = sheet.T
    angle = np.clip((along - BASE) / BEND, 0.0, np.pi / 2)
    beyond = np.maximum(along - BASE - BEND * np.pi / 2, 0.0)
    x = np.minimum(along, BASE) + BEND * np.sin(angle)
    z = BEND * (1.0 - np.cos(angle)) + beyond
    return np.stack([x, across, z], axis=1)
