#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions of the rows of cost.toml with valgrind, and fails when one costs more, or less, than its row allows. Instructions
do not depend on how busy the machine is; times do. `cost.py BENCH [NAME...]`: all rows, or the named ones."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

ROWS = tomllib.loads((pathlib.Path(__file__).parent / "cost.toml").read_text(encoding="utf-8"))
SKIPPED = 77


def instructions(bench, work, count):
    with tempfile.TemporaryDirectory(prefix="posthorn-cost-") as directory:
        done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={directory}/out", bench, "work", work, str(count)],
                              capture_output=True, text=True, timeout=900, check=False)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or found is None:
        raise SystemExit(f"{work}: {done.stderr[-2000:]}")
    return int(found[1])


def judge(bench, name):
    row = ROWS[name]
    few, many = row["counts"]
    unit = (instructions(bench, row["work"], many) - instructions(bench, row["work"], few)) // (many - few)
    change = 100 * (unit / row["instructions"] - 1)
    passed = abs(change) <= row["allowance_percent"]
    print(f"{name:12}{unit:10,} instructions, {change:+.1f} % of what cost.toml has ({row['instructions']:,})  {row['what']}", flush=True)
    return passed


def main():
    bench, names = sys.argv[1], sys.argv[2:] or list(ROWS)
    if shutil.which("valgrind") is None:
        print("valgrind is not installed")
        return SKIPPED
    return 0 if all([judge(bench, name) for name in names]) else 1


if __name__ == "__main__":
    sys.exit(main())
