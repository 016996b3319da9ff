"""Your own ground: a mesh file or a grid of heights. The path only needs x and z: it is laid on the ground."""

import numpy as np

from gambol import ForceWalk, HeightField, Task, generate, parse_path, parse_terrain, save
from gambol.measure import measure

# A hill as a mesh file, the way a modelling program would write it: metres, y up.
x, z = np.meshgrid(np.linspace(-2, 2, 9), np.linspace(-1, 9, 21))
y = 0.5 * np.exp(-((z - 4) ** 2) / 4)
with open("hill.obj", "w") as file:
    for vertex in zip(x.ravel(), y.ravel(), z.ravel()):
        file.write("v {:.4f} {:.4f} {:.4f}\n".format(*vertex))
    rows, columns = x.shape
    for i in range(rows - 1):
        for j in range(columns - 1):
            a = i * columns + j + 1  # OBJ counts from 1
            file.write(f"f {a} {a + columns} {a + columns + 1}\nf {a} {a + columns + 1} {a + 1}\n")

hill = parse_terrain("hill.obj")
path = parse_path("0,0 0.5,4 0,8")
motion = generate(ForceWalk(foot_lift=0.02), Task(path=path, terrain=hill))
save(motion, "hill.glb", terrain=hill)  # the ground is drawn along with the figure
print(f"over the mesh: slide at most {measure(motion, hill, path).feet.slide_mm:.2f} mm")

# The same hill as heights over a grid.
field = HeightField(x[0], z[:, 0], y)
motion = generate(ForceWalk(), Task(path=path, terrain=field))
print(f"over the grid: slide at most {measure(motion, field, path).feet.slide_mm:.2f} mm")
