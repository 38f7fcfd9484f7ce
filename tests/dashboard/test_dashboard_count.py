# SPDX-License-Identifier: Apache-2.0
"""Texts counted as each platform counts them, and where each would be cut."""
import pytest


def count(client, *texts):
    return client.post("/count", {"texts": list(texts)})


def test_each_platform_counts_its_own_way(client):
    text = "a\u00e4\U0001f35e https://bakery.com/a/very/long/path/to/the/bread"
    found = {slug: rows[0] for slug, rows in count(client, text).items()}
    assert set(found) == {"instagram", "facebook", "x", "linkedin", "youtube", "tiktok"}
    assert found["linkedin"]["length"] == len(text) and found["youtube"]["length"] == len(text.encode())
    assert found["tiktok"]["length"] == len(text) + 1
    assert found["x"] == {"length": 1 + 1 + 2 + 1 + 23, "max": 280, "fits": len(text)}


def test_where_it_is_cut(client):
    rows = count(client, "\u6771" * 200, "x" * 300)["x"]
    assert rows == [{"length": 400, "max": 280, "fits": 140}, {"length": 300, "max": 280, "fits": 280}]
    assert count(client, "")["x"] == [{"length": 0, "max": 280, "fits": 0}]


@pytest.mark.parametrize("texts", [None, [], "x", [1], ["x"] * 11, ["x" * 50001]], ids=range(6))
def test_refusals(client, texts):
    client.refused("POST", "/count", 422, "VALIDATION_ERROR", json={"texts": texts})
