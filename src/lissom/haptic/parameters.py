"""What the force model needs to know: by the heuristics of KH05 (9)–(14), and from a section and a stability bound.

Letters of the paper: c_c `stretch_force`, c_b `bend_force`, c_e `grip_stiffness` and `contact_stiffness`, c_F
`mobility`, l_s `step_limit`, c_h `memory` [docs/theory/haptic.md §3, §5].
"""

import math
from dataclasses import dataclass, fields, replace
from typing import Final, Literal

from lissom.haptic import forces, stepping

Law = Literal["consistent", "paper"]
RuleName = Literal["plain", "limited", "relative", "mean", "heavy", "dynamic", "velocity"]

LAWS: Final[dict[str, int]] = {"paper": forces.PAPER, "consistent": forces.CONSISTENT}
RULES: Final[dict[str, int]] = {
    "plain": stepping.PLAIN,
    "limited": stepping.LIMITED,
    "relative": stepping.RELATIVE,
    "mean": stepping.MEAN,
    "heavy": stepping.HEAVY,
    "dynamic": stepping.DYNAMIC,
    "velocity": stepping.VELOCITY,
}
WITH_MEMORY: Final = ("heavy", "dynamic", "velocity")

GRAVITY: Final = 9.81
STRETCH: Final = 1.0
"""% by which a cable may stretch under its own weight, unless bending wants it stiffer."""
GIVE: Final = 1.0
"""% of a segment by which a gripper may give under the weight of the cable [KH05, after (14)]."""
HARD: Final = 5e4
"""N/m: no grip or obstacle has to be harder; a hand feels no difference, and the model keeps its steps for bending."""
STEP: Final = 0.1
"""Of a segment, in one step: it then turns by less than 0.1 rad, and the stability bound holds."""
DESIGN_ANGLE: Final = math.radians(10.0)
"""At each point: up to this the automatic c_F is right for the law of the paper, which gets stiffer as it bends."""
CANTILEVER: Final = 12.362
"""(1.8751)⁴: the softest way a cantilever bends."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """All numbers of the model, SI. Make them with `automatic`, `by_heuristics` or `table_1`."""

    points: int
    length: float  # m
    mass: float  # kg
    stretch_force: float  # c_c, N: the force that would double the length
    bend_force: float  # c_b, N; law "paper" only
    bending: float  # B, N m²; law "consistent" only
    grip_stiffness: float  # N/m
    contact_stiffness: float  # N/m
    mobility: float  # c_F, m/N in one step
    step_limit: float  # l_s, m in one step
    memory: float = 0.0  # c_h: of the last movement, 0 … 1
    law: Law = "consistent"
    rule: RuleName = "dynamic"
    rise: float = 0.1  # of c_s for each point that oscillates, in each step
    fall: float = 0.01  # of c_s in a step in which none does
    steps: float = 30.0  # of the model in a millisecond: Σ c_m
    most_steps: int = 120  # in a millisecond, however small c_m is

    def __post_init__(self) -> None:
        check(self)

    @property
    def segment(self) -> float:
        """Unstretched length between neighbours, m."""
        return self.length / (self.points - 1)

    @property
    def stiffest(self) -> float:
        """λ: no movement of the points meets more than this, N/m [docs/theory/haptic.md (16)]."""
        h = self.segment
        bend = self.bending / h**3 if self.law == "consistent" else paper_stiffness(self.bend_force, h, DESIGN_ANGLE)
        return 4.0 * self.stretch_force / h + 16.0 * bend + self.grip_stiffness + 2.0 * self.contact_stiffness

    @property
    def mobility_bound(self) -> float:
        """c_F beyond which the model explodes or oscillates, m/N [docs/theory/haptic.md (15)]."""
        kept = self.memory if self.rule in WITH_MEMORY else 0.0
        return 2.0 * (1.0 + kept) / self.stiffest

    def calmed(self) -> "Parameters":
        """The same with c_F, l_s and c_h from the stability bound."""
        return replace(
            self, mobility=1.0 / self.stiffest, step_limit=STEP * self.segment, memory=automatic_memory(self)
        )


POSITIVE: Final = ("length", "stretch_force", "grip_stiffness", "contact_stiffness", "mobility", "step_limit", "steps")
NOT_NEGATIVE: Final = ("mass", "bend_force", "bending", "rise", "fall")


def check(given: Parameters) -> None:
    """Every number within its bounds, or an error that says which is not."""
    for field in fields(given):
        value = getattr(given, field.name)
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{field.name} = {value}: must be finite")
    if not 3 <= given.points <= 10_000:
        raise ValueError(f"points = {given.points}: must be from 3 to 10000; more than four are needed to bend [KH05]")
    for name in POSITIVE:
        if not getattr(given, name) > 0.0:
            raise ValueError(f"{name} = {getattr(given, name)}: must be above 0")
    for name in NOT_NEGATIVE:
        if getattr(given, name) < 0.0:
            raise ValueError(f"{name} = {getattr(given, name)}: must be 0 or more")
    if not 0.0 <= given.memory < 1.0:
        raise ValueError(f"memory = {given.memory}: must be from 0 to below 1; at 1 nothing ever comes to rest")
    if given.law not in LAWS:
        raise ValueError(f"law = {given.law!r}: must be one of {', '.join(LAWS)}")
    if given.rule not in RULES:
        raise ValueError(f"rule = {given.rule!r}: must be one of {', '.join(RULES)}")
    if not given.steps <= given.most_steps <= 1_000_000:
        raise ValueError(f"most_steps = {given.most_steps}: must be from steps = {given.steps:g} to 1000000")


def automatic(
    length: float,
    mass: float,
    bending: float,
    points: int,
    *,
    axial: float = math.inf,
    gravity: float = GRAVITY,
    law: Law = "consistent",
    rule: RuleName = "dynamic",
    steps: float = 30.0,
) -> Parameters:
    """From what a section has: m, kg, B in N m², EA in N (`axial`; absent: hardly stretches).

    The law of the paper gets the c_b with which it bends as much as the rod at the mean angle of a cantilever under
    its weight; there is no c_b with which it does so everywhere.
    """
    if not 3 <= points <= 10_000:
        raise ValueError(f"points = {points}: must be from 3 to 10000; more than four are needed to bend [KH05]")
    h, weight = length / (points - 1), mass * gravity
    stretch = min(max(4.0 * bending / h**2, weight * 100.0 / STRETCH), axial)
    if stretch == 0.0:
        raise ValueError("mass = 0 and bending = 0: must not both be 0, nothing then says the shape of the cable")
    hard = min(stretch / h, HARD)
    grip = max(hard, grip_stiffness(weight, length, points, GIVE)) if weight > 0.0 else hard
    bend = 0.0
    if law == "paper":
        angle = max(weight * length * h / (6.0 * bending), 1e-3) if bending > 0.0 else 1.0
        bend = 4.0 * bending / (h * h * angle**2)
    made = Parameters(
        points, length, mass, stretch, bend, bending if law == "consistent" else 0.0, grip, hard,
        1.0, STEP * h, law=law, rule=rule, steps=steps, most_steps=math.ceil(4.0 * steps),
    )  # fmt: skip
    return made.calmed()


def automatic_memory(given: Parameters) -> float:
    """c_h with which the slowest movement comes to rest soonest [docs/theory/haptic.md (18)]."""
    if given.rule not in WITH_MEMORY:
        return 0.0
    h, l = given.segment, given.length
    bend = CANTILEVER * given.bending * h / l**4
    swing = 1.5 * given.mass * GRAVITY / (l * given.points)
    root = math.sqrt(max(bend, swing) / given.stiffest)
    return ((1.0 - root) / (1.0 + root)) ** 2


def paper_stiffness(bend_force: float, h: float, angle: float) -> float:
    """What stands for B/h³ in the law of the paper, bent by `angle` at each point, N/m [docs/theory/haptic.md (10)]."""
    half = 0.5 * angle
    slope = math.sin(angle) * math.sin(half) + 0.5 * (1.0 - math.cos(angle)) * math.cos(half)
    return bend_force * slope / h


# ---- KH05's heuristics -------------------------------------------------------------------------------------


def influence_of_points(points: int) -> float:
    """The force to bend a cable of so many points to a quarter circle, in units of c_b [KH05 (9)]."""
    one = 1.0 - math.cos(0.5 * math.pi / (points - 1))
    return one * math.sqrt(0.5 * one)


def quarter_circle(length: float, points: int, angle: float) -> tuple[float, float]:
    """(radius R, m, and segments n_b) of the tightest quarter circle with this angle at each point [KH05 (10)]."""
    return 0.5 * length / (points - 1) / math.sin(0.5 * angle), 0.5 * math.pi / angle


def stretch_force(force: float, percent: float) -> float:
    """c_c with which a force stretches the cable by so many percent [KH05 (11); (12) with the weight]."""
    return force * 100.0 / percent


def bend_force(force: float, angle: float, *, printed: bool = False) -> float:
    """c_b with which a force bends each point by `angle`, rad [KH05 (13)].

    The angle that the force makes with the segment is π/2 − α, not π − α as printed: only so does Table 1 come out.
    """
    lever = math.sin(math.pi - angle) if printed else math.sin(0.5 * math.pi - angle)
    return force * lever / ((1.0 - math.cos(angle)) * math.sin(0.5 * angle))


def grip_stiffness(force: float, length: float, points: int, percent: float) -> float:
    """c_e with which a force moves the cable in the gripper by so many percent of a segment [KH05 (14)]."""
    return force / (length / (points - 1) * percent / 100.0)


def stick_bend_force(bending: float, curvature: float, length: float, points: int, *, printed: bool = True) -> float:
    """c_b of a stick at its largest curvature [KH05 (21)]: as printed from B k², mended from B k over a segment."""
    h = length / (points - 1)
    angle = h * curvature
    force = bending * curvature**2 if printed else bending * curvature / h
    return force / ((1.0 - math.cos(angle)) * math.sin(0.5 * angle))


TABLE_FORCE: Final = 0.07848
"""N: the one force with which c_c and c_b of Table 1 come out to every printed digit; it is 0.8 of the weight."""
TABLE_WEIGHT: Final = 0.01 * GRAVITY / 11
"""N on each point: that of 11 points, where N = 10 is printed."""


def table_1(rule: RuleName = "dynamic", memory: float = 0.9) -> Parameters:
    """The cable of KH05's experiments (Table 1). The rule and c_h are ours to choose: c_h is not printed.

    "0.981 N at 5 %" for the gripper is read with the force that gives c_c and c_b: 94 N/m, as stiff as a segment.
    """
    return Parameters(
        points=10,
        length=0.15,
        mass=0.01,
        stretch_force=stretch_force(TABLE_FORCE, 5.0),
        bend_force=bend_force(TABLE_FORCE, math.radians(2.5)),
        bending=0.0,
        grip_stiffness=grip_stiffness(TABLE_FORCE, 0.15, 10, 5.0),
        contact_stiffness=grip_stiffness(TABLE_FORCE, 0.15, 10, 5.0),
        mobility=0.00413,
        step_limit=0.009,
        memory=memory if rule in WITH_MEMORY else 0.0,
        law="paper",
        rule=rule,
        steps=4.0,
        most_steps=40,
    )
