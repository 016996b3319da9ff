"""A figure walks 6 m straight ahead and stops: walk.glb opens in any viewer, walk.bvh in animation programs."""

from gambol import ForceWalk, Task, generate, save

motion = generate(ForceWalk(), Task())  # by default: 1.75 m, 1.2 m/s, flat ground, 60 frames a second
save(motion, "walk.glb")
save(motion, "walk.bvh")
print(f"{len(motion)} frames, {motion.duration:.2f} s")
print("left foot strikes at", [round(t, 2) for t in motion.info["events"]["left_strike"]], "s")
