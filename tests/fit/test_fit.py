# SPDX-License-Identifier: Apache-2.0
"""posthorn-fit from outside: every format that comes in, what an order may ask, and files that mean it ill (src/fit/fit.c)."""
import os
import subprocess
import zlib

import pytest

import fitting

FORMATS = ["png", "webp", "jpg", "tiff", "heic", "avif"]


@pytest.mark.parametrize("kind", FORMATS)
def test_each_format_becomes_a_jpeg(tmp_path, kind):
    source = fitting.picture(tmp_path / f"in.{kind}")
    target = tmp_path / "out.jpeg"
    answer = fitting.fit(source, target, width_max=320)
    assert (answer["outcome"], answer["width"], answer["height"]) == ("done", 320, 240)
    width, height, _ = fitting.pixels(target)
    assert (width, height) == (320, 240) and target.read_bytes().startswith(b"\xff\xd8\xff")


def test_what_is_transparent_becomes_white(tmp_path):
    source = fitting.ffmpeg(tmp_path / "in.png", "color=black@0.0:size=64x64,format=rgba")
    target = tmp_path / "out.jpeg"
    assert fitting.fit(source, target)["outcome"] == "done"
    assert min(fitting.pixel(target, 32, 32)) > 250


def test_a_picture_that_lies_is_turned(tmp_path):
    """Red above, blue below; told to be shown turned by a quarter to the right: red is right then."""
    source = fitting.ffmpeg(tmp_path / "in.jpg", "color=blue:size=64x64,drawbox=0:0:64:32:red:fill")
    fitting.with_exif(source, 6)
    target = tmp_path / "out.jpeg"
    assert fitting.fit(source, target)["outcome"] == "done"
    red, _, blue = fitting.pixel(target, 56, 32)
    assert red > 200 > 50 > blue
    assert b"Exif" not in target.read_bytes() and b"GPS" not in target.read_bytes()


def test_sizes_follow_the_turn(tmp_path):
    source = fitting.with_exif(fitting.ffmpeg(tmp_path / "in.jpg", "testsrc2=size=640x320"), 6)
    answer = fitting.fit(source, tmp_path / "out.jpeg", height_max=320)
    assert (answer["width"], answer["height"]) == (160, 320)


def test_the_best_quality_that_fits(tmp_path):
    source = fitting.ffmpeg(tmp_path / "in.png", "mandelbrot=size=800x600")
    target = tmp_path / "out.jpeg"
    free = fitting.fit(source, target)
    whole = target.stat().st_size
    answer = fitting.fit(source, target, bytes_max=whole * 2 // 3)
    assert answer["outcome"] == "done" and 60 <= answer["quality"] < free["quality"]
    assert whole // 2 < target.stat().st_size <= whole * 2 // 3
    small = fitting.fit(source, target, bytes_max=8000)
    assert small["outcome"] == "done" and small["width"] < 800 and target.stat().st_size <= 8000


def test_impossible_orders_are_told(tmp_path):
    source = fitting.picture(tmp_path / "in.png")
    assert fitting.fit(source, tmp_path / "out", bytes_max=100)["outcome"] == "impossible"
    assert fitting.fit(source, tmp_path / "out", width_min=1000, height_max=100)["outcome"] == "impossible"


def test_shapes_are_padded_or_cropped(tmp_path):
    source = fitting.ffmpeg(tmp_path / "in.png", "color=red:size=400x100")
    target = tmp_path / "out.jpeg"
    square = {"ratio_min_permille": 1000, "ratio_max_permille": 1000}
    padded = fitting.fit(source, target, shape=fitting.PADDED, **square)
    assert (padded["width"], padded["height"]) == (400, 400)
    assert min(fitting.pixel(target, 200, 20)) > 250 and fitting.pixel(target, 200, 200)[1] < 50
    cropped = fitting.fit(source, target, shape=fitting.CROPPED, **square)
    assert (cropped["width"], cropped["height"]) == (100, 100)
    assert fitting.pixel(target, 50, 5)[1] < 50


def test_a_grey_picture_and_a_deep_one(tmp_path):
    for name, form in (("grey.png", "gray"), ("deep.png", "rgb48be"), ("palette.png", "pal8")):
        source = fitting.ffmpeg(tmp_path / name, f"testsrc2=size=64x64,format={form}")
        assert fitting.fit(source, tmp_path / "out.jpeg")["outcome"] == "done", name
        assert fitting.pixels(tmp_path / "out.jpeg")[:2] == (64, 64)


def test_moving_pictures_are_not_stilled(tmp_path):
    for name in ("in.gif", "in.webp"):
        moving = tmp_path / name
        subprocess.run(["ffmpeg", "-loglevel", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=64x64:rate=5", "-t", "1", moving],
                       check=True)
        assert fitting.fit(moving, tmp_path / "out")["outcome"] == "animated", name
        assert (tmp_path / "out").stat().st_size == 0
    assert fitting.fit(fitting.picture(tmp_path / "still.gif"), tmp_path / "out")["outcome"] == "done"


@pytest.mark.parametrize("kind", FORMATS)
def test_a_file_that_ends_too_early_is_broken(tmp_path, kind):
    source = fitting.picture(tmp_path / f"in.{kind}")
    whole = source.read_bytes()
    for part in (len(whole) * 2 // 3, 200):
        source.write_bytes(whole[:part])
        assert fitting.fit(source, tmp_path / "out")["outcome"] == "broken", part


@pytest.mark.parametrize("name, start", [
    ("a page", b"<html>"), ("nothing", b""), ("SVG", b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"),
    ("PDF", b"%PDF-1.4\n"), ("PPM", b"P6 2 2 255\n" + bytes(12)), ("MVG", b"push graphic-context\n"), ("JPEG XL", b"\xff\x0a" + bytes(99)),
    ("Radiance", b"#?RADIANCE\n")])
def test_only_the_named_formats_are_read(tmp_path, name, start):
    source = tmp_path / "in"
    source.write_bytes(start)
    assert fitting.fit(source, tmp_path / "out")["outcome"] == "broken", name


def test_a_bomb_of_pixels_is_not_decoded(tmp_path):
    """A head that promises 60,000 x 60,000 pixels."""
    source = fitting.picture(tmp_path / "in.png")
    data = bytearray(source.read_bytes())
    data[16:24] = (60000).to_bytes(4, "big") * 2
    data[29:33] = zlib.crc32(bytes(data[12:29])).to_bytes(4, "big")
    source.write_bytes(bytes(data))
    assert fitting.fit(source, tmp_path / "out")["outcome"] == "too_large"


@pytest.mark.parametrize("order", ["", "fit 1\n", "fit 2\nbytes_max 1\n", fitting.order_of() + "more\n", fitting.order_of(shape=3),
                                   fitting.order_of(quality=101), fitting.order_of().replace("width_max 0", "width_max -1")])
def test_a_wrong_order_gets_no_answer(tmp_path, order):
    source = fitting.picture(tmp_path / "in.png")
    ended = fitting.run(source, tmp_path / "out", order)
    assert ended.returncode == 1 and ended.stdout == ""


def test_it_says_nothing_beside_its_answer(tmp_path):
    if "debug" in str(fitting.program()):
        pytest.skip("a build with sanitizers keeps standard error")
    source = fitting.picture(tmp_path / "in.jpg")
    source.write_bytes(source.read_bytes()[:3000])
    assert fitting.run(source, tmp_path / "out", fitting.order_of()).stderr == ""


def test_the_service_starts_without_it(tmp_path):
    """It is a program beside the service's: nothing of it is linked."""
    listing = subprocess.run(["ldd", os.environ["POSTHORN_BINARY"]], capture_output=True, text=True, check=True).stdout
    assert "libvips" not in listing and "libheif" not in listing
