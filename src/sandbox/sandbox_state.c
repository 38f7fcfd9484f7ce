/* SPDX-License-Identifier: Apache-2.0
 * The state of the simulated platforms until a reset: kept memory, named objects, ids, the
 * clock. */
#include <stdlib.h>

#include "arena.h"
#include "clock.h"
#include "random.h"
#include "str.h"

#include "sandbox_core.h"

static const struct {
	const char *slug;
	const char *name;
} platforms[SANDBOX_PLATFORM_COUNT] = {
	[SANDBOX_INSTAGRAM] = {"instagram", "Instagram"},
	[SANDBOX_FACEBOOK] = {"facebook", "Facebook"},
	[SANDBOX_X] = {"x", "X"},
	[SANDBOX_LINKEDIN] = {"linkedin", "LinkedIn"},
	[SANDBOX_YOUTUBE] = {"youtube", "YouTube"},
	[SANDBOX_TIKTOK] = {"tiktok", "TikTok"},
};

const char *sandbox_platform_slug(enum sandbox_platform platform)
{
	return platforms[platform].slug;
}

const char *sandbox_platform_name(enum sandbox_platform platform)
{
	return platforms[platform].name;
}

int64_t sandbox_now_us(const struct sandbox *sandbox)
{
	return clock_now_us(sandbox->clock) + sandbox->advance_us;
}

void *sandbox_state(struct sandbox *sandbox, enum sandbox_platform platform)
{
	return sandbox->states[platform];
}

void *sandbox_keep(struct sandbox *sandbox, size_t size_bytes)
{
	return arena_alloc(sandbox->kept, size_bytes);
}

struct str sandbox_keep_str(struct sandbox *sandbox, struct str s)
{
	return str_copy(sandbox->kept, s);
}

bool sandbox_is_full(const struct sandbox *sandbox)
{
	return arena_used_bytes(sandbox->kept) > sandbox->state_max_bytes / 4 * 3;
}

/* A look-up must not grow kept memory: the key is on the stack, or from malloc when it is long. */
void *sandbox_object_get(struct sandbox *sandbox, enum sandbox_platform platform, const char *kind,
			 struct str id)
{
	struct str prefix[2] = {str_of(platforms[platform].slug), str_of(kind)};
	const size_t len = prefix[0].len + prefix[1].len + id.len + 2;
	char small[256];
	char *key = len <= sizeof(small) ? small : malloc(len);
	if (key == NULL)
		return NULL;
	size_t at = 0;
	for (size_t i = 0; i < 2; i++) {
		memcpy(key + at, prefix[i].ptr, prefix[i].len);
		at += prefix[i].len;
		key[at++] = '/';
	}
	if (id.len > 0)
		memcpy(key + at, id.ptr, id.len);
	void *found = sandbox_table_get(&sandbox->objects, (struct str){key, len});
	if (key != small)
		free(key);
	return found;
}

void sandbox_object_put(struct sandbox *sandbox, enum sandbox_platform platform, const char *kind,
			struct str id, void *object)
{
	struct arena *arena = arena_new("sandbox key", 1 << 20);
	const struct str key =
		str_format(arena, "%s/%s/" STR_FMT, platforms[platform].slug, kind, STR_ARG(id));
	sandbox_table_put(&sandbox->objects, key, object);
	arena_free(&arena);
}

uint64_t sandbox_random_below(struct sandbox *sandbox, uint64_t limit)
{
	return random_below(sandbox->random, limit);
}

static struct str id_of(struct sandbox *sandbox, const char *prefix, size_t random_length,
			const char *alphabet, size_t alphabet_count)
{
	const size_t prefix_len = strlen(prefix);
	char *text = sandbox_keep(sandbox, prefix_len + random_length + 1);
	memcpy(text, prefix, prefix_len);
	for (size_t i = 0; i < random_length; i++)
		text[prefix_len + i] = alphabet[random_below(sandbox->random, alphabet_count)];
	return (struct str){text, prefix_len + random_length};
}

struct str sandbox_id_decimal(struct sandbox *sandbox, const char *prefix, size_t length)
{
	const size_t prefix_len = strlen(prefix);
	return id_of(sandbox, prefix, length > prefix_len ? length - prefix_len : 0, "0123456789",
		     10);
}

struct str sandbox_id_text(struct sandbox *sandbox, const char *prefix, size_t random_length)
{
	static const char alphabet[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
	return id_of(sandbox, prefix, random_length, alphabet, sizeof(alphabet) - 1);
}
