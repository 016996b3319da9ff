"""Ways of moving; one file each. ``METHODS`` is what the command line and the conformance suite go through."""

from typing import Any

from gambol.methods.elastic_dance import ElasticDance
from gambol.methods.force_walk import ForceWalk
from gambol.methods.measured_walk import MeasuredWalk
from gambol.methods.motion_graph import MotionGraphWalk
from gambol.methods.running import Running
from gambol.methods.sway import Sway

__all__ = ["METHODS", "ElasticDance", "ForceWalk", "MeasuredWalk", "MotionGraphWalk", "Running", "Sway"]

METHODS: dict[str, Any] = {
    "force": ForceWalk, "measured": MeasuredWalk, "dance": ElasticDance, "graph": MotionGraphWalk, "running": Running,
    "sway": Sway,
}
