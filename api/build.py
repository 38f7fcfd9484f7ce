#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes of api/openapi.yaml what the program serves: the description as JSON and the pages of /docs, as a C table
(src/api/description.h). Same input, same output. Knows nothing of how they look: that is reference.py, style.css and script.js.

usage: build.py OUTPUT.c            the C table
       build.py --pages DIRECTORY   the same as files, to look at
"""
import hashlib
import json
import sys
from pathlib import Path

import yaml

from reference import reference_page

HERE = Path(__file__).resolve().parent
LINE_BYTES = 96


def description():
    """The description without the anchors that the YAML alone needs."""
    whole = yaml.safe_load((HERE / "openapi.yaml").read_text(encoding="utf-8"))
    whole.pop("x-headers")
    return whole


def pages():
    """[(path, content type, bytes)]"""
    whole = description()
    style, script = ((HERE / name).read_bytes() for name in ("style.css", "script.js"))
    return [
        ("/openapi.json", "application/json", json.dumps(whole, ensure_ascii=False, separators=(",", ":")).encode()),
        ("/docs", "text/html; charset=utf-8", reference_page(whole, (HERE / "guide.html").read_text(encoding="utf-8")).encode()),
        ("/docs/style.css", "text/css; charset=utf-8", style),
        ("/docs/script.js", "text/javascript; charset=utf-8", script),
    ]


def c_escaped(byte):
    if byte in b'"\\?':  # "?" because of trigraphs
        return "\\" + chr(byte)
    return chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"


def c_lines(body):
    for start in range(0, len(body), LINE_BYTES):
        yield '\t "%s"\n' % "".join(map(c_escaped, body[start : start + LINE_BYTES]))


def c_row(path, content_type, body):
    etag = hashlib.sha256(body).hexdigest()[:32]
    return '\t{"%s", "%s", "\\"%s\\"",\n%s,\n\t %d},\n' % (path, content_type, etag, "".join(c_lines(body)).rstrip("\n"), len(body))


def c_table():
    rows = "".join(c_row(*page) for page in pages())
    return (
        "/* Made by api/build.py from api/. */\n#include \"description.h\"\n\n"
        f"const struct description_page description_pages[] = {{\n{rows}}};\n"
        "const size_t description_pages_count = sizeof(description_pages) / sizeof(description_pages[0]);\n"
    )


def main():
    if sys.argv[1] == "--pages":
        for path, _, body in pages():
            target = Path(sys.argv[2]) / (path.lstrip("/") + (".html" if path == "/docs" else ""))
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(body)
        return
    Path(sys.argv[1]).write_text(c_table(), encoding="ascii")


if __name__ == "__main__":
    main()
