# SPDX-License-Identifier: Apache-2.0
"""`posthorn migrate --from sqlite:PATH --to postgres://...`: everything goes over, the move can be cut off, and nothing of another
installation is written over."""
import json
import signal
import subprocess
import time

import pytest

from harness import App, Sandbox, Service, clean_environment, cli, find_binary, marker, poll
from postgres_server import PostgresServer


@pytest.fixture(scope="module")
def server():
    with PostgresServer() as made:
        yield made


@pytest.fixture(scope="module")
def old(tmp_path_factory):
    """A SQLite installation that has lived, at rest: (data, app, published text, scheduled post's id and text, sandbox)."""
    data = tmp_path_factory.mktemp("move") / "data"
    with Sandbox() as sandbox:
        with Service(data, sandbox, environment={"POSTHORN_DATABASE": ""}) as service:
            app = App(service).set_credentials("x", "facebook").issue_token()
            account = app.account("facebook")
            done = [app.published(account, marker("done"))["id"] for _ in range(3)]
            text = marker("later \N{SNOWMAN} ' \\ \" ")
            later = app.accepted(account, text, scheduled_at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3600)))["post_id"]
            for number in range(450):
                app.accepted(account, f"far {number}", scheduled_at="2027-11-01T10:00:00Z")
        yield data, app, done, later, text, sandbox


def move(data, url, **more):
    return cli("migrate", "--data", data, "--from", f"sqlite:{data}/posthorn.db", "--to", url, **more)


def test_everything_goes_over_and_goes_on(old, server):
    data, app, done, later, text, sandbox = old
    url = server.new_database()
    moved = move(data, url)
    assert moved.returncode == 0, moved.stderr
    answer = json.loads(moved.stdout)
    assert answer["verified"] and answer["rows"] > 900 and answer["rows_of_an_earlier_run"] == 0
    with Service(data, sandbox, environment={"POSTHORN_DATABASE": url}) as service:
        app.service = service
        assert "database_restored" not in service.stderr()
        assert app.total() == 454
        assert {app.show(post_id)["status"] for post_id in done} == {"published"}
        assert app.show(later)["containers"][0]["content"] == text and app.show(later)["status"] == "scheduled"
        assert app.published(app.list(status="published")["data"][0]["platform_posts"][0]["account_id"], marker("new"))
        seen = app.get("/v1/events").json()["data"]
        assert len({event["id"] for event in seen}) == len(seen) > 3  # numbers go on behind those that came along
    again = move(data, url)
    assert again.returncode == 1 and "is not empty" in again.stderr


def cut_off(old, server):
    """A target whose move was killed while rows were going over; None when the kill came too late."""
    data, url = old[0], server.new_database()
    name = url.rsplit("/", 1)[1]
    words = [find_binary(), "migrate", "--data", str(data), "--from", f"sqlite:{data}/posthorn.db", "--to", url]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=clean_environment()) as running:

        def has_rows():
            is_made = server.sql("SELECT count(*) FROM pg_tables WHERE tablename = 'deliveries'", name) == "1"
            return running.poll() is not None or is_made and server.sql("SELECT count(*) > 0 FROM posts", name) == "t"

        poll("rows are going over", has_rows, every_s=0.01)
        running.send_signal(signal.SIGKILL)
    is_begun = server.sql("SELECT count(*) FROM meta WHERE name LIKE 'move/%'", name) != "0"
    return url if running.returncode == -signal.SIGKILL and is_begun else None


def test_a_move_that_is_cut_off_goes_on(old, server):
    url = next(filter(None, (cut_off(old, server) for _ in range(30))), None)
    assert url, "the move was never cut off"
    moved = move(old[0], url)
    assert moved.returncode == 0, moved.stderr
    assert json.loads(moved.stdout)["rows_of_an_earlier_run"] > 0


@pytest.fixture
def target(old, server):
    """A database with the schema and nothing in it: (its URL, its name)."""
    url = server.new_database()
    made = cli("migrate", "--data", old[0].parent / "other", environment={"POSTHORN_DATABASE": url})
    assert made.returncode == 0, made.stderr
    return url, url.rsplit("/", 1)[1]


def test_a_move_goes_on_in_the_middle_of_a_table(old, server, target):
    """The first rows of a table are there, as after a cut between two batches; those behind them come, and none twice."""
    data, (url, name) = old[0], target
    server.sql("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not today'; END $$;"
               " CREATE TRIGGER refuse BEFORE INSERT ON deliveries FOR EACH ROW EXECUTE FUNCTION refuse()", name)
    refused = move(data, url)
    assert refused.returncode == 1 and "not today" in refused.stderr
    server.sql("DROP TRIGGER refuse ON deliveries;"
               " DELETE FROM posts WHERE id NOT IN (SELECT id FROM posts ORDER BY id LIMIT 100);"
               " UPDATE meta SET number = 100 WHERE name = 'move/posts'", name)
    moved = move(data, url)
    assert moved.returncode == 0, moved.stderr
    assert server.sql("SELECT count(*) FROM posts", name) == "454"


def test_a_difference_is_found(old, server, target):
    """A row that went another way is told with its table; nothing is called moved."""
    data, (url, name) = old[0], target
    server.sql("CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.name = NEW.name || 'x'; RETURN NEW; END $$;"
               " CREATE TRIGGER spoil BEFORE INSERT ON apps FOR EACH ROW EXECUTE FUNCTION spoil()", name)
    moved = move(data, url)
    assert moved.returncode == 1 and "apps differs" in moved.stderr


def test_a_source_that_is_not_there_is_no_empty_one(tmp_path, server):
    """A path that was mistyped is told, and nothing is made at either end."""
    url = server.new_database()
    wrong = cli("migrate", "--data", tmp_path, "--from", f"sqlite:{tmp_path}/mistyped.db", "--to", url)
    assert wrong.returncode == 1 and f"{tmp_path}/mistyped.db" in wrong.stderr and "no such database" in wrong.stderr, wrong.stderr
    assert not list(tmp_path.glob("mistyped*"))
    assert server.sql("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'", url.rsplit("/", 1)[1]) == "0"


def test_only_this_way(tmp_path, server):
    url = server.new_database()
    for source, target in ((url, f"sqlite:{tmp_path}/x.db"), (f"sqlite:{tmp_path}/x.db", "sqlite:y")):
        done = cli("migrate", "--data", tmp_path, "--from", source, "--to", target)
        assert done.returncode == 1 and "goes from sqlite" in done.stderr
    assert cli("migrate", "--data", tmp_path, "--from", f"sqlite:{tmp_path}/x.db").returncode == 2
