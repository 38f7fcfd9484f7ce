/* SPDX-License-Identifier: Apache-2.0
 * See multipart.h. */
#include "multipart.h"

#include <assert.h>
#include <sodium.h>

#include "arena.h"

#include "hex.h"

#include "platform.h"

/* of all that is not the file: texts of 100 kB and small files */
#define TEXT_MAX_BYTES ((size_t)4 << 20)
#define BOUNDARY_HASH_BYTES 24 /* 48 digits, and 70 characters are allowed (RFC 2046 5.1.1) */

/* The customer knows the text and the file, but not the token: nobody can make a file that holds
 * the boundary. */
static struct str boundary_of(const struct env *env, struct str salt)
{
	crypto_generichash_state state;
	uint8_t hash[BOUNDARY_HASH_BYTES];
	crypto_generichash_init(&state, NULL, 0, sizeof(hash));
	crypto_generichash_update(&state, (const uint8_t *)salt.ptr, salt.len);
	crypto_generichash_update(&state, (const uint8_t *)env->access_token.ptr,
				  env->access_token.len);
	crypto_generichash_final(&state, hash, sizeof(hash));
	return str_concat(env->arena, STR("posthorn-"),
			  hex_encode(env->arena, (struct str){(const char *)hash, sizeof(hash)}));
}

void multipart_begin(struct multipart *m, const struct env *env, struct str salt)
{
	*m = (struct multipart){.boundary = boundary_of(env, salt)};
	buf_init(&m->head, env->arena, TEXT_MAX_BYTES);
	buf_init(&m->tail, env->arena, TEXT_MAX_BYTES);
}

/* Where text goes now. */
static struct buf *open_end(struct multipart *m)
{
	return m->has_file ? &m->tail : &m->head;
}

static void part_begin(struct multipart *m, const char *name, const char *file_name,
		       const char *mime_type)
{
	struct buf *out = open_end(m);
	assert(str_find_char(str_of(name), '"', 0) == SIZE_MAX);
	buf_addf(out, "--" STR_FMT "\r\nContent-Disposition: form-data; name=\"%s\"",
		 STR_ARG(m->boundary), name);
	if (file_name != NULL) {
		assert(str_find_char(str_of(file_name), '"', 0) == SIZE_MAX);
		buf_addf(out, "; filename=\"%s\"", file_name);
	}
	if (mime_type != NULL)
		buf_addf(out, "\r\nContent-Type: %s", mime_type);
	buf_add_z(out, "\r\n\r\n");
}

void multipart_field(struct multipart *m, const char *name, struct str value)
{
	part_begin(m, name, NULL, NULL);
	buf_add(open_end(m), value);
	buf_add_z(open_end(m), "\r\n");
}

void multipart_file(struct multipart *m, const char *name, const char *file_name,
		    const char *mime_type, size_t media_index, int64_t offset_bytes,
		    int64_t length_bytes)
{
	assert(!m->has_file);
	part_begin(m, name, file_name, mime_type);
	m->has_file = true;
	m->media_index = media_index;
	m->offset_bytes = offset_bytes;
	m->length_bytes = length_bytes;
	buf_add_z(&m->tail, "\r\n");
}

void multipart_bytes(struct multipart *m, const char *name, const char *file_name,
		     const char *mime_type, struct str bytes)
{
	part_begin(m, name, file_name, mime_type);
	buf_add(open_end(m), bytes);
	buf_add_z(open_end(m), "\r\n");
}

void multipart_end(struct multipart *m, struct call *call)
{
	buf_addf(open_end(m), "--" STR_FMT "--\r\n", STR_ARG(m->boundary));
	assert(!m->head.is_over);
	assert(!m->tail.is_over);
	call_header(call, "Content-Type",
		    str_concat(m->head.arena, STR("multipart/form-data; boundary="), m->boundary));
	call->body = buf_str(&m->head);
	call->body_tail = buf_str(&m->tail);
	call->has_media_body = m->has_file;
	call->media_index = m->media_index;
	call->media_offset_bytes = m->offset_bytes;
	call->media_length_bytes = m->length_bytes;
}
