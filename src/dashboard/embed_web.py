#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes of the dashboard's files what the program serves: a C table (web_pages.h), each file as it is and packed by gzip. Same input, same
output. With the table comes a list of what it was made of, folders too, so that a new file makes it anew.

All files but the page itself are addressed below one folder, named by a hash over all of them: what has that name never changes, and
modules find each other in it by their relative names.

usage: embed_web.py DIRECTORY OUTPUT.c DEPENDENCIES
"""
import gzip
import hashlib
import sys
from pathlib import Path

LINE_BYTES = 96
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}


def c_escaped(byte):
    if byte in b'"\\?':  # "?" because of trigraphs
        return "\\" + chr(byte)
    return chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"


def c_lines(body):
    for start in range(0, len(body), LINE_BYTES):
        yield '\t "%s"' % "".join(map(c_escaped, body[start : start + LINE_BYTES]))


def c_bytes(body):
    return "%s,\n\t %d" % ("\n".join(c_lines(body)) or '\t ""', len(body))


def c_row(name, body):
    etag = hashlib.sha256(body).hexdigest()[:32]
    packed = gzip.compress(body, 9, mtime=0)
    head = '\t{"%s", "%s", "\\"%s\\"",\n' % (name, TYPES[Path(name).suffix], etag)
    return "%s%s,\n%s},\n" % (head, c_bytes(body), c_bytes(packed))


def folder_of(files):
    """files: {name: bytes}"""
    whole = hashlib.sha256()
    for name, body in sorted(files.items()):
        whole.update(f"{name} {len(body)} ".encode() + body)
    return f"v-{whole.hexdigest()[:16]}"


def addressed(page, folder):
    """The page, with its files below that folder."""
    return page.replace(b'"/dashboard/', f'"/dashboard/{folder}/'.encode())


def main():
    root, output, dependencies = map(Path, sys.argv[1:])
    found = sorted(root.rglob("*"))
    files = [path for path in found if path.is_file() and path.suffix in TYPES]
    bodies = {path.relative_to(root).as_posix(): path.read_bytes() for path in files}
    folder = folder_of(bodies)
    bodies["index.html"] = addressed(bodies["index.html"], folder)
    rows = "".join(c_row(name, body) for name, body in sorted(bodies.items()))
    output.write_text(
        "/* Made by embed_web.py from web/. */\n#include \"web_pages.h\"\n\n"
        f"const struct web_page web_pages[] = {{\n{rows}\t{{0}}, /* the end */\n}};\n"
        "const size_t web_pages_count = sizeof(web_pages) / sizeof(web_pages[0]) - 1;\n"
        f'const char web_pages_folder[] = "{folder}";\n',
        encoding="ascii",
    )
    sources = [str(path) for path in [root, *found] if path.is_dir() or path in files]
    dependencies.write_text(f"{output}: {' '.join(sources)}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
