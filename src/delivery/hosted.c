/* SPDX-License-Identifier: Apache-2.0
 * See hosted.h. A token is base64url of a sealed record (seal.h): 8 bytes of the instant when it
 * ends, then the spool's key; of an uploaded file, which has none: its app and its id, with a slash
 * between them. */
#include "hosted.h"

#include "arena.h"

#include "base64.h"

#include "seal.h"

#include "store_media.h"

#include "spool.h"

#include "media_files.h"

#define INSTANT_BYTES 8
#define TOKEN_MAX_BYTES 512 /* about 165 are used */

static const struct seal_place place = {{"media", 5}, {"token", 5}, {"", 0}};

static void instant_write(char out[INSTANT_BYTES], int64_t at_us)
{
	for (int i = 0; i < INSTANT_BYTES; i++)
		out[i] = (char)((uint64_t)at_us >> (8 * i) & 0xFF);
}

static int64_t instant_read(const char *bytes)
{
	uint64_t at_us = 0;
	for (int i = 0; i < INSTANT_BYTES; i++)
		at_us |= (uint64_t)(uint8_t)bytes[i] << (8 * i);
	return (int64_t)at_us;
}

struct str hosted_url(const struct hosted *hosted, struct arena *arena, struct str key)
{
	char until[INSTANT_BYTES];
	instant_write(until, clock_now_us(hosted->clock) + HOSTED_VALID_US);
	const struct str plain = str_concat(arena, (struct str){until, sizeof(until)}, key);
	const struct str sealed = seal_secret(hosted->seal, arena, &place, plain, hosted->random);
	const struct str token = base64url_encode(arena, sealed);
	return str_format(arena, "%s/media/" STR_FMT, hosted->public_url, STR_ARG(token));
}

struct str hosted_media_url(const struct hosted *hosted, struct arena *arena, struct str app_id,
			    struct str media_id)
{
	return hosted_url(
		hosted, arena,
		str_format(arena, STR_FMT "/" STR_FMT, STR_ARG(app_id), STR_ARG(media_id)));
}

/* Reads the spool key out of a token; false when the token is invalid or expired. */
static bool token_key(const struct hosted *hosted, struct arena *arena, struct str token,
		      struct str *key_out)
{
	struct str sealed, plain;
	if (token.len > TOKEN_MAX_BYTES || !base64url_decode(arena, token, &sealed) ||
	    seal_open_secret(hosted->seal, arena, &place, sealed, &plain, NULL) != ERR_NONE ||
	    plain.len <= INSTANT_BYTES)
		return false;
	*key_out = str_slice(plain, INSTANT_BYTES, plain.len);
	return clock_now_us(hosted->clock) < instant_read(plain.ptr);
}

static bool open_media(const struct hosted *hosted, struct arena *arena, struct str app_id,
		       struct str media_id, struct hosted_file *file_out)
{
	struct media_row row = {0};
	struct error err = {0};
	if (hosted->media_files == NULL ||
	    store_media_find(hosted->store, arena, app_id, media_id, &row, &err) != ERR_NONE)
		return false;
	*file_out = (struct hosted_file){
		.fd = -1,
		.size_bytes = row.size_bytes,
		.mime_type = media_sniff(&row).mime_type,
		.etag = str_format(arena, "\"" STR_FMT "\"", STR_ARG(str_slice(row.sha256, 0, 32))),
	};
	return media_file_open(hosted->media_files, arena, media_id, &file_out->fd, &err) ==
	       ERR_NONE;
}

bool hosted_open(const struct hosted *hosted, struct arena *arena, struct str token,
		 struct hosted_file *file_out)
{
	struct str key, app_id;
	struct spool_media file;
	if (!token_key(hosted, arena, token, &key))
		return false;
	if (str_take_until(&key, '/', &app_id) && str_skip(&key, STR("/")))
		return open_media(hosted, arena, app_id, key, file_out);
	if (!spool_media_open(hosted->spool, arena, key, &file))
		return false;
	*file_out = (struct hosted_file){
		.fd = file.fd,
		.size_bytes = file.size_bytes,
		.mime_type = file.sniff.mime_type,
		.etag = str_format(arena, "\"%.32s\"", file.sha256),
	};
	return true;
}
