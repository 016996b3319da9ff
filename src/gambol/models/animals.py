"""Animals: a dog, a spider, a centipede."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from gambol.models.build import Figure, Maker, Shape

__all__ = ["centipede", "dog", "spider"]

COAT = {
    "coat": ((0.42, 0.24, 0.10), 0.75), "light": ((0.68, 0.55, 0.38), 0.75), "dark": ((0.03, 0.025, 0.025), 0.45),
}
CHITIN = {"shell": ((0.10, 0.055, 0.04), 0.4), "joint": ((0.38, 0.17, 0.06), 0.5), "eye": ((0.02, 0.02, 0.02), 0.2)}


@lru_cache(maxsize=4)
def dog() -> Figure:
    """A standing dog, 0.58 m at the shoulder."""
    m = Maker()
    m.joint("hips", None, (0, 0.545, -0.28), 0.09)
    m.joint("spine", "hips", (0, 0.565, -0.10), 0.10)
    m.joint("chest", "spine", (0, 0.555, 0.10), 0.12)
    m.joint("neck", "chest", (0, 0.625, 0.29), 0.10)
    m.joint("head", "neck", (0, 0.805, 0.40), 0.065)
    m.joint("snout", "head", (0, 0.765, 0.60), 0.04)
    for side, s in (("left", 1.0), ("right", -1.0)):
        m.joint(f"{side}_ear", "head", (s * 0.062, 0.865, 0.395), 0.02)
        m.joint(f"{side}_ear_tip", f"{side}_ear", (s * 0.098, 0.775, 0.415), 0.02)
    tail = [(0, 0.575, -0.355), (0, 0.60, -0.47), (0, 0.665, -0.56), (0, 0.75, -0.60)]
    for k, place in enumerate(tail):
        m.joint(f"tail_{k + 1}", "hips" if k == 0 else f"tail_{k}", place, 0.022)
    for side, s in (("left", 1.0), ("right", -1.0)):
        m.joint(f"{side}_scapula", "chest", (s * 0.06, 0.60, 0.20), 0.05)
        m.joint(f"{side}_upper_arm", f"{side}_scapula", (s * 0.085, 0.455, 0.275), 0.05)
        m.joint(f"{side}_lower_arm", f"{side}_upper_arm", (s * 0.088, 0.325, 0.185), 0.04)
        m.joint(f"{side}_front_paw", f"{side}_lower_arm", (s * 0.088, 0.10, 0.20), 0.025)
        m.joint(f"{side}_front_toe", f"{side}_front_paw", (s * 0.088, 0.0, 0.25), 0.03)
        m.joint(f"{side}_upper_leg", "hips", (s * 0.07, 0.515, -0.29), 0.05)
        m.joint(f"{side}_lower_leg", f"{side}_upper_leg", (s * 0.085, 0.325, -0.205), 0.055)
        m.joint(f"{side}_hind_foot", f"{side}_lower_leg", (s * 0.085, 0.155, -0.375), 0.03)
        m.joint(f"{side}_hind_toe", f"{side}_hind_foot", (s * 0.085, 0.0, -0.315), 0.03)
    m.soles = [m.names.index(f"{s}_{p}_toe") for s in ("left", "right") for p in ("front", "hind")]
    up = (0.0, 1.0, 0.0)
    m.tube(["hips", "spine", "chest", "neck"], Shape(
        [(-0.0, 0.085, 0.10), (0.12, 0.095, 0.115), (0.4, 0.088, 0.105), (0.72, 0.115, 0.15), (0.92, 0.095, 0.13),
         (1.0, 0.07, 0.10)], 0, up, 18, caps=(0.9, 0.6)))
    m.tube(["chest", "neck", "head"], Shape([(0.25, 0.085, 0.10), (0.6, 0.075, 0.09), (1.0, 0.055, 0.062)], 0,
                                            (0, 0.5, -1), 14))
    m.blob("head", (0, 0.825, 0.425), (0.072, 0.07, 0.092), 0)
    m.tube(["head", "snout"], Shape([(0.0, 0.055, 0.055), (0.45, 0.042, 0.042), (1.0, 0.026, 0.026)], 1, up, 12))
    m.blob("head", (0, 0.785, 0.612), (0.02, 0.016, 0.018), 2)
    for side, s in (("left", 1.0), ("right", -1.0)):
        m.blob("head", (s * 0.04, 0.85, 0.495), (0.012, 0.013, 0.011), 2)
        m.tube([f"{side}_ear", f"{side}_ear_tip"], Shape(
            [(0.0, 0.028, 0.010), (0.5, 0.038, 0.010), (1.0, 0.016, 0.008)], 2, (s, 0.3, 0), 10))
        m.tube([f"{side}_scapula", f"{side}_upper_arm", f"{side}_lower_arm", f"{side}_front_paw"], Shape(
            [(0.0, 0.045, 0.085), (0.3, 0.048, 0.078), (0.62, 0.034, 0.045), (0.72, 0.028, 0.036), (1.0, 0.021, 0.024)],
            0, (0, 0, 1), 12))
        m.tube([f"{side}_front_paw", f"{side}_front_toe"], Shape(
            [(-0.0, 0.022, 0.024), (0.6, 0.030, 0.028), (1.0, 0.026, 0.014)], 1, (0, 0.6, 1), 12, caps=(0.6, 0.4)))
        m.tube([f"{side}_upper_leg", f"{side}_lower_leg", f"{side}_hind_foot"], Shape(
            [(0.0, 0.048, 0.105), (0.25, 0.056, 0.098), (0.5, 0.042, 0.058), (0.75, 0.028, 0.036), (1.0, 0.021, 0.026)],
            0, (0, 0, 1), 12))
        m.tube([f"{side}_hind_foot", f"{side}_hind_toe"], Shape(
            [(0.0, 0.020, 0.025), (0.75, 0.024, 0.022), (1.0, 0.030, 0.016)], 1, (0, 0.5, 1), 12, caps=(0.8, 0.4)))
    m.tube([f"tail_{k}" for k in range(1, 5)], Shape([(0.0, 0.03, 0.03), (0.5, 0.024, 0.024), (1.0, 0.010, 0.010)], 0))
    return m.figure("dog", "dog", COAT)


@lru_cache(maxsize=4)
def spider() -> Figure:
    """A spider the size of a plate, 0.5 m over its legs."""
    m = Maker()
    m.joint("thorax", None, (0, 0.115, 0.0), 0.05)
    m.joint("head", "thorax", (0, 0.115, 0.075), 0.03)
    m.joint("abdomen", "thorax", (0, 0.125, -0.06), 0.03)
    m.joint("abdomen_end", "abdomen", (0, 0.135, -0.25), 0.07)
    for side, s in (("left", 1.0), ("right", -1.0)):
        for k, degrees in enumerate((38.0, 72.0, 106.0, 142.0), 1):
            a = np.radians(degrees)
            out = np.array([s * np.sin(a), 0.0, np.cos(a)])
            reach = (1.0, 0.9, 0.9, 1.08)[k - 1]
            rows = ((0.05, 0.115), (0.15 * reach, 0.225), (0.27 * reach, 0.125), (0.35 * reach, 0.0))
            parent = "thorax"
            for name, (r, y) in zip(("coxa", "femur", "tibia", "tarsus"), rows):
                parent = m.joint(f"{side}_{name}_{k}", parent, r * out + [0, y, 0], 0.012)
            m.soles.append(len(m.names) - 1)
            m.tube([f"{side}_{n}_{k}" for n in ("coxa", "femur", "tibia", "tarsus")], Shape(
                [(0.0, 0.014, 0.014), (0.2, 0.017, 0.017), (0.36, 0.011, 0.011), (0.5, 0.013, 0.013),
                 (0.68, 0.008, 0.008), (1.0, 0.003, 0.003)], 0, tuple(np.cross(out, [0, 1, 0])), 8))
            for n in ("femur", "tibia"):
                m.blob(f"{side}_{n}_{k}", m.at(f"{side}_{n}_{k}"), (0.0135, 0.0135, 0.0135), 1)
    up = (0.0, 1.0, 0.0)
    m.blob("thorax", (0, 0.12, 0.01), (0.062, 0.04, 0.08), 0)
    m.tube(["thorax", "head"], Shape([(0.3, 0.05, 0.035), (1.0, 0.032, 0.028)], 0, up, 12))
    m.tube(["abdomen", "abdomen_end"], Shape(
        [(0.0, 0.03, 0.03), (0.35, 0.085, 0.075), (0.7, 0.09, 0.08), (1.0, 0.04, 0.035)], 0, up, 18))
    m.blob("abdomen", (0, 0.205, -0.16), (0.028, 0.012, 0.06), 1)
    for x, y, r in ((0.016, 0.14, 0.009), (0.034, 0.132, 0.006)):
        for s in (1, -1):
            m.blob("head", (s * x, y, 0.098 - 0.4 * abs(x)), (r, r, r), 2)
    return m.figure("spider", "spider", CHITIN)


@lru_cache(maxsize=4)
def centipede() -> Figure:
    """Ten segments with a pair of legs each."""
    m = Maker()
    count, step = 10, 0.085
    for k in range(1, count + 1):
        z = 0.4 - step * k
        m.joint(f"segment_{k}", None if k == 1 else f"segment_{k - 1}", (0, 0.055, z), 0.032)
    m.joint("head", "segment_1", (0, 0.06, 0.4), 0.03)
    m.joint("tail_end", f"segment_{count}", (0, 0.05, 0.4 - step * (count + 1)), 0.02)
    for k in range(1, count + 1):
        z = 0.4 - step * k - 0.02
        for side, s in (("left", 1.0), ("right", -1.0)):
            m.joint(f"{side}_leg_{k}", f"segment_{k}", (s * 0.03, 0.05, z), 0.008)
            m.joint(f"{side}_foot_{k}", f"{side}_leg_{k}", (s * 0.075, 0.062, z - 0.008), 0.007)
            m.joint(f"{side}_tip_{k}", f"{side}_foot_{k}", (s * 0.115, 0.0, z - 0.02), 0.005)
            m.soles.append(len(m.names) - 1)
            m.tube([f"{side}_{n}_{k}" for n in ("leg", "foot", "tip")], Shape(
                [(0.0, 0.009, 0.009), (0.5, 0.007, 0.007), (1.0, 0.002, 0.002)], 1, (0, 0, 1), 8))
    for side, s in (("left", 1.0), ("right", -1.0)):
        m.joint(f"{side}_feeler_1", "head", (s * 0.015, 0.075, 0.43), 0.005)
        m.joint(f"{side}_feeler_2", f"{side}_feeler_1", (s * 0.05, 0.11, 0.50), 0.004)
        m.joint(f"{side}_feeler_3", f"{side}_feeler_2", (s * 0.09, 0.11, 0.57), 0.003)
        m.tube([f"{side}_feeler_{n}" for n in (1, 2, 3)], Shape([(0, 0.005, 0.005), (1, 0.0015, 0.0015)], 1, sides=8))
        m.blob("head", (s * 0.022, 0.075, 0.425), (0.008, 0.008, 0.008), 2)
    up = (0.0, 1.0, 0.0)
    names = [f"segment_{k}" for k in range(1, count + 1)]
    for a, b in zip(names, [*names[1:], "tail_end"]):
        m.tube([a, b], Shape([(0.0, 0.026, 0.016), (0.5, 0.036, 0.022), (1.0, 0.026, 0.016)], 0, up, 14))
    m.tube(["segment_1", "head"], Shape([(0.0, 0.026, 0.016), (1.0, 0.022, 0.014)], 0, up, 12))
    m.blob("head", (0, 0.06, 0.405), (0.034, 0.022, 0.045), 1)
    return m.figure("centipede", "centipede", CHITIN)
