/* SPDX-License-Identifier: Apache-2.0
 * A delivery's written record: one timeline entry for each call, with a redacted excerpt of a
 * refusing answer (of a recorded post: the call and its answer), and the parts as the API shows
 * them. */
#include "delivery_private.h"

#include <assert.h>

#include "buf.h"

#include "json_write.h"
#include "url.h"
#include "utf8.h"

#include "redact.h"

#define EXCERPT_MAX_BYTES 1000
#define EXCERPT_READ_BYTES 16384
/* Of a recorded call: each body as it came, and all of it as JSON (six bytes for one at most). */
#define RECORDED_BODY_MAX_BYTES 4096
#define RECORDED_MAX_BYTES 65536
/* longer than any id or address of a platform; keeps the row writable if one is longer */
#define ID_SHOWN_MAX_BYTES 2048
/* 10 parts, two such texts each, six bytes for every byte that JSON escapes */
#define PARTS_MAX_BYTES (1 << 20)

/* Host and path: a query may hold tokens. */
static struct str host_path_of(struct arena *arena, struct str url_text)
{
	struct url url;
	if (url_parse(arena, url_text, &url, NULL) != ERR_NONE)
		return STR("");
	return str_concat(arena, url_authority(arena, &url), url.path);
}

static struct str stage_of(const struct delivery_task *t)
{
	switch (delivery_mode(t)) {
	case MODE_PUBLISH:
	case MODE_REMOVE:
	case MODE_LATE_ID:
		return str_copy(t->arena, t->flow.stage);
	case MODE_REFRESH:
		return STR("refresh");
	case MODE_RESOLVE:
	case MODE_HOLD_PROBE:
	case MODE_COUNT:
		break;
	}
	return str_concat(t->arena, STR("resolve "), t->flow.probe);
}

/* ---- recorded posts ---- */

/* What a refresh sends and gets is nothing but secrets. */
static bool is_recorded(const struct delivery_task *t)
{
	return t->work.is_recorded && delivery_mode(t) != MODE_REFRESH;
}

/* The beginning of a body, as text. */
static struct str body_text(struct arena *arena, struct str body)
{
	struct str text = str_slice(body, 0, RECORDED_BODY_MAX_BYTES);
	if (!utf8_is_valid(text))
		text = utf8_cut_bytes(text, text.len > 4 ? text.len - 4 : 0);
	return utf8_is_valid(text) ? text : str_format(arena, "(%zu bytes)", body.len);
}

static struct str request_of(struct delivery_task *t, const struct call *call)
{
	static const char *const kinds[] = {
		[CALL_READ] = "read", [CALL_PREPARE] = "prepare", [CALL_PUBLISH] = "publish"};
	struct buf out;
	struct json_writer w;
	buf_init(&out, t->arena, RECORDED_MAX_BYTES);
	json_writer_init(&w, &out);
	json_begin_object(&w);
	json_member_str(&w, "method", str_of(call->method));
	json_member_str(&w, "url", utf8_cut_bytes(call->url, ID_SHOWN_MAX_BYTES));
	json_member_str(&w, "kind", str_of(kinds[call->kind]));
	json_key(&w, "headers");
	json_begin_object(&w);
	for (size_t i = 0; i < call->header_count; i++) {
		json_key(&w, call->headers[i].name);
		json_put_str(&w, call->headers[i].value);
	}
	json_end_object(&w);
	json_member_str(&w, "body", body_text(t->arena, call->body));
	json_member_int(&w, "media_bytes", call->has_media_body ? call->media_length_bytes : 0);
	json_end_object(&w);
	return out.is_over ? STR("null") : buf_str(&out);
}

/* The call and its answer, as one JSON object without secrets. */
static struct str exchange_of(const struct delivery_task *t, const struct reply *reply)
{
	struct buf out;
	struct json_writer w;
	buf_init(&out, t->turn.arena, RECORDED_MAX_BYTES);
	json_writer_init(&w, &out);
	json_begin_object(&w);
	json_key(&w, "request");
	json_put_raw(&w, str_is_empty(t->call.request) ? STR("null") : t->call.request);
	json_member_int(&w, "status", reply->outcome == REPLY_ANSWERED ? reply->status : 0);
	json_member_str(&w, "answer", body_text(t->turn.arena, reply->body));
	json_member_str(&w, "problem", reply->transport_error);
	json_end_object(&w);
	if (out.is_over)
		return STR("(too large to be kept)");
	return redact_secrets(t->turn.arena, buf_str(&out), &t->env, &t->flow);
}

void record_call_begins(struct delivery_task *t, const struct call *call)
{
	t->call = (struct delivery_call){
		.stage = stage_of(t),
		.method = call->method,
		.host_path = host_path_of(t->arena, call->url),
		.kind = call->kind,
		.planned_at_us = t->env.now_us,
		.request = is_recorded(t) ? request_of(t, call) : STR(""),
	};
}

/* The beginning of the platform's answer, without any secret that this task knows. Redacted before
 * it is cut to size, and read to a point where no secret can be cut in half and so escape
 * (redact.h). */
static struct str excerpt_of(const struct delivery_task *t, const struct reply *reply)
{
	struct str text = str_slice(reply->body, 0, EXCERPT_READ_BYTES);
	if (!utf8_is_valid(text))
		text = utf8_cut_bytes(text, text.len > 4 ? text.len - 4 : 0);
	if (!utf8_is_valid(text))
		return STR("(not text)");
	return utf8_cut_bytes(redact_secrets(t->turn.arena, text, &t->env, &t->flow),
			      EXCERPT_MAX_BYTES);
}

static struct str verdict_of(const struct delivery_task *t, const struct task_event *event)
{
	static const char *const verdicts[] = {
		[CALL_NEVER_SENT] = "never_sent", [CALL_UNCERTAIN] = "in_doubt"};
	if (event->verdict != CALL_FOR_ADAPTER)
		return str_of(verdicts[event->verdict]);
	if (event->reply->outcome == REPLY_NEVER_SENT)
		return STR("never_sent");
	if (event->reply->outcome == REPLY_LOST)
		return STR("lost");
	if (event->reply->status < 400)
		return t->call.kind == CALL_PUBLISH ? STR("done") : STR("ok");
	return event->reply->status < 500 ? STR("refused") : STR("error");
}

void record_call_ended(struct delivery_task *t, const struct task_event *event)
{
	if (t->turn.timeline_count == TIMELINE_PER_TURN_MAX)
		return;
	const struct reply *reply = event->reply;
	const bool is_refusal = reply->outcome == REPLY_ANSWERED && reply->status >= 400;
	t->turn.timeline[t->turn.timeline_count++] = (struct timeline_entry){
		.at_us = clock_now_us(t->deliverer->config.clock) - event->duration_us,
		.stage = t->call.stage,
		.method = str_of(t->call.method),
		.host_path = t->call.host_path,
		.status = reply->outcome == REPLY_ANSWERED ? reply->status : 0,
		.duration_us = event->duration_us,
		.verdict = verdict_of(t, event),
		.excerpt = is_recorded(t) ? exchange_of(t, reply)
			   : is_refusal   ? excerpt_of(t, reply)
					  : reply->transport_error,
	};
}

void record_decision(struct delivery_task *t, struct str decision)
{
	if (t->turn.timeline_count > 0)
		t->turn.timeline[t->turn.timeline_count - 1].decision = decision;
}

void record_verdict(struct delivery_task *t, struct str verdict)
{
	if (t->turn.timeline_count > 0)
		t->turn.timeline[t->turn.timeline_count - 1].verdict = verdict;
}

struct str record_id(struct str id)
{
	return utf8_cut_bytes(id, ID_SHOWN_MAX_BYTES);
}

struct str record_visibility(const struct delivery_task *t)
{
	enum post_visibility visibility = t->flow.visibility;
	if (t->flow.part_count == 0 || !t->flow.parts[0].is_done)
		return STR("");
	if (visibility == POST_VISIBILITY_UNKNOWN && t->platform->visibility != NULL)
		visibility = t->platform->visibility(&t->env);
	return str_of(post_visibility_name(visibility));
}

static void write_fitted(struct json_writer *w, const struct delivery_task *t)
{
	struct fitting_warning warning;
	struct str cursor = {0};
	while (fitting_next_warning(t, &cursor, &warning)) {
		json_begin_object(w);
		json_member_str(w, "field", warning.field);
		json_member_str(w, "code", STR("media_fitted"));
		json_member_str(
			w, "message",
			str_format(t->turn.arena,
				   "The %s was changed for this platform: " STR_FMT " to " STR_FMT
				   ".",
				   str_has_prefix(warning.from, STR("video/")) ? "video" : "image",
				   STR_ARG(warning.from), STR_ARG(warning.to)));
		json_member_str(w, "from", warning.from);
		json_member_str(w, "to", warning.to);
		json_member_bool(w, "repeatable", false);
		json_end_object(w);
	}
}

struct str record_warnings(const struct delivery_task *t)
{
	struct buf out;
	struct json_writer w;
	struct fitting_warning fitted;
	struct str cursor = {0};
	if (t->flow.warning_count == 0 && !fitting_next_warning(t, &cursor, &fitted))
		return STR("");
	buf_init(&out, t->turn.arena, PARTS_MAX_BYTES);
	json_writer_init(&w, &out);
	json_begin_array(&w);
	for (size_t i = 0; i < t->flow.warning_count; i++) {
		const struct flow_warning *warning = &t->flow.warnings[i];
		json_begin_object(&w);
		json_member_str(&w, "field", warning->field);
		json_member_str(&w, "code", warning->code);
		json_member_str(&w, "message", warning->message);
		json_member_bool(&w, "repeatable", warning->is_repeatable);
		json_end_object(&w);
	}
	write_fitted(&w, t);
	json_end_array(&w);
	return buf_str(&out);
}

struct str record_parts(const struct delivery_task *t, bool is_failed)
{
	struct buf out;
	struct json_writer w;
	buf_init(&out, t->turn.arena, PARTS_MAX_BYTES);
	json_writer_init(&w, &out);
	json_begin_array(&w);
	const size_t current = flow_part(&t->flow);
	for (size_t i = 0; i < t->flow.part_count; i++) {
		const struct flow_part *part = &t->flow.parts[i];
		const char *state = part->is_done               ? "published"
				    : is_failed && i == current ? "failed"
								: "pending";
		json_begin_object(&w);
		json_member_str(&w, "state", str_of(state));
		json_member_str_or_null(&w, "remote_id", record_id(part->remote_id));
		json_member_str_or_null(&w, "url", record_id(part->url));
		json_end_object(&w);
	}
	json_end_array(&w);
	return buf_str(&out);
}

/* ---- the log ---- */

#define LOG_FIELDS_OWN 7
#define LOG_FIELDS_MORE 3

void record_log(const struct delivery_task *t, enum log_level level, const char *event,
		const struct log_field *more, size_t more_count)
{
	struct log_field fields[LOG_FIELDS_OWN + LOG_FIELDS_MORE] = {
		log_str("post", t->work.post_id),
		log_str("delivery", t->work.id),
		log_str("app", t->work.app_id),
		log_str("account", t->work.account.id),
		log_str("platform", str_of(t->platform->slug)),
	};
	size_t count = 5;
	const size_t blank = str_find_char(t->work.cause, ' ', 0);
	assert(more_count <= LOG_FIELDS_MORE);
	if (!str_is_empty(t->work.cause))
		fields[count++] = log_str("request", str_slice(t->work.cause, 0, blank));
	if (blank != SIZE_MAX)
		fields[count++] =
			log_str("trace", str_slice(t->work.cause, blank + 1, t->work.cause.len));
	for (size_t i = 0; i < more_count; i++)
		fields[count++] = more[i];
	log_write(t->deliverer->config.log, level, event, fields, count);
}
