#!/bin/sh
# Runs ipctk's own Python tests against `cloth.ipctk`.
#
#   run_ipctk_tests.sh PATH    PATH: a checkout of ipc-toolkit, with its test data (the repository
#                              ipc-toolkit-tests-data) in PATH/tests/data; else tests that load it are skipped
#
# Needs the package cloth, numpy, scipy and meshio; PYTHON names the interpreter. A module `ipctk` with the
# names of `cloth.ipctk` is made for the run. Exit status: 0 if no test failed.
set -eu
[ $# -eq 1 ] && [ -d "$1/python/tests" ] || { echo "usage: $0 PATH-OF-IPC-TOOLKIT" >&2; exit 2; }
shim=$(mktemp -d)
trap 'rm -rf "$shim"' EXIT
mkdir "$shim/ipctk"
echo 'from cloth.ipctk import *' > "$shim/ipctk/__init__.py"
# Two files import the name and do not use it.
echo 'Interval = None' > "$shim/ipctk/filib.py"
cat > "$shim/run.py" <<'PYTHON'
import contextlib, importlib, inspect, io, pathlib, sys, traceback

root = pathlib.Path(sys.argv[1]).resolve()
tests = root / "python" / "tests"
has_data = (root / "tests" / "data").exists()
sys.path.insert(0, str(tests))

NOT_APPLICABLE = {
    "test_interval": "intervals are no meshes",
    "test_ipc": "barrier potentials and their derivatives",
    "test_ccd.test_nonlinear_ccd": "trajectories that are not straight",
    "test_constraints.test_collisions": "normal collisions of barrier potentials",
}
counts = {"passed": 0, "failed": 0, "not applicable": 0, "skipped": 0}


def report(verdict, name, reason=""):
    counts[verdict] += 1
    print(f"{verdict:14}  {name}{': ' + reason if reason else ''}")


def run(name, test):
    """Runs a test; one that yields is a list of tests, each a function and its arguments."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            for case in test() if inspect.isgeneratorfunction(test) else [(test,)]:
                case[0](*case[1:])
    except Exception:
        traceback.print_exc()
        return report("failed", name)
    report("passed", name)


for path in sorted(tests.glob("test_*.py")):
    if path.stem in NOT_APPLICABLE:
        report("not applicable", path.stem, NOT_APPLICABLE[path.stem])
        continue
    with contextlib.redirect_stdout(io.StringIO()):
        module = importlib.import_module(path.stem)
    for name, test in vars(module).items():
        if not (name.startswith("test_") and inspect.isfunction(test)):
            continue
        full = f"{path.stem}.{name}"
        if full in NOT_APPLICABLE:
            report("not applicable", full, NOT_APPLICABLE[full])
        elif not has_data and "load_mesh" in inspect.getsource(test):
            report("skipped", full, f"no {root / 'tests' / 'data'}")
        else:
            run(full, test)
print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
sys.exit(1 if counts["failed"] or not counts["passed"] else 0)
PYTHON
PYTHONPATH="$shim${PYTHONPATH:+:$PYTHONPATH}" "${PYTHON:-python3}" "$shim/run.py" "$1"
