"""Plots and pictures: the right axes with units, non-empty files, no global state."""

import sys
from typing import Any

import numpy as np

from lissom.analysis.along import Along
from lissom.analysis.picture import plot_shape
from lissom.analysis.plots import image, plot_along
from lissom.analysis.report import Findings
from lissom.rods.result import CableResult


def cable_of(found: Findings) -> CableResult:
    cable = found.cables["hose"]
    assert cable is not None
    return cable


def test_along_shows_every_quantity_with_its_unit(hose: Findings) -> None:
    figure = plot_along(hose.scene, cable_of(hose))
    labels = [axis.get_ylabel().replace("\n", " ") for axis in figure.axes]
    for wanted in (
        "curvature κ [1/m]",
        "torsion τ [deg/m]",
        "tension n·d₃ [N]",
        "moment |m| [N·m]",
        "σ [MPa]",
    ):
        assert any(wanted in label for label in labels), wanted
    assert figure.axes[-1].get_xlabel() == "arc length s [mm]"


def test_shape_has_equal_axes_in_millimetres(hose: Findings) -> None:
    figure = plot_shape(hose.scene, cable_of(hose), show_directors=True)
    axes: Any = figure.axes[0]
    assert [axes.get_xlabel(), axes.get_ylabel(), axes.get_zlabel()] == ["x [mm]", "y [mm]", "z [mm]"]
    spans = np.ptp([axes.get_xlim(), axes.get_ylim(), axes.get_zlim()], axis=1)
    assert np.allclose(spans / axes._box_aspect, spans[0] / axes._box_aspect[0])
    assert any(text.get_text() == "clip" for text in axes.texts)


def test_images_are_whole_and_repeatable(hose: Findings) -> None:
    figure = plot_shape(hose.scene, cable_of(hose))
    png, svg = image(figure, "png", dpi=60), image(figure, "svg", dpi=60)
    assert png.startswith(b"\x89PNG")
    assert svg.rstrip().endswith(b"</svg>")
    assert len(png) > 5000
    assert image(plot_shape(hose.scene, cable_of(hose)), "svg", dpi=60) == svg


def test_pyplot_stays_out(hose: Findings) -> None:
    plot_along(hose.scene, cable_of(hose))
    assert "matplotlib.pyplot" not in sys.modules


def test_filled_in_values_pass_through_the_points_and_keep_jumps(hose: Findings) -> None:
    along = Along(hose.scene, cable_of(hose))
    fine = along.fine(along.tension, parts=4)
    assert np.allclose(fine[:, [0, -1]], along.tension)
    assert fine.max() < along.tension.max() + 0.05 * np.ptp(along.tension)


def test_the_clip_is_no_smooth_point(hose: Findings) -> None:
    along = Along(hose.scene, cable_of(hose))
    assert np.flatnonzero(~along.smooth).tolist() == [0, 16, 32]
