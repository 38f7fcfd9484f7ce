/* SPDX-License-Identifier: Apache-2.0
 * A post as answers show it: the list's element (contract.md, Resources) and what one post's own
 * page adds (api-decisions.md 7). */
#include "api_private.h"

#include "post_shape.h"

#include "platform.h"
#include "rules.h"

#include "waiting.h"

/* ---- outcome (api-decisions.md 7) ---- */

static void write_warning(struct json_writer *w, struct str field, struct str code,
			  struct str message)
{
	json_begin_object(w);
	json_member_str(w, "field", field);
	json_member_str(w, "code", code);
	json_member_str(w, "message", message);
	json_end_object(w);
}

/* The parts that are not there; the error says why. */
static void write_refused_parts(struct json_writer *w, struct arena *arena,
				const struct delivery_row *delivery)
{
	const struct json *parts = NULL;
	if (json_parse(arena, delivery->parts, NULL, &parts, NULL, NULL) != ERR_NONE)
		return;
	for (size_t i = 0; i < parts->count; i++) {
		const struct str state = json_string(json_get(json_at(parts, i), "state"));
		if (str_equal_z(state, "published"))
			continue;
		write_warning(w, str_format(arena, "parts.%zu", i), STR("part_refused"),
			      str_equal_z(state, "failed")
				      ? STR("This part was not published; error says why.")
				      : STR("This part was not sent, because the one "
					    "before it was not published."));
	}
}

static void write_kept_warning(struct json_writer *w, const struct json *warning)
{
	const struct str from = json_string(json_get(warning, "from"));
	json_begin_object(w);
	json_member_str(w, "field", json_string(json_get(warning, "field")));
	json_member_str(w, "code", json_string(json_get(warning, "code")));
	json_member_str(w, "message", json_string(json_get(warning, "message")));
	if (!str_is_empty(from)) {
		json_member_str(w, "from", from);
		json_member_str(w, "to", json_string(json_get(warning, "to")));
	}
	json_end_object(w);
}

/* What else is not there, or was changed, as the deliverer keeps it. */
static void write_kept_warnings(struct json_writer *w, struct arena *arena,
				const struct delivery_row *delivery)
{
	const struct json *kept = NULL;
	if (str_is_empty(delivery->warnings) ||
	    json_parse(arena, delivery->warnings, NULL, &kept, NULL, NULL) != ERR_NONE)
		return;
	for (size_t i = 0; i < kept->count; i++) {
		const struct json *warning = json_at(kept, i);
		write_kept_warning(w, warning);
	}
}

static void write_warnings(struct json_writer *w, struct arena *arena,
			   const struct delivery_row *delivery)
{
	json_key(w, "warnings");
	json_begin_array(w);
	if (delivery->state == POST_PUBLISHED &&
	    store_post_delivery_outcome(delivery) == POST_OUTCOME_PARTIAL)
		write_refused_parts(w, arena, delivery);
	if (delivery->state == POST_PUBLISHED || delivery->state == POST_SCHEDULED)
		write_kept_warnings(w, arena, delivery);
	json_end_array(w);
}

static void write_error(struct json_writer *w, const struct delivery_row *delivery, bool is_full)
{
	if (str_is_empty(delivery->error_code)) {
		json_member_null(w, "error");
		return;
	}
	json_key(w, "error");
	json_begin_object(w);
	json_member_str(w, "code", delivery->error_code);
	json_member_str(w, "message", delivery->error_message);
	if (is_full) {
		json_member_str_or_null(w, "platform_code", delivery->platform_code);
		json_member_str_or_null(w, "platform_message", delivery->platform_message);
		json_member_bool(w, "transient", delivery->error_is_transient);
	}
	json_end_object(w);
}

/* ---- taken back (api-decisions.md 12) ---- */

static bool is_removed(const struct delivery_row *delivery)
{
	return delivery->removal.status == POST_REMOVAL_REMOVED;
}

static void write_removal_error(struct json_writer *w, const struct removal_row *removal,
				bool is_full)
{
	if (str_is_empty(removal->error_code)) {
		json_member_null(w, "error");
		return;
	}
	json_key(w, "error");
	json_begin_object(w);
	json_member_str(w, "code", removal->error_code);
	json_member_str(w, "message", removal->error_message);
	if (is_full) {
		json_member_str_or_null(w, "platform_code", removal->platform_code);
		json_member_str_or_null(w, "platform_message", removal->platform_message);
		json_member_bool(w, "transient", removal->error_is_transient);
	}
	json_end_object(w);
}

static void write_removal(struct json_writer *w, const struct removal_row *removal, bool is_full)
{
	if (removal->status == POST_REMOVAL_NONE) {
		json_member_null(w, "removal");
		return;
	}
	json_key(w, "removal");
	json_begin_object(w);
	json_member_str(w, "status", str_of(post_removal_name(removal->status)));
	write_removal_error(w, removal, is_full);
	json_member_instant(w, "removed_at", removal->removed_at_us);
	json_end_object(w);
}

/* Nobody can go there any more. */
static void write_removed_parts(struct json_writer *w, struct arena *arena,
				const struct delivery_row *delivery)
{
	const struct json *parts = NULL;
	json_begin_array(w);
	if (json_parse(arena, delivery->parts, NULL, &parts, NULL, NULL) != ERR_NONE)
		parts = NULL;
	for (size_t i = 0; parts != NULL && i < parts->count; i++) {
		const struct json *part = json_at(parts, i);
		json_begin_object(w);
		json_member_str(w, "state", json_string(json_get(part, "state")));
		json_member_str_or_null(w, "remote_id", json_string(json_get(part, "remote_id")));
		json_member_null(w, "url");
		json_end_object(w);
	}
	json_end_array(w);
}

/* ---- what it waits for ---- */

static struct waiting waiting_now(const struct post_view *view, const struct post_row *post,
				  const struct delivery_row *delivery, bool has_media)
{
	const struct api_config *config = &view->api->config;
	struct waiting_facts facts = {.now_us = clock_now_us(config->clock)};
	if (post_state_is_final(delivery->state))
		return (struct waiting){0};
	facts.has_media = has_media;
	facts.is_delivering = config->closing_of != NULL;
	if (facts.is_delivering)
		facts.closing =
			config->closing_of(config->deliverer, delivery->platform, post->app_id);
	facts.is_fitting = config->fitting_of != NULL &&
			   config->fitting_of(config->deliverer, delivery->id, &facts.fitting);
	if (facts.closing.reopens_boot_us != 0)
		facts.reopens_us =
			facts.now_us + facts.closing.reopens_boot_us - clock_boot_us(config->clock);
	return waiting_of(view->arena, delivery, &facts);
}

static void write_waiting(struct json_writer *w, const struct waiting *waiting)
{
	json_member_instant(w, "next_attempt_at", waiting->until_us);
	if (waiting->reason == WAITING_NOTHING) {
		json_member_null(w, "waiting");
		return;
	}
	json_key(w, "waiting");
	json_begin_object(w);
	json_member_str(w, "reason", str_of(waiting_reason_name(waiting->reason)));
	json_member_str(w, "message", waiting->message);
	json_member_instant(w, "until", waiting->until_us);
	if (waiting->ahead >= 0)
		json_member_int(w, "ahead", waiting->ahead);
	else
		json_member_null(w, "ahead");
	json_end_object(w);
}

/* ---- a platform post ---- */

/* Of a delivery that publishing has not begun for: as record_parts (delivery/record.c) writes
 * them. */
static void write_first_parts(struct json_writer *w, const struct delivery_row *delivery,
			      size_t part_count)
{
	json_begin_array(w);
	for (size_t i = 0; i < part_count; i++) {
		const bool is_failed = delivery->state == POST_FAILED && i == 0;
		json_begin_object(w);
		json_member_str(w, "state", is_failed ? STR("failed") : STR("pending"));
		json_member_null(w, "remote_id");
		json_member_null(w, "url");
		json_end_object(w);
	}
	json_end_array(w);
}

static void write_effective(struct json_writer *w, const struct delivery_row *delivery,
			    const struct post_content *content)
{
	const struct platform *platform = platform_of(delivery->platform);
	const struct json *options = rules_options(content, delivery->platform);
	json_key(w, "effective");
	json_begin_object(w);
	json_key(w, "containers");
	post_shape_write_api(w, content,
			     content->container_count > 0 ? rules_post_type(platform, content)
							  : POST_TYPE_NONE);
	json_key(w, "options");
	if (options != NULL) {
		json_put_value(w, options);
	} else {
		json_begin_object(w);
		json_end_object(w);
	}
	json_end_object(w);
}

/* What only the answer about one post shows. content: the delivery's own. */
static void write_delivery_details(struct json_writer *w, const struct post_view *view,
				   const struct post_row *post, const struct delivery_row *delivery,
				   const struct post_content *content)
{
	const struct waiting waiting =
		waiting_now(view, post, delivery, post_media_total(content) > 0);
	json_member_str(w, "state", str_of(post_state_name(delivery->state)));
	json_member_instant(w, "published_at", delivery->published_at_us);
	json_member_int(w, "attempts", delivery->attempts);
	write_waiting(w, &waiting);
	json_key(w, "parts");
	if (is_removed(delivery))
		write_removed_parts(w, view->arena, delivery);
	else if (delivery->parts.len > strlen("[]"))
		json_put_raw(w, delivery->parts);
	else
		write_first_parts(w, delivery, content->container_count);
	write_effective(w, delivery, content);
}

/* root: the post's content, empty when it cannot be read. */
static void write_delivery(struct json_writer *w, const struct post_view *view,
			   const struct post_row *post, const struct delivery_row *delivery,
			   const struct post_content *root)
{
	const bool is_full = view->api != NULL;
	json_begin_object(w);
	json_member_str(w, "id", delivery->id);
	json_member_str(w, "account_id", delivery->account_id);
	json_member_str(w, "platform", str_of(platform_id_slug(delivery->platform)));
	json_member_int(w, "platform_id", delivery->platform);
	json_member_str(w, "handle", delivery->handle);
	json_member_str(w, "status", str_of(post_state_status(delivery->state)));
	json_member_str(w, "outcome",
			str_of(store_post_outcome_name(store_post_delivery_outcome(delivery))));
	json_member_str_or_null(w, "visibility", delivery->visibility);
	write_warnings(w, view->arena, delivery);
	json_member_instant(w, "scheduled_at", delivery->scheduled_at_us);
	json_member_str_or_null(w, "platform_post_id", delivery->remote_id);
	json_member_str_or_null(w, "url", is_removed(delivery) ? STR("") : delivery->url);
	write_error(w, delivery, is_full);
	write_removal(w, &delivery->removal, is_full);
	if (is_full) {
		struct post_shape shape;
		post_shape_of(view->arena, root, delivery->platform, delivery->account_id, &shape);
		write_delivery_details(w, view, post, delivery, &shape.content);
	}
	json_end_object(w);
}

static struct post_content content_of(const struct post_view *view, const struct post_row *post)
{
	struct post_content content = {0};
	if (post_content_read(view->arena, post->content, &content, NULL) != ERR_NONE)
		return (struct post_content){0};
	return content;
}

void post_write_delivery(struct json_writer *w, const struct post_view *view,
			 const struct post_row *post, const struct delivery_row *delivery)
{
	const struct post_content content = content_of(view, post);
	write_delivery(w, view, post, delivery, &content);
}

void post_write_members(struct json_writer *w, const struct post_view *view,
			const struct post_row *post)
{
	const bool is_full = view->api != NULL;
	const struct post_content content = content_of(view, post);
	json_member_str(w, "id", post->id);
	json_member_str(w, "request_id", post->request_id);
	json_member_str(w, "external_user_id", post->external_user_id);
	json_member_str(
		w, "status",
		str_of(is_full ? post_state_name(post->state) : post_state_status(post->state)));
	json_member_str(w, "state", str_of(post_state_name(post->state)));
	json_member_str(w, "outcome", str_of(store_post_outcome_name(store_post_outcome_of(post))));
	json_member_str(w, "mode", str_of(post_mode_name(post->mode)));
	json_member_instant(w, "scheduled_at", post->scheduled_at_us);
	if (post->max_lateness_s > 0)
		json_member_int(w, "max_lateness", post->max_lateness_s);
	else
		json_member_null(w, "max_lateness");
	json_member_instant(w, "created_at", post->created_at_us);
	json_key(w, "containers");
	post_containers_write_api(w, &content);
	json_key(w, "overrides");
	post_overrides_write_api(w, &content);
	json_key(w, "platform_posts");
	json_begin_array(w);
	for (size_t i = 0; i < post->delivery_count; i++)
		write_delivery(w, view, post, &post->deliveries[i], &content);
	json_end_array(w);
	json_key(w, "tags"); /* reserved (contract.md) */
	json_begin_array(w);
	json_end_array(w);
}

void post_write(struct json_writer *w, const struct post_view *view, const struct post_row *post)
{
	json_begin_object(w);
	post_write_members(w, view, post);
	json_end_object(w);
}
