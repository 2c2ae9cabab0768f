"""One cable within its budget."""

from types import SimpleNamespace

import pytest

from lissom.kinematic import cable as module
from lissom.kinematic.building import Hold, Layout, Section
from lissom.kinematic.cable import Cable
from lissom.kinematic.doubling import WORKING


def test_a_search_for_contact_that_would_not_fit_into_the_budget_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a clock that stands still but for the searches, each four times as long as on the level before."""
    now = [0.0]
    clock = SimpleNamespace(perf_counter=lambda: now[0], thread_time=lambda: now[0])
    look = Cable._look

    def slowly(cable: Cable) -> None:
        now[0] += 1e-4 * 4.0 ** int(cable.progress[WORKING])
        look(cable)

    start, end = Hold(0, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0)), Hold(1, (0.3, 0.2, 0.0), (0.0, 1.0, 0.0))
    cable = Cable(Layout((Section(0.6, 0.02, 0.0, (0.0, 0.0, -1.0)),), (start, end)), 64)
    cable.surround((), radius=0.005, meets_itself=True)
    cable.solve()
    monkeypatch.setattr(module, "time", clock)
    monkeypatch.setattr(Cable, "_look", slowly)
    for k in range(1, 20):
        cable.move((start, end._replace(position=(0.3, 0.2, 0.002 * k))))
        began = now[0]
        assert cable.solve(budget=0.018).segments == 16  # two searches on each level: 0.8, 3.2 and 12.8 ms
        assert now[0] - began <= 0.018
