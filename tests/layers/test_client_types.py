# SPDX-License-Identifier: Apache-2.0
"""The clients of clients/ agree with the description of the API: their types are those that clients/generate.py writes, and each has every
call that customers make. No lock file of theirs names a registry."""
import importlib.util
import pathlib
import re

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SPECIFICATION = importlib.util.spec_from_file_location("generate", ROOT / "clients" / "generate.py")
generate = importlib.util.module_from_spec(SPECIFICATION)
SPECIFICATION.loader.exec_module(generate)
SOURCES = {"typescript": "clients/typescript/src/*.ts", "python": "clients/python/src/posthorn/*.py"}
# Each is the other form of a call that they have.
NOT_CALLED = {"uploadMedia"}


@pytest.mark.parametrize("path", generate.FILES, ids=lambda path: path.name)
def test_the_types_are_up_to_date(path):
    assert path.read_text(encoding="utf-8") == generate.texts()[path], "run clients/generate.py"


@pytest.mark.parametrize("client", SOURCES)
def test_every_call_is_there(client):
    """By method and path: a client writes {post_id} as ${part(postId)} or {part(post_id)}."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in ROOT.glob(SOURCES[client]))
    written = {re.sub(r"\$?\{[^}]*\}", "{}", path) for path in re.findall(r"[`\"'](/v1/[^`\"'?]*)[`\"']", text)}
    description = yaml.safe_load((ROOT / "api/openapi.yaml").read_text(encoding="utf-8"))
    called = {identifier for identifier, _ in generate.operations(description)} - NOT_CALLED
    assert len(called) > 40
    wanted = {"/v1" + re.sub(r"\{[^}]*\}", "{}", path) for path, item in description["paths"].items()
              for operation in item.values() if isinstance(operation, dict) and operation.get("operationId") in called}
    assert wanted <= written, wanted - written


def test_no_lock_file_names_a_registry():
    for path in ROOT.glob("clients/*/package-lock.json"):
        assert "://" not in path.read_text(encoding="utf-8"), path
        assert "omit-lockfile-registry-resolved=true" in (path.parent / ".npmrc").read_text(encoding="utf-8")
