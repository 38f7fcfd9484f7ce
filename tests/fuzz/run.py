#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every fuzz target for a while, each on a copy of its corpus, and prints what it did: executions, how many of them a second,
branches seen, findings. As many at once as there are processors. Not a test runner: `./dev fuzz`."""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import seeds

ROOT = Path(__file__).resolve().parent.parent.parent
CORPUS = ROOT / "tests" / "fuzz" / "corpus"
MEMORY_MB = 2048
INPUT_MAX_BYTES = 65536
LONGEST_INPUT_S = 10  # one input that takes longer is a finding
NIGHT_S = 8 * 3600


def options_of(seconds, found):
    limit = ["-runs=0"] if seconds == 0 else [f"-max_total_time={seconds}"]
    return [*limit, "-print_final_stats=1", f"-rss_limit_mb={MEMORY_MB}", f"-timeout={LONGEST_INPUT_S}",
            f"-max_len={INPUT_MAX_BYTES}", f"-artifact_prefix={found}/"]


def fuzz(program, seconds, findings):
    """Whether it ran clean. What it finds is kept in findings."""
    name = program.name.removeprefix("fuzz_")
    with tempfile.TemporaryDirectory() as new, tempfile.TemporaryDirectory() as made:
        if name == "platform_answers":
            seeds.write(made)
        corpora = [path for path in (Path(made), CORPUS / name) if path.is_dir()]
        command = ["nice", "-n", "10", str(program), *options_of(seconds, findings), new, *map(str, corpora)]
        run = subprocess.run(command, cwd=new, capture_output=True, text=True, errors="replace", check=False)
    executed = re.search(r"stat::number_of_executed_units:\s*(\d+)", run.stderr)
    covered = re.findall(r"cov: (\d+)", run.stderr)
    count = int(executed.group(1)) if executed else 0
    verdict = "clean" if run.returncode == 0 else "FAILED"
    print(f"{name}: {count} executions in {seconds} s, {covered[-1] if covered else 0} branches, {verdict}", flush=True)
    if run.returncode != 0:
        print(run.stderr[-6000:], flush=True)
    return run.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="60 s each instead of an hour")
    parser.add_argument("--night", action="store_true", help="so long that all are done after eight hours")
    parser.add_argument("--seconds", type=int, help="so long each; 0: the corpora once")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="so many at once")
    parser.add_argument("--build", default=str(ROOT / "build" / "fuzz"), help="the build directory")
    parser.add_argument("names", nargs="*", help="only these targets")
    arguments = parser.parse_args()
    build = Path(arguments.build)
    programs = sorted(path for path in (build / "tests" / "fuzz").glob("fuzz_*") if path.is_file())
    programs = [path for path in programs if not arguments.names or path.name.removeprefix("fuzz_") in arguments.names]
    usual = 60 if arguments.quick else NIGHT_S * arguments.jobs // max(1, len(programs)) if arguments.night else 3600
    seconds = usual if arguments.seconds is None else arguments.seconds
    findings = build / "findings"
    findings.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        results = list(pool.map(lambda program: fuzz(program, seconds, findings), programs))
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
