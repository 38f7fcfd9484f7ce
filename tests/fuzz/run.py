#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every fuzz target for a while, each on a copy of its corpus, and prints what it did. Not a test runner: `./dev fuzz`."""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = ROOT / "build" / "fuzz" / "tests" / "fuzz"


def fuzz(program: Path, seconds: int) -> bool:
    corpus = ROOT / "tests" / "fuzz" / "corpus" / program.name.removeprefix("fuzz_")
    with tempfile.TemporaryDirectory() as found:
        command = [str(program), f"-max_total_time={seconds}", "-print_final_stats=1", "-rss_limit_mb=2048", found]
        command += [str(corpus)] if corpus.is_dir() else []
        run = subprocess.run(command, cwd=found, capture_output=True, text=True, errors="replace", check=False)
    executed = re.search(r"stat::number_of_executed_units:\s*(\d+)", run.stderr)
    print(f"{program.name}: {executed.group(1) if executed else '?'} inputs in {seconds} s,"
          f" {'clean' if run.returncode == 0 else 'FAILED'}", flush=True)
    if run.returncode != 0:
        print(run.stderr[-4000:])
    return run.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="60 s each instead of an hour")
    parser.add_argument("--seconds", type=int, help="so long each")
    arguments = parser.parse_args()
    seconds = arguments.seconds or (60 if arguments.quick else 3600)
    programs = sorted(path for path in BUILD.glob("fuzz_*") if path.is_file())
    results = [fuzz(program, seconds) for program in programs]
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
