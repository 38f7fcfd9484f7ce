/* SPDX-License-Identifier: Apache-2.0
 * The parts of OAuth that all six platforms share: app credentials, authorization codes, PKCE,
 * tokens. Lifetimes, permissions and the shape of errors belong to the platforms. */
#include <sodium.h>

#include "arena.h"
#include "str.h"

#include "base64.h"
#include "hex.h"
#include "url.h"

#include "sandbox_core.h"

#define NEW_APP STR("-new")

bool sandbox_client_id_is_new(struct str client_id)
{
	return str_has_suffix(client_id, NEW_APP);
}

static bool is_slug(struct str word, enum sandbox_platform platform)
{
	if (str_has_suffix(word, NEW_APP))
		word = str_slice(word, 0, word.len - NEW_APP.len);
	return str_equal_z(word, sandbox_platform_slug(platform));
}

bool sandbox_client_id_is(enum sandbox_platform platform, struct str client_id)
{
	return str_skip(&client_id, STR("sandbox-")) && is_slug(client_id, platform);
}

struct str sandbox_client_secret_of(struct arena *arena, struct str client_id)
{
	str_skip(&client_id, STR("sandbox-"));
	return str_concat(arena, STR("sandbox-secret-"), client_id);
}

bool sandbox_call_is_new(struct sandbox_call *call)
{
	const struct sandbox_token *token =
		call->module->token_of != NULL ? call->module->token_of(call) : NULL;
	struct str id = token != NULL ? token->client_id : sandbox_param(call, "client_id");
	struct str secret;
	if (str_is_empty(id))
		id = sandbox_param(call, "client_key"); /* TikTok's name for it */
	if (str_is_empty(id) && !sandbox_basic(call, &id, &secret))
		return false;
	return sandbox_client_id_is_new(id);
}

enum sandbox_client sandbox_client_check(enum sandbox_platform platform, struct str client_id,
					 struct str client_secret)
{
	if (!sandbox_client_id_is(platform, client_id))
		return SANDBOX_CLIENT_UNKNOWN;
	const bool is_its_secret =
		str_skip(&client_secret, STR("sandbox-secret-")) &&
		is_slug(client_secret, platform) &&
		sandbox_client_id_is_new(client_id) == sandbox_client_id_is_new(client_secret);
	return is_its_secret ? SANDBOX_CLIENT_OK : SANDBOX_CLIENT_BAD_SECRET;
}

static bool is_loopback(const struct url *url)
{
	static const uint8_t loopback_v6[16] = {[15] = 1};
	if (url->host_kind == URL_HOST_IPV4)
		return url->address[0] == 127;
	if (url->host_kind == URL_HOST_IPV6)
		return memcmp(url->address, loopback_v6, sizeof(loopback_v6)) == 0;
	return str_equal_z(url->host, "localhost");
}

bool sandbox_redirect_is_registered(struct sandbox_call *call, struct str redirect_uri)
{
	struct url url;
	const struct sandbox_of_app *world = call->sandbox->world;
	const struct sandbox_tape *tape =
		call->sandbox->past != NULL ? call->sandbox->past->tape : NULL;
	if (tape != NULL && tape->is_played)
		return true; /* the service may have had another address then */
	if (world != NULL)
		return str_has_prefix(redirect_uri, tape->home->redirect_prefix) &&
		       !str_has_control(redirect_uri);
	return url_parse(call->arena, redirect_uri, &url, NULL) == ERR_NONE && !url.has_fragment &&
	       is_loopback(&url);
}

bool sandbox_scope_has(struct str scopes, const char *scope)
{
	const struct str wanted = str_of(scope);
	size_t at = 0;
	while (wanted.len > 0 && (at = str_find(scopes, wanted, at)) != SIZE_MAX) {
		const size_t end = at + wanted.len;
		const bool begins =
			at == 0 || scopes.ptr[at - 1] == ' ' || scopes.ptr[at - 1] == ',';
		const bool ends =
			end == scopes.len || scopes.ptr[end] == ' ' || scopes.ptr[end] == ',';
		if (begins && ends)
			return true;
		at = end;
	}
	return false;
}

void sandbox_answer_oauth_error(struct sandbox_call *call, int status, const char *error,
				struct str description)
{
	struct json_writer w;
	sandbox_answer(call, status, &w);
	json_begin_object(&w);
	json_member_str(&w, "error", str_of(error));
	json_member_str(&w, "error_description", description);
	json_end_object(&w);
}

/* ---- codes ---- */

#define CODE_RANDOM_LENGTH 64

/* A world that has to forget keeps what people have granted. */
static void note_account(struct sandbox *sandbox)
{
	if (sandbox->past != NULL && sandbox->past->tape != NULL)
		sandbox->past->tape->touches_account = true;
}

struct str sandbox_code_issue(struct sandbox *sandbox, const struct sandbox_code *code)
{
	struct sandbox_code *kept = sandbox_keep(sandbox, sizeof(*kept));
	note_account(sandbox);
	struct arena *arena = arena_new("sandbox code", 1 << 16);
	*kept = *code;
	kept->client_id = sandbox_keep_str(sandbox, code->client_id);
	kept->redirect_uri = sandbox_keep_str(sandbox, code->redirect_uri);
	kept->scope = sandbox_keep_str(sandbox, code->scope);
	kept->subject = sandbox_keep_str(sandbox, code->subject);
	kept->choices = sandbox_keep_str(sandbox, code->choices);
	kept->challenge = sandbox_keep_str(sandbox, code->challenge);
	kept->text = sandbox_id_text(sandbox, str_z(arena, code->prefix), CODE_RANDOM_LENGTH);
	kept->expires_us = sandbox_now_us(sandbox) + code->lifetime_s * US_PER_S;
	kept->is_used = false;
	sandbox_object_put(sandbox, code->platform, "oauth_code", kept->text, kept);
	arena_free(&arena);
	return kept->text;
}

static bool verifier_matches(enum sandbox_pkce pkce, struct str challenge, struct str verifier)
{
	struct arena *arena = arena_new("sandbox pkce", 1 << 16);
	unsigned char digest[crypto_hash_sha256_BYTES];
	const struct str bytes = {(const char *)digest, sizeof(digest)};
	crypto_hash_sha256(digest, (const unsigned char *)verifier.ptr, verifier.len);
	bool matches = false;
	switch (pkce) {
	case SANDBOX_PKCE_NONE:
		matches = true;
		break;
	case SANDBOX_PKCE_PLAIN:
		matches = verifier.len > 0 && str_equal(challenge, verifier);
		break;
	case SANDBOX_PKCE_S256:
		matches = verifier.len > 0 && str_equal(challenge, base64url_encode(arena, bytes));
		break;
	case SANDBOX_PKCE_S256_HEX:
		matches = verifier.len > 0 && str_equal(challenge, hex_encode(arena, bytes));
		break;
	}
	arena_free(&arena);
	return matches;
}

enum sandbox_redeem sandbox_code_redeem(struct sandbox *sandbox, enum sandbox_platform platform,
					struct str text, struct str client_id,
					struct str redirect_uri, struct str verifier,
					struct sandbox_code **code_out)
{
	struct sandbox_code *code = sandbox_object_get(sandbox, platform, "oauth_code", text);
	if (code == NULL)
		return SANDBOX_REDEEM_UNKNOWN;
	*code_out = code;
	note_account(sandbox);
	if (sandbox_now_us(sandbox) >= code->expires_us)
		return SANDBOX_REDEEM_EXPIRED;
	if (code->is_used)
		return SANDBOX_REDEEM_USED;
	if (!str_equal(client_id, code->client_id))
		return SANDBOX_REDEEM_CLIENT;
	if (!str_equal(redirect_uri, code->redirect_uri))
		return SANDBOX_REDEEM_REDIRECT;
	if (!verifier_matches(code->pkce, code->challenge, verifier))
		return SANDBOX_REDEEM_VERIFIER;
	code->is_used = true;
	return SANDBOX_REDEEM_OK;
}

/* ---- tokens ---- */

#define TOKEN_RANDOM_LENGTH 64

struct sandbox_token *sandbox_token_issue(struct sandbox *sandbox,
					  const struct sandbox_token *token)
{
	struct sandbox_token *kept = sandbox_keep(sandbox, sizeof(*kept));
	note_account(sandbox);
	struct arena *arena = arena_new("sandbox token", 1 << 16);
	*kept = *token;
	kept->client_id = sandbox_keep_str(sandbox, token->client_id);
	kept->subject = sandbox_keep_str(sandbox, token->subject);
	kept->scope = sandbox_keep_str(sandbox, token->scope);
	kept->label = sandbox_keep_str(sandbox, token->label);
	kept->choices = sandbox_keep_str(sandbox, token->choices);
	kept->prefix = sandbox_keep_str(sandbox, token->prefix);
	if (token->text.len > 0)
		kept->text = sandbox_keep_str(sandbox, token->text);
	else
		kept->text = sandbox_id_text(sandbox, str_z(arena, token->prefix),
					     token->random_length > 0 ? token->random_length
								      : TOKEN_RANDOM_LENGTH);
	kept->issued_us = sandbox_now_us(sandbox);
	kept->expires_us =
		token->lifetime_s > 0 ? kept->issued_us + token->lifetime_s * US_PER_S : 0;
	sandbox_object_put(sandbox, token->platform, "oauth_token", kept->text, kept);
	arena_free(&arena);
	return kept;
}

struct sandbox_token *sandbox_token_find(struct sandbox *sandbox, enum sandbox_platform platform,
					 struct str text)
{
	return text.len > 0 ? sandbox_object_get(sandbox, platform, "oauth_token", text) : NULL;
}

struct sandbox_token *sandbox_token_bearer(struct sandbox_call *call)
{
	return sandbox_token_find(call->sandbox, call->platform,
				  sandbox_authorization(call, "Bearer"));
}

bool sandbox_token_is_live(const struct sandbox *sandbox, const struct sandbox_token *token)
{
	return !token->is_expired && !token->is_revoked &&
	       (token->expires_us == 0 || sandbox_now_us(sandbox) < token->expires_us);
}
