/* SPDX-License-Identifier: Apache-2.0
 * What a delivery begins with: what the row, its account and its app's credential hold, secrets
 * opened. Decides nothing about the delivery. */
#include "delivery_private.h"

#include "count_of.h"

#include "post_shape.h"

#include "rules.h"

#include "seal.h"

static enum err_kind open_secret(struct delivery_task *t, const char *table, const char *column,
				 struct str row_id, struct str sealed, struct str *out,
				 struct error *err)
{
	const struct seal_place place = {str_of(table), str_of(column), row_id};
	*out = STR("");
	if (sealed.len == 0)
		return ERR_NONE;
	return seal_open_secret(t->deliverer->config.seal, t->arena, &place, sealed, out, err);
}

static enum err_kind load_secrets(struct delivery_task *t, struct str *flow_secrets,
				  struct error *err)
{
	const struct account_row *account = &t->work.account;
	struct str credential_id =
		str_format(t->arena, STR_FMT "/%s", STR_ARG(t->work.app_id), t->platform->slug);
	enum err_kind kind;
	if ((kind = open_secret(t, "accounts", "access_token", account->id,
				account->access_token_sealed, &t->env.access_token, err)) ||
	    (kind = open_secret(t, "accounts", "refresh_token", account->id,
				account->refresh_token_sealed, &t->env.refresh_token, err)) ||
	    (kind = open_secret(t, "accounts", "extra_secret", account->id, account->extra_sealed,
				&t->env.extra_secret, err)) ||
	    (kind = open_secret(t, "platform_credentials", "client_secret", credential_id,
				t->work.credential_secret_sealed, &t->env.client_secret, err)) ||
	    (kind = open_secret(t, "deliveries", "flow_secrets", t->work.id, t->work.flow_sealed,
				flow_secrets, err)))
		return kind;
	return ERR_NONE;
}

static void load_env(struct delivery_task *t)
{
	const struct account_row *account = &t->work.account;
	t->env.settings = t->deliverer->config.settings;
	t->env.client_id = t->work.credential_client_id;
	t->env.platform_account_id = account->platform_account_id;
	t->env.username = account->username;
	t->env.account_type = account->type;
	t->env.scopes = account->scopes;
	t->env.tiktok_privacy = t->work.tiktok_privacy;
	t->env.post = &t->content;
	t->env.post_type = rules_post_type(t->platform, &t->content);
	t->env.options = json_get(t->content.options, t->platform->slug);
	if (t->env.options == NULL && account->platform == PLATFORM_X)
		t->env.options = json_get(t->content.options, "twitter");
	t->env.media = t->media.files;
	t->content.film_mode = t->deliverer->config.film_mode;
	t->env.can_fit = t->deliverer->config.fit.run != NULL;
	t->env.file_urls = t->media.urls;
	if (account->extra.len > 0)
		json_parse(t->arena, account->extra, NULL, &t->env.account_extra, NULL, NULL);
}

/* A pending delivery with a flow is a person's retry. Patience begins again. So does the part that
 * failed, unless one of its publish calls may have done something: then the flow goes on where it
 * stands, with the container, session or task that it has. */
static void flow_begin_again(struct delivery_task *t)
{
	static const char *const counts[] = {FLOW_LIMITED_SINCE_US, FLOW_LIMITS_MET,
					     FLOW_PROBES_FAILED};
	for (size_t i = 0; i < COUNT_OF(counts); i++)
		flow_unset(&t->flow, counts[i]);
	if (t->save.call_started_at_us == 0 && !flow_is_open(&t->flow))
		flow_restart_part(&t->flow);
}

enum err_kind delivery_load(struct delivery_task *t, struct error *err)
{
	struct str flow_secrets = STR("");
	struct post_content root = {0};
	struct post_shape shape;
	enum err_kind kind = post_content_read(t->arena, t->work.content, &root, err);
	if (kind != ERR_NONE)
		return kind;
	post_shape_of(t->arena, &root, t->work.account.platform, t->work.account.id, &shape);
	t->content = shape.content;
	kind = load_secrets(t, &flow_secrets, err);
	if (kind != ERR_NONE)
		return kind;
	kind = flow_read(&t->flow, t->arena, t->work.flow, flow_secrets, t->content.container_count,
			 err);
	if (kind != ERR_NONE)
		return kind;
	t->unknown_part = flow_get_int(&t->flow, FLOW_WAS_UNKNOWN, 0);
	if (t->work.state == POST_PENDING)
		flow_begin_again(t);
	t->is_retried_by_person = t->work.state == POST_PENDING && t->work.flow.len > 0;
	t->media.count = post_media_total(&t->content);
	t->media.files = ARENA_ARRAY(t->arena, struct media_file, t->media.count + ENV_FILES_MAX);
	t->media.paths = ARENA_ARRAY(t->arena, char *, t->media.count + ENV_FILES_MAX);
	load_env(t);
	return ERR_NONE;
}
