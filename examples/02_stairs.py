"""Up a staircase, and what the walk did to it: slide, sinking, smoothness, forces."""

from gambol import Body, ForceWalk, Gait, Stairs, Task, generate, load, parse_path, save
from gambol.measure import measure

stairs = Stairs(rise=0.16, tread=0.30, count=8, start=1.5)
task = Task(body=Body(height=1.68, mass=62.0), path=parse_path("0,0 0,6"), terrain=stairs, gait=Gait(speed=1.1))
save(generate(ForceWalk(), task), "stairs.npz")

report = measure(load("stairs.npz"), stairs, task.path)  # judged from the file alone
for line in report.lines():
    print(line)
print("good feet" if report.passed else "\n".join(report.failures))

for step in load("stairs.npz").info["plan"][:4]:  # the step objects of the paper
    print(step["M"], step["mode"], f"{step['w']:.2f} m forward, {step['h']:.2f} m up in {step['T']:.2f} s")
