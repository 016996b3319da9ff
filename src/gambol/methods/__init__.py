"""Ways of moving; one file each. ``METHODS`` is what the command line and the conformance suite go through."""

from gambol.methods.force_walk import ForceWalk

__all__ = ["METHODS", "ForceWalk"]

METHODS = {"force": ForceWalk}
