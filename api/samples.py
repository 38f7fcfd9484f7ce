# SPDX-License-Identifier: Apache-2.0
"""How a call looks in the languages of /docs: one writer for each, all from the request that the description has as its example. Where
the clients of clients/ have a method for it, TypeScript and Python use that; Go uses net/http; the command line its verb. What has
none in a language has no sample there. Secrets and ids come from the environment, under the same names in every language.
Knows nothing of pages."""
import json
import re
import shlex
import textwrap
from pathlib import Path
from typing import Any, NamedTuple

SOURCE = Path(__file__).resolve().parent.parent / "src"
ROUTE = re.compile(r'^ROUTE\((\w+), *"([^"]+)", *\w+, *\w+, *\w+, *\w+, *(\w+), *"([^"]+)"', re.M)
JSON = "application/json"
LINE = 76


class Variable(NamedTuple):
    """What the reader has in the environment under this name."""

    name: str


URL, TOKEN = Variable("POSTHORN_URL"), Variable("POSTHORN_TOKEN")
CREDENTIALS = (Variable("POSTHORN_CLIENT_ID"), Variable("POSTHORN_CLIENT_SECRET"))
LINK, LINK_PATH = Variable("UPLOAD_URL"), "/v1/media/links/{token}"
# What the examples have of a reader's own.
OWN = {
    "019a1fcd-7451-7617-8dc3-203f49eaf280": Variable("ACCOUNT_ID"), "019a1fcd-7451-7617-8dc3-203f49eaf281": Variable("OTHER_ACCOUNT_ID"),
    "phk_rX0v1QmV2bYkq8m3H5cJ9sT4wZ7uN6aE1dK0pLfGyCg": Variable("OLD_TOKEN"),
    "pcf_4hTq0N2bV7yKx9mR3sLw5eZc8uJd1aPg6oFi0tBvQnY": Variable("CONFIRMATION_TOKEN"),
}
SIZE = object()  # of the file that is sent
HEADERS = {"Upload-Length": SIZE, "Upload-Offset": "0"}  # of those that a call must have
HEADS = {"getUpload", "getUploadByLink"}  # tus asks by HEAD
BY_HEADERS = {"createUpload", "createUploadByLink", "continueUpload", "continueUploadByLink"}  # their answers have no body


def own(value):
    """The value with what is a reader's own as variables."""
    if isinstance(value, dict):
        return {name: own(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [own(inner) for inner in value]
    return OWN.get(value, value) if isinstance(value, str) else value


class Request:
    """One example of an operation's (reference.py)."""

    def __init__(self, operation, value):
        self.id = operation.body["operationId"]
        self.method = "HEAD" if self.id in HEADS else operation.method.upper()
        self.kind = None if value is None else operation.media()[0]
        self.file = value if isinstance(value, str) else None
        self.body = own(value) if isinstance(value, dict) else None
        named = {"platform": "x"}
        self.places = [(name, named.get(name, Variable(name.upper()))) for name in re.findall(r"\{(\w+)\}", operation.url)]
        self.url = self.pieces(operation.url)
        self.query = [(one["name"], Variable("USER_ID") if one["name"] == "confirm" else one["example"]) for one in operation.parameters
                      if one["in"] == "query" and (one.get("required") or "example" in one)]
        needed = [one["name"] for one in operation.parameters if one["in"] == "header" and one.get("required")]
        self.headers = [(name, HEADERS[name]) for name in needed]
        schemes = [name for scheme in operation.security for name in scheme]
        self.scheme = schemes[0] if schemes else None

    def pieces(self, url):
        """Texts and variables; a link's address is a whole of its own."""
        start, rest = (LINK, url.removeprefix(LINK_PATH)) if url.startswith(LINK_PATH) else (URL, url)
        places = dict(self.places)
        parts = [places[part] if odd % 2 else part for odd, part in enumerate(re.split(r"\{(\w+)\}", rest))]
        whole = [start]
        for part in parts:  # texts that meet are one
            if isinstance(part, str) and isinstance(whole[-1], str):
                whole[-1] += part
            elif part:
                whole.append(part)
        return whole

    def members(self):
        """What it says, wherever it stands: in the body, or in path and query."""
        if self.body is not None:
            return self.body
        return {name: value for name, value in self.places if not isinstance(value, Variable)} | dict(self.query)


# ---- curl ----


def in_shell(text):
    """For inside double quotes."""
    return f"${text.name}" if isinstance(text, Variable) else text


def shell_word(value):
    return f'"${value.name}"' if isinstance(value, Variable) else shlex.quote(str(value))


def shell_json(value):
    """JSON in single quotes, which a variable leaves."""
    text = json.dumps(marked(value), indent=2, ensure_ascii=False).replace("'", "'\\''")
    return re.sub("\ue000(\\w+)\ue000", "'\"$\\1\"'", textwrap.indent(text, "  ").strip())


def marked(value):
    """With \ue000NAME\ue000 for each variable, which is a text for JSON."""
    if isinstance(value, Variable):
        return f"\ue000{value.name}\ue000"
    if isinstance(value, dict):
        return {name: marked(inner) for name, inner in value.items()}
    return [marked(inner) for inner in value] if isinstance(value, list) else value


CURL_METHODS = {"GET": "", "HEAD": " -I"}


def curl(request):
    has_body = request.kind is not None
    method = CURL_METHODS.get(request.method, "" if request.method == "POST" and has_body else f" -X {request.method}")
    shown = " -i" if request.id in BY_HEADERS else ""
    lines = [f"curl -s{shown}{' -G' if request.query else ''}{method} \"{''.join(map(in_shell, request.url))}\""]
    if request.scheme == "basic":
        lines.append(f'-u "{":".join(map(in_shell, CREDENTIALS))}"')
    if request.scheme == "bearer":
        lines.append(f'-H "Authorization: Bearer ${TOKEN.name}"')
    lines += [f'-H "{name}: $(wc -c < {request.file})"' if value is SIZE else f"-H '{name}: {value}'" for name, value in request.headers]
    lines += [f"--data-urlencode {shell_pair(*pair)}" for pair in request.query]
    return " \\\n  ".join(lines + (curl_body(request) if has_body else []))


def shell_pair(name, value):
    return f'"{name}=${value.name}"' if isinstance(value, Variable) else shlex.quote(f"{name}={value}")


def curl_body(request):
    if request.file is not None:
        return [f"-H 'Content-Type: {request.kind}'", f"--data-binary @{request.file}"]
    if request.kind != JSON:
        return [f"-d {shell_pair(*pair)}" for pair in request.body.items()]
    return [f"-H 'Content-Type: {JSON}'", f"-d '{shell_json(request.body)}'"]


# ---- the clients ----

EACH = True


class Call(NamedTuple):
    """A method of the clients, as Python names it; TypeScript has camelCase. arguments: members of the path, `body`, `query`, `file`,
    `.name` (a member of the body), parted by blanks. noun: what comes back; "" where nothing does. is_each: it comes one by one."""

    method: str
    arguments: str = ""
    noun: str = ""
    is_each: bool = False


CALLS = {
    "issueToken": Call("issue_token", noun="token"),
    "revokeToken": Call("revoke_token", ".token"),
    "beginConnection": Call("connections.begin", "body", "connection"),
    "beginConnectionByBody": Call("connections.begin", "body", "connection"),
    "getConnectionAccounts": Call("connections.get", "connection_id", "connection"),
    "confirmConnection": Call("connections.confirm", "connection_id body", "connection"),
    "listAccounts": Call("accounts.list", "query", "account", EACH),
    "getAccount": Call("accounts.get", "account_id", "account"),
    "disconnectAccount": Call("accounts.disconnect", "account_id"),
    "checkAccount": Call("accounts.check", "account_id", "checked"),
    "getUser": Call("users.get", "user_id", "stored"),
    "eraseUser": Call("users.erase", "user_id", "erasing"),
    "publishPost": Call("posts.publish", "body", "accepted"),
    "validatePost": Call("posts.validate", "body", "validation"),
    "retryPosts": Call("posts.retry_many", "body", "retried"),
    "listPosts": Call("posts.list", "query", "post", EACH),
    "getPost": Call("posts.get", "post_id", "post"),
    "editPost": Call("posts.edit", "post_id body", "post"),
    "cancelPost": Call("posts.cancel", "post_id"),
    "retryPost": Call("posts.retry", "post_id body", "post"),
    "unpublishPost": Call("posts.unpublish", "post_id body", "post"),
    "getPostTimeline": Call("posts.timeline", "post_id", "timeline"),
    "listDrafts": Call("drafts.list", "query", "draft", EACH),
    "createDraft": Call("drafts.create", "body", "draft"),
    "getDraft": Call("drafts.get", "draft_id", "draft"),
    "changeDraft": Call("drafts.change", "draft_id body", "draft"),
    "deleteDraft": Call("drafts.delete", "draft_id"),
    "rejectDraft": Call("drafts.reject", "draft_id .reason", "draft"),
    "publishDraft": Call("drafts.publish", "draft_id body", "accepted"),
    "listMedia": Call("media.list", "query", "file", EACH),
    "uploadMedia": Call("media.upload", "file", "uploaded"),
    "getMedia": Call("media.get", "media_id", "file"),
    "deleteMedia": Call("media.delete", "media_id"),
    "getMediaContent": Call("media.download", "media_id", "content"),
    "createUpload": Call("media.upload", "file", "uploaded"),
    "createUploadLink": Call("media.create_link", "body", "link"),
    "createUploadByLink": Call("upload_by_link", "link file", "uploaded"),
    "putByLink": Call("upload_by_link", "link file", "uploaded"),
    "listWebhooks": Call("webhooks.list", "", "webhooks"),
    "createWebhook": Call("webhooks.create", "body", "webhook"),
    "getWebhook": Call("webhooks.get", "webhook_id", "webhook"),
    "updateWebhook": Call("webhooks.change", "webhook_id body", "webhook"),
    "deleteWebhook": Call("webhooks.delete", "webhook_id"),
    "rotateWebhookSecret": Call("webhooks.rotate", "webhook_id", "webhook"),
    "testWebhook": Call("webhooks.test", "webhook_id", "sent"),
    "listWebhookDeliveries": Call("webhooks.deliveries", "webhook_id", "delivery", EACH),
    "listEvents": Call("events.list", "", "event", EACH),
    "listPlatforms": Call("platforms.list", "", "platforms"),
}
FREE = "upload_by_link"  # needs no client


class Style(NamedTuple):
    """How a language writes values."""

    key: Any
    variable: Any
    words: dict
    indent: str
    pad: str  # inside the braces of an object on one line


TYPESCRIPT = Style(lambda name: name if name.isidentifier() else json.dumps(name), lambda name: name,
                   {True: "true", False: "false", None: "null"}, "\t", " ")
PYTHON = Style(json.dumps, 'os.environ["{}"]'.format, {True: "True", False: "False", None: "None"}, "    ", "")


def literal(value, style, depth=0):
    """On one line where there is room, else a member a line."""
    if isinstance(value, Variable):
        return style.variable(value.name)
    if isinstance(value, bool) or value is None:
        return style.words[value]
    if not isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False)
    opening, closing, pad = ("{", "}", style.pad) if isinstance(value, dict) else ("[", "]", "")
    heads = [f"{style.key(name)}: " for name in value] if isinstance(value, dict) else [""] * len(value)
    inner = list(value.values()) if isinstance(value, dict) else value
    parts = [head + literal(one, style, depth + 1) for head, one in zip(heads, inner)]
    line = f"{opening}{pad}{', '.join(parts)}{pad}{closing}"
    if len(line) <= LINE - 12 - 4 * depth and "\n" not in line:
        return line
    tabs = style.indent * (depth + 1)
    return opening + "\n" + "".join(f"{tabs}{part},\n" for part in parts) + style.indent * depth + closing


def variables_of(thing):
    """Those that it has, each once, as they come."""
    if isinstance(thing, Variable):
        return [thing]
    parts = thing.values() if isinstance(thing, dict) else thing if isinstance(thing, (list, tuple)) else []
    return list(dict.fromkeys(one for part in parts for one in variables_of(part)))


def arguments_of(request, call):
    """[(kind, value)] of a call's arguments."""
    places, given = dict(request.places), []
    for word in call.arguments.split():
        if word == "body":
            given.append((word, request.members()))
        elif word == "query":
            given += [(word, dict(request.query))] if request.query else []
        elif word == "file":
            given.append((word, request.file))
        elif word == "link":
            given.append((word, LINK))
        else:
            given.append(("value", request.body[word[1:]] if word.startswith(".") else places[word]))
    return given


def typescript(request):
    call = CALLS.get(request.id)
    if call is None:
        return None
    given = arguments_of(request, call)
    is_free, has_file = call.method == FREE, any(kind == "file" for kind, _ in given)
    who = [] if is_free else [URL, *(CREDENTIALS if request.scheme == "basic" else [TOKEN])]
    settings = "url: POSTHORN_URL, " + ("token: POSTHORN_TOKEN" if TOKEN in who else
                                        "clientId: POSTHORN_CLIENT_ID, clientSecret: POSTHORN_CLIENT_SECRET")
    names = [one.name for one in [*who, *variables_of([value for _, value in given])]]
    method = re.sub(r"_(\w)", lambda found: found[1].upper(), call.method)
    written = [typescript_argument(*one) for one in given]
    made = f"{'' if is_free else 'posthorn.'}{method}({', '.join(written)})"
    lines = ['import { openAsBlob } from "node:fs";'] * has_file
    lines += [f"import {{ {method if is_free else 'Posthorn'} }} from \"posthorn-client\";", "", environment(names)]
    lines += [] if is_free else [typescript_client(settings)]
    lines += ["", *([f'const file = await openAsBlob("{request.file}");'] if has_file else [])]
    return "\n".join(lines + typescript_result(call, made, request.id))


def environment(names):
    line = f"const {{ {', '.join(f'{name} = {chr(34) * 2}' for name in names)} }} = process.env;"
    if len(line) <= LINE + 4:
        return line
    return "const {\n" + "".join(f'\t{name} = "",\n' for name in names) + "} = process.env;"


def typescript_client(settings):
    line = f"const posthorn = new Posthorn({{ {settings} }});"
    if len(line) <= LINE + 4:
        return line
    return "const posthorn = new Posthorn({\n" + "".join(f"\t{one},\n" for one in settings.split(", ")) + "});"


def typescript_argument(kind, value):
    return f'file, {{ fileName: "{value}" }}' if kind == "file" else literal(value, TYPESCRIPT)


def typescript_result(call, made, operation):
    if not call.noun:
        return [f"await {made};"]
    if call.is_each:
        return [f"for await (const {call.noun} of {made}) {{", f"\tconsole.log({call.noun});", "}"]
    shown = "content.size" if operation == "getMediaContent" else call.noun
    return [f"const {call.noun} = await {made};", f"console.log({shown});"]


def python(request):
    call = CALLS.get(request.id)
    if call is None:
        return None
    given = arguments_of(request, call)
    is_free = call.method == FREE
    written = [python_argument(*one) for one in given]
    made = f"{'' if is_free else 'posthorn.'}{call.method}({', '.join(written)})"
    lines = ["import os", f"from posthorn import {call.method if is_free else 'Posthorn'}", ""]
    if not is_free and request.scheme == "basic":
        lines += ["posthorn = Posthorn(", f"    {literal(URL, PYTHON)},", f"    client_id={literal(CREDENTIALS[0], PYTHON)},",
                  f"    client_secret={literal(CREDENTIALS[1], PYTHON)},", ")"]
    elif not is_free:
        lines.append(f"posthorn = Posthorn({literal(URL, PYTHON)}, token={literal(TOKEN, PYTHON)})")
    return "\n".join(lines + python_result(call, made, request.id))


def python_argument(kind, value):
    if kind == "query":
        return ", ".join(f"{name}={literal(one, PYTHON)}" for name, one in value.items())
    return literal(value, PYTHON)


def python_result(call, made, operation):
    if not call.noun:
        return [made]
    if call.is_each:
        return [f"for {call.noun} in {made}:", f"    print({call.noun})"]
    shown = "len(content)" if operation == "getMediaContent" else call.noun
    return [f"{call.noun} = {made}", f"print({shown})"]


# ---- Go ----

ESCAPED = {"USER_ID"}  # a text of the customer's own, which may have any character


def go_value(value):
    return f'os.Getenv("{value.name}")' if isinstance(value, Variable) else json.dumps(value, ensure_ascii=False)


def go_place(part):
    read = go_value(part)
    return f"url.PathEscape({read})" if isinstance(part, Variable) and part.name in ESCAPED else read


def go_values(pairs):
    return "url.Values{" + ", ".join(f'"{name}": {{{go_value(value)}}}' for name, value in pairs) + "}.Encode()"


def go_json(body):
    """JSON as it is sent, and what it has of the reader's own: a format and its arguments where there is any."""
    text = json.dumps(marked(body), indent=2, ensure_ascii=False)
    if "`" in text:
        raise SystemExit("samples.py: Go's raw strings have no backquote")
    names = re.findall("\ue000(\\w+)\ue000", text)
    if not names:
        return f"`{text}`"
    text = re.sub("\"\ue000\\w+\ue000\"", "%q", text.replace("%", "%%"))
    return f"fmt.Sprintf(`{text}`, {', '.join(go_value(Variable(name)) for name in names)})"


def go_body(request):
    """(lines before the call, the reader of the body)"""
    if request.kind is None:
        return [], "nil"
    if request.file is not None:
        return [f'file, err := os.ReadFile("{request.file}")', *GO_CHECK], "bytes.NewReader(file)"
    if request.kind == JSON:
        return [f"body := {go_json(request.body)}"], "strings.NewReader(body)"
    return [f"form := {go_values(request.body.items())}"], "strings.NewReader(form)"


GO_CHECK = ["if err != nil {", "\tlog.Fatal(err)", "}"]
GO_PACKAGES = {"bytes": "bytes.", "fmt": "fmt.", "io": "io.", "log": "log.", "net/http": "http.", "net/url": "url.", "os": "os.",
               "strings": "strings."}


def go_headers(request):
    headers = [f'request.Header.Set("{name}", {"fmt.Sprint(len(file))" if value is SIZE else json.dumps(value)})'
               for name, value in request.headers]
    if request.scheme == "basic":
        headers.append(f"request.SetBasicAuth({', '.join(map(go_value, CREDENTIALS))})")
    if request.scheme == "bearer":
        headers.append(f'request.Header.Set("Authorization", "Bearer "+{go_value(TOKEN)})')
    return headers + ([f'request.Header.Set("Content-Type", "{request.kind}")'] if request.kind else [])


def go(request):
    before, reader = go_body(request)
    before += [f"query := {go_values(request.query)}"] if request.query else []
    pieces = [*request.url[:-1], request.url[-1] + "?"] if request.query and isinstance(request.url[-1], str) else request.url
    address = "+".join(map(go_place, pieces)) + ("" if not request.query else "+query" if pieces != request.url else '+"?"+query')
    lines = [*before, f'request, err := http.NewRequest("{request.method}", {address}, {reader})', *GO_CHECK, *go_headers(request),
             "answer, err := http.DefaultClient.Do(request)", *GO_CHECK, "defer answer.Body.Close()",
             f"log.Println(answer.Status{', answer.Header' if request.id in BY_HEADERS | HEADS else ''})",
             "io.Copy(os.Stdout, answer.Body)"]
    text = "\n".join(lines)
    packages = "".join(f'\t"{name}"\n' for name, used in GO_PACKAGES.items() if re.search(rf"(?<![\w.]){re.escape(used)}", text))
    return f"package main\n\nimport (\n{packages})\n\nfunc main() {{\n{go_indented(lines)}\n}}"


def go_indented(lines):
    """A raw string's lines stay where they are."""
    return "\n".join("\t" + line for line in lines)


# ---- the command line ----

NOT_VERBS = {"BROWSER", "PLATFORM", "PROTOCOL"}
FLAGS = {
    "scheduled_at": "at", "request_id": "request-id", "error_codes": "error-code", "since": "since", "reason": "reason", "events": "events",
    "max_bytes": "max-bytes", "expires_in": "expires-in", "user_id": "user", "date_from": "from", "date_to": "until", "confirm": "confirm",
}
SWITCHES = {("dry_run", True): "dry-run", ("enabled", True): "enable", ("enabled", False): "disable", ("republish", True): "republish",
            ("republish", False): None}
WORDS = {"content", "url", "platform"}  # stand without a flag
UNSAID = {"redirect_url", "grant_type", "token", "confirmation_token"}  # the verb knows, or reads them elsewhere
BY_TEXT = {"edit", "drafts change"}  # take a new text by a flag
BY_ACCOUNT = {"unpublish", "retry"}
BEFORE = {"revokeToken": 'POSTHORN_TOKEN="$OLD_TOKEN" ', "confirmConnection": 'printf %s "$CONFIRMATION_TOKEN" | '}
AFTER = {"getMediaContent": " > walnut.jpg"}


def verbs():
    """{operation: verb}"""
    text = (SOURCE / "api/routes.def").read_text(encoding="utf-8")
    return {operation: verb for _, _, operation, verb in ROUTE.findall(text) if verb not in NOT_VERBS}


def media_words(files):
    for file in files:
        yield f"--media {shell_word(file['type'] + ':' + file['url'])}"
        if "alt_text" in file:
            yield f"--alt {shell_word(file['alt_text'])}"


def member_words(verb, name, value):
    """What a member of a request is on the command line."""
    if name in WORDS:
        return [f"--text {shell_word(value)}" if verb in BY_TEXT and name == "content" else shell_word(value)]
    if name == "account_ids":
        return [f"--{'account' if verb in BY_ACCOUNT else 'to'} {shell_word(one)}" for one in value]
    if name == "media":
        return list(media_words(value))
    if name == "containers":
        return [shell_word(value[0]["content"]), *(f"--comment {shell_word(one['content'])}" for one in value[1:])]
    if isinstance(value, bool):
        return [f"--{SWITCHES[name, value]}"] if SWITCHES[name, value] else []
    return [f"--{FLAGS[name]} {shell_word(','.join(value) if isinstance(value, list) else value)}"]


def cli(request, known):
    verb = known.get(request.id)
    if verb is None:
        return None
    if request.file is not None:
        return f"posthorn {verb} {request.file}"
    places = [shell_word(value) for _, value in request.places if isinstance(value, Variable)]
    words = [word for name, value in request.members().items() if name not in UNSAID for word in member_words(verb, name, value)]
    words.sort(key=lambda word: word.startswith("--"))  # the text first
    line = " ".join([f"posthorn {verb}", *places, *words])
    if len(line) > LINE:
        line = " \\\n  ".join([" ".join([f"posthorn {verb}", *places, *(word for word in words if not word.startswith("--"))]),
                               *(word for word in words if word.startswith("--"))])
    return BEFORE.get(request.id, "") + line + AFTER.get(request.id, "")


# ---- all of them ----

LANGUAGES = ("typescript", "python", "go", "cli")  # beside curl; script.js has their names for people


def others(request):
    """{language: the sample}, of those that have one, curl left out."""
    made = {"typescript": typescript(request), "python": python(request), "go": go(request), "cli": cli(request, verbs())}
    return {language: made[language] for language in LANGUAGES if made[language] is not None}


def requests_of(operation):
    """[(label, request)] of what customers call; browsers and platforms make the calls of others."""
    if operation.path.endswith("/callback") or not operation.is_ours:
        return []
    return [(label, Request(operation, value)) for label, value in operation.samples()]


def samples_file(operations):
    """What script.js fetches when another language is first chosen: {the operation's id: [{language: text}, one for each request]}"""
    return {operation.id: [others(request) for _, request in requests_of(operation)] for operation in operations if operation.is_customers}
