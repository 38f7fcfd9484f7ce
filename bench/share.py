# SPDX-License-Identifier: Apache-2.0
"""Processes that are held to a share of a core, by Linux control groups (version 1 or 2): for figures of several machines on one. Needs
root."""
import contextlib
import os
import pathlib

V2 = pathlib.Path("/sys/fs/cgroup")
V1 = V2 / "cpu"
PERIOD_US = 20000  # short, so that a node waits for its next share no longer than for a far database
QUOTA_LEAST_US = 1000  # the kernel takes no less


def _make(path, percent):
    period_us = max(PERIOD_US, round(QUOTA_LEAST_US * 100 / percent))
    quota_us = max(QUOTA_LEAST_US, round(period_us * percent / 100))
    path.mkdir()
    if (path / "cpu.max").exists():
        (path / "cpu.max").write_text(f"{quota_us} {period_us}")
        return
    (path / "cpu.cfs_period_us").write_text(str(period_us))
    (path / "cpu.cfs_quota_us").write_text(str(quota_us))


@contextlib.contextmanager
def groups(count, percent):
    """Makes so many control groups, each with so much of a core; gives the beginning of their paths, without their numbers."""
    root = V1 if (V1 / "cgroup.procs").exists() else V2
    prefix = root / f"posthorn-bench-{os.getpid()}-"
    paths = [pathlib.Path(f"{prefix}{number}") for number in range(count)]
    try:
        for path in paths:
            _make(path, percent)
        yield str(prefix)
    finally:
        for path in paths:
            with contextlib.suppress(OSError):
                path.rmdir()
