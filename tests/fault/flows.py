# SPDX-License-Identifier: Apache-2.0
"""The flows that the fault tests walk: one row for each way a post takes to a platform. A flow added here is at once part
of the crash matrix and of the platform faults."""
import dataclasses
import typing

from harness import marker


def file_of(media, kind):
    """A file of that kind, served by media (harness.Media); another kind is one more row here."""
    return {
        "image": media.image,
        "clip": lambda: media.clip(duration=4),
        "wide": lambda: media.wide(duration=4),
        "film": media.long_clip,
        "covered clip": lambda: media.clip(duration=4, thumbnail_url=media.image()["url"]),
    }[kind]()


STAMPS = {}  # text -> digest of the file that stands for it


def shows(entry, text):
    """Does the ledger's entry show that text, or the file that stands for it?"""
    return text in entry["text"] or STAMPS.get(text) in [item["sha256"] for item in entry["media"]]


@dataclasses.dataclass(frozen=True)
class Flow:
    name: str
    platform: str
    parts: int  # entries of the ledger: the post, then its comments or replies
    media: tuple  # of the post itself: kinds of harness.Media's files, "image" or "clip", in their order
    publish_calls: tuple  # (method, path) as the sandbox's faults match them: the calls that make something visible
    is_strong: bool = False  # the platform lets us prove the outcome (rules.md 2.3)
    is_blind: bool = False  # the platform has no list that shows what was made (TikTok's photos)
    sends_max: int = 1  # LinkedIn: one repeat into its guard against duplicates is the proof where posts cannot be read
    patience_s: int = 0  # a look earlier than that after the call does not prove that it did nothing (Instagram)
    account: int = 0  # which account of the connection
    post_type: typing.Optional[str] = None  # "story", "carousel", ...; None = the platform's default for what the post holds
    options: typing.Any = None  # the object under the platform's slug in `platforms`
    is_wordless: bool = False  # stories: what a reader sees has no text, so that the file says whose it is
    skips: int = 0  # calls on the first publish path that come before the visible one: the phases of an upload
    chunk_bytes: int = 0  # and as many more as the clip has chunks of that size
    knobs: tuple = ()  # (name, value) of the sandbox's knobs that the flow needs
    time_scale: int = 5000  # the ten minutes that the last look may take become a tenth of a second

    def texts(self):
        """One text for each part, none the beginning of another."""
        return [marker(f"{self.name} {part}") for part in range(self.parts)]

    def body(self, texts, media):
        """The members of a publish request but the account."""
        post = {"content": texts[0]}
        if self.is_wordless:
            item, STAMPS[texts[0]] = media.stamped(self.media[0], texts[0])
            post = {"content": "", "media": [item]}
        elif self.media:
            post["media"] = [file_of(media, kind) for kind in self.media]
        if self.post_type:
            post["type"] = self.post_type
        body = post if self.parts == 1 else {"containers": [post, *({"content": text} for text in texts[1:])]}
        if self.options:
            body["platforms"] = {self.platform: self.options(media) if callable(self.options) else self.options}
        return body

    def skips_of(self, media):
        return self.skips + (-(-len(media.wide_video) // self.chunk_bytes) if self.chunk_bytes else 0)

    def parent(self, part):
        """The part that this one answers: X replies as a thread, the others answer the post."""
        return part - 1 if self.platform == "x" else 0


X = (("POST", "/2/tweets"),)
X_ARTICLE = (("POST", "/2/articles/*/publish"),)
FEED = (("POST", "/v25.0/*/feed"),)
COMMENTS = (("POST", "/v25.0/*/comments"),)
POSTS = (("POST", "/rest/posts"),)
SOCIAL = (("POST", "/rest/socialActions/*/comments"),)
MEDIA_PUBLISH = (("POST", "/v25.0/*/media_publish"),)
VIDEOS = (("POST", "/v25.0/*/videos"),)
REELS = (("POST", "/v25.0/*/video_reels"),)
PHOTO_STORIES = (("POST", "/v25.0/*/photo_stories"),)
VIDEO_STORIES = (("POST", "/v25.0/*/video_stories"),)
YOUTUBE_UPLOAD = (("PUT", "/upload/youtube/v3/videos"),)
# The minute in which an id is asked for is a seventh of a second at TikTok's scale: moderation must be through by then.
TIKTOK_KNOBS = (("tiktok_moderation_ms", 100),)

FLOWS = (
    # Polls wait too: at a higher scale TikTok's would come hundreds of times before its processing is over, and Instagram's
    # looks would be over before one may be believed.
    Flow("tiktok video", "tiktok", 1, ("clip",), (("PUT", "/video/"),), is_strong=True, knobs=TIKTOK_KNOBS, time_scale=400),
    Flow("tiktok photos", "tiktok", 1, ("image", "image"), (("POST", "/v2/post/publish/content/init/"),), is_blind=True,
         knobs=TIKTOK_KNOBS, time_scale=400),
    Flow("youtube video", "youtube", 1, ("clip",), YOUTUBE_UPLOAD, is_strong=True),
    Flow("youtube film", "youtube", 1, ("film",), YOUTUBE_UPLOAD, is_strong=True),
    Flow("youtube thumbnail", "youtube", 1, ("covered clip",), YOUTUBE_UPLOAD, is_strong=True),
    Flow("youtube playlist", "youtube", 1, ("clip",), YOUTUBE_UPLOAD, is_strong=True,
         options=lambda media: {"playlistId": "PLsandboxPosthorn0000001",
                                "captions": [{"url": media.words_url(), "language": "de"}]}),
    # The video itself is proven by its session, as above; the comment is what is looked for.
    Flow("youtube comment", "youtube", 2, ("clip",), (("POST", "/youtube/v3/commentThreads"),)),
    Flow("instagram image", "instagram", 1, ("image",), MEDIA_PUBLISH, is_strong=True, patience_s=150, time_scale=300),
    Flow("instagram reel", "instagram", 1, ("clip",), MEDIA_PUBLISH, is_strong=True, patience_s=150, time_scale=300),
    Flow("instagram carousel", "instagram", 1, ("image", "clip"), MEDIA_PUBLISH, is_strong=True, patience_s=150,
         time_scale=300),
    Flow("instagram story", "instagram", 1, ("image",), MEDIA_PUBLISH, is_strong=True, patience_s=150, time_scale=300,
         post_type="story", is_wordless=True),
    Flow("instagram video story", "instagram", 1, ("clip",), MEDIA_PUBLISH, is_strong=True, patience_s=150, time_scale=300,
         post_type="story", is_wordless=True),
    # The post itself is proven by its container, as above; the comment is what is looked for.
    Flow("instagram comment", "instagram", 2, ("image",), COMMENTS, time_scale=300),
    Flow("x thread", "x", 3, (), X),
    Flow("facebook photo", "facebook", 1, ("image",), FEED),
    Flow("facebook comment", "facebook", 2, (), FEED + COMMENTS),
    Flow("linkedin comment", "linkedin", 2, (), POSTS + SOCIAL, sends_max=2),
    Flow("facebook text", "facebook", 1, (), FEED),
    Flow("facebook link", "facebook", 1, (), FEED, options={"link": "https://www.example.com/"}),
    Flow("facebook photos", "facebook", 2, ("image", "image"), FEED + COMMENTS, post_type="carousel"),
    # A video is known by its id from the start; a finish call that did nothing shows after a while.
    Flow("facebook video", "facebook", 1, ("wide",), VIDEOS, is_strong=True, patience_s=150, time_scale=300, skips=1,
         chunk_bytes=1 << 20),
    Flow("facebook reel", "facebook", 1, ("clip",), REELS, is_strong=True, patience_s=150, time_scale=300, skips=1,
         post_type="video"),
    Flow("facebook photo story", "facebook", 1, ("image",), PHOTO_STORIES, post_type="story", is_wordless=True),
    Flow("facebook video story", "facebook", 1, ("clip",), VIDEO_STORIES, is_strong=True, patience_s=150, time_scale=300,
         skips=1, post_type="story", is_wordless=True),
    Flow("x text", "x", 1, (), X),
    # X works on a video for a second: at a higher scale it would be asked hundreds of times.
    Flow("x images", "x", 2, ("image", "image"), X),
    Flow("x video", "x", 1, ("clip",), X, post_type="video", time_scale=40),
    Flow("x subtitles", "x", 1, ("clip",), X, post_type="video", time_scale=40,
         options=lambda media: {"captions": [{"url": media.words_url(), "language": "de"}]}),
    Flow("x poll", "x", 1, (), X, options={"poll": {"options": ["Brass", "Wood"], "duration_minutes": 60}}),
    Flow("x article", "x", 2, ("image",), X_ARTICLE + X, post_type="article", knobs=(("x_subscription", 2),)),
    Flow("linkedin member", "linkedin", 1, (), POSTS, sends_max=2),
    Flow("linkedin organization", "linkedin", 1, (), POSTS, sends_max=2, account=1),
    Flow("linkedin image", "linkedin", 1, ("image",), POSTS, sends_max=2),
    # A page's files and everybody's videos are polled: at a higher scale all polls would be over before their processing.
    Flow("linkedin images", "linkedin", 2, ("image", "image"), POSTS + SOCIAL, sends_max=2, account=1, time_scale=300),
    Flow("linkedin video", "linkedin", 1, ("clip",), POSTS, sends_max=2, time_scale=300,
         options=lambda media: {"captions": [{"url": media.words_url(), "language": "de"}]}),
    Flow("linkedin document", "linkedin", 1, (), POSTS, sends_max=2, account=1, post_type="carousel", time_scale=300,
         options=lambda media: {"document": {"url": media.slides_url(), "title": "Slides"}}),
    Flow("linkedin article", "linkedin", 1, ("image",), POSTS, sends_max=2, post_type="article",
         options={"article": {"source": "https://example.com/", "title": "A card"}}),
    Flow("linkedin poll", "linkedin", 1, (), POSTS, sends_max=2,
         options={"poll": {"question": "Brass or wood?", "options": ["Brass", "Wood"]}}),
)
BY_NAME = {flow.name: flow for flow in FLOWS}
