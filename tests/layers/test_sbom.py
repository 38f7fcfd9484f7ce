# SPDX-License-Identifier: Apache-2.0
"""The bill of materials names what is linked, no more and no less (src/dependencies.txt, sbom.spdx.json)."""
import importlib.util
import json
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SPECIFICATION = importlib.util.spec_from_file_location("sbom", ROOT / "api" / "sbom.py")
sbom = importlib.util.module_from_spec(SPECIFICATION)
SPECIFICATION.loader.exec_module(sbom)

LOADER = re.compile(r"ld-linux.*\.so")  # a part of the C library


def test_the_bill_is_up_to_date():
    assert sbom.BILL.read_text() == sbom.text(), "run /usr/bin/python3 api/sbom.py"


def test_every_dependency_of_the_build_is_in_the_bill():
    wanted = {name for name in re.findall(r"dependency\('([\w.-]+)'\)", (ROOT / "meson.build").read_text())}
    assert {row["name"] for row in sbom.rows()} == wanted


def test_the_bill_is_a_whole():
    """What SPDX 2.3 asks of a document, as far as ours goes: every id is there once, every relation leads somewhere."""
    bill = json.loads(sbom.BILL.read_text())
    ids = [item["SPDXID"] for item in bill["packages"]]
    assert bill["spdxVersion"] == "SPDX-2.3" and bill["dataLicense"] == "CC0-1.0"
    assert len(ids) == len(set(ids)) and all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", word) for word in ids)
    for relation in bill["relationships"]:
        assert {relation["spdxElementId"], relation["relatedSpdxElement"]} <= {*ids, "SPDXRef-DOCUMENT"}
    for item in bill["packages"]:
        assert {"name", "versionInfo", "licenseConcluded", "downloadLocation", "filesAnalyzed"} <= set(item)


@pytest.mark.parametrize("row", [row for row in sbom.rows() if row["name"] != "threads"], ids=lambda row: row["name"])
def test_versions_are_those_that_are_built_with(row):
    found = subprocess.run(["pkg-config", "--modversion", row["name"]], capture_output=True, text=True, check=True).stdout.strip()
    assert found == row["version"] or found.startswith(row["version"] + ".")


def linked(name):
    program = pathlib.Path(os.environ.get("POSTHORN_BUILD", ROOT / "build/release")) / "src/cli" / name
    if not program.exists():
        pytest.skip("POSTHORN_BUILD names no build directory")
    listing = subprocess.run(["readelf", "-d", program], capture_output=True, text=True, check=True).stdout
    needed = {name for name in re.findall(r"Shared library: \[([^\]]+)\]", listing) if not LOADER.match(name)}
    return needed - {name for name in needed if re.match(r"lib(asan|ubsan|m)\.so", name)}


def test_the_bill_names_what_is_linked():
    assert linked("posthorn") == {row["library"] for row in sbom.rows() if row["program"] == "posthorn"}


def test_the_bill_names_what_the_fitter_links():
    """And the service links none of it; GLib comes with libvips, in several libraries of one package."""
    ours = {row["library"] for row in sbom.rows() if row["program"] == "posthorn-fit"}
    needed = linked("posthorn-fit")
    assert ours <= needed and not ours & linked("posthorn")
    assert {name for name in needed - ours if not re.match(r"lib(glib|gobject|gio|c)\W", name)} == set()
