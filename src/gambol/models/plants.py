"""Plants: a rose, a lily, a willow, grass, and a tree that grows from a seed."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from gambol.models.build import Figure, Maker, Shape

__all__ = ["grass", "lily", "rose", "tree", "willow"]

Array = NDArray[np.float64]
GREENS = {
    "stem": ((0.10, 0.20, 0.05), 0.7), "leaf": ((0.06, 0.24, 0.05), 0.6), "petal": ((0.60, 0.02, 0.04), 0.5),
    "heart": ((0.75, 0.48, 0.04), 0.6), "bark": ((0.16, 0.10, 0.06), 0.9), "pale": ((0.85, 0.80, 0.72), 0.5),
}
STEM, LEAF, PETAL, HEART, BARK, PALE = range(6)
DENSITY = 700.0  # kg/m3, green stems and wet wood
GOLDEN = np.pi * (3 - np.sqrt(5))  # rad, from leaf to leaf up a stem
SIZES = (8, 40)  # joints of a tree by its seed's wish, least and most forks


@lru_cache(maxsize=4)
def rose() -> Figure:
    """A rose of 0.75 m in bloom."""
    m = Maker()
    stem = _stem(m, 6, 0.62, 0.035, 0.006)
    for k, (joint, turn) in enumerate(((1, 0.3), (2, 2.4), (3, 4.6))):
        _leaf(m, f"leaf_{k + 1}", stem[joint], (turn, 0.55, 0.19), 0.048)
    top = m.at(stem[-1])
    m.blob(stem[-1], top + [0, 0.012, 0], (0.022, 0.03, 0.022), STEM)
    for k in range(5):  # sepals
        _leaf(m, f"sepal_{k + 1}", stem[-1], (k * 1.2566, 0.35, 0.07), 0.011)
    for ring, (count, lean, size) in enumerate(((3, 1.35, 0.085), (5, 1.05, 0.105), (5, 0.72, 0.115))):
        for k in range(count):
            _petal(m, f"petal_{ring + 1}_{k + 1}", stem[-1], (k * 2 * np.pi / count + ring * 0.6, lean, size),
                   (0.040 + 0.006 * ring, PETAL))
    return m.figure("rose", "flower", GREENS, density=DENSITY)


@lru_cache(maxsize=4)
def lily() -> Figure:
    """A lily of 0.9 m: 29 joints, as the paper's."""
    m = Maker()
    stem = _stem(m, 6, 0.78, 0.05, 0.007)
    for k in range(5):
        _leaf(m, f"leaf_{k + 1}", stem[k // 2 + 1], (k * GOLDEN, 0.75, 0.26), 0.022)
    m.joint("flower", stem[-1], m.at(stem[-1]) + [0.03, 0.05, 0.03], 0.012)
    m.tube([stem[-1], "flower"], Shape([(0, 0.007, 0.007), (1, 0.018, 0.018)], STEM))
    for k in range(6):
        _petal(m, f"petal_{k + 1}", "flower", (k * np.pi / 3, 0.85 if k % 2 else 0.7, 0.17), (0.032, PALE))
    for k in range(6):
        a = k * np.pi / 3 + 0.5
        tip = m.at("flower") + [0.035 * np.sin(a), 0.095, 0.035 * np.cos(a)]
        m.blob("flower", tip, (0.005, 0.012, 0.005), HEART)
    m.blob("flower", m.at("flower") + [0, 0.04, 0], (0.006, 0.045, 0.006), LEAF)
    return m.figure("lily", "flower", GREENS, density=DENSITY)


@lru_cache(maxsize=8)
def grass(seed: float = 1.0) -> Figure:
    """A tuft of 12 blades."""
    m, rng = Maker(), np.random.default_rng(int(seed))
    m.joint("root", None, (0, 0, 0), 0.01)
    for k in range(12):
        turn, far = k * GOLDEN, 0.012 * np.sqrt(k + 0.5)
        base, height = np.array([far * np.sin(turn), 0.0, far * np.cos(turn)]), rng.uniform(0.22, 0.42)
        out, parent, chain = np.array([np.sin(turn), 0.0, np.cos(turn)]), "root", []
        for n, share in enumerate((0.0, 0.3, 0.62, 0.85, 1.0)):
            bow = out * height * rng.uniform(0.3, 0.45) * share**2
            place = base + [0, height * share * (1 - 0.12 * share), 0] + bow
            parent = m.joint(f"blade_{k + 1}_{n + 1}", parent, place, 0.0018, 0.006)
            chain.append(parent)
        m.tube(chain, Shape([(0.0, 0.004, 0.0012), (0.4, 0.0065, 0.0012), (1.0, 0.0008, 0.0008)], LEAF, tuple(out), 8))
    return m.figure(f"grass:{seed:g}", "plant", GREENS, density=DENSITY)


@lru_cache(maxsize=8)
def willow(seed: float = 1.0) -> Figure:
    """A young weeping willow of 3 m: boughs that rise and strands that hang."""
    m, rng = Maker(), np.random.default_rng(int(seed))
    trunk = ["trunk_1"]
    m.joint("trunk_1", None, (0, 0, 0), 0.09)
    for n, (x, y, z) in enumerate(((0.05, 0.7, 0.0), (0.02, 1.4, 0.06), (0.06, 2.05, 0.04)), 2):
        trunk.append(m.joint(f"trunk_{n}", trunk[-1], (x, y, z), 0.085 - 0.014 * n))
    m.tube(trunk, Shape([(0, 0.115, 0.115), (0.12, 0.08, 0.08), (1, 0.045, 0.045)], BARK, sides=12))
    for k in range(6):
        turn = k * GOLDEN + 0.4
        out = np.array([np.sin(turn), 0.0, np.cos(turn)])
        base = m.at(trunk[3 if k > 1 else 2])
        bough = [trunk[3 if k > 1 else 2]]
        for n, (far, up) in enumerate(((0.35, 0.42), (0.75, 0.68), (1.05, 0.70)), 1):
            place = base + out * far * rng.uniform(0.85, 1.1) + [0, up * rng.uniform(0.8, 1.1), 0]
            bough.append(m.joint(f"bough_{k + 1}_{n}", bough[-1], place, 0.032 - 0.008 * n))
        m.tube(bough, Shape([(0, 0.04, 0.04), (0.5, 0.022, 0.022), (1, 0.008, 0.008)], BARK))
        for s in range(3):
            _strand(m, f"strand_{k + 1}_{s + 1}", bough[s + 1], out, rng)
    return m.figure(f"willow:{seed:g}", "plant", GREENS, density=DENSITY, stiffness=_hanging(m))


@lru_cache(maxsize=8)
def tree(seed: float = 1.0) -> Figure:
    """A broad-leaved tree of about 4 m, grown from a seed: each shoot forks until it is thin."""
    m, rng = Maker(), np.random.default_rng(int(seed))
    m.joint("trunk_1", None, (0, 0, 0), 0.11)
    shoots = [("trunk_1", np.array([0.0, 1.0, 0.0]), 1.15, 0.11, 0)]
    count = 1
    while shoots and len(m.names) < SIZES[1] * 2:
        base, way, length, radius, level = shoots.pop(0)
        chain = [base]
        for n in range(3 if level == 0 else 2):
            way = way + rng.normal(0, 0.10, 3) + [0, 0.08, 0]
            way /= np.linalg.norm(way)
            count += 1
            r = radius * (1 - 0.16 * (n + 1))
            chain.append(m.joint(f"branch_{count}", chain[-1], m.at(chain[-1]) + way * length / (2 + (level == 0)), r))
        m.tube(chain, Shape([(0, radius * (1.25 if level == 0 else 1), radius * (1.25 if level == 0 else 1)),
                             (1, radius * 0.62, radius * 0.62)], BARK))
        if level >= 3 or radius < 0.014:
            for _ in range(2):
                spot = m.at(chain[-1]) + rng.normal(0, 0.07, 3)
                m.blob(chain[-2], spot, rng.uniform(0.16, 0.24, 3) * [1.1, 0.75, 1.1], LEAF)
            m.blades[m.names.index(chain[-1])] = 0.2
            continue
        forks = 3 if level == 0 else 2
        phase = rng.uniform(0, 2 * np.pi)
        for f in range(forks):
            turn = phase + f * 2 * np.pi / forks + rng.normal(0, 0.25)
            side = np.array([np.sin(turn), rng.uniform(0.25, 0.55), np.cos(turn)])
            tilt = way * rng.uniform(0.7, 1.0) + side * rng.uniform(0.7, 1.0)
            long = length * rng.uniform(0.66, 0.8)
            shoots.append((chain[-1], tilt / np.linalg.norm(tilt), long, radius * 0.56, level + 1))
    return m.figure(f"tree:{seed:g}", "plant", GREENS, density=DENSITY)


def _stem(m: Maker, links: int, height: float, sway: float, radius: float) -> list[str]:
    """A slightly bent stem from the ground."""
    chain: list[str] = []
    for n in range(links):
        u = n / (links - 1)
        place = (sway * np.sin(2.2 * u), height * u, 0.4 * sway * np.sin(3.5 * u))
        chain.append(m.joint(f"stem_{n + 1}", chain[-1] if chain else None, place, radius * (1.2 - 0.4 * u)))
    m.tube(chain, Shape([(0, radius * 1.3, radius * 1.3), (1, radius * 0.8, radius * 0.8)], STEM))
    return chain


def _leaf(m: Maker, name: str, base: str, way: tuple[float, float, float], half: float) -> None:
    """Two joints on a stem's joint: (turn, rise, length) and half width."""
    turn, rise, length = way
    out = np.array([np.sin(turn) * np.cos(rise), np.sin(rise), np.cos(turn) * np.cos(rise)])
    start = m.at(base)
    m.joint(name, base, start + 0.45 * length * out, 0.003, half)
    m.joint(f"{name}_tip", name, start + length * (out * [1, 0.75, 1]), 0.002, 0.6 * half)
    m.tube([base, name, f"{name}_tip"], Shape(
        [(0.0, 0.003, 0.002), (0.25, 0.7 * half, 0.002), (0.55, half, 0.002), (1.0, 0.1 * half, 0.0015)], LEAF,
        (0.0, 1.0, 0.0), 10))


def _petal(m: Maker, name: str, base: str, way: tuple[float, float, float], look: tuple[float, int]) -> None:
    """Two joints on a flower: (turn, rise, length); half width and material."""
    (turn, rise, length), (half, material) = way, look
    flat = np.array([np.sin(turn), 0.0, np.cos(turn)])
    start = m.at(base)
    middle = start + length * 0.5 * (flat * np.cos(rise) + [0, np.sin(rise), 0])
    tip = middle + length * 0.5 * (flat * np.cos(rise - 0.45) + [0, np.sin(rise - 0.45), 0])
    m.joint(name, base, middle, 0.004, half)
    m.joint(f"{name}_tip", name, tip, 0.003, half)
    inner = -flat * np.sin(rise) + [0, np.cos(rise), 0]
    m.tube([base, name, f"{name}_tip"], Shape(
        [(0.0, 0.2 * half, 0.003), (0.3, 0.75 * half, 0.0025), (0.65, half, 0.0025), (0.9, 0.75 * half, 0.002),
         (1.0, 0.25 * half, 0.0015)], material, tuple(inner), 12, caps=(0.5, 0.2)))


def _strand(m: Maker, name: str, base: str, out: Array, rng: np.random.Generator) -> None:
    """A hanging strand with narrow leaves."""
    start, length = m.at(base), rng.uniform(0.9, 1.35)
    aside = out * rng.uniform(0.05, 0.2) + np.cross(out, [0, 1, 0]) * rng.uniform(-0.15, 0.15)
    chain = [base]
    for n, share in enumerate((0.14, 0.4, 0.7, 1.0), 1):
        place = start + aside * (1 - (1 - share) ** 2) * 1.6 - [0, length * share**1.25 - 0.05 * (share < 0.2), 0]
        chain.append(m.joint(f"{name}_{n}", chain[-1], place, 0.005 - 0.0008 * n, 0.05))
    m.tube(chain, Shape([(0, 0.006, 0.006), (1, 0.002, 0.002)], STEM, sides=6))
    for n in range(1, 5):
        a, b = m.at(chain[n - 1]), m.at(chain[n])
        for k in range(3):
            spot = a + (b - a) * (k + 0.5) / 3
            turn = rng.uniform(0, 2 * np.pi)
            m.blob(chain[n - 1], spot + [0.03 * np.sin(turn), -0.05, 0.03 * np.cos(turn)],
                   (0.016 + 0.014 * abs(np.sin(turn)), 0.07, 0.016 + 0.014 * abs(np.cos(turn))), LEAF, 4)


def _hanging(m: Maker) -> Array:
    """Stiffness of joints: strands hang by their weight, not by their stiffness alone."""
    return np.array([6.0 if n.startswith("strand") else 1.0 for n in m.names])
