# SPDX-License-Identifier: Apache-2.0
"""The flows that the fault tests walk: one row for each way a post takes to a platform. A flow added here is at once part
of the crash matrix and of the platform faults."""
import dataclasses
import typing

from harness import marker


@dataclasses.dataclass(frozen=True)
class Flow:
    name: str
    platform: str
    parts: int  # entries of the ledger: the post, then its comments or replies
    media: typing.Optional[str]  # "image" or "clip"
    publish_calls: tuple  # (method, path) as the sandbox's faults match them: the calls that make something visible
    is_strong: bool = False  # the platform lets us prove the outcome (RELIABILITY.md 2.3)
    sends_max: int = 1  # LinkedIn: one repeat into its guard against duplicates is the proof where posts cannot be read
    patience_s: int = 0  # a look earlier than that after the call does not prove that it did nothing (Instagram)
    account: int = 0  # which account of the connection
    time_scale: int = 5000  # the ten minutes that the last look may take become a tenth of a second

    def texts(self):
        """One text for each part, none the beginning of another."""
        return [marker(f"{self.name} {part}") for part in range(self.parts)]

    def body(self, texts, media):
        """The members of a publish request but the account."""
        items = {"media": [media.image() if self.media == "image" else media.clip(duration=4)]} if self.media else {}
        if self.parts == 1:
            return {"content": texts[0], **items}
        return {"containers": [{"content": texts[0], **items}, *({"content": text} for text in texts[1:])]}

    def parent(self, part):
        """The part that this one answers: X replies as a thread, the others answer the post."""
        return part - 1 if self.platform == "x" else 0


X = (("POST", "/2/tweets"),)
FEED = (("POST", "/v25.0/*/feed"),)
COMMENTS = (("POST", "/v25.0/*/comments"),)
POSTS = (("POST", "/rest/posts"),)
SOCIAL = (("POST", "/rest/socialActions/*/comments"),)

FLOWS = (
    # Polls wait too: at a higher scale TikTok's would come hundreds of times before its processing is over, and Instagram's
    # looks would be over before one may be believed.
    Flow("tiktok video", "tiktok", 1, "clip", (("PUT", "/video/"),), is_strong=True, time_scale=40),
    Flow("youtube video", "youtube", 1, "clip", (("PUT", "/upload/youtube/v3/videos"),), is_strong=True),
    Flow("instagram image", "instagram", 1, "image", (("POST", "/v25.0/*/media_publish"),), is_strong=True,
         patience_s=150, time_scale=300),
    Flow("x thread", "x", 3, None, X),
    Flow("facebook photo", "facebook", 1, "image", FEED),
    Flow("facebook comment", "facebook", 2, None, FEED + COMMENTS),
    Flow("linkedin comment", "linkedin", 2, None, POSTS + SOCIAL, sends_max=2),
    Flow("facebook text", "facebook", 1, None, FEED),
    Flow("x text", "x", 1, None, X),
    Flow("linkedin member", "linkedin", 1, None, POSTS, sends_max=2),
    Flow("linkedin organization", "linkedin", 1, None, POSTS, sends_max=2, account=1),
)
BY_NAME = {flow.name: flow for flow in FLOWS}
