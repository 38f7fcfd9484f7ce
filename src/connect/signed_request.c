/* SPDX-License-Identifier: Apache-2.0
 * Meta's deauthorize and data-deletion callbacks (api-decisions.md 17): a form field
 * signed_request, which is base64url of an HMAC-SHA256 with the app's secret, a dot, and base64url
 * of the JSON that was signed (meta.md 2.7; the format is unverified). */
#include "connect_private.h"

#include "base64.h"
#include "json.h"

#include "store_user.h"

#include "digest.h"

#define VALID_S 3600
#define SKEW_S 300
#define CREDENTIALS_MAX 100 /* read at a time */
#define APPS_MAX 1000
#define PERSON_ID_MAX 32
#define CODE_CHARACTERS 32

static enum err_kind refuse(struct error *err, const char *why)
{
	return error_set(err, ERR_INVALID, "%s", why);
}

/* ---- reading ---- */

struct signed_parts {
	struct str signature; /* bytes */
	struct str payload;   /* as signed */
};

static struct str without_padding(struct str text)
{
	while (text.len > 0 && text.ptr[text.len - 1] == '=')
		text.len--;
	return text;
}

static bool split(struct arena *arena, struct str text, struct signed_parts *out)
{
	const size_t dot = str_find_char(text, '.', 0);
	if (dot == SIZE_MAX)
		return false;
	out->payload = str_slice(text, dot + 1, text.len);
	return base64url_decode(arena, without_padding(str_slice(text, 0, dot)), &out->signature) &&
	       out->signature.len == DIGEST_BYTES;
}

static bool is_person_id(struct str id)
{
	for (size_t i = 0; i < id.len; i++) {
		if (id.ptr[i] < '0' || id.ptr[i] > '9')
			return false;
	}
	return id.len > 0 && id.len <= PERSON_ID_MAX;
}

/* After the signature is proven. */
static enum err_kind read_payload(struct arena *arena, struct str payload, int64_t now_us,
				  struct str *person_id_out, struct error *err)
{
	struct str text = {0};
	const struct json *root = NULL;
	if (!base64url_decode(arena, without_padding(payload), &text) ||
	    json_parse(arena, text, NULL, &root, NULL, NULL) != ERR_NONE)
		return refuse(err, "The signed_request does not hold JSON.");
	const struct str algorithm = json_string(json_get(root, "algorithm"));
	if (!str_equal_nocase(algorithm, STR("HMAC-SHA256")))
		return refuse(err, "The signed_request's algorithm must be HMAC-SHA256.");
	const int64_t age_s = now_us / US_PER_S - json_int(json_get(root, "issued_at"), 0);
	if (age_s > VALID_S || age_s < -SKEW_S)
		return refuse(err, "The signed_request is over an hour old.");
	*person_id_out = str_copy(arena, json_string(json_get(root, "user_id")));
	return is_person_id(*person_id_out) ? ERR_NONE
					    : refuse(err, "The signed_request names no user_id.");
}

/* ---- whose it is ---- */

struct matching {
	struct connector *connector;
	struct arena *arena;
	const struct signed_parts *parts;
	struct signed_person *person;
	struct str secret; /* of the first app that fits */
};

static void match(struct matching *m, const struct credential_row *credential)
{
	struct digest given, expected;
	struct str secret = {0};
	struct error err = {0};
	if (connector_open_client_secret(m->connector, m->arena, credential, &secret, &err) !=
		    ERR_NONE ||
	    str_is_empty(secret))
		return;
	expected = digest_hmac_sha256(secret, m->parts->payload);
	memcpy(given.bytes, m->parts->signature.ptr, DIGEST_BYTES);
	if (!digest_equal(&given, &expected) || m->person->app_count == APPS_MAX)
		return;
	if (m->person->app_count == 0)
		m->secret = secret;
	m->person->app_ids[m->person->app_count++] = credential->app_id;
}

static enum err_kind match_all(struct matching *m, struct error *err)
{
	struct credential_row *rows = NULL;
	struct str after = STR("");
	size_t count = 0;
	do {
		const enum err_kind kind = store_credential_list_of_platform(
			m->connector->config.store, m->arena, m->person->platform, after,
			CREDENTIALS_MAX, &rows, &count, err);
		if (kind != ERR_NONE)
			return kind;
		for (size_t i = 0; i < count; i++)
			match(m, &rows[i]);
		after = count > 0 ? rows[count - 1].app_id : after;
	} while (count == CREDENTIALS_MAX);
	return ERR_NONE;
}

/* Only who knows the app's secret could make it up. */
static struct str make_code(const struct matching *m)
{
	const struct str message =
		str_format(m->arena, "data deletion %s " STR_FMT,
			   platform_id_slug(m->person->platform), STR_ARG(m->person->person_id));
	const struct digest digest = digest_hmac_sha256(m->secret, message);
	return str_slice(digest_hex(m->arena, &digest), 0, CODE_CHARACTERS);
}

enum err_kind connector_read_signed(struct connector *connector, struct arena *arena,
				    enum platform_id platform, struct str signed_request,
				    struct signed_person *out, struct error *err)
{
	struct signed_parts parts = {0};
	*out = (struct signed_person){.platform = platform,
				      .app_ids = ARENA_ARRAY(arena, struct str, APPS_MAX)};
	struct matching matching = {
		.connector = connector, .arena = arena, .parts = &parts, .person = out};
	if (!split(arena, signed_request, &parts))
		return refuse(err, "The signed_request must be a signature, a dot and a payload.");
	enum err_kind kind = match_all(&matching, err);
	if (kind != ERR_NONE)
		return kind;
	if (out->app_count == 0)
		return refuse(err, "The signed_request is signed with the secret of no app here.");
	kind = read_payload(arena, parts.payload, clock_now_us(connector->config.clock),
			    &out->person_id, err);
	if (kind == ERR_NONE)
		out->code = make_code(&matching);
	return kind;
}

/* ---- what follows ---- */

struct deauthorizing {
	const struct person_account *accounts;
	size_t count;
	int64_t now_us;
};

static enum err_kind write_states(struct store_tx *tx, void *argument, struct error *err)
{
	const struct deauthorizing *d = argument;
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < d->count && kind == ERR_NONE; i++) {
		if (d->accounts[i].state == ACCOUNT_DISCONNECTED)
			continue;
		kind = store_account_set_state(
			tx, d->accounts[i].id, ACCOUNT_REAUTH_REQUIRED,
			STR("The user removed the app at the platform. Connect the account again."),
			d->now_us, err);
	}
	return kind;
}

enum err_kind connector_deauthorize(struct connector *connector, struct arena *arena,
				    const struct signed_person *person, struct error *err)
{
	struct store *store = connector->config.store;
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < person->app_count && kind == ERR_NONE; i++) {
		struct deauthorizing d = {.now_us = clock_now_us(connector->config.clock)};
		struct person_account *accounts = NULL;
		kind = store_user_of_person(store, arena, person->app_ids[i], person->platform,
					    person->person_id, &accounts, &d.count, err);
		d.accounts = accounts;
		if (kind == ERR_NONE && d.count > 0)
			kind = store_write(store, write_states, &d, err);
	}
	return kind;
}

/* Of one app: once for each of its users that the person's accounts belong to. */
static enum err_kind erase_of_app(struct connector *connector, struct arena *arena,
				  const struct signed_person *person, struct str app_id,
				  const struct user_erasing *base, struct error *err)
{
	struct person_account *accounts = NULL;
	struct user_counts counts;
	size_t count = 0;
	enum err_kind kind =
		store_user_of_person(connector->config.store, arena, app_id, person->platform,
				     person->person_id, &accounts, &count, err);
	for (size_t i = 0; i < count && kind == ERR_NONE; i++) {
		struct user_erasing erasing = *base;
		if (i > 0 && str_equal(accounts[i].user_id, accounts[i - 1].user_id))
			continue;
		erasing.app_id = app_id;
		erasing.user_id = accounts[i].user_id;
		kind = store_user_erase_begin(connector->config.store, &erasing, &counts, err);
	}
	return kind;
}

enum err_kind connector_erase_person(struct connector *connector, struct arena *arena,
				     const struct signed_person *person, struct str source,
				     struct error *err)
{
	const struct user_erasing base = {
		.platform = person->platform,
		.person_id = person->person_id,
		.code_hash = connector_code_hash(arena, person->code),
		.actor = str_format(arena, "%s's data-deletion callback",
				    platform_id_name(person->platform)),
		.source = source,
		.now_us = clock_now_us(connector->config.clock),
	};
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < person->app_count && kind == ERR_NONE; i++)
		kind = erase_of_app(connector, arena, person, person->app_ids[i], &base, err);
	return kind == ERR_NONE ? store_user_note_code(connector->config.store, person->platform,
						       base.code_hash, base.now_us, err)
				: kind;
}

struct str connector_code_hash(struct arena *arena, struct str code)
{
	const struct digest digest = digest_token(code);
	return digest_hex(arena, &digest);
}
