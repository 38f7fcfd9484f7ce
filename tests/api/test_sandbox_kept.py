# SPDX-License-Identifier: Apache-2.0
"""`posthorn sandbox --data`: what the simulated platforms know is there again after a restart, however the last one ended."""
import subprocess

import pytest
import requests

from harness import App, Process, Sandbox, Service, find_binary, marker


class Kept(Sandbox):
    """One that listens where it listened before."""

    def __init__(self, data, listen="127.0.0.1:0"):
        Process.__init__(self, ["sandbox", "--listen", listen, "--data", data])

    def again(self, by_force):
        if by_force:
            self.kill()
        else:
            self.stop()
        return Kept(self.arguments[-1], self.url.removeprefix("http://"))


def read(sandbox, path):
    return requests.get(f"{sandbox.url}/_sandbox/{path}", timeout=30).json()


@pytest.mark.parametrize("by_force", [False, True], ids=["stopped", "killed"])
def test_tokens_posts_and_clock_outlive_it(tmp_path, media, by_force):
    sandbox = Kept(tmp_path / "kept")
    with Service(tmp_path / "data", sandbox) as service:
        app = App(service).set_credentials("x", "facebook").issue_token()
        accounts = [app.account("x"), app.account("facebook")]
        text = marker("kept")
        app.published(accounts, text, media=[media.image()])
        sandbox.knob("x_subscription", 2)
        sandbox.fault("x", "POST", "/2/articles/draft", "rate_limit", retry_after=60)
        sandbox.advance(3600)
        before = [read(sandbox, path) for path in ("ledger", "knobs", "faults")]
        assert [post["text"] for post in before[0]["posts"]] == [text, text]
        picture = before[0]["posts"][0]["media"][0]["sha256"]
        with sandbox.again(by_force) as later:
            assert [read(later, path) for path in ("ledger", "knobs", "faults")] == before
            assert "/2/tweets" in [entry["path"] for entry in read(later, "log")["requests"]]
            assert requests.get(f"{later.url}/_sandbox/media/{picture}", timeout=30).status_code == 200
            clock = requests.post(f"{later.url}/_sandbox/clock", json={"advance_s": 0}, timeout=30).json()["now"]
            assert clock > before[0]["posts"][-1]["created_at"][:13] + ":59"  # an hour ahead
            app.published(accounts, marker("with the tokens of before"))
            assert len(later.ledger()) == 4


def test_uploads_go_on_where_they_were(tmp_path, media):
    """Segments of X come as bodies in memory, those of YouTube as files; both are there when the last one comes."""
    sandbox = Kept(tmp_path / "kept")
    with Service(tmp_path / "data", sandbox, ["--time-scale", "100"]) as service:
        app = App(service).set_credentials("x", "youtube").issue_token()
        accounts = [app.account("x"), app.account("youtube")]
        text = marker("video")
        app.published(accounts, text, media=[media.clip()], platforms={"youtube": {"title": "a"}})
        before = sandbox.ledger(text)
        with sandbox.again(True) as later:
            assert later.ledger(text) == before and {post["media"][0]["type"] for post in before} == {"video"}


def test_a_large_body_is_kept(tmp_path):
    """A record has room for 4 MiB; a picture for X may come as 5 MB of base64."""
    sandbox = Kept(tmp_path / "kept")
    body = '{"media": "' + "A" * (6 << 20) + '"}'
    requests.post(f"{sandbox.url}/api.x.com/2/media/upload", data=body, headers={"Content-Type": "application/json"}, timeout=30)
    assert [path.stat().st_size for path in (tmp_path / "kept").glob("body-*")] == [len(body)]
    with sandbox.again(False) as later:
        assert [entry["path"] for entry in read(later, "log")["requests"]] == ["/2/media/upload"]


def test_a_reset_empties_it_for_good(tmp_path):
    sandbox = Kept(tmp_path / "kept")
    with Service(tmp_path / "data", sandbox) as service:
        app = App(service).set_credentials("x").issue_token()
        app.published([app.account("x")], marker("gone"))
        sandbox.reset()
        with sandbox.again(True) as later:
            assert later.ledger() == []
            post = app.wait_post(app.accepted([app.account("x")], marker("new user"))["post_id"])
            assert post["status"] == "published"


def files_of(folder):
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else None


def test_where_it_keeps_it(tmp_path):
    place = tmp_path / "posthorn-data" / "sandbox"
    with Process(["sandbox", "--listen", "127.0.0.1:0", "--data", ""], cwd=tmp_path):
        pass
    assert files_of(tmp_path) == []
    with Process(["sandbox", "--listen", "127.0.0.1:0"], cwd=tmp_path) as first:
        assert place.stat().st_mode & 0o777 == 0o700
        assert requests.post(f"{first.url}/_sandbox/knobs", json={"x_subscription": 3}, timeout=30).status_code == 200
        with Process(["sandbox", "--listen", "127.0.0.1:0"], cwd=tmp_path) as second:  # nobody named a directory: in memory
            assert requests.get(f"{second.url}/_sandbox/ledger", timeout=30).json() == {"posts": []}
            assert "another sandbox keeps its state in ./posthorn-data/sandbox" in second.stderr()
        refused = subprocess.run([find_binary(), "sandbox", "--listen", "127.0.0.1:0", "--data", place], capture_output=True, text=True,
                                 timeout=60, check=False)
        assert refused.returncode == 1 and f"another sandbox keeps its state in {place}" in refused.stderr
    assert files_of(place) == ["journal", "journal.lock"]
    with Process(["sandbox", "--listen", "127.0.0.1:0"], cwd=tmp_path) as again:
        assert {knob["name"]: knob["value"] for knob in read(again, "knobs")["knobs"]}["x_subscription"] == 3


def test_a_service_and_its_test_apps_live_beside_it(tmp_path):
    """By default both are below ./posthorn-data."""
    with Process(["sandbox", "--listen", "127.0.0.1:0"], cwd=tmp_path) as sandbox:
        requests.post(f"{sandbox.url}/_sandbox/knobs", json={"x_subscription": 3}, timeout=30)
        for _ in range(2):
            with Process(["serve", "--listen", "127.0.0.1:0"], cwd=tmp_path) as service:
                assert requests.get(f"{service.url}/readyz", timeout=30).status_code == 200
    with Process(["sandbox", "--listen", "127.0.0.1:0"], cwd=tmp_path) as again:
        assert {knob["name"]: knob["value"] for knob in read(again, "knobs")["knobs"]}["x_subscription"] == 3


def test_a_directory_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    refused = subprocess.run([find_binary(), "sandbox", "--listen", "127.0.0.1:0", "--data", tmp_path / "file" / "x"], capture_output=True,
                             text=True, timeout=60, check=False)
    assert refused.returncode == 1 and "cannot make the directory" in refused.stderr
