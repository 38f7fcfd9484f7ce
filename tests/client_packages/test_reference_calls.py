# SPDX-License-Identifier: Apache-2.0
"""The calls of /docs as a reader copies them, in every language. All of them are run against a server that refuses everything and
remembers what it was asked: each makes the call that it stands beside. Those of the main operations do their work at the running
service."""
import html
import http.server
import json
import re
import shutil
import subprocess
import sys
import threading

import pytest

from harness import App, clean_environment, find_binary
from packages import TYPESCRIPT, find_node

RUN_S = 120
ID = "01a20000-0000-7000-8000-000000000001"
VALUES = {
    "POSTHORN_TOKEN": "phk_a", "POSTHORN_CLIENT_ID": "phc_a", "POSTHORN_CLIENT_SECRET": "phs_a", "OLD_TOKEN": "phk_old",
    "CONFIRMATION_TOKEN": "pcf_a", "USER_ID": "user-42", "ACCOUNT_ID": ID, "OTHER_ACCOUNT_ID": ID[:-1] + "2",
    **{name: ID for name in ("CONNECTION_ID", "POST_ID", "DRAFT_ID", "MEDIA_ID", "UPLOAD_ID", "WEBHOOK_ID")},
}
LINK = "/v1/media/links/LINK"
UPLOADS = ("POST", "/v1/media/uploads")
# Where the clients call another route than the one beside which they stand: it does the same.
BY_BODY = ("POST", "/v1/accounts/connect")
OTHERWISE = {
    **{(language, "begin-connection"): BY_BODY for language in ("typescript", "python", "cli")},
    **{(language, "upload-media"): UPLOADS for language in ("typescript", "python")},
    **{(language, "put-by-link"): ("POST", LINK) for language in ("typescript", "python")},
    ("cli", "edit-post"): ("GET", f"/v1/posts/{ID}"),  # to change what is there now
}
FILES = {"typescript": "mjs", "python": "py", "curl": "sh", "cli": "sh"}
# Each runs all samples of its language; a sample's calls are told by the address that it is given.
DRIVERS = {
    "typescript": """
import { readFileSync } from "node:fs";
for (const name of JSON.parse(readFileSync("names.json"))) {
    process.env.POSTHORN_URL = `${process.argv[2]}/${name}`;
    process.env.UPLOAD_URL = `${process.argv[2]}/${name}/v1/media/links/LINK`;
    try { await import(`./${name}.mjs`); console.log(name, "nothing was refused"); }
    catch (failure) { if (failure.code !== "FORBIDDEN") console.log(name, failure); }
}""",
    "python": """
import json, os, pathlib, sys
from posthorn import ApiError
for name in json.loads(pathlib.Path("names.json").read_text()):
    os.environ["POSTHORN_URL"] = f"{sys.argv[1]}/{name}"
    os.environ["UPLOAD_URL"] = f"{sys.argv[1]}/{name}/v1/media/links/LINK"
    try:
        exec(pathlib.Path(f"{name}.py").read_text(), {})
        print(name, "nothing was refused")
    except ApiError as failure:
        if failure.code != "FORBIDDEN":
            print(name, failure)
""",
}


@pytest.fixture(scope="module")
def calls(service):
    """{language: {name: text}}, as the page and the file beside it have them. A name is an article's, and a number."""
    found = {language: {} for language in ("curl", "typescript", "python", "go", "cli")}
    for name, each in service.request("GET", "/docs/samples.json").json().items():
        for number, sample in enumerate(each):
            for language, text in sample.items():
                found[language][f"{name}-{number}"] = text
    page = service.request("GET", "/docs").text
    for name, text in re.findall(r'data-call="([^"]+)".*?<code>(.*?)</code>', page, re.S):
        found["curl"][name.replace(" ", "-")] = html.unescape(text)
    return found


@pytest.fixture(scope="module")
def described(service):
    """{article: (method, path, {media type: content} of the body)} of what customers call."""
    found = {}
    for path, shared in service.request("GET", "/openapi.json").json()["paths"].items():
        for method in ("get", "post", "patch", "put", "delete"):
            if method in shared:
                whole = "/v1" + path.replace("{platform}", "x").replace("links/{token}", "links/LINK").replace("{user_id}", "user-42")
                name = re.sub(r"([a-z])([A-Z])", r"\1-\2", shared[method]["operationId"]).lower()
                is_head = name in ("get-upload", "get-upload-by-link")
                found[name] = ("HEAD" if is_head else method.upper(), re.sub(r"\{\w+\}", ID, whole),
                               shared[method].get("requestBody", {}).get("content", {}))
    return found


class Refusing(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def refuse(self):
        sent = self.rfile.read(int(self.headers["Content-Length"] or 0))
        self.server.calls.append((self.command, self.path, self.headers, sent))
        body = b'{"message":"No.","error":"FORBIDDEN"}'
        self.send_response(403)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = refuse  # noqa: N815

    def log_message(self, *_):
        pass


@pytest.fixture
def refusing():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
    server.calls, server.url = [], f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


class Desk:
    """Where a reader runs the samples of a language."""

    def __init__(self, language, packages, directory):
        self.language, self.directory, self.more = language, directory, {}
        if language == "typescript":
            self.directory = packages("typescript").directory
        if language == "python":
            self.more = packages("python").environment({})
        (self.directory / "walnut.jpg").write_bytes(b"not yet a picture")

    def keep(self, name, text):
        if self.language == "cli":
            text = f'posthorn() {{ "{find_binary()}" "$@"; }}\n{text}'
        file = self.directory / f"{name}.{FILES[self.language]}"
        file.write_text(text + "\n", encoding="utf-8")
        return file.name

    def program(self, file):
        return {"typescript": [find_node(), file], "python": [sys.executable, file]}.get(self.language, ["bash", "-eu", file])

    def run(self, command, environment):
        return subprocess.run(command, cwd=self.directory, env=clean_environment({**self.more, **environment}), capture_output=True,
                              text=True, timeout=RUN_S, check=False)

    def run_all(self, texts, url):
        """Runs all, each with an address of its own. Says what it was that went wrong."""
        for name, text in texts.items():
            self.keep(name, text)
        if self.language in DRIVERS:
            (self.directory / "names.json").write_text(json.dumps(list(texts)))
            driver = self.keep("driver", DRIVERS[self.language])
        else:
            driver = self.keep("driver", "".join(
                f"POSTHORN_URL={url}/{name} UPLOAD_URL={url}/{name}{LINK} bash -u {name}.sh < /dev/null > {name}.out 2>&1\n"
                for name in texts))
            return self.run(["bash", driver], VALUES)
        return self.run([*self.program(driver), url], VALUES)


@pytest.fixture
def desk(packages, tmp_path):
    return lambda language: Desk(language, packages, tmp_path)


def test_every_call_has_its_samples(described, calls):
    """Go and curl have all; a client lacks what only the protocol of uploads has; the command line has each verb of the routes."""
    articles = {name.rsplit("-", 1)[0] for name in calls["curl"]}
    assert articles == set(described) and set(calls["go"]) == set(calls["curl"])
    protocol = {f"{word}-upload{by}-0" for word in ("get", "continue", "delete") for by in ("", "-by-link")}
    assert set(calls["curl"]) - set(calls["typescript"]) == set(calls["curl"]) - set(calls["python"]) == protocol
    assert set(calls["curl"]) - set(calls["cli"]) == protocol | {"create-upload-0", "create-upload-by-link-0", "put-by-link-0"}
    assert len(calls["typescript"]) > 45


def test_secrets_come_from_the_environment(calls):
    for texts in calls.values():
        for name, text in texts.items():
            assert re.search(r"ph[ctsk]_|pcf_|whsec_|019a1fcd|127\.0\.0\.1", text) is None, name


@pytest.mark.parametrize("language", ["curl", "typescript", "python", "cli"])
def test_each_sample_makes_the_call_that_it_stands_beside(described, calls, desk, refusing, language):
    texts = calls[language]
    if language == "cli":  # verbs with an id alone are test_person_more.py's
        texts = {name: text for name, text in texts.items() if re.search(r" --|'|\||=", text)}
    done = desk(language).run_all(texts, refusing.url)
    assert done.stdout == "", done.stdout
    seen = {}
    for method, path, headers, body in refusing.calls:
        _, name, rest = path.split("/", 2)
        seen.setdefault(name, (method, "/" + rest, headers, body))
    assert set(seen) == set(texts) and len(texts) > 15, done.stderr
    for name, (method, path, headers, body) in seen.items():
        article = name.rsplit("-", 1)[0]
        assert (method, path.split("?")[0]) == OTHERWISE.get((language, article), described[article][:2]), name
        assert (headers["Authorization"] or "").split(" ")[0] == who(article), name
        check_body(described[article][2], int(name.rsplit("-", 1)[1]), headers, body)


def who(article):
    if article in ("issue-token", "revoke-token"):
        return "Basic"
    return "" if "by-link" in article else "Bearer"


def check_body(contents, number, headers, body):
    """What is sent has what the description's example has; clients may add a request_id."""
    if "application/json" not in contents or not (headers["Content-Type"] or "").startswith("application/json"):
        return
    content = contents["application/json"]
    example = content["example"] if "example" in content else list(content["examples"].values())[number]["value"]
    text = json.dumps(example)
    for value, name in (("019a1fcd-7451-7617-8dc3-203f49eaf280", "ACCOUNT_ID"),
                        ("019a1fcd-7451-7617-8dc3-203f49eaf281", "OTHER_ACCOUNT_ID")):
        text = text.replace(value, VALUES[name])
    wanted, sent = json.loads(text), json.loads(body)
    for name, value in wanted.items():
        if name not in ("confirmation_token", "redirect_url") and (name, value) != ("republish", False):
            assert without_type(sent[name]) == without_type(value), name


def without_type(value):
    """The type `post` is what a container has without one."""
    return [{key: inner for key, inner in one.items() if inner != "post"} for one in value] if is_list_of_objects(value) else value


def is_list_of_objects(value):
    return isinstance(value, list) and all(isinstance(one, dict) for one in value)


def test_typescript_s_types_are_right(packages, calls):
    """Under tsc --strict, with what Node's own types would say."""
    directory = packages("typescript").directory
    for name, text in calls["typescript"].items():
        (directory / f"{name}.mts").write_text(text + "\n", encoding="utf-8")
    (directory / "node.d.ts").write_text('declare var process: { env: Record<string, string | undefined> };\n'
                                         'declare module "node:fs" { export function openAsBlob(path: string): Promise<Blob>; }\n')
    options = ["--noEmit", "--strict", "--target", "ES2022", "--module", "NodeNext", "--skipLibCheck", "--lib",
               "ES2022,DOM,DOM.Iterable"]
    done = subprocess.run([find_node(), TYPESCRIPT / "node_modules/typescript/bin/tsc", *options, "node.d.ts",
                           *(f"{name}.mts" for name in calls["typescript"])], cwd=directory, capture_output=True, text=True, timeout=RUN_S,
                          check=False)
    assert done.returncode == 0, done.stdout + done.stderr


# ---- at the service ----


@pytest.fixture(scope="module")
def reader(service):
    app = App(service, name="reader of /docs", owner="reader@example.com").set_credentials("x", "linkedin").issue_token()
    app.one, app.other = (app.connect(slug).accounts[0]["id"] for slug in ("x", "linkedin"))
    app.post_id = app.published(app.one, "What the samples look at")["id"]
    return app


def environment_of(app):
    return {"POSTHORN_URL": app.service.url, "POSTHORN_TOKEN": app.token, "POSTHORN_CLIENT_ID": app.client_id,
            "POSTHORN_CLIENT_SECRET": app.client_secret, "ACCOUNT_ID": app.one, "OTHER_ACCOUNT_ID": app.other, "POST_ID": app.post_id}


def is_token(app, out):
    app.token = re.search(r"pht_[\w-]+", out)[0]
    return app.get("/v1/platforms").status_code == 200


def is_published(app, out):
    post = app.list()["data"][0]
    return post["id"] in out and post["containers"][0]["content"] == "Hello" and len(post["platform_posts"]) == 2


def is_uploaded(app, out):
    found = re.search(r"med_[0-9a-f-]+", out)[0]
    return app.get(f"/v1/media/{found}").json()["data"]["type"] == "image"


# {sample: how its work is seen}. What is printed has a form of its own in every language.
MAIN = {
    "list-accounts-0": lambda app, out: app.one in out and app.other in out,
    "publish-post-0": is_published,
    "get-post-0": lambda app, out: app.post_id in out and "https://x.com/" in out,
    "list-posts-0": lambda app, out: app.post_id not in out and "message" not in out,  # of January
    "create-webhook-0": lambda app, out: "whsec_" in out,
    "list-events-0": lambda app, out: "post.completed" in out,
    "validate-post-0": lambda app, out: re.search(r"ok\W{1,3}true", out, re.I),
    "upload-media-0": is_uploaded,
    "issue-token-0": is_token,
}


@pytest.mark.parametrize("language", ["curl", "typescript", "python"])
def test_the_main_calls_work(reader, calls, desk, media, language):
    at = desk(language)
    (at.directory / "walnut.jpg").write_bytes(media.picture)
    for name, is_done in MAIN.items():
        done = at.run(at.program(at.keep(name, calls[language][name])), environment_of(reader))
        assert done.returncode == 0 and is_done(reader, done.stdout), (name, done.stdout, done.stderr)


def test_go_s_are_in_form(calls, tmp_path):
    """gofmt changes nothing, and go vet finds nothing."""
    gofmt, go = shutil.which("gofmt"), shutil.which("go")
    if gofmt is None and go is None:
        pytest.skip("needs go or gofmt")
    for name, text in calls["go"].items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "main.go").write_text(text + "\n", encoding="utf-8")
    if gofmt:
        done = subprocess.run([gofmt, "-l", "."], cwd=tmp_path, capture_output=True, text=True, timeout=RUN_S, check=False)
        assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr
    if go:
        (tmp_path / "go.mod").write_text("module customer.example/samples\n\ngo 1.19\n")
        done = subprocess.run([go, "vet", "./..."], cwd=tmp_path, capture_output=True, text=True, timeout=RUN_S, check=False)
        assert done.returncode == 0, done.stderr


def test_go_s_main_calls_work(reader, calls, media, tmp_path):
    go = shutil.which("go")
    if go is None:
        pytest.skip("needs go")
    (tmp_path / "walnut.jpg").write_bytes(media.picture)
    for name in ("get-post-0", "publish-post-0", "upload-media-0"):
        (tmp_path / "main.go").write_text(calls["go"][name] + "\n", encoding="utf-8")
        done = subprocess.run([go, "run", "main.go"], cwd=tmp_path, capture_output=True, text=True, timeout=RUN_S, check=False,
                              env=clean_environment(environment_of(reader)))
        assert done.returncode == 0 and MAIN[name](reader, done.stdout), (name, done.stdout, done.stderr)
