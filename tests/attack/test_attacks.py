# SPDX-License-Identifier: Apache-2.0
"""The attacks of attack.py, smaller: what must hold is the same."""
import attack
import pytest

SMALLER = {
    "bodies": {"count": 200},
    "idle": {"count": 300, "options": ("--threads", "2")},  # 200 places
    "platform": {"seconds": 5},
    "lengths": {},
}


@pytest.mark.parametrize("name", SMALLER)
def test_an_attack_does_not_work(name, sandbox, tmp_path, capsys):
    with capsys.disabled():
        print()
        assert attack.ATTACKS[name](sandbox, tmp_path / "data", **SMALLER[name])
