"""Plots and pictures: the right axes with units, non-empty files, no global state."""

import sys
from typing import Any

import numpy as np

from lissom.analysis.along import Along
from lissom.analysis.painting import Painting
from lissom.analysis.picture import plot_shape
from lissom.analysis.plots import image, plot_along
from lissom.analysis.report import Findings
from lissom.analysis.scenery import scenery
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


def test_along_has_a_panel_of_contact_forces_where_there_are_any(lying: Findings, hose: Findings) -> None:
    figure = plot_along(lying.scene, cable_of(lying), contacts=lying.contacts)
    panel = figure.axes[len(figure.axes) - 1]
    assert panel.get_ylabel().replace("\n", " ") == "contact force [N]"
    (markers,) = [line for line in panel.lines if line.get_marker() == "o"]
    assert np.allclose(markers.get_xdata(), [1000 * contact.place for contact in lying.contacts])
    assert np.allclose(markers.get_ydata(), [contact.pressure for contact in lying.contacts])
    legend: Any = panel.get_legend()
    assert legend.get_texts()[0].get_text().startswith("floor: ")
    labels = [axis.get_ylabel() for axis in plot_along(hose.scene, cable_of(hose)).axes]
    assert not any("contact" in label for label in labels)


def test_the_picture_shows_parts_and_contacts(lying: Findings) -> None:
    cable = cable_of(lying)
    things = scenery(lying.scene, lying.poses, [cable])
    figure = plot_shape(lying.scene, cable, contacts=lying.contacts, things=things)
    axes: Any = figure.axes[0]
    texts = {text.get_text() for text in axes.texts}
    most = max(contact.pressure for contact in lying.contacts)
    assert texts >= {"floor", "bar", "block", f"{most:.3g} N"}
    assert "hose" not in texts
    assert axes.get_zlim()[0] < -60.0
    png = image(figure, "png", dpi=60)
    plain = image(plot_shape(lying.scene, cable, things=()), "png", dpi=60)
    assert len(png) > len(plain)
    assert image(plot_shape(lying.scene, cable, contacts=lying.contacts, things=things), "png", dpi=60) == png


def test_parts_far_from_the_cable_do_not_make_it_small(lying: Findings) -> None:
    cable = cable_of(lying)
    near = plot_shape(lying.scene, cable, things=())
    far = lying.scene.with_values({"bar/position": (30.0, 0.0, 0.0), "floor/position": (0.0, 0.0, -30.0)})
    far = far.with_values({"block/position": (0.0, 0.0, 40.0)})
    spans = [np.ptp(figure.axes[0].get_xlim()) for figure in (near, plot_shape(far, cable))]
    assert spans[1] == spans[0]


def test_only_the_outside_that_faces_us_is_painted(lying: Findings) -> None:
    figure = plot_shape(lying.scene, cable_of(lying))
    painting = Painting(figure.axes[0])
    block = next(thing for thing in scenery(lying.scene) if thing.name == "block")
    painting.add_things([block])
    facets = np.concatenate(painting._facets)
    faces = facets[np.concatenate(painting._fill)[:, 3] > 0.0]
    across = np.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0])
    normals = np.unique(np.round(across / np.linalg.norm(across, axis=1, keepdims=True), 6), axis=0)
    assert len(normals) == 3
    assert (normals @ painting.towards_us > -0.3).all()  # in perspective
    assert [0.0, 0.0, 1.0] in normals.tolist()
