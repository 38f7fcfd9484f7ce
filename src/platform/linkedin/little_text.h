/* SPDX-License-Identifier: Apache-2.0
 * LinkedIn's "little text", the form of a post's commentary (linkedin.md 2.9): fifteen
 * characters are reserved, and one of them left bare cuts the post off there, with a 201. Comments,
 * titles and alt texts are plain and do not come here. Pure. */
#pragma once

#include "str.h"

struct arena;

/* Plain text as little text. Mentions "@[Name](urn:li:person:...)" stay mentions and "#word" stays
 * a hashtag. */
struct str little_text_escape(struct arena *arena, struct str text);
/* Little text as a reader sees it, for comparing: the finder writes hashtags as
 * {hashtag|\#|word}. */
struct str little_text_unescape(struct arena *arena, struct str little);
