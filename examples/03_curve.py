"""Round a curve drawn by a few points; corners are rounded to what a walker can take."""

import numpy as np

from gambol import ForceWalk, Gait, Task, generate, parse_path, save
from gambol.path import walkable

angles = np.radians(np.arange(0, 181, 30))
points = np.stack([2.5 - 2.5 * np.cos(angles), 0 * angles, 2.5 * np.sin(angles)], axis=1)  # x, y up, z
half_circle = walkable(points)
print(f"path of {half_circle.length:.2f} m")
save(generate(ForceWalk(), Task(path=half_circle)), "curve.glb")

# The same from text, as on the command line; ending where it began makes it closed.
square = parse_path("0,0 0,4 4,4 4,0 0,0")
motion = generate(ForceWalk(), Task(path=square, gait=Gait(speed=1.0), laps=2))
save(motion, "square.glb")
turned = sum(step["alpha_deg"] for step in motion.info["plan"])
print(f"two laps of the square: {len(motion.info['plan'])} steps, turned by {turned:.0f} degrees")
