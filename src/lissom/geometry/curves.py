"""Curves of a given length between two points: the raw material of a first guess."""

import math

import numpy as np
from numpy.typing import NDArray

from lissom.kernels import kernel

Array = NDArray[np.float64]
Point = Array | tuple[float, float, float]

SAMPLES = 96


@kernel
def hermite(p0: Point, t0: Point, p1: Point, t1: Point, size: float, samples: Array) -> tuple[float, float]:
    """Samples the cubic with end tangents size·t0, size·t1; its polygon's length and the derivative of that by size."""
    length = 0.0
    slope = 0.0
    last = len(samples) - 1
    b_before = 0.0
    d_before = 0.0
    for i in range(last + 1):
        t = i / last
        c = t * t * (3.0 - 2.0 * t)
        a = 1.0 - c
        b = t * (1.0 - t) * (1.0 - t)
        d = t * t * (t - 1.0)
        square = 0.0
        change = 0.0
        for k in range(3):
            samples[i, k] = a * p0[k] + b * size * t0[k] + c * p1[k] + d * size * t1[k]
            if i > 0:
                step = samples[i, k] - samples[i - 1, k]
                square += step * step
                change += step * ((b - b_before) * t0[k] + (d - d_before) * t1[k])
        b_before = b
        d_before = d
        if square > 0.0:
            length += math.sqrt(square)
            slope += change / math.sqrt(square)
    return length, slope


@kernel
def hermite_of_length(p0: Point, t0: Point, p1: Point, t1: Point, length: float, samples: Array) -> None:
    """The cubic between two points with given end directions whose length is `length`.

    The length of the polygon is a sum of norms of linear functions of the tangents' size, so it is convex: Newton's
    method from a size that is too large comes down to the root without passing it.
    """
    size = length
    for _ in range(60):
        if hermite(p0, t0, p1, t1, size, samples)[0] >= length:
            break
        size *= 2.0
    for _ in range(60):
        reached, slope = hermite(p0, t0, p1, t1, size, samples)
        excess = reached - length
        if excess <= 1e-10 * length or slope <= 0.0 or size == 0.0:
            break  # there; or the points are farther apart than `length`, which a cable that stretches allows
        size = max(size - excess / slope, 0.0)


@kernel
def catenary_of_length(p0: Point, p1: Point, down: Point, length: float, samples: Array) -> None:
    """The rope of this length hanging between two points, sampled; `down` is a unit vector.

    With d the horizontal and v the vertical distance (up from p0 to p1), √(L² − v²) = 2a sinh(d/2a) gives a. Where
    the points are one above the other the rope folds; a narrow span then stands for none.
    """
    last = len(samples) - 1
    rise = 0.0
    for k in range(3):
        rise -= (p1[k] - p0[k]) * down[k]
    side = np.empty(3)
    distance = 0.0
    for k in range(3):
        side[k] = (p1[k] - p0[k]) + rise * down[k]
        distance += side[k] ** 2
    distance = math.sqrt(distance)
    narrow = 0.02 * length
    if distance < narrow:
        perpendicular(down, side)
        span = narrow
    else:
        span = distance
        for k in range(3):
            side[k] /= distance
    slack = math.sqrt(max(length**2 - rise**2, (1.0 + 1e-9) * span**2))
    low = 1e-6  # of x = span/(2a): sinh(x)/x = slack/span
    high = 60.0
    for _ in range(80):
        x = 0.5 * (low + high)
        if math.sinh(x) / x < slack / span:
            low = x
        else:
            high = x
    a = span / (2.0 * x)
    middle = math.atanh(min(max(rise / length, -0.999999999), 0.999999999))  # x-offset of the lowest point, in a
    # equal steps of arc length: s = a (sinh(u) − sinh(u0)), u from u0 = middle − x to middle + x
    u0 = middle - x
    first = math.sinh(u0)
    total = math.sinh(middle + x) - first
    for i in range(last + 1):
        v = first + total * i / last
        u = math.asinh(v)
        along = (u - u0) / (2.0 * x) * span
        up = a * (math.sqrt(1.0 + v * v) - math.cosh(u0))
        for k in range(3):
            samples[i, k] = p0[k] + along * side[k] - up * down[k]


@kernel
def perpendicular(v: Point, out: Array) -> None:
    """Some unit vector at right angles to v."""
    smallest = 0
    for k in range(3):
        if abs(v[k]) < abs(v[smallest]) - 1e-12:
            smallest = k
    norm = v[0] ** 2 + v[1] ** 2 + v[2] ** 2
    size = 0.0
    for k in range(3):
        out[k] = (1.0 if k == smallest else 0.0) - v[smallest] * v[k] / norm
        size += out[k] ** 2
    for k in range(3):
        out[k] /= math.sqrt(size)


@kernel
def resample(samples: Array, fractions: Array, out: Array) -> None:
    """Points at the given fractions (ascending, 0–1) of the polygon's length."""
    total = 0.0
    for i in range(1, len(samples)):
        step = 0.0
        for k in range(3):
            step += (samples[i, k] - samples[i - 1, k]) ** 2
        total += math.sqrt(step)
    done = 0.0
    j = 0
    for i in range(1, len(samples)):
        step = 0.0
        for k in range(3):
            step += (samples[i, k] - samples[i - 1, k]) ** 2
        step = math.sqrt(step)
        while j < len(fractions) and (fractions[j] * total <= done + step or i == len(samples) - 1):
            t = 0.0 if step == 0.0 else min((fractions[j] * total - done) / step, 1.0)
            for k in range(3):
                out[j, k] = samples[i - 1, k] + t * (samples[i, k] - samples[i - 1, k])
            j += 1
        done += step
