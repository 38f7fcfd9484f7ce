#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Writes what tests/transcripts say of calls and answers as a C table (live_check_compare.h): for each call its platform, method, host,
# path and status, and the names and types in a JSON answer. Same input, same output.
# usage: embed_transcripts.py OUTPUT.c FILE.txt ...    or: embed_transcripts.py --list DIRECTORY
import json
import os
import re
import sys
import urllib.parse

TYPES = {str: 's', bool: 'b', int: 'n', float: 'n', dict: 'o', list: 'a', type(None): 'z'}


def names(value, path=''):
    """["data.id s"]: of a list, those of its first item."""
    if path:
        yield '%s %s' % (path, TYPES[type(value)])
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from names(inner, path + '.' + key if path else key)
    elif isinstance(value, list) and value:
        yield from names(value[0], path + '[]')


def body_of(lines):
    """The text below the empty line of an answer."""
    if '' not in lines:
        return ''
    return '\n'.join(lines[lines.index('') + 1:])


def exchanges(text):
    platform = re.search(r'^platform: (\w+)$', text, re.M).group(1)
    call, answer = None, None
    for line in text.splitlines() + ['= end']:
        if answer is not None and not line.startswith('<'):
            if call and re.fullmatch(r'\d+', answer[0]):
                yield platform, call, int(answer[0]), body_of(answer[1:])
            call, answer = None, None
        if line.startswith('> ') and call is None:
            words = line[2:].split()
            if len(words) >= 2 and words[1].startswith('https://'):
                call = (words[0], urllib.parse.urlsplit(words[1]))
        elif line.startswith('<'):
            answer = (answer or []) + [line[2:] if line.startswith('< ') else line[1:]]


def c_text(text):
    return '"%s"' % text.replace('\\', '\\\\').replace('"', '\\"').replace('\n', '\\n').replace('?', '\\?')


def row_of(platform, call, status, body):
    try:
        listed = '\n'.join(dict.fromkeys(names(json.loads(body))))
    except ValueError:
        listed = ''
    method, url = call
    return (platform, method, (url.netloc + url.path).rstrip('*'), status, listed)


def main():
    if sys.argv[1] == '--list':
        print('\n'.join(sorted(name for name in os.listdir(sys.argv[2]) if name.endswith('.txt'))))
        return
    rows = set()
    for path in sys.argv[2:]:
        with open(path, encoding='utf-8') as file:
            text = file.read()
        rows.update(row_of(*one) for one in exchanges(text))
    with open(sys.argv[1], 'w', encoding='utf-8') as file:
        file.write('/* Made by embed_transcripts.py from tests/transcripts. */\n#include "live_check_compare.h"\n\n')
        file.write('const struct transcript_call transcript_calls[] = {\n')
        for platform, method, host_path, status, listed in sorted(rows):
            file.write('\t{"%s", "%s", %s, %d, %s},\n' % (platform, method, c_text(host_path), status, c_text(listed)))
        file.write('};\nconst size_t transcript_calls_count = sizeof(transcript_calls) / sizeof(transcript_calls[0]);\n')


main()
