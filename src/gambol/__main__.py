"""``python -m gambol``."""

import sys

from gambol.cli import main

sys.exit(main())
