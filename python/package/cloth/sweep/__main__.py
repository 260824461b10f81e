"""`python -m cloth.sweep`: a scene with varied parameters, on one machine or many."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from inspect import signature

from .._errors import ClothError
from . import Manifest, run, run_on_ray, run_on_slurm, to_parquet


def _parser() -> argparse.ArgumentParser:
    """Of options whose names are those of the functions; what is not given is left out."""
    parser = argparse.ArgumentParser(
        prog="python -m cloth.sweep",
        usage="%(prog)s SWEEP.toml --out DIR [--ray ADDRESS | --slurm] [options]",
        description="Run a scene with varied parameters, in this process, on Ray or on Slurm, and merge the "
        "runs into one manifest. A sweep that was begun is continued.",
        epilog="Exit status: 0 if all runs are clean, 1 if one is not clean or failed, 2 after an error, 130 "
        "after Ctrl-C.",
        argument_default=argparse.SUPPRESS,
    )
    add = parser.add_argument
    add("sweep", metavar="SWEEP.toml", help="the scene, and what is varied")
    add("--out", required=True, metavar="DIR", help="folder of the runs and of their manifest")
    add("--jobs", type=int, metavar="J", help="runs at a time (default: one a core; of a task: 1)")
    add("--parquet", metavar="FILE", help="also write the manifest as Parquet (needs pyarrow)")
    add = parser.add_mutually_exclusive_group().add_argument
    add("--ray", dest="address", metavar="ADDRESS", help="run on a cluster of Ray; `local` starts one here")
    text = "run as a job array of Slurm; `local` imitates it by processes of this machine, to try it out"
    add("--slurm", dest="executor", nargs="?", const="slurm", choices=["slurm", "local"], help=text)
    add = parser.add_argument_group("with --ray or --slurm").add_argument
    text = "number of tasks (default: with --ray four for each that can run at a time, with --slurm 64)"
    add("--shards", type=int, metavar="N", help=text)
    add("--retries", type=int, metavar="N", help="how often a lost task is submitted again (default: 3)")
    add = parser.add_argument_group("with --slurm").add_argument
    add("--partition", metavar="NAME", help="partition of the tasks")
    add("--minutes", type=int, metavar="N", help="time limit of a task, which is requeued then (default: 60)")
    add("--memory-gb", type=float, metavar="GB", help="memory of a task")
    text = "another option of sbatch, for example account=cloth; may be repeated"
    add("--sbatch", action="append", type=_pair, metavar="KEY=VALUE", help=text)
    text = "only submit, and print the command that merges"
    add("--no-wait", dest="wait", action="store_false", help=text)
    return parser


def _pair(text: str) -> tuple[str, str]:
    key, separator, value = text.partition("=")
    if not (key and separator):
        raise argparse.ArgumentTypeError(f"`{text}` is not KEY=VALUE")
    return key, value


def main(arguments: Sequence[str] | None = None) -> int:
    """Does what the arguments say, and returns the exit status."""
    parser = _parser()
    options = vars(parser.parse_args(arguments))
    parquet = options.pop("parquet", None)
    engine: Callable[..., Manifest | None]
    engine = run_on_ray if "address" in options else run_on_slurm if "executor" in options else run
    for name in options.keys() - signature(engine).parameters.keys():
        needed = "--ray or --slurm" if name in ("shards", "retries") else "--slurm"
        parser.error(f"--{'no-wait' if name == 'wait' else name.replace('_', '-')} needs {needed}")
    try:
        manifest = engine(**options, report=lambda line: print(line, file=sys.stderr, flush=True))
        if manifest is None:
            return 0
        if parquet:
            to_parquet(manifest.path, parquet)
    except (ClothError, OSError) as error:
        print(f"error: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted: the same command does what is left", file=sys.stderr)
        return 130
    print(manifest)
    return int(not manifest.is_clean)


if __name__ == "__main__":
    sys.exit(main())
