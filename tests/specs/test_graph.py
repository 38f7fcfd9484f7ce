# SPDX-License-Identifier: Apache-2.0
"""Every request that the adapters send to Meta's Graph, held against Meta's own machine-readable description of it (names,
required parameters, types, values). The description lies beside the repository and is no part of it: without it these
tests report themselves as skipped.

The requests are the real ones: each kind of post is published to the sandbox, whose log is then read."""
import base64
import email
import email.policy
import json
import pathlib
import re
import urllib.parse

import pytest

from harness import App, Media, Sandbox, Service, make_media, marker

SPECS = pathlib.Path(__file__).resolve().parents[3] / "shared" / "specs" / "graph"
pytestmark = pytest.mark.skipif(not SPECS.is_dir(), reason=f"no {SPECS}")

# What every node and edge takes (meta.md 1; Graph's paging).
COMMON = {"access_token", "appsecret_proof", "fields", "limit", "after"}
# Calls that the description leaves out, with the parameters that the guides give them (meta.md 2.3 to 2.9).
NOT_DESCRIBED = {
    ("GET", "access_token"): {"client_id", "client_secret", "redirect_uri", "code", "grant_type", "fb_exchange_token"},
    ("GET", "debug_token"): {"input_token"},
    ("GET", "owned_pages"): set(),
    ("GET", "client_pages"): set(),
}
# Parameters that the description leaves out of an edge that it has, and where they are told.
ALSO = {
    ("POST", "photos"): {"source"},  # the file: its part may have any name (docs/graph-api/reference/page/photos)
}
# Whose edge it is, where several nodes have one of that name.
NODES = {
    "feed": "Page", "photos": "Page", "videos": "Page", "video_reels": "Page", "video_stories": "Page", "photo_stories": "Page",
    "stories": "Page", "published_posts": "Page", "thumbnails": "AdVideo", "permissions": "User", "accounts": "User",
    "businesses": "User", "media": "IGUser", "media_publish": "IGUser", "content_publishing_limit": "IGUser",
}
# Fields of a node that are told in guides but not in the description.
MORE_FIELDS = {"Page": {"tasks"}, "User": {"picture"}}


def load(name):
    return json.loads((SPECS / f"{name}.json").read_text())


@pytest.fixture(scope="module")
def enums():
    return {item["name"]: {value.upper() for value in item["values"]} for item in load("enum_types")}


class Described:
    """One call of the description."""

    def __init__(self, node, method, edge):
        spec = load(node)
        found = [api for api in spec["apis"]
                 if api["method"] == method and (api.get("endpoint") == edge or (edge == "" and api.get("name") == "#get"))]
        assert len(found) == 1, f"{method} {node}/{edge} is not described"
        self.params = {param["name"]: param for param in found[0]["params"]}
        self.returns = found[0]["return"] if edge else node


def fields_known(node):
    """Fields, and edges, which may be asked for as fields."""
    path = SPECS / f"{node}.json"
    if not path.exists():
        return None
    spec = json.loads(path.read_text())
    edges = {api.get("endpoint") for api in spec["apis"] if api["method"] == "GET"}
    return {field["name"] for field in spec["fields"]} | edges | MORE_FIELDS.get(node, set()) | {"attachments", "id"}


def names_in(fields):
    """The outer names of "id,picture.type(large){url}"."""
    flat, depth = "", 0
    for letter in fields:
        depth += letter in "{("
        flat += letter if depth == 0 else ""
        depth -= letter in "})"
    return [name.split(".")[0] for name in flat.split(",")]


def body_of(entry):
    if "body_base64" in entry:
        return base64.b64decode(entry["body_base64"])
    assert "body_sha256" not in entry, f"{entry['path']}: the body is too long to be looked at"
    return (entry.get("body") or "").encode()


def parameters(entry):
    """Everything that is said in query and body: [(name, text, or None for a file)]."""
    told = urllib.parse.parse_qsl(urllib.parse.urlsplit(entry["path"]).query, keep_blank_values=True)
    kind = entry["headers"].get("content-type", "")
    if kind.startswith("application/x-www-form-urlencoded"):
        told += urllib.parse.parse_qsl(body_of(entry).decode(), keep_blank_values=True)
    elif kind.startswith("multipart/form-data"):
        whole = b"Content-Type: " + kind.encode() + b"\r\n\r\n" + body_of(entry)
        for part in email.message_from_bytes(whole, policy=email.policy.HTTP).iter_parts():
            is_file = part.get_filename() is not None
            told.append((part.get_param("name", header="content-disposition"), None if is_file else part.get_content().rstrip("\r\n")))
    else:
        assert kind == "" and entry["method"] == "GET", f"{entry['path']}: {kind}"
    return told


def as_json(text):
    try:
        return json.loads(text)
    except ValueError:
        return None


TYPES = {
    "bool": lambda text: text in ("true", "false"),
    "unsigned int": str.isdigit,
    "int": lambda text: text.lstrip("-").isdigit(),
    "Object": lambda text: isinstance(as_json(text), dict) or text.isdigit(),  # a place may be named by its id alone
    "map": lambda text: isinstance(as_json(text), dict),
    "file": lambda text: text is None,
    "string": lambda text: True,  # bytes of a chunk count as one
    "datetime": lambda text: text.isdigit() or re.match(r"\d{4}-\d\d-\d\d", text),
    "float": lambda text: re.fullmatch(r"-?\d+(\.\d+)?", text),
}


def fits(kind, text, enums):
    if kind in enums:
        return text.upper() in enums[kind]  # guides write "start" where the description has "START"
    if kind.startswith("list"):
        inner = kind[len("list<"):-1]
        values = as_json(text)
        if not isinstance(values, list):
            return isinstance(values, dict) or "," in text or text.isdigit()  # attached_media[0]={...}; children=1,2
        return not inner or all(fits(inner, value if isinstance(value, str) else json.dumps(value), enums) for value in values)
    return text is not None and TYPES[kind](text) if kind != "file" and kind != "string" else TYPES[kind](text)


def described(entry):
    """Node, edge: None for what is not described."""
    segments = urllib.parse.urlsplit(entry["path"]).path.strip("/").split("/")
    assert re.fullmatch(r"v\d+\.\d", segments[0]), f"a path without version: {entry['path']}"
    edge = segments[-1] if len(segments) > 2 else ("" if segments[-1] != "debug_token" else segments[-1])
    if (entry["method"], edge) in NOT_DESCRIBED:
        return None, edge
    if edge == "comments":
        return ("PagePost" if "_" in segments[1] else "AdVideo"), edge
    if edge == "":
        return ("User" if segments[1] == "me" else "AdVideo"), edge
    return NODES[edge], edge


def complaints(entry, enums):
    """What of one request the description does not know."""
    node, edge = described(entry)
    method, told = entry["method"], parameters(entry)
    name_of = {name: re.sub(r"\[\d+\]$", "", name) for name, _ in told}
    if node is None:
        known = NOT_DESCRIBED[method, edge] | COMMON
        return [f"{method} {edge}: {name} is not known" for name in name_of.values() if name not in known]
    call, wrong = Described(node, method, edge), []
    for name, text in told:
        name = name_of[name]
        if name in call.params:
            if not fits(call.params[name]["type"], text, enums):
                wrong.append(f"{method} {node}/{edge}: {name}={text} is no {call.params[name]['type']}")
        elif name not in COMMON | ALSO.get((method, edge), set()):
            wrong.append(f"{method} {node}/{edge} has no {name}")
        if name == "fields":
            known = fields_known("PagePost" if edge == "feed" else call.returns)
            wrong += [f"{node}/{edge}: no field {field}" for field in names_in(text) if known and field not in known]
    wrong += [f"{method} {node}/{edge}: {name} is required" for name, param in call.params.items()
              if param["required"] and name not in name_of.values()]
    return wrong


# ---- Facebook Pages ----

EVERYONE = {"geo_locations": {"countries": ["DE"]}}
FEED_OPTIONS = {"place": "110506962309835", "targeting": EVERYONE, "feed_targeting": EVERYONE,
                "backdated_time": "2020-01-02T03:04:05+0000", "backdated_time_granularity": "day"}
VIDEO_OPTIONS = {"title": "T", "targeting": EVERYONE, "feed_targeting": EVERYONE, "content_category": "OTHER",
                 "content_tags": ["a", "b"], "custom_labels": ["c"], "embeddable": False, "no_story": True}
REEL_OPTIONS = {"title": "T", "place": "110506962309835", "targeting": EVERYONE, "feed_targeting": EVERYONE,
                "video_state": "PUBLISHED"}


def page_posts(media):
    """Every kind of post with every option it takes: [(body, calls that it must make)]."""
    link = {"link": "https://www.example.com/", "call_to_action": {"type": "SHOP_NOW", "value": {"link": "https://e.example/"}}}
    preset = {"text_format_preset_id": "106018623298955"}
    image = media.image(alt_text="a")
    cover = {"thumbnail_url": media.image()["url"]}
    clip, wide = media.clip(**cover), media.wide(**cover)  # an upright one is a reel
    return [
        ({"content": "a", "platforms": {"facebook": {**FEED_OPTIONS, **link}}}, {"POST feed"}),
        ({"content": marker("b"), "platforms": {"facebook": preset}}, {"POST feed"}),
        ({"content": "c", "media": [image, media.image()], "platforms": {"facebook": FEED_OPTIONS}}, {"POST photos", "POST feed"}),
        ({"containers": [{"content": "d", "media": [wide]}, {"content": "e", "media": [image]}],
          "platforms": {"facebook": VIDEO_OPTIONS}}, {"POST videos", "GET ", "POST thumbnails", "POST comments"}),
        ({"content": "f", "type": "video", "media": [clip], "platforms": {"facebook": REEL_OPTIONS}},
         {"POST video_reels", "GET ", "POST thumbnails"}),
        ({"content": "", "type": "story", "media": [image]}, {"POST photo_stories", "GET stories"}),
        ({"content": "", "type": "story", "media": [clip]}, {"POST video_stories", "GET ", "GET stories"}),
        ({"containers": [{"content": marker("g")}, {"content": "h"}]}, {"POST feed", "POST comments"}),
    ]


@pytest.fixture(scope="module")
def small_media(tmp_path_factory):
    """Files that the sandbox's log shows whole (it cuts bodies over 64 KiB)."""
    server = Media(tmp_path_factory.mktemp("media"))
    directory = tmp_path_factory.mktemp("small")
    server.picture = make_media(directory / "p.jpg", ["-f", "lavfi", "-i", "color=c=blue:size=400x400", "-frames:v", "1"])
    server.video, server.wide_video = (
        make_media(directory / f"{size}.mp4", ["-f", "lavfi", "-i", f"color=c=blue:size={size}:rate=24", "-t", "4", "-c:v", "libx264",
                                               "-preset", "ultrafast", "-movflags", "+faststart"]) for size in ("540x960", "960x540"))
    assert max(len(server.picture), len(server.video), len(server.wide_video)) < 60_000
    yield server
    server.close()


def graph_log(sandbox):
    return [entry for entry in sandbox.log("graph.facebook.com")]


def calls_of(entries):
    return {f"{entry['method']} {described(entry)[1]}" for entry in entries}


@pytest.fixture(scope="module")
def page_log(tmp_path_factory, small_media):
    """[(body, calls that must be there, the requests that it made)], the connection first."""
    lost = [("POST", "feed", "published_posts"), ("POST", "comments", "comments")]
    with Sandbox() as sandbox, Service(tmp_path_factory.mktemp("graph") / "data", sandbox, ["--time-scale", "1000"]) as service:
        app = App(service).set_credentials("facebook").issue_token()
        page = app.connect("facebook").accounts[0]["id"]
        told = [("connect", {"GET access_token", "GET permissions", "GET accounts", "GET businesses", "GET owned_pages",
                             "GET client_pages", "GET debug_token"}, graph_log(sandbox))]
        for body, calls in page_posts(small_media):
            before = len(graph_log(sandbox))
            app.published(page, **body)
            told.append((json.dumps(body), calls, graph_log(sandbox)[before:]))
        for method, edge, look in lost:  # and the looks at calls in doubt
            before = len(graph_log(sandbox))
            sandbox.fault("facebook", method, f"/v25.0/*/{edge}", "reset_after")
            app.published(page, containers=[{"content": marker("lost")}, {"content": marker("lost")}])
            told.append((f"{edge} is lost", {f"GET {look}"}, graph_log(sandbox)[before:]))
        yield told


def test_pages_send_only_what_is_described(page_log, enums):
    wrong = [f"{name}: {line}" for name, _, entries in page_log for entry in entries for line in complaints(entry, enums)]
    assert not wrong, "\n".join(sorted(set(wrong)))


def test_every_kind_of_call_was_made(page_log):
    for name, calls, entries in page_log:
        assert calls <= calls_of(entries), f"{name}: {calls - calls_of(entries)} is missing"


def test_every_option_was_sent(page_log):
    sent = {name for _, _, entries in page_log for entry in entries for name, _ in parameters(entry)}
    wanted = {*FEED_OPTIONS, *VIDEO_OPTIONS, *REEL_OPTIONS, "link", "call_to_action", "text_format_preset_id", "alt_text_custom"}
    assert wanted <= sent, wanted - sent


def test_the_check_bites(enums):
    """What Meta does not know is seen: a name, a value, a type, a field, and what is missing."""
    form = {"content-type": "application/x-www-form-urlencoded"}

    def entry(method, path, body=""):
        return {"method": method, "path": path, "headers": form if method == "POST" else {}, "body": body}

    rows = [
        (entry("POST", "/v25.0/1/feed", "message=a&attached_media[0]=%7B%7D"), 0),
        (entry("POST", "/v25.0/1/feed", "mesage=a"), 1),
        (entry("POST", "/v25.0/1/feed", "published=maybe"), 1),
        (entry("POST", "/v25.0/1/feed", "targeting=all"), 1),
        (entry("POST", "/v25.0/1/videos", "upload_phase=begin"), 1),
        (entry("POST", "/v25.0/1/videos", "file_size=big"), 1),
        (entry("POST", "/v25.0/1/videos", "content_tags=%7B"), 1),
        (entry("POST", "/v25.0/1/video_reels", "video_id=1"), 1),
        (entry("POST", "/v25.0/1/thumbnails", "is_preferred=true"), 1),
        (entry("GET", "/v25.0/1?fields=status,published"), 0),
        (entry("GET", "/v25.0/1?fields=status,unheard_of{id,name}"), 1),
    ]
    for request, count in rows:
        assert len(complaints(request, enums)) == count, f"{request}: {complaints(request, enums)}"
