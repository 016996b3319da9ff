"""Steering a walk while it runs: a stream gives frames on demand; speed, path and dials may change between reads."""

from dataclasses import replace

from gambol import ForceWalk, Gait, Stream, Task, join, parse_path, save

stream = Stream(ForceWalk(), Task(path=parse_path("0,0 0,20"), gait=Gait(speed=0.9)))
parts = []
for second in range(14):
    if second == 3:  # hurry
        stream.task = replace(stream.task, gait=Gait(speed=1.5))
    if second == 6:  # the path is dragged to the left: the feet go there from the next step on
        stream.task = replace(stream.task, path=parse_path("0,0 0,7 4,12"))
    if second == 8:  # swing the arms
        stream.method = replace(stream.method, arm_swing=1.8)
    part = stream.read(60)  # one second; fewer frames at the end, None when it is over
    if part is None:
        break
    x, _, z = part.root[-1]
    print(f"{second + 1:3d} s: x {x:5.2f}, z {z:5.2f}")
    parts.append(part)

save(join(parts), "steered.glb")
