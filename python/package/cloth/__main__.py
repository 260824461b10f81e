"""`python -m cloth`: the command `cloth`, as `cloth-cli` builds it."""

from __future__ import annotations

import signal
import sys

from . import _distribution as _distribution
from ._cloth import run_command


def main() -> int:
    """Runs the command on the arguments of the process, and returns the exit status."""
    # The command has handlers of its own, and a KeyboardInterrupt would take the place of its exit status.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return run_command(["python -m cloth", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
