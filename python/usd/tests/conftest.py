from __future__ import annotations

from typing import Any

import table


def pytest_terminal_summary(terminalreporter: Any) -> None:
    for line in table.lines():
        terminalreporter.write_line(line)
