"""Refuses to run among files of another distribution: PyPI's `cloth`, of 2013, has a package of this name too."""

from pathlib import Path

if Path(__file__).with_name("tasks.py").exists():
    raise ImportError(
        f"{Path(__file__).parent} has files of two distributions, cloth-judge and PyPI's `cloth`, which is another "
        "project; uninstall both and install the one you want: pip uninstall --yes cloth cloth-judge && "
        "pip install cloth-judge"
    )
