# SPDX-License-Identifier: Apache-2.0
"""The pages of /docs beside the reference: what went wrong and what to do, one page for each platform, and what changed. Each is written
as Markdown, of the tables that the program works by, and served as that and as HTML; and the index that the search of all pages reads.
Knows nothing of the frame of a page: that is reference.py."""
import json
import re
from pathlib import Path

import yaml

from reference import METHODS, escape, inline, slug

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent / "src"
FAILURE = re.compile(r'^FAILURE_CODE\((\w+), +"([^"]+)"\)', re.M)
ADVICE = re.compile(r'^ADVICE\((\w+), +"\w+", +"([^"]+)"\)', re.M)
CONNECTION = re.compile(r'^CONNECTION_ERROR\(\w+, +"(\w+)", +"([^"]+)"\)', re.M)
GRAPH = re.compile(r"^\tROW\(ANY, 0, (\d+), (\w+), (\w+), \w+\),", re.M)
TAKEN_BACK = {True: "Published posts can be taken back: `POST /v1/posts/{post_id}/unpublish`.",
              False: "Published posts cannot be taken back by an app: remove them in the platform's own app."}
UNITS = {"code_points": "characters", "utf16_units": "UTF-16 units", "weighted": "characters as X counts them", "bytes": "bytes"}


def text_of(path):
    return (SOURCE / path).read_text(encoding="utf-8")


def advice():
    return yaml.safe_load((HERE / "advice.yaml").read_text(encoding="utf-8"))


def graph_codes():
    """{subcode: failure code}, as the adapter of Meta's platforms decides."""
    return {int(subcode): code for subcode, _, code in GRAPH.findall(text_of("platform/meta/graph_error.c"))}


def table(heads, rows):
    lines = ["| " + " | ".join(row) + " |" for row in [heads, ["---"] * len(heads), *rows]]
    return "\n".join(lines) + "\n"


# ---- errors and failures ----


def failures():
    """[(code, sentence, what to do)]"""
    what = dict(ADVICE.findall(text_of("dashboard/failure_advice.def")))
    return [(code, sentence, what[code]) for code, sentence in FAILURE.findall(text_of("model/failure_codes.def"))]


def errors_page(whole):
    words = whole["components"]["schemas"]
    known = [*words["Error"]["properties"]["error"]["enum"], *words["TokenError"]["properties"]["error"]["enum"]]
    told = advice()["errors"]
    connections = [[f"`{code}`", sentence] for code, sentence in CONNECTION.findall(text_of("model/connection_errors.def"))]
    parts = ["# Errors and failures", "What a refused call, a failed post and a failed connection mean, and what to do.",
             "## Errors of calls", "The word in `error` of a refusal. It does not change; `message` says it for this request."]
    parts += [f"### {word}\n\n{told[word]}" for word in dict.fromkeys(known)]
    parts += ["## Why a post failed", "The word in `error.code` of a platform post."]
    parts += [f"### {code}{{failure}}\n\n{sentence} {what}" for code, sentence, what in failures()]
    parts += ["## Why a connection failed", "The word in `error` when a user comes back from a platform.",
              table(["error", "meaning"], connections)]
    return "\n\n".join(parts) + "\n"


# ---- platforms ----


def amount(bounds):
    return str(bounds["max"]) if bounds["min"] == bounds["max"] else f"{bounds['min']} to {bounds['max']}"


def number(value):
    return f"{value:,}" if isinstance(value, int) else str(value)


def platform_page(platform):
    limits = platform["limits"]
    unit = UNITS[limits["text_unit"]]
    types = [[f"`{one['type']}`" + (" (default)" if one["default"] else ""), one["summary"], amount(one["images"]), amount(one["videos"]),
              f"{one['text_max']:,}"] for one in platform["post_types"]]
    parts = [f"# {platform['name']}",
             f"What a post on {platform['name']} can be and have, from the table that `POST /v1/posts/publish` checks.",
             "## Post types", table(["type", "what it is", "images", "videos", f"text, {unit}"], types),
             "## Limits", table(["limit", "value"], [[f"`{name}`", number(value)] for name, value in limits.items()]),
             "## Options", f"Given in `platforms.{platform['slug']}`. What is not listed is ignored, with a warning."]
    parts += [f"### {option['name']}\n\n{option_text(option)}" for option in platform["options"]]
    parts += ["## Taking back", TAKEN_BACK[platform["can_unpublish"]]]
    meanings, counted = advice()["platform_codes"].get(platform["slug"], {}), graph_codes()
    if meanings:
        parts += ["## Error numbers",
                  "What stands in `error.platform_code` of a failed platform post, and what it counts as in `error.code`."]
        parts += [f"### {code}\n\n{sentence} Counts as `{counted[code]}`." for code, sentence in meanings.items()]
    return "\n\n".join(parts) + "\n"


def option_text(option):
    bound = f", at most {option['max']:,}" if "max" in option else ""
    values = ": one of " + ", ".join(f"`{value}`" for value in option["values"]) if "values" in option else ""
    return f"{option['type'].capitalize()}{bound}{values}. {option['summary'].rstrip('.')}."


# ---- what changed ----


def changelog_page():
    return (HERE.parent / "CHANGELOG.md").read_text(encoding="utf-8")


# ---- the reference as Markdown ----


def reference_text(whole):
    parts = [f"# {whole['info']['title']}", whole["info"]["description"].strip()]
    for path, shared in [*whole["paths"].items(), *whole["webhooks"].items()]:
        base = shared.get("servers", whole["servers"])[0]["url"].rstrip("/")
        for method in (method for method in METHODS if method in shared):
            parts.append(call_text(whole, base + path if path.startswith("/") else "your webhook's url", shared, method))
    return "\n\n".join(parts) + "\n"


def call_text(whole, path, shared, method):
    call = shared[method]
    lines = [f"## {call['summary']}", f"`{method.upper()} {path}` ({call['operationId']})", call.get("description", "").strip()]
    given = [parameter if "$ref" not in parameter else whole["components"]["parameters"][parameter["$ref"].rsplit("/", 1)[1]]
             for parameter in [*shared.get("parameters", []), *call.get("parameters", [])]]
    if given:
        lines.append("\n".join(f"- `{one['name']}` in {one['in']}" + (", required" if one.get("required") else "")
                               + (f": {one['description']}" if "description" in one else "") for one in given))
    for kind, content in call.get("requestBody", {}).get("content", {}).items():
        example = content.get("example", next(iter(content.get("examples", {}).values()), {}).get("value"))
        lines.append(f"Body `{kind}`" + (f", for example `{json.dumps(example, ensure_ascii=False)}`" if example is not None else ""))
    answers = [f"- {status}: {answer.get('description', '').strip()}" for status, answer in call["responses"].items()]
    return "\n\n".join([line for line in lines if line] + ["\n".join(answers)])


# ---- Markdown as HTML ----


def anchor_of(title):
    """The id of a heading: numbers and words as they are written, so that a link can be guessed."""
    return re.sub(r"[^\w.-]+", "-", title.replace("`", "")).strip("-")


def html_of(text):
    """Headings, paragraphs, lists and tables: what these pages are written with."""
    done, names, title = [], {}, ""
    for block in re.split(r"\n\s*\n", text.strip()):
        heading = re.match(r"(#{1,3}) (.+)", block)
        if heading:
            level, title = len(heading[1]), heading[2].removesuffix("{failure}")
            name = "failure-" + anchor_of(title) if heading[2].endswith("{failure}") else anchor_of(title)
            names[name] = names.get(name, 0) + 1
            name += f"-{names[name]}" if names[name] > 1 else ""
            done.append(f'<h{level} id="{escape(name)}">{inline(title)}</h{level}>')
            block = block[heading.end():].strip()
        if block.startswith("|"):
            done.append(table_html(block.split("\n"), title))
        elif block.startswith("- "):
            items = re.split(r"^- ", block, flags=re.M)[1:]
            done.append("<ul>" + "".join(f"<li>{inline(' '.join(item.split()))}</li>" for item in items) + "</ul>")
        elif block:
            done.append(f"<p>{inline(' '.join(block.split()))}</p>")
    return "".join(done)


def table_html(lines, title):
    rows = [[cell.strip() for cell in line.strip().strip("|").split(" | ")] for line in lines]
    head = "".join(f'<th scope="col">{inline(cell)}</th>' for cell in rows[0])
    body = "".join("<tr>" + "".join(f"<td>{inline(cell)}</td>" for cell in row) + "</tr>" for row in rows[2:])
    whole = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="wide" tabindex="0" role="region" aria-label="{escape(title)}">{whole}</div>'


# ---- all of them ----


def platforms_of(recorded):
    return recorded["operations"]["listPlatforms"]["answer"]["data"]


def written(whole, recorded):
    """{name: (title, Markdown)} of the pages beside the reference."""
    made = {"errors": ("Errors and failures", errors_page(whole))}
    made |= {platform["slug"]: (platform["name"], platform_page(platform)) for platform in platforms_of(recorded)}
    made["changelog"] = ("Changelog", changelog_page())
    return made


def index(whole, recorded, guide):
    """What the search finds: [title, kind, where, words]. Where is relative to /docs/."""
    steps = re.findall(r'<article class="operation" id="([^"]+)">(.*?)</article>', guide, re.S)
    rows = []
    for name, body in steps:
        title, text = re.search(r"<h3><a[^>]*>(.*?)</a></h3>(.*?)</div>", body, re.S).groups()
        rows.append([title, "guide", f"../docs#{name}", " ".join(re.sub(r"<[^>]+>", " ", text).split())[:600]])
        rows += [[block, f"example: {title}", f"../docs#{name}", ""] for block in re.findall(r"^```\w+ ([^\n]+)$", body, re.M)]
    for path, shared in [*whole["paths"].items(), *whole["webhooks"].items()]:
        rows += [[shared[method]["summary"], f"{method.upper()} {path}", f"../docs#{slug(shared[method]['operationId'])}",
                  " ".join(shared[method].get("description", "").split())[:300]] for method in METHODS if method in shared]
    rows += [[word, "error", f"errors#{word}", sentence] for word, sentence in advice()["errors"].items()]
    rows += [[code, "failure of a post", f"errors#failure-{code}", f"{sentence} {what}"] for code, sentence, what in failures()]
    for platform in platforms_of(recorded):
        slug_, name = platform["slug"], platform["name"]
        rows.append([name, "platform", slug_, "Post types, limits and options"])
        rows += [[option["name"], f"option of {name}", f"{slug_}#{option['name']}", option_text(option).replace("`", "")]
                 for option in platform["options"]]
        rows += [[str(number), f"error number of {name}", f"{slug_}#{number}", sentence]
                 for number, sentence in advice()["platform_codes"].get(slug_, {}).items()]
    rows += [[name, "event", "../docs#receive-event", whole["components"]["schemas"][ref.rsplit("/", 1)[1]]["description"]]
             for name, ref in whole["components"]["schemas"]["Event"]["discriminator"]["mapping"].items()]
    return rows
