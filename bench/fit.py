#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""posthorn-fit beside sharp (npm): one process for each file, start included. Ten pictures of six megapixels in each of JPEG, PNG, WebP and
AVIF become JPEGs of 1,440 pixels; time and peak memory for each, and sharp's bytes at the quality with which it is as like the
original (SSIM) as ours. HEIC has no reference: sharp's packages read none. Pictures are made by ffmpeg and heif-enc. Without
sharp (--sharp DIRECTORY with node_modules) its column is left out, and the first line says so."""
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "fit"))
import fitting  # noqa: E402

WIDTH = 1440
KINDS = ["jpg", "png", "webp", "avif", "heic"]
SIZE = "3000x2000"
SCRIPT = """
const sharp = require('sharp');
const [input, output, quality] = process.argv.slice(1);
sharp(input).rotate().flatten({background: 'white'}).resize({width: %d, withoutEnlargement: true})
  .jpeg({quality: Number(quality), optimiseCoding: true}).toFile(output);
""" % WIDTH


def timed(command, **more):
    """Seconds and KiB of one process. Its memory is its own: wait4() tells it of this child alone."""
    begin = time.monotonic()
    process = subprocess.Popen(command, **more)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, command
    return time.monotonic() - begin, usage.ru_maxrss


def fit(source, target):
    order = target.with_suffix(".order")
    order.write_text(fitting.order_of(width_max=WIDTH))
    script = 'exec env -i "$0" <"$1" 3>"$2" 4<"$3"'
    return timed(["sh", "-c", script, fitting.program(), source, target, order], stdout=subprocess.DEVNULL)


def sharp(directory, source, target, quality):
    return timed(["node", "-e", SCRIPT, source, target, str(quality)], cwd=directory)


def likeness(picture, original):
    graph = f"[1:v]scale={WIDTH}:-1:flags=lanczos,format=yuv444p[r];[0:v]format=yuv444p[p];[p][r]ssim"
    shown = subprocess.run(["ffmpeg", "-hide_banner", "-i", picture, "-i", original, "-lavfi", graph, "-f", "null", "-"],
                           capture_output=True, text=True, check=True).stderr
    return float(re.search(r"All:([\d.]+)", shown)[1])


def bytes_as_like(directory, source, original, target, wanted):
    """The bytes of sharp's file at the least quality that is as like."""
    low, high = 60, 100
    while low + 1 < high:
        middle = (low + high) // 2
        sharp(directory, source, target, middle)
        if likeness(target, original) >= wanted:
            high = middle
        else:
            low = middle
    sharp(directory, source, target, high)
    return target.stat().st_size


def make(directory, kind, number):
    """A picture with edges, areas and noise, as photographs have them, and its lossless original."""
    original = directory / f"original-{number}.png"
    if not original.exists():
        fitting.ffmpeg(original, f"mandelbrot=size={SIZE}:start_scale={3 / (number + 1)}:maxiter=400,noise=c0s=6:c0_seed={number}")
    target = directory / f"in-{number}.{kind}"
    if kind in ("avif", "heic"):
        coder = ["--avif"] if kind == "avif" else []
        subprocess.run(["heif-enc", *coder, "-q", "70", original, "-o", target], check=True, capture_output=True)
    else:
        more = ["-q:v", "3"] if kind == "jpg" else ["-q:v", "85"] if kind == "webp" else []
        subprocess.run(["ffmpeg", "-loglevel", "error", "-y", "-i", original, *more, target], check=True)
    return target, original


def measure(directory, kind, arguments, has_sharp):
    ours, theirs = [], []
    size, other_size = 0, 0
    for number in range(arguments.files):
        source, original = make(directory, kind, number)
        target, other = directory / "fit.jpeg", directory / "sharp.jpg"
        ours.append(min((fit(source, target) for _ in range(3)), key=lambda pair: pair[0]))
        size += target.stat().st_size
        if has_sharp:
            theirs.append(min((sharp(arguments.sharp, source, other, 90) for _ in range(3)), key=lambda pair: pair[0]))
            other_size += bytes_as_like(arguments.sharp, source, original, other, likeness(target, original))
        source.unlink()

    def middle(rows):
        return f"{statistics.median(row[0] for row in rows):.2f} s, {max(row[1] for row in rows) / 1024:.0f} MiB"

    reference = f"{middle(theirs)} | {size / other_size:.2f}" if has_sharp else "- | -"
    print(f"| {kind} | {middle(ours)} | {reference} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sharp", default="build/npm/sharp", help="where sharp is installed")
    parser.add_argument("--files", type=int, default=10, help="of each kind")
    parser.add_argument("--bench", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    os.environ.setdefault("POSTHORN_BINARY", os.environ.get("POSTHORN_BIN", "build/release/src/cli/posthorn"))
    has_sharp = (pathlib.Path(arguments.sharp) / "node_modules" / "sharp").is_dir()
    if not has_sharp:
        print(f"sharp is not in {arguments.sharp}: no reference")
    print("| kind | posthorn-fit: time, most memory | sharp: time, most memory | bytes to sharp's at equal SSIM |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as directory:
        for kind in KINDS:
            measure(pathlib.Path(directory), kind, arguments, has_sharp and kind != "heic")


if __name__ == "__main__":
    main()
