/* SPDX-License-Identifier: Apache-2.0
 * What a delivery's task begins with: made of a claimed row, then filled with what the row, its
 * account and its app's credential hold, secrets opened. Decides nothing about the delivery: that
 * is task.c's. */
#include "delivery_private.h"

#include <stdlib.h>

#include "count_of.h"

#include "rules.h"

#include "seal.h"

/* ---- making a task of a claimed row: its texts live in the claim's arena and are copied ---- */

static void copy_account(struct arena *arena, struct account_row *account)
{
	struct str *const texts[] = {&account->id,
				     &account->app_id,
				     &account->user_id,
				     &account->connection_id,
				     &account->platform_account_id,
				     &account->username,
				     &account->name,
				     &account->email,
				     &account->avatar_url,
				     &account->access_token_sealed,
				     &account->refresh_token_sealed,
				     &account->extra,
				     &account->extra_sealed,
				     &account->scopes,
				     &account->last_error};
	for (size_t i = 0; i < COUNT_OF(texts); i++)
		*texts[i] = str_copy(arena, *texts[i]);
}

static void copy_work(struct arena *arena, struct delivery_work *work)
{
	struct str *const texts[] = {&work->id,
				     &work->post_id,
				     &work->flow,
				     &work->flow_sealed,
				     &work->content,
				     &work->credential_client_id,
				     &work->credential_secret_sealed,
				     &work->app_id};
	for (size_t i = 0; i < COUNT_OF(texts); i++)
		*texts[i] = str_copy(arena, *texts[i]);
	copy_account(arena, &work->account);
}

struct delivery_task *delivery_task_new(struct deliverer *deliverer,
					const struct delivery_work *work)
{
	struct delivery_task *t = calloc(1, sizeof(*t));
	if (t == NULL)
		/* the same rule as arena_alloc: no memory for a small object ends the program */
		abort();
	t->task.ops = &delivery_task_ops;
	t->deliverer = deliverer;
	deliverer->task_count++;
	t->arena = arena_new("delivery", TASK_ARENA_MAX_BYTES);
	t->work = *work;
	copy_work(t->arena, &t->work);
	t->platform = platform_of(work->account.platform);
	t->save = (struct delivery_save){
		.id = t->work.id,
		.fence = work->fence,
		.call_state = work->call_state,
		.call_started_at_us = work->call_started_at_us,
		.looks = work->looks,
		.republished = work->republished,
		.attempts = work->attempts,
		.work = &t->work,
	};
	return t;
}

/* ---- what is stored ---- */

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
	t->env.post = &t->content;
	t->env.post_type = rules_post_type(t->platform, &t->content);
	t->env.options = json_get(t->content.options, t->platform->slug);
	if (t->env.options == NULL && account->platform == PLATFORM_X)
		t->env.options = json_get(t->content.options, "twitter");
	t->env.media = t->media;
	t->env.file_urls = t->file_urls;
	if (account->extra.len > 0)
		json_parse(t->arena, account->extra, NULL, &t->env.account_extra, NULL, NULL);
}

/* Pending with a flow: a person's retry. Patience begins anew. The part that failed begins anew
 * too, unless a publish call of it may have done something: then the flow goes on where it stands,
 * with the container, session or task that it has. */
static void flow_begin_again(struct delivery_task *t)
{
	static const char *const counts[] = {"delivery.limited_since_us", "delivery.limits_met",
					     "delivery.looks_failed"};
	for (size_t i = 0; i < COUNT_OF(counts); i++)
		flow_unset(&t->flow, counts[i]);
	if (t->save.call_started_at_us == 0 && !flow_is_open(&t->flow))
		flow_restart_part(&t->flow);
}

enum err_kind delivery_load(struct delivery_task *t, struct error *err)
{
	struct str flow_secrets = STR("");
	enum err_kind kind = post_content_read(t->arena, t->work.content, &t->content, err);
	if (kind != ERR_NONE)
		return kind;
	kind = load_secrets(t, &flow_secrets, err);
	if (kind != ERR_NONE)
		return kind;
	kind = flow_read(&t->flow, t->arena, t->work.flow, flow_secrets, t->content.container_count,
			 err);
	if (kind != ERR_NONE)
		return kind;
	if (t->work.state == POST_PENDING)
		flow_begin_again(t);
	t->is_asked_again = t->work.state == POST_PENDING && t->work.flow.len > 0;
	t->media_count = post_media_total(&t->content);
	t->media = ARENA_ARRAY(t->arena, struct media_file, t->media_count + ENV_FILES_MAX);
	t->media_paths = ARENA_ARRAY(t->arena, char *, t->media_count + ENV_FILES_MAX);
	load_env(t);
	return ERR_NONE;
}
