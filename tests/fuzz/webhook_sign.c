/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes webhook/webhook_sign.h: a signature is what a receiver computes by himself from secret,
 * id, time and body (Standard Webhooks 1.0.0), a secret in a form that is none of ours signs
 * nothing, and an envelope is JSON that holds its data unchanged. */
#include "webhook_sign.h"

#include <assert.h>
#include <sodium.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

#include "base64.h"
#include "json.h"

#include "store_event.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* As a receiver does it: secret without its prefix from base64, one HMAC over the three joined. */
static void check_signature(struct arena *arena, struct str key, struct str body)
{
	const struct str secret = str_concat(arena, STR("whsec_"), base64_encode(arena, key));
	const struct str got = webhook_signature(arena, secret, STR("msg_1"), 1795348800, body);
	const struct str text = str_concat(arena, STR("msg_1.1795348800."), body);
	unsigned char mac[crypto_auth_hmacsha256_BYTES];
	struct str bytes;
	assert(str_has_prefix(got, STR("v1,")));
	assert(base64_decode(arena, str_slice(got, 3, got.len), &bytes) &&
	       bytes.len == sizeof(mac));
	crypto_auth_hmacsha256_state state;
	crypto_auth_hmacsha256_init(&state, (const unsigned char *)key.ptr, key.len);
	crypto_auth_hmacsha256_update(&state, (const unsigned char *)text.ptr, text.len);
	crypto_auth_hmacsha256_final(&state, mac);
	assert(memcmp(bytes.ptr, mac, sizeof(mac)) == 0);
}

static void check_envelope(struct arena *arena, struct str id, struct str data)
{
	const struct event_row event = {
		.id = id, .app_id = STR("app"), .kind = EVENT_TEST, .created_at_us = 1};
	const struct json *json = NULL;
	if (json_parse(arena, data, &(struct json_limits){.depth_max = 16}, &json, NULL, NULL) !=
		    ERR_NONE ||
	    str_find_char(id, '\0', 0) != SIZE_MAX)
		return;
	const struct str body = webhook_envelope(arena, &event, data);
	assert(json_parse(arena, body, &(struct json_limits){.nodes_max = 20000}, &json, NULL,
			  NULL) == ERR_NONE);
	assert(str_equal_z(json_string(json_get(json, "event")), "test"));
	assert(json_get(json, "data") != NULL && json->count == 5);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_new("fuzz", (size_t)32 << 20);
	struct str rest = {(const char *)data, size < 65536 ? size : 65536};
	struct str first = {0};
	if (rest.len > 0)
		str_take_field(&rest, '\x1e', &first);
	const struct str body = rest.ptr != NULL ? rest : STR("");
	check_signature(arena, first, body);
	if (!str_has_prefix(first, STR("whsec_")))
		assert(webhook_signature(arena, first, STR("id"), 0, body).len == 0);
	check_envelope(arena, first, body);
	arena_free(&arena);
	return 0;
}
