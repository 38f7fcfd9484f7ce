# SPDX-License-Identifier: Apache-2.0
"""What a caller of the Python client writes; mypy --strict finds exactly the lines that are marked. Not a test itself, and never run."""
from posthorn import AsyncPosthorn, Posthorn

client = Posthorn("http://127.0.0.1:1", token="phk_1")
later = AsyncPosthorn("http://127.0.0.1:1", token="phk_1")

post_id: str = client.posts.publish({"account_ids": ["a"], "content": "Hello"})["post_id"]
client.posts.publish({"account_ids": ["a"], "contents": "Hello"})  # wrong
client.posts.publish({"account_ids": "a"})  # wrong
client.posts.list(status="gone")  # wrong
for post in client.posts.list(status="published", per_page=50):
    url: str | None = post["platform_posts"][0]["url"]
    post["platform_post"]  # wrong


async def publish() -> None:
    accepted = await later.posts.publish({"account_ids": ["a"], "content": "Hello"})
    print(accepted["post_id"], accepted.get("recovered"))
    print((later.posts.get(post_id))["status"])  # wrong
    async for event in later.events.follow():
        number: int = event["seq"]
        print(number)
