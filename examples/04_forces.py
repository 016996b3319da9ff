"""The ground reaction force of each foot, and where it acts, as a table for a spreadsheet."""

import csv

import numpy as np

from gambol import ForceWalk, Gait, Task, generate

motion = generate(ForceWalk(), Task(gait=Gait(speed=1.4)))
weight = motion.mass * 9.81

head = ["time_s"]
for foot in ("left", "right"):
    head += [f"{foot}_{what}" for what in ("x_N", "up_N", "z_N", "pressure_x_m", "pressure_z_m")]

with open("forces.csv", "w", newline="") as file:
    table = csv.writer(file)
    table.writerow(head)
    for time, force, pressure in zip(motion.times, motion.forces, motion.pressure):
        row = [f"{time:.4f}"]
        for foot in (0, 1):
            row += [f"{f:.2f}" for f in force[foot]]
            # a foot in the air pushes nowhere: no number rather than a wrong one
            row += ["" if np.isnan(p) else f"{p:.4f}" for p in pressure[foot][[0, 2]]]
        table.writerow(row)

print(f"largest force on one foot: {motion.forces[..., 1].max() / weight:.2f} body weights")
print(f"mean of both feet: {motion.forces[..., 1].sum(axis=1).mean() / weight:.3f} body weights")
