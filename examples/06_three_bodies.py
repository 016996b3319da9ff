"""A child, an adult and a giant at dynamically equal speeds, v / sqrt(g leg), walk alike: one in the other's scale."""

import numpy as np

from gambol import Body, ForceWalk, Gait, Task, generate, parse_path, save

for name, body in (
    ("child", Body(1.10, mass=19.0)),
    ("adult", Body(1.78, mass=75.0)),
    ("giant", Body(3.0, mass=350.0)),
):
    leg = body.leg_length
    speed = 0.42 * np.sqrt(9.81 * leg)
    path = parse_path(f"0,0 0,{9 * leg}")
    motion = generate(ForceWalk(), Task(body=body, path=path, gait=Gait(speed=float(speed))))
    save(motion, f"{name}.glb")
    plan = motion.info["plan"]
    step = np.median([s["w"] for s in plan[3:-3]])
    peak = motion.forces[..., 1].max() / (motion.mass * 9.81)
    print(f"{name}: {speed:.2f} m/s, step {step:.2f} m = {step / leg:.3f} legs, peak force {peak:.2f} weights")
