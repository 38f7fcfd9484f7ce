# SPDX-License-Identifier: Apache-2.0
"""Makes sbom.spdx.json, the software bill of materials (SPDX 2.3), of src/dependencies.txt. Run it after a change of the table;
`sbom.py --check` says whether the file is up to date."""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "src" / "dependencies.txt"
BILL = ROOT / "sbom.spdx.json"
COLUMNS = ("name", "library", "package", "version", "licence", "home", "what")
CREATED = "2026-11-23T00:00:00Z"  # of the table, not of the run: the same table makes the same file


def rows():
    """The table: a dictionary for each row, with the program that links it."""
    found = []
    program = "posthorn"
    for line in TABLE.read_text().splitlines():
        if line.startswith("["):
            program = line.strip("[]")
        elif line and not line.startswith("#"):
            words = [word.strip() for word in line.split("|")]
            assert len(words) == len(COLUMNS), line
            found.append(dict(zip(COLUMNS, words), program=program))
    return found


def version():
    return re.search(r"version: '([^']+)'", (ROOT / "meson.build").read_text())[1]


def package(identifier, name, number, licence, home, **more):
    return {"SPDXID": identifier, "name": name, "versionInfo": number, "licenseConcluded": licence, "licenseDeclared": licence,
            "copyrightText": "NOASSERTION", "downloadLocation": home, "filesAnalyzed": False, **more}


def dependency(row):
    place = f"pkg:deb/debian/{row['package']}?distro=debian-12"
    reference = {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": place}
    return package(f"SPDXRef-{row['package']}", row["package"], row["version"], row["licence"], row["home"], comment=row["what"],
                   externalRefs=[reference])


def bill():
    own = package("SPDXRef-posthorn", "posthorn", version(), "Apache-2.0", "NOASSERTION", primaryPackagePurpose="APPLICATION")
    fit = package("SPDXRef-posthorn-fit", "posthorn-fit", version(), "Apache-2.0", "NOASSERTION", primaryPackagePurpose="APPLICATION")
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-posthorn")]
    relations += [("SPDXRef-posthorn", "CONTAINS", "SPDXRef-posthorn-fit")]
    relations += [(f"SPDXRef-{row['program']}", "DYNAMIC_LINK", f"SPDXRef-{row['package']}") for row in rows()]
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"posthorn-{version()}",
        "documentNamespace": f"https://spdx.org/spdxdocs/posthorn-{version()}",
        "creationInfo": {"created": CREATED, "creators": ["Tool: posthorn-sbom.py"]},
        "packages": [own, fit, *map(dependency, rows())],
        "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b} for a, kind, b in relations],
    }


def text():
    return json.dumps(bill(), indent=1) + "\n"


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        sys.exit(0 if BILL.exists() and BILL.read_text() == text() else "sbom.spdx.json is out of date: run /usr/bin/python3 api/sbom.py")
    BILL.write_text(text())
