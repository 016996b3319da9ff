"""Steering a motion graph live: the command changes while the figure goes."""

from dataclasses import replace

import numpy as np

from gambol.commands import Commands
from gambol.io import save
from gambol.methods.motion_graph import MotionGraphWalk
from gambol.motion import join
from gambol.synthesis import Stream, Task

method = MotionGraphWalk()  # MotionGraphWalk(load_graph("walker.graph")) for your own clips
stream = Stream(method, Task(commands=Commands.of([(0, 1.0), (1e6, 1.0)])))
parts = []
for speed, turn in ((1.0, 0), (1.4, 25), (0.8, -40), (0.0, 0)):  # m/s, degrees a second, for two seconds each
    now = stream.state.time
    asked = Commands.of([(t, speed, np.radians(turn)) for t in (now, 1e6)])
    stream.task = replace(stream.task, commands=asked)
    while stream.state.time < now + 2.0:
        parts.append(stream.stretch())
motion = join(parts)
save(motion, "steered.glb")
print(f"{motion.duration:.1f} s, {len(parts)} segments")
