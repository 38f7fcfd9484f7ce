#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what a package has beside the program, from what the program says of itself (`posthorn help`): the manual page, completions for
bash, zsh and fish, and a configuration file with every setting in a comment.

usage: manual.py PROGRAM DIRECTORY"""
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

PEOPLE, OPERATORS, SETTINGS = "people", "operators", "settings"
HEADINGS = {"for people": PEOPLE, "for operators": OPERATORS, "settings": SETTINGS}


def ask(program, *words):
    """What a command prints, without the settings of whoever builds."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("POSTHORN_")}
    return subprocess.run([program, *words], capture_output=True, text=True, check=True, env=environment).stdout


def read_help(text):
    """{"people": [(usage, summary)], "operators": the same, "settings": [(name, value, text, default)]}"""
    parts = {PEOPLE: [], OPERATORS: [], SETTINGS: []}
    part, usage = None, None
    for line in text.splitlines():
        heading = next((HEADINGS[word] for word in HEADINGS if line.startswith(word)), None)
        if heading:
            part = heading
        elif part == SETTINGS and line.startswith("  --"):
            name, value, words = re.match(r"  --(\S+) (\S+)\s+(.*)$", line).groups()
            found = re.fullmatch(r"(.*?)(?: \(default ([^()]*)\))?", words)
            parts[SETTINGS].append((name, value, found[1], found[2] or ""))
        elif part and line.startswith("      "):
            parts[part].append((usage, line.strip()))
        elif part and line.startswith("  posthorn "):
            usage = line.strip()
    assert all(parts.values()), "posthorn help has another form than this program knows"
    return parts


def version_of(program):
    return ask(program, "version").split()[1]


# ---- the manual page ----


def roff(text):
    """Text as it stands: no character means anything to troff."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def page_of(parts, version):
    lines = [f'.TH POSTHORN 1 "" "posthorn {version}" "User Commands"', ".SH NAME",
             "posthorn \\- one API to publish to Instagram, Facebook, X, LinkedIn, YouTube and TikTok", ".SH SYNOPSIS",
             ".B posthorn\n.I COMMAND\n[\\fIOPTION\\fR]...", ".SH DESCRIPTION",
             roff("Posthorn connects social accounts by OAuth and publishes posts to them, now or at a time. posthorn serve runs the "
                  "service. Commands for people speak its API; commands for operators work on the data directory, whether the service "
                  "runs or not. posthorn help COMMAND explains one of them.")]
    for part, title in ((PEOPLE, "COMMANDS FOR PEOPLE"), (OPERATORS, "COMMANDS FOR OPERATORS")):
        lines.append(f".SH {title}")
        for usage, summary in parts[part]:
            lines += [".TP", f".B {roff(usage)}", roff(summary[0].upper() + summary[1:] + ".")]
    lines += [".SH SETTINGS", roff("Each is a flag, an environment variable (POSTHORN_LISTEN for --listen) and a line of the file that "
                                   "--config names (listen = 127.0.0.1:8080). Flags win over the environment, the environment over the "
                                   "file.")]
    for name, value, text, default in parts[SETTINGS]:
        lines += [".TP", f".BI \\-\\-{roff(name)} \" {roff(value)}\"",
                  roff(text[0].upper() + text[1:] + "." + (f" Default: {default}." if default else ""))]
    lines += [".SH ENVIRONMENT", ".TP", ".B POSTHORN_URL", "The service that the commands for people speak to.", ".TP",
              ".B POSTHORN_TOKEN", "The access token or key that they use.", ".SH FILES", ".TP", ".I /etc/posthorn/posthorn.conf",
              "The settings of the packaged service.", ".TP", ".I /var/lib/posthorn", "Its data directory: database, master key, media.",
              ".TP", ".I /var/backups/posthorn", "What posthorn\\-backup.timer writes.", ".SH EXIT STATUS",
              roff("0 done; 1 refused, failed or not reached; 2 wrong use or no token. posthorn doctor: 3 with warnings only."),
              ".SH SEE ALSO", ".I /usr/share/doc/posthorn"]
    return "\n".join(lines) + "\n"


# ---- completions ----


def words_of(parts):
    """{first word: [second words]}, the flags that usages name, and those of settings."""
    words, flags = {}, set()
    for usage, _ in parts[PEOPLE] + parts[OPERATORS]:
        first, *rest = re.match(r"posthorn ((?:[a-z][a-z-]*(?: |$))+)", usage)[1].split()
        words.setdefault(first, [])
        words[first] += [word for word in rest[:1] if word not in words[first]]
        flags.update(re.findall(r"--[a-z][a-z-]+", usage))
    return words, sorted(flags | {f"--{name}" for name, *_ in parts[SETTINGS]})


def bash_of(words, flags):
    cases = "\n".join(f"\t{first}) words='{' '.join(seconds)}' ;;" for first, seconds in words.items() if seconds)
    return textwrap.dedent("""\
        # bash completion of posthorn
        _posthorn() {{
        	local word=${{COMP_WORDS[COMP_CWORD]}} words=
        	case ${{COMP_WORDS[1]:-}} in
        {cases}
        	esac
        	if [[ $word == -* ]]; then
        		words='{flags}'
        	elif [[ $COMP_CWORD -eq 1 ]]; then
        		words='{firsts}'
        	elif [[ $COMP_CWORD -gt 2 ]]; then
        		words=
        	fi
        	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
        	[[ ${{#COMPREPLY[@]}} -gt 0 || $word == -* ]] || mapfile -t COMPREPLY < <(compgen -f -- "$word")
        }}
        complete -F _posthorn posthorn
        """).format(cases=cases, flags=" ".join(flags), firsts=" ".join(words))


def zsh_of(words, flags):
    cases = "\n".join(f"\t{first}) compadd -- {' '.join(seconds)} ;;" for first, seconds in words.items() if seconds)
    return textwrap.dedent("""\
        #compdef posthorn
        # zsh completion of posthorn
        if [[ $PREFIX == -* ]]; then
        	compadd -- {flags}
        elif (( CURRENT == 2 )); then
        	compadd -- {firsts}
        elif (( CURRENT == 3 )); then
        	case $words[2] in
        {cases}
        	*) _files ;;
        	esac
        else
        	_files
        fi
        """).format(cases=cases, flags=" ".join(flags), firsts=" ".join(words))


def fish_of(words, flags):
    lines = ["# fish completion of posthorn", f"complete -c posthorn -n __fish_use_subcommand -f -a '{' '.join(words)}'"]
    for first, seconds in words.items():
        if seconds:
            lines.append(f"complete -c posthorn -n '__fish_seen_subcommand_from {first}' -f -a '{' '.join(seconds)}'")
    return "\n".join([*lines, *(f"complete -c posthorn -l {flag[2:]}" for flag in flags)]) + "\n"


# ---- the configuration file ----


def configuration_of(settings):
    lines = ["# Settings of the packaged service (man posthorn, /usr/share/doc/posthorn/operations.md). `systemctl reload posthorn` puts",
             "# log-level, the limits and the quotas into force; others need a restart. What is commented is the default.", ""]
    for name, value, text, default in settings:
        if name not in ("config", "data"):  # the unit says both
            lines += [*(f"# {line}" for line in textwrap.wrap(text, 110)), f"#{name} = {default or value}", ""]
    return "\n".join(lines)


def main():
    program, directory = sys.argv[1], Path(sys.argv[2])
    parts = read_help(ask(program, "help"))
    words, flags = words_of(parts)
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "posthorn.1").write_text(page_of(parts, version_of(program)))
    (directory / "posthorn.bash").write_text(bash_of(words, flags))
    (directory / "_posthorn").write_text(zsh_of(words, flags))
    (directory / "posthorn.fish").write_text(fish_of(words, flags))
    (directory / "posthorn.conf").write_text(configuration_of(parts[SETTINGS]))


if __name__ == "__main__":
    main()
