# SPDX-License-Identifier: Apache-2.0
"""The reference page of /docs, made of the description (openapi.yaml) and the guide (guide.html): every endpoint, field, limit,
example and error. Plain HTML for a strict Content-Security-Policy: no inline style or script. It decides nothing about the API."""
import html
import json
import re

from samples import curl, others, requests_of

METHODS = ("get", "post", "patch", "delete", "put")
STATUS_WORDS = {
    "400": "Bad request", "401": "Not authenticated", "403": "Not allowed", "404": "Not found", "405": "Method not allowed",
    "409": "Conflict", "413": "Too large", "415": "Unsupported media type", "416": "No such range", "422": "Not valid",
    "429": "Too many requests", "500": "Internal error", "503": "Unavailable",
}


# ---- text ----


def escape(text):
    return html.escape(str(text), quote=True)


def inline(text):
    """One line of text: `code` and nothing else."""
    parts = re.split(r"`([^`]+)`", str(text))
    return "".join(f"<code>{escape(part)}</code>" if odd % 2 else escape(part) for odd, part in enumerate(parts))


def paragraphs(text):
    """Blocks between blank lines; a block of numbered lines is a list."""
    done = []
    for block in re.split(r"\n\s*\n", str(text or "").strip()):
        items = re.split(r"^\d+\. ", block, flags=re.M)
        if len(items) > 2 and not items[0].strip():
            done.append("<ol>" + "".join(f"<li>{inline(' '.join(item.split()))}</li>" for item in items[1:]) + "</ol>")
        elif block:
            done.append(f"<p>{inline(' '.join(block.split()))}</p>")
    return "".join(done)


def code_block(text, label, kind="json"):
    return (
        f'<figure class="code"><figcaption><span>{escape(label)}</span><button type="button" class="copy" hidden>Copy</button></figcaption>'
        f'<pre tabindex="0" class="{kind}"><code>{coloured(text) if kind == "json" else escape(text)}</code></pre></figure>'
    )


def call_block(text, label, name, languages):
    """A call with curl. script.js puts tabs in the place of the word, and under them what it has for `name` in the other languages."""
    label = f'<span class="of">{escape(label)}</span>' if label else ""
    also = f' data-call="{name}" data-in="{" ".join(languages)}"' if languages else ""
    return (
        f'<figure class="code"{also}><figcaption><span class="in">curl</span>{label}<button type="button" class="copy" hidden>Copy</button>'
        f'</figcaption><pre tabindex="0" class="sh"><code>{escape(text)}</code></pre></figure>'
    )


TOKENS = re.compile(r'("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null|-?\d+(?:\.\d+)?)\b')


def coloured(text):
    """JSON with its names, texts and words marked."""
    done, at = [], 0
    for found in TOKENS.finditer(text):
        done.append(escape(text[at : found.start()]))
        kind = "k" if found[2] else "s" if found[1] else "n"
        done.append(f'<b class="{kind}">{escape(found[1] or found[3])}</b>{found[2] or ""}')
        at = found.end()
    return "".join(done) + escape(text[at:])


# ---- schemas ----

# Where the fields of a schema that many calls have are told; elsewhere stands a link.
HOMES = {
    "Post": "list-posts", "PostDetails": "get-post", "PlatformPostDetails": "get-post", "AccountDetails": "get-account",
    "Connection": "get-connection-accounts", "Draft": "get-draft", "MediaFile": "get-media", "Webhook": "get-webhook",
    "Event": "receive-event", "PlatformOptions": "publish-post", "MediaRequest": "publish-post", "ContainerRequest": "publish-post",
    "OverrideRequest": "publish-post", "Container": "list-posts", "Override": "list-posts",
}


def branches_of(schema):
    return schema.get("oneOf") or schema.get("anyOf") or []


class Reference:
    """Looks into one description."""

    def __init__(self, description):
        self.description = description
        self.here = ""  # the article that is being written
        calls = [*description["paths"].values(), *description["webhooks"].values()]
        self.titles = {slug(call["operationId"]): call["summary"] for shared in calls for call in shared.values()
                       if isinstance(call, dict) and "operationId" in call}

    def resolve(self, thing):
        """What a $ref points to; its own description wins."""
        while isinstance(thing, dict) and "$ref" in thing:
            target = self.description
            for step in thing["$ref"].removeprefix("#/").split("/"):
                target = target[step.replace("~1", "/").replace("~0", "~")]
            thing = {**target, **{key: value for key, value in thing.items() if key != "$ref"}}
        return thing

    def without_null(self, schema):
        """(the schema, may it be null)"""
        schema = self.resolve(schema)
        branches = branches_of(schema)
        if branches:
            real = [branch for branch in branches if self.resolve(branch).get("type") != "null"]
            own = {key: value for key, value in schema.items() if key not in ("oneOf", "anyOf")}
            if len(real) == 1:
                return {**self.resolve(real[0]), **own}, len(real) < len(branches)
            return {"type": "object", **own, "oneOf": real}, len(real) < len(branches)
        kinds = schema.get("type")
        if isinstance(kinds, list):
            rest = [kind for kind in kinds if kind != "null"]
            return {**schema, "type": rest[0] if len(rest) == 1 else rest}, "null" in kinds
        return schema, False

    # -- a schema in words

    def kind(self, schema):
        schema, is_nullable = self.without_null(schema)
        if len(schema.get("enum", [])) == 1:
            text = "constant"
        elif schema.get("type") == "array":
            text = f"array of {self.kind(schema.get('items', {}))}"
        else:
            text = schema.get("type", "any")
            text = " or ".join(text) if isinstance(text, list) else text
        return text + (" or null" if is_nullable else "")

    def limits(self, schema):
        """Everything that a value must keep to, as short chips."""
        schema, _ = self.without_null(schema)
        chips = []
        if len(schema.get("enum", [])) == 1:
            chips.append(f"always {json.dumps(schema['enum'][0])}")
        else:
            chips += [str(value) for value in schema.get("enum", []) if value != ""]
        if schema.get("format"):
            chips.append(schema["format"])
        for low, high, what in (("minimum", "maximum", ""), ("minLength", "maxLength", " characters"), ("minItems", "maxItems", " items")):
            if low in schema and high in schema:
                chips.append(f"{schema[low]} to {schema[high]:,}{what}")
            elif low in schema:
                chips.append(f"at least {schema[low]}{what}")
            elif high in schema:
                chips.append(f"at most {schema[high]:,}{what}")
        if schema.get("uniqueItems"):
            chips.append("no two alike")
        if "pattern" in schema:
            chips.append(schema["pattern"])
        if "default" in schema:
            chips.append(f"default {schema['default']}")
        return chips

    def fields(self, schema, depth=0):
        """The fields of an object, or of an array's elements, one in the other."""
        schema, _ = self.without_null(schema)
        while schema.get("type") == "array":
            schema, _ = self.without_null(schema.get("items", {}))
        if "oneOf" in schema:
            return self.kinds(schema, depth)
        rows = [
            self.field(name, inner, name in schema.get("required", []), depth) for name, inner in schema.get("properties", {}).items()
        ]
        more = schema.get("additionalProperties")
        if isinstance(more, dict):
            rows.append(self.field("(any name)", more, False, depth))
        return f'<ul class="fields">{"".join(rows)}</ul>' if rows else ""

    def kinds(self, schema, depth):
        """What all kinds of an object have, and then what each has."""
        kinds = [(self.name_of(branch), branch, self.resolve(branch)) for branch in schema["oneOf"]]
        members = [kind.get("properties", {}) for _, _, kind in kinds]
        common = {name: inner for name, inner in members[0].items() if all(other.get(name) == inner for other in members)}
        rows = [self.field(name, inner, name in kinds[0][2].get("required", []), depth) for name, inner in common.items()]
        for title, branch, kind in kinds:
            own = {**kind, "properties": {name: inner for name, inner in kind.get("properties", {}).items() if name not in common}}
            fields = self.see(branch) or self.fields(own, depth + 1)
            head = f'<summary><code class="name">{escape(title)}</code></summary>'
            rows.append(f'<li><details>{head}{paragraphs(kind.get("description"))}{fields}</details></li>')
        return f'<ul class="fields">{"".join(rows)}</ul>'

    def name_of(self, branch):
        """The word that tells this kind from the others, or the name of its schema."""
        words = self.resolve(branch).get("properties", {}).get("type", {}).get("enum", [])
        return words[0] if len(words) == 1 else branch["$ref"].rsplit("/", 1)[1]

    def home_of(self, schema):
        """Where the fields of the schema that this one names are told, when that is not here."""
        named = [schema, schema.get("items"), schema.get("additionalProperties"), *branches_of(schema)]
        refs = [one["$ref"].rsplit("/", 1)[1] for one in named if isinstance(one, dict) and "$ref" in one]
        homes = [HOMES[ref] for ref in refs if ref in HOMES]
        return homes[0] if homes and homes[0] != self.here else None

    def see(self, schema):
        home = self.home_of(schema)
        return f'<p class="see">Fields: see <a href="#{home}">{escape(self.titles[home])}</a>.</p>' if home else ""

    def field(self, name, schema, is_required, depth):
        inner = self.see(schema) or (self.fields(schema, depth + 1) if depth < 6 else "")
        words, _ = self.without_null(schema)
        return (
            f"<li>{self.head(name, schema, is_required)}{paragraphs(words.get('description'))}{self.chips(schema)}"
            + (f'<details{" open" if depth == 0 and (name == "data" or len(inner) < 1500) else ""}><summary>Fields</summary>{inner}</details>' if inner else "")
            + "</li>"
        )

    def head(self, name, schema, is_required, place=""):
        mark = '<em class="need">required</em>' if is_required else ""
        where = f'<em class="place">{escape(place)}</em>' if place else ""
        return f'<div class="head"><code class="name">{escape(name)}</code><span class="type">{escape(self.kind(schema))}</span>{where}{mark}</div>'

    def chips(self, schema):
        limits = self.limits(schema)
        inner, _ = self.without_null(schema)
        if inner.get("type") == "array" and "properties" not in self.resolve(inner.get("items", {})):
            limits += self.limits(inner.get("items", {}))
        return '<div class="chips">' + "".join(f"<span>{escape(chip)}</span>" for chip in limits) + "</div>" if limits else ""


# ---- operations ----


def slug(text):
    return re.sub(r"[^a-z0-9]+", "-", re.sub(r"([a-z])([A-Z])", r"\1-\2", text).lower()).strip("-")


def badge(method):
    return f'<span class="method {method}">{method.upper()}</span>'


class Operation:
    def __init__(self, reference, path, shared, method, body):
        self.reference, self.path, self.method, self.body = reference, path, method, body
        self.id = slug(body["operationId"])
        parameters = [*shared.get("parameters", []), *body.get("parameters", [])]
        self.parameters = [reference.resolve(parameter) for parameter in parameters]
        servers = shared.get("servers") or reference.description["servers"]
        self.is_ours = path.startswith("/")  # else a call to a customer
        self.is_customers = self.is_ours and shared.get("x-audience") != "operator"
        self.url = servers[0]["url"].rstrip("/") + path if self.is_ours else "https://customer.example/hooks/posthorn"
        self.security = body.get("security", reference.description.get("security", []))

    # -- requests

    def media(self):
        """(media type, its content) of the request body, or None."""
        content = self.reference.resolve(self.body.get("requestBody", {})).get("content", {})
        return next(iter(content.items()), None)

    def samples(self):
        """[(label, value)] of the request body."""
        if self.media() is None:
            return [("", None)]
        content = self.media()[1]
        if "examples" in content:
            return [(example["summary"], example["value"]) for example in content["examples"].values()]
        return [("", content["example"])]

    # -- parts of the page

    def parameter_list(self):
        rows = []
        for parameter in self.parameters:
            schema = parameter.get("schema", {})
            head = self.reference.head(parameter["name"], schema, parameter.get("required"), parameter["in"])
            words = parameter.get("description") or self.reference.resolve(schema).get("description")
            rows.append(f"<li>{head}{paragraphs(words)}{self.reference.chips(schema)}</li>")
        return f'<h4>Parameters</h4><ul class="fields">{"".join(rows)}</ul>' if rows else ""

    def body_list(self):
        if self.media() is None:
            return ""
        kind, content = self.media()
        words = paragraphs(self.reference.resolve(content["schema"]).get("description"))
        return f"<h4>Body <code>{escape(kind)}</code></h4>{words}{self.reference.fields(content['schema'])}"

    def responses(self):
        """[(status, response)]"""
        return [(status, self.reference.resolve(response)) for status, response in self.body["responses"].items()]

    def answer_list(self):
        done = []
        for status, response in self.responses():
            if status[0] in "45":
                continue
            content = next(iter(response.get("content", {}).items()), None)
            fields = self.reference.fields(content[1]["schema"]) if content and "schema" in content[1] else ""
            head = f'<summary><span class="status ok">{status}</span> {inline(response["description"])}</summary>'
            done.append(f'<details class="answer" open>{head}{self.header_list(response)}{fields}</details>')
        return f"<h4>Answers</h4>{''.join(done)}"

    def header_list(self, response):
        names = [name for name in response.get("headers", {}) if name not in COMMON_HEADERS]
        rows = [
            f"<li><code>{escape(name)}</code> {inline(self.reference.resolve(response['headers'][name]).get('description', ''))}</li>"
            for name in names
        ]
        return f'<ul class="headers">{"".join(rows)}</ul>' if rows else ""

    def error_list(self):
        rows = []
        for status, response in self.responses():
            if status[0] in "45":
                words = inline(response["description"].rstrip("."))
                rows.append(f'<tr><td><span class="status bad">{status}</span></td><td>{STATUS_WORDS.get(status, "")}</td><td>{words}</td></tr>')
        if not rows:
            return ""
        return f'<h4>Errors</h4><table class="errors"><tbody>{"".join(rows)}</tbody></table>'

    def answer_sample(self):
        for status, response in self.responses():
            content = response.get("content", {}).get("application/json")
            if status[0] == "2" and "example" in (content or {}):
                value = content["example"]
                text, note = json.dumps(value, indent=2, ensure_ascii=False), ""
                if len(text) > SAMPLE_MAX and isinstance(value.get("data"), list):
                    text, note = json.dumps({**value, "data": value["data"][:1]}, indent=2, ensure_ascii=False), ", the first of several"
                return code_block(text, f"Answer {status}{note}")
        return ""

    def access(self):
        """Who may call it."""
        if not self.is_ours:
            return "Called by this service, signed with the webhook's secret."
        for scheme in self.security:
            if "bearer" in scheme:
                scope = f" with the scope <code>{escape(scheme['bearer'][0])}</code>" if scheme["bearer"] else ""
                return f"Requires the app's access token, or a key{scope}."
            if "basic" in scheme:
                return "Requires the client id and secret."
        return "Public."

    def html(self):
        self.reference.here = self.id
        calls = "".join(
            call_block(curl(request), label, f"{self.id} {number}", others(request) if self.is_customers else ())
            for number, (label, request) in enumerate(requests_of(self))
        )
        if not self.is_ours:
            calls = code_block(json.dumps(self.samples()[0][1], indent=2, ensure_ascii=False), "An event")
        return f"""
<article class="operation" id="{self.id}">
<div class="text">
<h3><a href="#{self.id}">{escape(self.body['summary'])}</a></h3>
<p class="route">{badge(self.method)}<code>{escape(self.url)}</code></p>
<p class="access">{self.access()}</p>
{paragraphs(self.body.get('description'))}
{self.parameter_list()}{self.body_list()}{self.answer_list()}{self.error_list()}
</div>
<div class="aside">{calls}{self.answer_sample()}</div>
</article>"""


SAMPLE_MAX = 8000
COMMON_HEADERS = {"X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"}


# ---- the page ----


def operations_of(description):
    reference = Reference(description)
    return [
        Operation(reference, path, shared, method, shared[method])
        for path, shared in [*description["paths"].items(), *description["webhooks"].items()]
        for method in METHODS
        if method in shared
    ]


def common_section(description):
    """What holds for every call."""
    reference = Reference(description)
    headers = reference.description["components"]["headers"]
    rows = "".join(
        f"<li><div class=\"head\"><code class=\"name\">{name}</code></div><p>{inline(headers[key]['description'])}</p></li>"
        for name, key in (("X-Request-Id", "RequestId"), ("X-RateLimit-Limit", "RateLimit"), ("X-RateLimit-Remaining", "RateRemaining"), ("X-RateLimit-Reset", "RateReset"))
    )
    error = reference.description["components"]["responses"]["Error"]["content"]["application/json"]
    failures = description["components"]["schemas"]["FailureCode"]["enum"]
    return f"""
<article class="operation" id="errors"><div class="text">
<h3><a href="#errors">Errors and common headers</a></h3>
<p>Every refusal has this body. <code>error</code> is a word that does not change; <code>message</code> is for people.</p>
{reference.fields(error["schema"])}
<h4>Headers of every answer</h4><ul class="fields">{rows}</ul>
<h4>Why a platform post failed</h4><p>An accepted post is published, or fails with one of these in <code>error.code</code>.
<a href="docs/errors">What each means, and what to do</a>.</p>
<div class="chips">{"".join(f"<span>{code}</span>" for code in failures)}</div>
</div><div class="aside">{code_block(json.dumps(error["examples"]["VALIDATION_ERROR"]["value"], indent=2), "An error")}</div></article>"""


def navigation(description, operations, guide):
    steps = re.findall(r'<article class="operation" id="([^"]+)">.*?<h3><a[^>]*>(.*?)</a>', guide, re.S)
    done = ['<h2><a href="#guide">Guide</a></h2><ul>' + "".join(f'<li><a href="#{anchor}">{title}</a></li>' for anchor, title in steps) + "</ul>"]
    for tag in description["tags"]:
        rows = [
            f'<li><a href="#{operation.id}"><span class="method {operation.method}">{operation.method.upper()}</span>{escape(operation.body["summary"])}</a></li>'
            for operation in operations
            if tag["name"] in operation.body["tags"]
        ]
        done.append(f'<h2><a href="#about-{slug(tag["name"])}">{escape(tag["name"])}</a></h2><ul>{"".join(rows)}</ul>')
    done.insert(1, '<ul class="single"><li><a href="#errors">Errors and common headers</a></li></ul>')
    return "".join(done)


def guide_html(text):
    """The guide's own blocks: ```sh ...``` becomes a figure that can be copied."""

    def block(found):
        kind, label, body = found[1], found[2].strip(), found[3].rstrip("\n")
        return code_block(body, label or kind, kind)

    text = re.sub(r"^```(\w+) ?([^\n]*)\n(.*?)^```$", block, text, flags=re.S | re.M)
    return re.sub(r"^<!--.*?-->\n", "", text, flags=re.S)


MARKDOWN = ".md"  # of a page's copy
SEARCH = ('<div class="search" role="search" hidden><input type="search" id="search" role="combobox" aria-label="Search"'
          ' aria-controls="hits"'
          ' aria-expanded="false" aria-autocomplete="list" autocomplete="off" placeholder="Search ( / )">'
          '<ul id="hits" role="listbox" aria-label="Found" hidden></ul><p id="found" class="unseen" role="status"></p></div>')
# Paths are relative, so that the pages work below any prefix: the reference is /docs, the others stand below /docs/.
MORE = (("errors", "Errors and failures"), ("instagram", "Instagram"), ("facebook", "Facebook"), ("x", "X"), ("linkedin", "LinkedIn"),
        ("youtube", "YouTube"), ("tiktok", "TikTok"), ("changelog", "Changelog"))


def frame(title, info, parts):
    """A whole page. parts: home (of the reference), below (of what stands below it), menu, main."""
    home, below = parts["home"], parts["below"]
    more = "".join(f'<li><a href="{below}{name}">{words}</a></li>' for name, words in MORE)
    menu = f'{parts["menu"]}<h2>More</h2><ul>{more}</ul>'
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
<link rel="icon" href="/favicon.ico" type="image/svg+xml">
<link rel="stylesheet" href="{below}style.css">
<script src="{below}script.js" defer></script>
</head>
<body>
<a class="skip" href="#text">To the text</a>
<header class="top"><a class="brand" href="{home}"><span class="horn" aria-hidden="true"></span>{escape(info["title"])}</a><span class="version">API v{escape(info["version"])}</span>
{SEARCH}
<a class="json" href="{below}../openapi.json">openapi.json</a></header>
<details class="menu"><summary>Contents</summary><nav aria-label="Contents">{menu}</nav></details>
<nav class="side" aria-label="Contents">{menu}</nav>
<main id="text" tabindex="-1">
{parts["main"]}
</main>
</body>
</html>
"""


def reference_page(description, guide):
    operations = operations_of(description)
    info = description["info"]
    guide = guide_html(guide)
    sections = []
    for tag in description["tags"]:
        mine = [operation.html() for operation in operations if tag["name"] in operation.body["tags"]]
        name = slug(tag["name"])
        sections.append(f'<section id="about-{name}"><h2>{escape(tag["name"])}</h2><p class="lead">{inline(tag["description"])}</p>{"".join(mine)}</section>')
    main = f"""<section id="guide"><h1>{escape(info["summary"])}</h1><div class="intro">{paragraphs(info["description"])}</div><h2>Step by step</h2>{guide}{common_section(description)}</section>
{"".join(sections)}
<footer>Generated from the description that this service serves at <a href="openapi.json">openapi.json</a>; as Markdown: <a href="docs/reference{MARKDOWN}">reference{MARKDOWN}</a>. Licence: {escape(info["license"]["name"])}.</footer>"""
    parts = {"home": "#guide", "below": "docs/", "menu": navigation(description, operations, guide), "main": main}
    return frame(f"{info['title']} API", info, parts)


def further_page(info, name, title, body):
    """A page below /docs/. Its menu has its own headings."""
    heads = re.findall(r'<h2 id="([^"]+)">(.*?)</h2>', body)
    menu = '<ul class="single"><li><a href="../docs">Guide and reference</a></li></ul>' + f'<h2>{escape(title)}</h2><ul>'
    menu += "".join(f'<li><a href="#{anchor}">{words}</a></li>' for anchor, words in heads) + "</ul>"
    main = f'<article class="page">{body}</article><footer>As Markdown: <a href="{name}.md">{name}.md</a>.</footer>'
    return frame(f"{title} – {info['title']} API", info, {"home": "../docs", "below": "", "menu": menu, "main": main})
