/* SPDX-License-Identifier: Apache-2.0
 * See webhook_sign.h. */
#include "webhook_sign.h"

#include <inttypes.h>
#include <sodium.h>

#include "arena.h"
#include "buf.h"
#include "random.h"

#include "base64.h"
#include "json_write.h"

#include "store_event.h"

#define SECRET_PREFIX "whsec_"
#define ENVELOPE_MAX_BYTES ((size_t)16 << 20)

struct str webhook_secret_make(struct arena *arena, const struct random_source *random)
{
	uint8_t key[WEBHOOK_SECRET_KEY_BYTES];
	random_fill(random, key, sizeof(key));
	const struct str text = base64_encode(arena, (struct str){(const char *)key, sizeof(key)});
	sodium_memzero(key, sizeof(key));
	return str_concat(arena, STR(SECRET_PREFIX), text);
}

static struct str hmac(struct arena *arena, struct str key, struct str message)
{
	unsigned char mac[crypto_auth_hmacsha256_BYTES];
	crypto_auth_hmacsha256_state state;
	crypto_auth_hmacsha256_init(&state, (const unsigned char *)key.ptr, key.len);
	crypto_auth_hmacsha256_update(&state, (const unsigned char *)message.ptr, message.len);
	crypto_auth_hmacsha256_final(&state, mac);
	sodium_memzero(&state, sizeof(state));
	return base64_encode(arena, (struct str){(const char *)mac, sizeof(mac)});
}

struct str webhook_signature(struct arena *arena, struct str secret, struct str id,
			     int64_t timestamp_s, struct str body)
{
	struct str key;
	if (!str_skip(&secret, STR(SECRET_PREFIX)) || !base64_decode(arena, secret, &key))
		return STR("");
	/* The body is not formatted, which would end it at a NUL. */
	const struct str head =
		str_format(arena, STR_FMT ".%" PRId64 ".", STR_ARG(id), timestamp_s);
	return str_concat(arena, STR("v1,"), hmac(arena, key, str_concat(arena, head, body)));
}

struct str webhook_envelope(struct arena *arena, const struct event_row *event, struct str data)
{
	struct buf out;
	struct json_writer w;
	buf_init(&out, arena, ENVELOPE_MAX_BYTES);
	json_writer_init(&w, &out);
	json_begin_object(&w);
	json_member_str(&w, "id", event->id);
	json_member_str(&w, "type", str_of(event_kind_name(event->kind)));
	json_member_str(&w, "event", str_of(event_kind_name(event->kind)));
	json_member_int(&w, "seq", event->seq);
	json_member_str(&w, "app_id", event->app_id);
	json_member_instant(&w, "timestamp", event->created_at_us);
	json_key(&w, "data");
	json_put_raw(&w, str_is_empty(data) ? STR("null") : data);
	json_end_object(&w);
	return buf_str(&out);
}
