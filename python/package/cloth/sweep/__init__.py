"""Sweeps on many machines: runs of a scene with varied parameters, in this process, on Ray or on Slurm.

`python -m cloth.sweep SWEEP.toml --out DIR` is the command. Every engine does the same work: the runs are cut
into shards (run k is in shard k % N), and a run is committed by the renaming of a finished folder, so that a
process may end at any instant, and two may do the same run. The manifest is equal in every byte whatever the
engine, the number of shards and what was killed meanwhile.
"""

from ._drive import Manifest, merge, run
from ._parquet import to_parquet
from ._ray import run_on_ray
from ._slurm import run_on_slurm

__all__ = ["Manifest", "merge", "run", "run_on_ray", "run_on_slurm", "to_parquet"]
