#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds what is shipped into dist/: the Debian packages, a tarball with program and pages, the bill of materials, and the sums of all.
Called by `./dev package`. The same tree gives the same bytes: every time in them is that of the last commit."""
import gzip
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "package"
DIST = ROOT / "dist"
PAGES = ("posthorn.1", "posthorn.bash", "_posthorn", "posthorn.fish", "posthorn.conf")


def output_of(*command, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout


def version_of_tree():
    return re.search(r"^  version: '([^']+)'", (ROOT / "meson.build").read_text(), re.M)[1]


def epoch_of_tree():
    """Without a history (a tarball) the changelog's time."""
    if (ROOT / ".git").exists():
        return int(output_of("git", "log", "-1", "--format=%ct", cwd=ROOT))
    return int((ROOT / "CHANGELOG.md").stat().st_mtime)


def files_of_tree():
    """What is committed or could be, without what is built."""
    if (ROOT / ".git").exists():
        listed = output_of("git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", cwd=ROOT).split("\0")
        return [Path(name) for name in listed if name and (ROOT / name).is_file()]
    return [path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file() and path.relative_to(ROOT).parts[0] not in ("build", "dist")]


def copy_tree(target):
    for path in files_of_tree():
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, target / path)
    shutil.copytree(target / "packaging/debian", target / "debian")
    if (ROOT / ".git").exists():  # which the copy has not: src/cli/commit.sh reads the file
        (target / "COMMIT").write_text(output_of("git", "rev-parse", "--short=12", "HEAD", cwd=ROOT))


def write_changelog(target, version, epoch):
    date = time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(epoch))
    maintainer = re.search(r"^Maintainer: (.*)$", (target / "debian/control").read_text(), re.M)[1]
    (target / "debian/changelog").write_text(
        f"posthorn ({version}) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- {maintainer}  {date}\n")


def build_debian(target, epoch):
    environment = dict(os.environ, SOURCE_DATE_EPOCH=str(epoch), DEB_BUILD_OPTIONS=f"noautodbgsym nocheck parallel={os.cpu_count()}",
                       LC_ALL="C.UTF-8", TZ="UTC", PATH="/usr/sbin:/usr/bin:/sbin:/bin")
    with open(WORK / "build.log", "w", encoding="utf-8") as log:
        built = subprocess.run(["dpkg-buildpackage", "-b", "-us", "-uc"], cwd=target, env=environment, stdout=log, stderr=log, check=False)
    if built.returncode != 0:
        print((WORK / "build.log").read_text(errors="replace")[-4000:], file=sys.stderr)
        sys.exit(f"dpkg-buildpackage failed; all of it is in {WORK / 'build.log'}")
    packages = sorted(WORK.glob("*.deb"))
    for package in packages:
        shutil.move(package, DIST / package.name)
    return [DIST / package.name for package in packages]


def build_tarball(target, version, epoch):
    """The stripped program of the package, its pages, and the texts that explain them."""
    machine = output_of("dpkg", "--print-architecture").strip()
    folder = f"posthorn-{version}"
    rows = [("bin/posthorn", target / "debian/posthorn/usr/bin/posthorn")]
    rows += [(f"share/{name}", target / "debian/pages" / name) for name in PAGES]
    rows += [(f"systemd/{path.name}", path) for path in sorted((target / "packaging/systemd").iterdir())]
    rows += [(name, target / name) for name in ("LICENSE", "README.md", "CHANGELOG.md", "docs/operations.md")]
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for name, path in sorted(rows):
            entry = tarfile.TarInfo(f"{folder}/{name}")
            entry.size, entry.mtime = path.stat().st_size, epoch
            entry.mode = 0o755 if name.startswith("bin/") else 0o644
            with open(path, "rb") as content:
                tar.addfile(entry, content)
    file = DIST / f"posthorn-{version}-linux-{machine}.tar.gz"
    with open(file, "wb") as out, gzip.GzipFile(filename="", fileobj=out, mode="wb", mtime=epoch) as zipped:
        zipped.write(packed.getvalue())
    return file


def write_sums():
    files = sorted(path for path in DIST.iterdir() if path.name != "SHA256SUMS")
    (DIST / "SHA256SUMS").write_text("".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files))


def main():
    version, epoch = version_of_tree(), epoch_of_tree()
    for folder in (WORK, DIST):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    target = WORK / f"posthorn-{version}"
    copy_tree(target)
    write_changelog(target, version, epoch)
    build_debian(target, epoch)
    build_tarball(target, version, epoch)
    shutil.copy(ROOT / "sbom.spdx.json", DIST / f"posthorn-{version}.spdx.json")
    write_sums()
    print((DIST / "SHA256SUMS").read_text(), end="")


if __name__ == "__main__":
    main()
