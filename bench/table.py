#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`./dev bench table`: what accepting, delivering, waiting and starting cost, each beside its reference, measured one after the other and
printed as one table. Not a test."""
import argparse
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent

# What it is, what is wanted, and where the figures stand in the output: the measured ones and those beside them.
ROWS = [
    ("accepted over HTTP, 64 connections", "3 times the CPU of the reference",
     r"^http:.*?measured: (?P<m>\S+/s), (?P<c>[\d.]+ CPU-s per 1,000), (?P<x>[\d.]+ times) the reference",
     r"^http:.*?reference: the same rows .*?: (?P<m>\S+/s), (?P<c>[\d.]+ CPU-s per 1,000)"),
    ("99 % of them answered within", "15 ms", r"^http:.*?measured: .*?p99 (?P<m>[\d.]+ ms)", None),
    ("the same requests to Fastify and better-sqlite3", "",
     r"beside it: the same requests to Fastify.*?: (?P<m>\S+/s), (?P<c>[\d.]+ CPU-s per 1,000)", None),
    ("accepted in process, 64 clients", "60 % of the reference",
     r"^accept:.*?measured: (?P<m>\S+/s), (?P<c>\d+ %) of it", r"^accept:.*?reference: .*?: (?P<m>\S+/s)"),
    ("delivered", "5,000/s, 0.25 CPU-s per 1,000",
     r"^deliver:.*?measured: (?P<m>\S+/s), (?P<c>[\d.]+ CPU-s per 1,000)",
     r"^deliver:.*?reference: .*?: (?P<m>\S+/s), (?P<c>[\d.]+ CPU-s per 1,000)"),
    ("a single post on the idle service: first byte at the platform", "",
     r"^single post:.*?first byte at the platform (?P<m>[\d.]+ ms)", r"^single post:.*?answered after (?P<m>[\d.]+ ms)"),
    ("start on an empty store", "100 ms",
     r"^serve:.*?ready in (?P<m>[\d.]+ ms)",
     r"^serve:.*?/bin/true comes and goes in (?P<m>[\d.]+ ms)"),
    ("memory when idle", "20 MB", r"^serve:.*?resident when idle (?P<m>[\d.]+ MiB)", None),
]


def shown(command):
    """What it prints, while it prints."""
    lines = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    if process.returncode != 0:
        sys.exit(process.returncode)
    return "".join(lines)


def figures(pattern, text):
    found = re.search(pattern, text, re.M | re.S) if pattern else None
    return ", ".join(found.groupdict().values()) if found else ""


def table(text):
    yield "| what | wanted | measured | beside it |"
    yield "|---|---|---|---|"
    for what, wanted, measured, reference in ROWS:
        yield f"| {what} | {wanted} | {figures(measured, text)} | {figures(reference, text)} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", required=True, help="posthorn-bench")
    parser.add_argument("--program", required=True, help="posthorn")
    parser.add_argument("--scale", default="50")
    arguments = parser.parse_args()
    text = shown([arguments.bench, "--scale", arguments.scale, "--program", arguments.program, "accept", "deliver", "serve"])
    text += shown([sys.executable, str(HERE / "accept_http.py"), "--bench", arguments.bench, "--scale", arguments.scale])
    print("\n".join(["", *table(text)]))


if __name__ == "__main__":
    main()
