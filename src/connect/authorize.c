/* SPDX-License-Identifier: Apache-2.0
 * See authorize.h. */
#include "authorize.h"

#include "buf.h"
#include "count_of.h"

#include "base64.h"
#include "form.h"

#include "digest.h"

#define URL_MAX_BYTES 8192

/* The code_challenge of the verifier, in the profile's style. */
static struct str challenge_of(struct arena *arena, enum pkce_style style, struct str verifier)
{
	const struct digest digest = digest_sha256(verifier);
	if (style == PKCE_S256_HEX)
		return digest_hex(arena, &digest);
	return base64url_encode(arena, digest_str(&digest));
}

/* The app's own scopes, joined as the platform wants them. */
static struct str scopes_joined(struct arena *arena, struct str scopes, const char *separator)
{
	struct buf joined;
	struct str scope;
	buf_init(&joined, arena, 2048);
	while (str_take_field(&scopes, ' ', &scope)) {
		if (joined.len > 0 && !str_is_empty(scope))
			buf_add_z(&joined, separator);
		buf_add(&joined, scope);
	}
	return buf_str(&joined);
}

static struct str scopes_of(struct arena *arena, const struct oauth_profile *profile,
			    const struct oauth_variant *kind)
{
	const char *const *names = kind != NULL ? kind->scopes : profile->scopes;
	struct buf scopes;
	buf_init(&scopes, arena, 2048);
	for (size_t i = 0; names[i] != NULL; i++) {
		if (i > 0)
			buf_add_z(&scopes, profile->scope_separator);
		buf_add_z(&scopes, names[i]);
	}
	return buf_str(&scopes);
}

/* "{graph_version}" in the profile's address is the only part that a setting decides. */
static struct str address_of(struct arena *arena, struct str pattern, struct str graph_version)
{
	const struct str mark = STR("{graph_version}");
	size_t at = str_find(pattern, mark, 0);
	if (at == SIZE_MAX)
		return pattern;
	struct str head = str_concat(arena, str_slice(pattern, 0, at), graph_version);
	return str_concat(arena, head, str_slice(pattern, at + mark.len, pattern.len));
}

/* Scopes, or the set of permissions that stands in their place: its answer must be told to be a
 * code (meta.md 2.3). */
static void permissions_add(struct buf *query, struct arena *arena,
			    const struct oauth_profile *profile, const struct oauth_variant *kind,
			    const struct authorize_values *values)
{
	const bool has_own_address = kind != NULL && kind->authorize_url != NULL;
	if (profile->takes_config_id && !has_own_address && !str_is_empty(values->config_id)) {
		form_add(query, "config_id", values->config_id);
		form_add(query, "override_default_response_type", STR("true"));
		return;
	}
	form_add(query, "scope",
		 str_is_empty(values->scopes)
			 ? scopes_of(arena, profile, kind)
			 : scopes_joined(arena, values->scopes, profile->scope_separator));
}

struct str authorize_url(struct arena *arena, const struct oauth_profile *profile,
			 const struct authorize_values *values)
{
	const struct oauth_variant *kind = oauth_variant_find(profile, values->variant);
	const char *address = kind != NULL && kind->authorize_url != NULL ? kind->authorize_url
									  : profile->authorize_url;
	struct buf query;
	buf_init(&query, arena, URL_MAX_BYTES);
	form_add(&query, profile->client_id_name, values->client_id);
	form_add(&query, "redirect_uri", values->redirect_uri);
	form_add(&query, "response_type", STR("code"));
	permissions_add(&query, arena, profile, kind, values);
	form_add(&query, "state", values->state);
	if (profile->pkce != PKCE_NONE) {
		form_add(&query, "code_challenge",
			 challenge_of(arena, profile->pkce, values->pkce_verifier));
		form_add(&query, "code_challenge_method", STR("S256"));
	}
	for (size_t i = 0; i < COUNT_OF(profile->extra) && profile->extra[i].name != NULL; i++)
		form_add(&query, profile->extra[i].name, str_of(profile->extra[i].value));
	return str_concat(arena,
			  str_concat(arena,
				     address_of(arena, str_of(address), values->graph_version),
				     STR("?")),
			  buf_str(&query));
}
