#!/usr/bin/env python3
"""What a packet-hop of the simulated fabric takes, counted instead of timed: instructions, and
lines of data that are not in a cache of 32 KB (L1) or 1 MB (L2), by callgrind's model of such.

  tests/benchmarks/hop_work.py [PLUMBLINE]    the program to look at, build/release/bin/plumbline without

Each workload of scenarios/bench/ runs once; without PLUMBLINE_LONG in the environment those of SHORT,
less than half of the work, since the others take the same ways through the code. Counted is
Engine::runUntil() with all that it calls.
The counts are the same on every run, whatever else the machine does, so a row fails as soon as one
of its figures is more than 3 % (MARGIN) and a tenth of a miss (SLACK) above what is recorded here,
for g++ 12. Who lowers a figure lowers its record; who raises one says why in the commit. Needs
valgrind.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MARGIN = 1.03
SLACK = 0.1  # per packet-hop
COLUMNS = ("instructions", "L1 misses", "L2 misses")
# The time series that a run's first repetition records are part of it: they end windows early and
# touch every link some 250 times, up to 7 % of the instructions.
RECORD = {
    "incast32": (790, 10.7, 0.86),
    "incast32-nscc": (611, 7.43, 0.47),
    "permutation128": (511, 4.37, 2.39),
    "alltoall128": (551, 5.49, 3.49),
    "allreduce128": (585, 4.19, 0.95),
}
SHORT = ("permutation128", "incast32", "incast32-nscc")  # the longest first
CALLGRIND = [
    "valgrind", "--tool=callgrind", "--toggle-collect=plumbline::fabric::Engine::runUntil(*",
    "--cache-sim=yes", "--I1=32768,8,64", "--D1=32768,8,64", "--LL=1048576,8,64",
]


def count(program, name):
    """The figures of one workload, in the order of COLUMNS."""
    text = (ROOT / f"scenarios/bench/{name}.yaml").read_text()
    once, replaced = re.subn(r"(?m)^( *repetitions:) *\d+", r"\1 1", text)
    if replaced != 1:
        raise RuntimeError(f"scenarios/bench/{name}.yaml: no repetitions to set to 1")
    with tempfile.TemporaryDirectory() as folder:
        scenario, result = pathlib.Path(folder, "one.yaml"), pathlib.Path(folder, "one.json")
        scenario.write_text(once)
        run = subprocess.run(
            [*CALLGRIND, "--callgrind-out-file=/dev/null", program, "run", scenario, "--quiet",
             "--results", pathlib.Path(folder, "results"), "--json", result],
            capture_output=True, text=True)
        if run.returncode != 0:
            raise RuntimeError(f"{name}: exit code {run.returncode}\n{run.stdout}{run.stderr}")
        cost = json.loads(result.read_text())["tests"][0]["cost"]
    hops = next(value["value"] for name, value in cost["rows"] if name == "packet-hops")
    events = re.search(r"Events +: (.*)", run.stderr).group(1).split()
    values = re.search(r"Collected +: (.*)", run.stderr).group(1).split()
    counted = dict(zip(events, map(int, values)))
    if counted["Ir"] == 0:
        raise RuntimeError(f"{name}: nothing was counted; is there still a function named as CALLGRIND says?")
    groups = (("Ir",), ("D1mr", "D1mw"), ("DLmr", "DLmw"))
    return [sum(counted[event] for event in group) / hops for group in groups]


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/release/bin/plumbline"
    print(f"{'per packet-hop (recorded)':<26}" + "".join(f"{c:>22}" for c in COLUMNS))
    records = RECORD if "PLUMBLINE_LONG" in os.environ else {name: RECORD[name] for name in SHORT}
    beyond = False
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        rows = pool.map(lambda name: count(program, name), records)
        for (name, record), row in zip(records.items(), rows):
            cells = [f"{value:.2f} ({recorded})" for value, recorded in zip(row, record)]
            print(f"{name:<26}" + "".join(f"{cell:>22}" for cell in cells))
            for column, value, recorded in zip(COLUMNS, row, record):
                if value > recorded * MARGIN + SLACK:
                    beyond = True
                    print(f"BEYOND: {name}: {value:.2f} {column} per packet-hop, recorded are {recorded}")
    return 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main())
