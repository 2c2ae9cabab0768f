"""Bending stress at the surface of a cable, from its internal moment.

A fibre at the distance y from an axis through the centre is strained by M y / B, B the bending stiffness
about that axis; its stress is E times that. What counts is the change of curvature from rest, which is what
M/B is.
    round      σ = E r √(M1² + M2²) / B
    rectangle  σ = E (|M1| y1 / B1 + |M2| y2 / B2)      at a corner
    layered    as round, with E and r of the outermost layer: a stiffer layer inside may bear more
A measured stiffness says nothing of the material: the stress is unknown (nan), never zero.
"""

import numpy as np

from lissom.analysis.along import Along, Array, Region


def bending_stress(along: Along, body_moment: Array | None = None) -> Array:
    """(segments, 2) Pa: the largest bending stress over the surface; nan where the material is not known.

    At the segment ends, or from other samples (segments, samples, 3) of the moment about d1, d2, d3 in N m.
    """
    moment = along.body_moment if body_moment is None else body_moment
    stress = np.full(moment.shape[:2], np.nan)
    for number, region in enumerate(along.regions):
        inside = along.region_of == number
        stress[inside] = region_stress(region, moment[inside])
    return stress


def region_stress(region: Region, moment: Array) -> Array:
    """Pa, from the moment (…, 3) about d1, d2, d3 in N m."""
    section = region.section
    if section.youngs_modulus is None:
        return np.full(moment.shape[:-1], np.nan)
    strain1 = np.abs(moment[..., 0]) / section.bending[0] * section.fibre_distance[0]
    strain2 = np.abs(moment[..., 1]) / section.bending[1] * section.fibre_distance[1]
    strain = strain1 + strain2 if region.is_flat else np.hypot(strain1, strain2)
    return np.asarray(section.youngs_modulus * strain)


def at_points(values: Array) -> Array:
    """(points,) the larger of the values on the two sides of each point."""
    ends = np.full((len(values) + 1, 2), -np.inf)
    ends[:-1, 0] = values[:, 0]
    ends[1:, 1] = values[:, 1]
    ends[np.isnan(ends)] = -np.inf
    largest = ends.max(axis=1)
    return np.where(np.isneginf(largest), np.nan, largest)
