# SPDX-License-Identifier: Apache-2.0
"""GET /v1/platforms: what each platform takes, from the same table that publish requests are checked against."""
import pytest

from harness import PLATFORM_IDS, App, utc

# Post types, the default first (contract.md's table and the additions of the API).
TYPES = {
    "instagram": ("post", {"post", "video", "story", "carousel"}),
    "facebook": ("post", {"post", "video", "story", "carousel"}),
    "x": ("post", {"post", "video", "article"}),
    "linkedin": ("post", {"post", "video", "carousel", "article"}),
    "youtube": ("video", {"video"}),
    "tiktok": ("video", {"video", "carousel"}),
}


@pytest.fixture(scope="module")
def platforms(app):
    answer = app.get("/v1/platforms")
    assert answer.status_code == 200
    return {row["slug"]: row for row in answer.json()["data"]}


def test_six_in_order(app):
    rows = app.get("/v1/platforms").json()["data"]
    assert [(row["slug"], row["id"]) for row in rows] == list(PLATFORM_IDS.items())
    assert app.get("/api/v1/platforms").json() == app.get("/v1/platforms").json()


@pytest.mark.parametrize("slug", TYPES)
def test_rows(platforms, slug):
    row = platforms[slug]
    assert {"id", "slug", "name", "post_types", "limits", "options"} <= set(row)
    assert row["name"]
    default, types = TYPES[slug]
    offered = [item["type"] for item in row["post_types"]]
    assert offered[0] == default
    assert set(offered) <= types
    assert len(set(offered)) == len(offered)
    for option in row["options"]:
        assert option["name"] and option["type"]


def test_text_limits(platforms):
    limits = {slug: row["limits"]["text_max"] for slug, row in platforms.items()}
    assert limits["x"] == 280 and limits["linkedin"] == 3000 and limits["instagram"] == 2200 and limits["tiktok"] == 2200
    assert platforms["tiktok"]["limits"]["comments_max"] == 0


@pytest.mark.parametrize("slug", ["x", "linkedin", "facebook"])
def test_the_limit_is_the_one_that_is_checked(app, one, platforms, slug):
    most = platforms[slug]["limits"]["text_max"]
    assert app.publish(one[slug], "x" * most, scheduled_at=utc(86400)).status_code == 202
    assert app.publish(one[slug], "x" * (most + 1), scheduled_at=utc(86400)).status_code == 422


def test_sandbox_mode_says_so(app, start_service):
    """In sandbox mode /v1/platforms says so (operator's contract)."""
    assert app.get("/v1/platforms").json()["sandbox"] is True
    real = App(start_service(None)).issue_token()
    assert real.get("/v1/platforms").json()["sandbox"] is False
