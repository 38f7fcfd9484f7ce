/* SPDX-License-Identifier: Apache-2.0
 * The ledger: everything that the world can see on the simulated platforms, in order of
 * appearance. */
#include "arena.h"
#include "clock.h"
#include "str.h"

#include "json_write.h"

#include "sandbox_core.h"

static struct sandbox_media *media_copy(struct sandbox *sandbox, const struct sandbox_media *media,
					size_t count)
{
	if (count > SANDBOX_POST_MEDIA_MAX)
		count = SANDBOX_POST_MEDIA_MAX;
	struct sandbox_media *copy = sandbox_keep(sandbox, (count > 0 ? count : 1) * sizeof(*copy));
	for (size_t i = 0; i < count; i++) {
		copy[i] = media[i];
		copy[i].alt_text = sandbox_keep_str(sandbox, media[i].alt_text);
	}
	return copy;
}

static void copy_fields(struct sandbox *sandbox, struct sandbox_post *to,
			const struct sandbox_post *from)
{
	*to = *from;
	to->account_id = sandbox_keep_str(sandbox, from->account_id);
	to->id = sandbox_keep_str(sandbox, from->id);
	to->type = sandbox_keep_str(sandbox, from->type);
	to->text = sandbox_keep_str(sandbox, from->text);
	to->reply_to = sandbox_keep_str(sandbox, from->reply_to);
	to->url = sandbox_keep_str(sandbox, from->url);
	to->title = sandbox_keep_str(sandbox, from->title);
	to->media = media_copy(sandbox, from->media, from->media_count);
	if (to->media_count > SANDBOX_POST_MEDIA_MAX)
		to->media_count = SANDBOX_POST_MEDIA_MAX;
	to->deleted_us = 0;
	if (to->created_us == 0)
		to->created_us = sandbox_now_us(sandbox);
}

static void append_reply(struct ledger_entry *parent, struct ledger_entry *entry)
{
	if (parent == NULL)
		return;
	if (parent->replies_last != NULL)
		parent->replies_last->reply_next = entry;
	else
		parent->replies_first = entry;
	parent->replies_last = entry;
}

struct sandbox_post *sandbox_ledger_add(struct sandbox *sandbox, const struct sandbox_post *post)
{
	struct ledger_entry *entry = sandbox_keep(sandbox, sizeof(*entry));
	copy_fields(sandbox, &entry->post, post);
	entry->post.older =
		sandbox_object_get(sandbox, post->platform, "ledger_newest", post->account_id);
	sandbox_object_put(sandbox, post->platform, "ledger_newest", post->account_id, entry);
	if (!str_is_empty(post->reply_to))
		append_reply(sandbox_object_get(sandbox, post->platform, "ledger", post->reply_to),
			     entry);
	sandbox_object_put(sandbox, post->platform, "ledger", post->id, entry);
	if (sandbox->ledger_last != NULL)
		sandbox->ledger_last->next = entry;
	else
		sandbox->ledger_first = entry;
	sandbox->ledger_last = entry;
	return &entry->post;
}

struct sandbox_post *sandbox_ledger_find(struct sandbox *sandbox, enum sandbox_platform platform,
					 struct str id)
{
	struct ledger_entry *entry = sandbox_object_get(sandbox, platform, "ledger", id);
	return entry != NULL && entry->post.deleted_us == 0 ? &entry->post : NULL;
}

struct sandbox_post *sandbox_ledger_seen(struct sandbox *sandbox, enum sandbox_platform platform,
					 struct str id)
{
	struct ledger_entry *entry = sandbox_object_get(sandbox, platform, "ledger", id);
	const int64_t late_us = sandbox_knob(sandbox, SANDBOX_KNOB_deletions_late_ms) * US_PER_MS;
	if (entry == NULL || entry->post.deleted_us == 0)
		return entry != NULL ? &entry->post : NULL;
	return sandbox_now_us(sandbox) < entry->post.deleted_us + late_us ? &entry->post : NULL;
}

bool sandbox_ledger_is_listed(const struct sandbox *sandbox, const struct sandbox_post *post)
{
	const int64_t late_us = sandbox_knob(sandbox, SANDBOX_KNOB_lists_late_ms) * US_PER_MS;
	return post->deleted_us == 0 && sandbox_now_us(sandbox) >= post->created_us + late_us;
}

struct sandbox_post *sandbox_ledger_newest(struct sandbox *sandbox, enum sandbox_platform platform,
					   struct str account_id)
{
	struct ledger_entry *entry =
		sandbox_object_get(sandbox, platform, "ledger_newest", account_id);
	return entry != NULL ? &entry->post : NULL;
}

size_t sandbox_ledger_replies(struct sandbox *sandbox, enum sandbox_platform platform,
			      struct str id, struct sandbox_post **out, size_t max)
{
	struct ledger_entry *parent = sandbox_object_get(sandbox, platform, "ledger", id);
	size_t count = 0;
	for (struct ledger_entry *e = parent != NULL ? parent->replies_first : NULL;
	     e != NULL && count < max; e = e->reply_next) {
		if (e->post.deleted_us == 0)
			out[count++] = &e->post;
	}
	return count;
}

void sandbox_ledger_delete(struct sandbox *sandbox, struct sandbox_post *post)
{
	if (post->deleted_us == 0)
		post->deleted_us = sandbox_now_us(sandbox);
}

static void delete_entry(struct sandbox *sandbox, struct ledger_entry *entry)
{
	for (struct ledger_entry *e = entry->replies_first; e != NULL; e = e->reply_next)
		delete_entry(sandbox, e);
	sandbox_ledger_delete(sandbox, &entry->post);
}

void sandbox_ledger_delete_thread(struct sandbox *sandbox, enum sandbox_platform platform,
				  struct str id)
{
	struct ledger_entry *entry = sandbox_object_get(sandbox, platform, "ledger", id);
	if (entry != NULL)
		delete_entry(sandbox, entry);
}

static const char *media_type(const struct sandbox_media *media)
{
	if (media->sniff.is_image)
		return "image";
	return media->sniff.is_video ? "video" : "file";
}

static void write_media(struct json_writer *w, const struct sandbox_post *post)
{
	json_key(w, "media");
	json_begin_array(w);
	for (size_t i = 0; i < post->media_count; i++) {
		const struct sandbox_media *media = &post->media[i];
		json_begin_object(w);
		json_member_str(w, "type", str_of(media_type(media)));
		json_member_str(w, "mime_type", str_of(media->sniff.mime_type));
		json_member_int(w, "bytes", media->size_bytes);
		json_member_str(w, "sha256", str_of(media->sha256));
		json_member_str_or_null(w, "alt_text", media->alt_text);
		json_end_object(w);
	}
	json_end_array(w);
}

static void write_post(struct json_writer *w, const struct sandbox_post *post)
{
	json_begin_object(w);
	json_member_str(w, "platform", str_of(sandbox_platform_slug(post->platform)));
	json_member_str(w, "account_id", post->account_id);
	json_member_str(w, "id", post->id);
	json_member_str(w, "type", post->type);
	json_member_str(w, "text", post->text);
	write_media(w, post);
	json_member_str_or_null(w, "reply_to", post->reply_to);
	json_member_str_or_null(w, "url", post->url);
	json_member_instant(w, "created_at", post->created_us);
	json_end_object(w);
}

void sandbox_ledger_settle(struct sandbox *sandbox)
{
	for (size_t i = 0; i < sandbox->module_count; i++) {
		if (sandbox->modules[i]->settle != NULL)
			sandbox->modules[i]->settle(sandbox);
	}
}

void sandbox_ledger_write(struct sandbox *sandbox, struct buf *out)
{
	struct json_writer w;
	json_writer_init(&w, out);
	json_begin_object(&w);
	json_key(&w, "posts");
	json_begin_array(&w);
	for (const struct ledger_entry *e = sandbox->ledger_first; e != NULL; e = e->next) {
		if (e->post.deleted_us == 0)
			write_post(&w, &e->post);
	}
	json_end_array(&w);
	json_end_object(&w);
}
