# SPDX-License-Identifier: Apache-2.0
"""Pictures for tests, made by the packaged tools, and posthorn-fit as the spawner starts it: descriptors and nothing else."""
import os
import pathlib
import re
import subprocess

FIGURES = ("bytes_max", "width_min", "width_max", "height_min", "height_max", "shorter_side_max", "pixels_max", "ratio_min_permille",
           "ratio_max_permille", "quality", "shape")
OUTCOMES = ("done", "broken", "animated", "too_large", "impossible")
PADDED, CROPPED = 1, 2


def program():
    return pathlib.Path(os.environ["POSTHORN_BINARY"]).with_name("posthorn-fit")


def order_of(**figures):
    assert set(figures) <= set(FIGURES)
    return "fit 1\n" + "".join(f"{name} {figures.get(name, 0)}\n" for name in FIGURES)


def run(source, target, order):
    """The process, ended: standard input is the picture, 3 the JPEG, 4 the order."""
    order_file = target.with_suffix(".order")
    order_file.write_text(order)
    script = 'exec env -i "$0" <"$1" 3>"$2" 4<"$3"'
    return subprocess.run(["sh", "-c", script, program(), source, target, order_file], capture_output=True, text=True, timeout=60,
                          check=False)


def fit(source, target, **figures):
    """The answer: {"outcome", "width", "height", "quality"}."""
    ended = run(source, target, order_of(**figures))
    assert ended.returncode == 0, ended
    assert ended.stdout.startswith("fitted 1\n")
    answer = {name: int(number) for name, number in re.findall(r"^(\w+) (\d+)$", ended.stdout, re.M) if name != "fitted"}
    answer["outcome"] = OUTCOMES[answer["outcome"]]
    return answer


def ffmpeg(target, source="testsrc2=size=640x480", *more):
    subprocess.run(["ffmpeg", "-loglevel", "error", "-y", "-f", "lavfi", "-i", source, "-frames:v", "1", *more, target], check=True)
    return target


def picture(target, source="testsrc2=size=640x480"):
    """A picture in the format of its name."""
    if target.suffix not in (".heic", ".avif"):
        return ffmpeg(target, source, *(["-pix_fmt", "rgb24"] if target.suffix == ".tiff" else []))
    png = ffmpeg(target.with_suffix(".png"), source)
    coder = ["--avif"] if target.suffix == ".avif" else []
    subprocess.run(["heif-enc", *coder, "-q", "60", png, "-o", target], check=True, capture_output=True)
    return target


def pixels(path):
    """(width, height, bytes of red, green and blue)."""
    shown = subprocess.run(["ffprobe", "-loglevel", "error", "-show_entries", "stream=width,height", "-of", "csv=p=0", path],
                           capture_output=True, text=True, check=True).stdout
    width, height = map(int, shown.strip().split(",")[:2])
    raw = subprocess.run(["ffmpeg", "-loglevel", "error", "-noautorotate", "-i", path, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
                         capture_output=True, check=True).stdout
    return width, height, raw


def pixel(path, x, y):
    width, _, raw = pixels(path)
    at = (y * width + x) * 3
    return tuple(raw[at:at + 3])


def with_exif(jpeg, orientation=1):
    """The same JPEG with what a phone adds: an orientation, a camera and a place."""
    make = b"Handset 9\0"
    entries = [(0x0112, 3, 1, orientation.to_bytes(2, "big") + b"\0\0"), (0x010F, 2, len(make), None), (0x8825, 4, 1, None)]
    head = b"MM\0*\0\0\0\x08" + len(entries).to_bytes(2, "big")
    free = len(head) + 12 * len(entries) + 4
    body, tail = b"", b""
    gps = b"\0\x01" + b"\0\x01\0\x02\0\0\0\x02N\0\0\0" + b"\0\0\0\0" + b"GPS 52.5200N 13.4050E"
    for tag, kind, count, value in entries:
        if value is None:
            value = (free + len(tail)).to_bytes(4, "big")
            tail += make if tag == 0x010F else gps
        body += tag.to_bytes(2, "big") + kind.to_bytes(2, "big") + count.to_bytes(4, "big") + value
    tiff = head + body + b"\0\0\0\0" + tail
    segment = b"Exif\0\0" + tiff
    data = jpeg.read_bytes()
    jpeg.write_bytes(data[:2] + b"\xff\xe1" + (len(segment) + 2).to_bytes(2, "big") + segment + data[2:])
    return jpeg
