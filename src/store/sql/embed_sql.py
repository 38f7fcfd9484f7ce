#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Writes the migrations as a C table (migrate.h). Same input, same output: sorted by number.
# A line "-- oldest_program: N" says that programs which know the schema up to N can work with what the migration leaves (migrate.h).
# usage: embed_sql.py OUTPUT.c 0001_start.sql 0002_more.sql ...
import os
import re
import sys


def c_lines(text):
    for line in text.splitlines():
        escaped = line.replace('\\', '\\\\').replace('"', '\\"').replace('?', '\\?')
        yield '\t "%s\\n"' % escaped


def main():
    output, paths = sys.argv[1], sorted(sys.argv[2:], key=os.path.basename)
    rows = []
    for number, path in enumerate(paths, 1):
        match = re.fullmatch(r'(\d{4})_([a-z0-9_]+)\.sql', os.path.basename(path))
        if not match or int(match.group(1)) != number:
            sys.exit('%s: expected the name %04d_name.sql' % (path, number))
        with open(path, encoding='ascii') as file:
            text = file.read()
        oldest = re.search(r'^-- oldest_program: (\d+)$', text, re.M)
        rows.append('\t{%d, "%s",\n%s, %d},\n' %
                    (number, match.group(2), '\n'.join(c_lines(text)), int(oldest.group(1)) if oldest else number))
    with open(output, 'w', encoding='ascii') as file:
        file.write('/* Made by embed_sql.py from migrations/. */\n#include "migrate.h"\n\n')
        file.write('const struct migration migrations[] = {\n%s};\n' % ''.join(rows))
        file.write('const size_t migrations_count = sizeof(migrations) / sizeof(migrations[0]);\n')


main()
