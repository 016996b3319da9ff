import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# The same examples every time, and no clock: a slow machine is not a failure.
settings.register_profile(
    "gambol", derandomize=True, deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("gambol")

ROOT = Path(__file__).resolve().parents[1]
ASKED = {"browser": "GAMBOL_BROWSER", "blender": "GAMBOL_BLENDER"}


def pytest_collection_modifyitems(items):
    for item in items:
        for marker, variable in ASKED.items():
            if item.get_closest_marker(marker) and not os.environ.get(variable):
                item.add_marker(pytest.mark.skip(reason=f"run by make test-{marker}"))


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of reference data, too large for the repository; tests that need it skip without it."""
    folder = Path(os.environ.get("GAMBOL_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("no reference data; set GAMBOL_DATA to its folder")
    return folder


@pytest.fixture(scope="session")
def cases() -> Path:
    """The small input files of the tests."""
    return ROOT / "tests" / "cases"
