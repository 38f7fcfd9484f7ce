/* SPDX-License-Identifier: Apache-2.0
 * Plays tests/transcripts/ against the adapters (its README.md gives the format), resumes every
 * flow after every step, and gives every answer once more in broken forms. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "clock.h"
#include "count_of.h"
#include "timetext.h"

#include "form.h"
#include "json.h"
#include "json_write.h"

#include "account.h"
#include "failure.h"
#include "problem.h"
#include "publish_request.h"

#include "platform.h"
#include "rules.h"

#define FILE_MAX_BYTES (256 * 1024)
#define LINES_MAX 2000
#define REPLY_HEADERS_MAX 16
#define MEDIA_MAX (POST_MEDIA_MAX + ENV_FILES_MAX)
#define MUTATIONS 40
#define TOKENS_MAX 32

/* One file being played. */
struct play {
	struct arena *arena;
	const char *file;
	struct str lines[LINES_MAX];
	size_t line_count;
	size_t at;

	const struct platform *platform;
	struct str function;
	struct platform_settings settings;
	struct publish_request request;
	struct media_file media[MEDIA_MAX];
	struct media_file media_later[MEDIA_MAX];
	struct str file_urls[ENV_FILES_MAX];       /* of further files, once they were asked for */
	struct str file_urls_later[ENV_FILES_MAX]; /* as the head describes them, by number */
	struct media_file files_later[ENV_FILES_MAX];
	struct env env;
	struct flow flow;
	struct str flow_text;
	struct str flow_secrets;
	bool is_unchecked;

	struct step step;
	struct reply_header headers[REPLY_HEADERS_MAX];
	struct reply reply;
	struct str tokens[TOKENS_MAX]; /* that the platform gave */
	size_t token_count;
	uint64_t seed;
	int calls;
};

#define STOP(play, ...) stop((play), __VA_ARGS__)

static void stop(const struct play *play, const char *format, ...)
	__attribute__((format(printf, 2, 3), noreturn));

static void stop(const struct play *play, const char *format, ...)
{
	char text[4096];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	print_error("%s:%zu: %s\n", play->file, play->at, text);
	fail();
	abort();
}

/* ---- matching ---- */

/* '*' stands for any bytes. */
static bool glob(struct str pattern, struct str text)
{
	size_t p = 0, t = 0, star = SIZE_MAX, mark = 0;
	while (t < text.len) {
		if (p < pattern.len && pattern.ptr[p] == '*') {
			star = p++;
			mark = t;
		} else if (p < pattern.len && pattern.ptr[p] == text.ptr[t]) {
			p++;
			t++;
		} else if (star != SIZE_MAX) {
			p = star + 1;
			t = ++mark;
		} else {
			return false;
		}
	}
	while (p < pattern.len && pattern.ptr[p] == '*')
		p++;
	return p == pattern.len;
}

static void expect(const struct play *play, const char *what, struct str want, struct str got)
{
	if (!glob(want, got))
		STOP(play, "%s: want \"" STR_FMT "\", got \"" STR_FMT "\"", what, STR_ARG(want),
		     STR_ARG(got));
}

static struct str canonical_json(const struct play *play, struct str text)
{
	const struct json *json = NULL;
	struct buf out;
	struct json_writer w;
	if (json_parse(play->arena, text, NULL, &json, NULL, NULL) != ERR_NONE)
		return text;
	buf_init(&out, play->arena, FILE_MAX_BYTES);
	json_writer_init(&w, &out);
	json_put_value(&w, json);
	return buf_str(&out);
}

static struct str form_lines(const struct play *play, struct str text)
{
	struct form form;
	struct buf out;
	buf_init(&out, play->arena, FILE_MAX_BYTES);
	if (form_parse(play->arena, text, 0, &form, NULL) != ERR_NONE)
		STOP(play, "not a form: " STR_FMT, STR_ARG(text));
	for (size_t i = 0; i < form.count; i++)
		buf_addf(&out, "%s" STR_FMT "=" STR_FMT, i > 0 ? "\n" : "",
			 STR_ARG(form.pairs[i].name), STR_ARG(form.pairs[i].value));
	return buf_str(&out);
}

/* ---- lines ---- */

static struct str line_at(const struct play *play, size_t at)
{
	return at < play->line_count ? play->lines[at] : (struct str){0};
}

static bool is_mark(struct str line, char mark)
{
	return line.len > 0 && line.ptr[0] == mark;
}

static struct str after_mark(struct str line)
{
	const struct str rest = str_slice(line, 1, line.len);
	return str_has_prefix(rest, STR(" ")) ? str_slice(rest, 1, rest.len) : rest;
}

static void skip_blank(struct play *play)
{
	while (play->at < play->line_count) {
		const struct str line = play->lines[play->at];
		if (!str_is_empty(str_trim(line)) && !is_mark(line, '#'))
			return;
		play->at++;
	}
}

static struct str word(struct str *in)
{
	struct str out = {0};
	*in = str_trim(*in);
	if (!str_take_field(in, ' ', &out))
		return (struct str){0};
	return out;
}

static bool name_value(struct str line, struct str *name, struct str *value)
{
	const size_t colon = str_find(line, STR(":"), 0);
	if (colon == SIZE_MAX)
		return false;
	*name = str_slice(line, 0, colon);
	*value = str_trim(str_slice(line, colon + 1, line.len));
	return str_find(*name, STR(" "), 0) == SIZE_MAX;
}

/* ---- the head ---- */

static int64_t instant(const struct play *play, struct str text)
{
	int64_t us = 0;
	if (!timetext_parse_instant(text, &us))
		STOP(play, "not an instant: " STR_FMT, STR_ARG(text));
	return us;
}

static const struct json *parsed(const struct play *play, struct str text)
{
	const struct json *json = NULL;
	struct error err = {0};
	if (json_parse(play->arena, text, NULL, &json, NULL, &err) != ERR_NONE)
		STOP(play, "not JSON (%s): " STR_FMT, err.text, STR_ARG(text));
	return json;
}

/* One word of "[WIDTHxHEIGHT] [MILLISECONDSms] [animated]". */
static void sniff_word(const struct play *play, struct sniff *sniff, struct str text)
{
	int64_t width = 0, height = 0;
	struct str rest = text;
	struct str part = {0};
	if (str_equal_z(text, "animated")) {
		sniff->is_animated = true;
		return;
	}
	if (str_has_suffix(text, STR("ms")) &&
	    str_parse_i64(str_slice(text, 0, text.len - 2), &sniff->duration_ms))
		return;
	if (!str_take_field(&rest, 'x', &part) || !str_parse_i64(part, &width) ||
	    !str_parse_i64(rest, &height))
		STOP(play, "not of a file: " STR_FMT, STR_ARG(text));
	sniff->width = (uint32_t)width;
	sniff->height = (uint32_t)height;
}

static struct media_file media_told(const struct play *play, struct str rest)
{
	int64_t size = 0;
	if (str_equal_z(rest, "missing"))
		return (struct media_file){.is_missing = true};
	if (!str_parse_i64(word(&rest), &size))
		STOP(play, "a file is: SIZE MIME [WIDTHxHEIGHT] [MILLISECONDSms] [animated]");
	const char *mime = str_z(play->arena, word(&rest));
	static const struct {
		const char *mime;
		enum sniff_type type;
	} types[] = {
		{"image/jpeg", SNIFF_JPEG},
		{"image/png", SNIFF_PNG},
		{"image/gif", SNIFF_GIF},
		{"image/webp", SNIFF_WEBP},
		{"video/mp4", SNIFF_MP4},
		{"video/quicktime", SNIFF_MOV},
		{"video/webm", SNIFF_WEBM},
		{"application/pdf", SNIFF_PDF},
		{"application/zip", SNIFF_ZIP},
		{"application/x-ole-storage", SNIFF_OLE},
		{"application/x-subrip", SNIFF_SRT},
		{"text/vtt", SNIFF_VTT},
	};
	struct sniff sniff = {.mime_type = mime};
	sniff.is_image = strncmp(mime, "image/", 6) == 0;
	sniff.is_video = strncmp(mime, "video/", 6) == 0;
	for (size_t i = 0; i < COUNT_OF(types); i++) {
		if (strcmp(types[i].mime, mime) == 0)
			sniff.type = types[i].type;
	}
	for (struct str more = word(&rest); !str_is_empty(more); more = word(&rest))
		sniff_word(play, &sniff, more);
	return (struct media_file){.is_ready = true, .size_bytes = size, .sniff = sniff};
}

static uint64_t number_behind(const struct play *play, struct str name, const char *prefix,
			      uint64_t limit)
{
	uint64_t index = 0;
	if (!str_parse_u64(str_slice(name, strlen(prefix), name.len), &index) || index >= limit)
		STOP(play, "no such number: " STR_FMT, STR_ARG(name));
	return index;
}

/* Where the world could fetch it. */
static struct media_file hosted(const struct play *play, struct media_file file, const char *kind,
				uint64_t index)
{
	if (file.is_ready)
		file.hosted_url = str_format(play->arena, "https://posthorn.example/media/%s%d",
					     kind, (int)index);
	return file;
}

static void set_media(struct play *play, struct str name, struct str value)
{
	const uint64_t index = number_behind(play, name, "media.", MEDIA_MAX - ENV_FILES_MAX);
	play->media_later[index] = hosted(play, media_told(play, value), "", index);
}

static void set_file(struct play *play, struct str name, struct str value)
{
	const uint64_t index = number_behind(play, name, "file.", ENV_FILES_MAX);
	play->file_urls_later[index] = word(&value);
	play->files_later[index] = hosted(play, media_told(play, str_trim(value)), "file", index);
}

static void set_platform(struct play *play, struct str slug)
{
	play->platform = platform_of(platform_id_of_slug(slug));
	if (play->platform == NULL)
		STOP(play, "no such platform");
}

static void set_post(struct play *play, struct str text)
{
	struct problems problems;
	problems_init(&problems, play->arena);
	publish_request_read(play->arena, parsed(play, text), (struct str){0}, play->env.now_us,
			     NULL, &play->request, &problems);
	for (size_t i = 0; i < problems.count; i++) {
		if (!str_equal_z(problems.items[i].field, "account_ids"))
			STOP(play, "post: " STR_FMT ": " STR_FMT, STR_ARG(problems.items[i].field),
			     STR_ARG(problems.items[i].message));
	}
}

static bool set_env(struct play *play, struct str name, struct str value)
{
	const struct {
		const char *name;
		struct str *place;
	} texts[] = {
		{"client_id", &play->env.client_id},
		{"client_secret", &play->env.client_secret},
		{"code", &play->env.code},
		{"variant", &play->env.variant},
		{"redirect_uri", &play->env.redirect_uri},
		{"pkce_verifier", &play->env.pkce_verifier},
		{"access_token", &play->env.access_token},
		{"refresh_token", &play->env.refresh_token},
		{"extra_secret", &play->env.extra_secret},
		{"platform_account_id", &play->env.platform_account_id},
		{"username", &play->env.username},
		{"scopes", &play->env.scopes},
		{"function", &play->function},
		{"flow", &play->flow_text},
		{"flow_secrets", &play->flow_secrets},
	};
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		if (str_equal_z(name, texts[i].name)) {
			*texts[i].place = value;
			return true;
		}
	}
	return false;
}

static void set(struct play *play, struct str name, struct str value)
{
	int64_t probe = 0;
	if (set_env(play, name, value))
		return;
	if (str_equal_z(name, "platform"))
		set_platform(play, value);
	else if (str_equal_z(name, "now"))
		play->env.now_us = play->env.asked_at_us = instant(play, value);
	else if (str_equal_z(name, "started_at"))
		play->env.started_at_us = instant(play, value);
	else if (str_equal_z(name, "asked_at"))
		play->env.asked_at_us = instant(play, value);
	else if (str_equal_z(name, "probe") && str_parse_i64(value, &probe))
		play->env.probe = (int)probe;
	else if (str_equal_z(name, "account_type"))
		play->env.account_type = account_type_of_name(value);
	else if (str_equal_z(name, "account_extra"))
		play->env.account_extra = parsed(play, value);
	else if (str_equal_z(name, "post"))
		set_post(play, value);
	else if (str_equal_z(name, "unchecked"))
		play->is_unchecked = true;
	else if (str_has_prefix(name, STR("media.")))
		set_media(play, name, value);
	else if (str_has_prefix(name, STR("file.")))
		set_file(play, name, value);
	else
		STOP(play, "unknown name " STR_FMT, STR_ARG(name));
}

/* A value with its continuation lines. */
static struct str whole_value(struct play *play, struct str value)
{
	while (is_mark(line_at(play, play->at + 1), ' ')) {
		play->at++;
		value = str_concat(play->arena, value, str_trim(play->lines[play->at]));
	}
	return value;
}

static void head_read(struct play *play)
{
	for (skip_blank(play); play->at < play->line_count; skip_blank(play)) {
		const struct str line = play->lines[play->at];
		struct str name, value;
		if (is_mark(line, '>') || is_mark(line, '=') || is_mark(line, '@'))
			break;
		if (!name_value(line, &name, &value))
			STOP(play, "not a head line: " STR_FMT, STR_ARG(line));
		value = whole_value(play, value);
		set(play, name, value);
		play->at++;
	}
	if (play->platform == NULL || str_is_empty(play->function))
		STOP(play, "platform and function must be named");
}

static void defaults_set(struct play *play)
{
	play->settings = (struct platform_settings){.graph_version = STR("v25.0"),
						    .linkedin_version = STR("202609")};
	play->env = (struct env){
		.arena = play->arena,
		.now_us = instant(play, STR("2026-11-21T12:00:00Z")),
		.settings = &play->settings,
		.client_id = STR("CLIENT"),
		.client_secret = STR("CLIENTSECRET"),
		.code = STR("CODE"),
		.redirect_uri = STR("https://posthorn.example/v1/oauth/callback"),
		.pkce_verifier = STR("VERIFIER"),
		.access_token = STR("ACCESSTOKEN"),
		.refresh_token = STR("REFRESHTOKEN"),
		.platform_account_id = STR("1000"),
		.username = STR("jodoe"),
		.media = play->media,
		.file_urls = play->file_urls,
	};
	set_post(play, STR("{\"content\":\"Hello\"}"));
}

static void rules_must_pass(struct play *play)
{
	struct problems problems;
	problems_init(&problems, play->arena);
	rules_check(play->arena, play->platform, &play->request.content,
		    &(struct rules_account){.id = STR("a"),
					    .type = play->env.account_type,
					    .extra = play->env.account_extra},
		    &problems);
	if (problems.count > 0 && !play->is_unchecked)
		STOP(play, "the post breaks a rule: " STR_FMT ": " STR_FMT,
		     STR_ARG(problems.items[0].field), STR_ARG(problems.items[0].message));
}

static void env_finish(struct play *play)
{
	const bool is_post = str_equal_z(play->function, "publish") ||
			     str_equal_z(play->function, "resolve") ||
			     str_equal_z(play->function, "remove");
	struct error err = {0};
	if (play->env.started_at_us == 0)
		play->env.started_at_us = play->env.now_us;
	if (play->env.asked_at_us == 0)
		play->env.asked_at_us = play->env.now_us;
	if (is_post) {
		rules_must_pass(play);
		play->env.post = &play->request.content;
		play->env.post_type = rules_post_type(play->platform, &play->request.content);
		play->env.options = rules_options(&play->request.content, play->platform->id);
	}
	if (flow_read(&play->flow, play->arena, play->flow_text, play->flow_secrets,
		      is_post ? play->request.content.container_count : 0, &err) != ERR_NONE)
		STOP(play, "flow: %s", err.text);
}

/* ---- the adapter ---- */

static enum operation operation_of(const struct play *play)
{
	static const struct {
		const char *name;
		enum operation operation;
	} operations[] = {
		{"verify", OPERATION_VERIFY},   {"connect", OPERATION_CONNECT},
		{"refresh", OPERATION_REFRESH}, {"publish", OPERATION_PUBLISH},
		{"resolve", OPERATION_RESOLVE}, {"remove", OPERATION_REMOVE},
		{"late_id", OPERATION_LATE_ID},
	};
	for (size_t i = 0; i < COUNT_OF(operations); i++) {
		const enum operation operation = operations[i].operation;
		if (str_equal_z(play->function, operations[i].name) &&
		    play->platform->stages[operation] != NULL)
			return operation;
	}
	STOP(play, "no such function: " STR_FMT, STR_ARG(play->function));
}

static void step_is_whole(const struct play *play, const struct step *step)
{
	switch (step->kind) {
	case STEP_SEND:
		if (!str_has_prefix(step->call.url, STR("https://")) || step->call.method == NULL)
			STOP(play, "a call without an https URL or method");
		if (str_equal_z(play->function, "resolve") && step->call.kind != CALL_READ)
			STOP(play, "resolve may only read");
		return;
	case STEP_FAIL:
		if (str_is_empty(step->failure.message) ||
		    step->failure.code == FAILURE_CODE_NONE ||
		    step->failure.platform_message.len > 500)
			STOP(play, "a failure without message or code, or with too long words");
		return;
	case STEP_WAIT:
		if (step->wait_ms < 0)
			STOP(play, "a negative wait");
		return;
	case STEP_MATCHES:
		if (step->match_count == 0)
			STOP(play, "matches without a match");
		return;
	case STEP_MEDIA:
	case STEP_DONE:
	case STEP_UNCERTAIN:
	case STEP_LANDED:
	case STEP_SEND_AGAIN:
	case STEP_UNKNOWN:
		return;
	}
	STOP(play, "a step of no kind");
}

static struct flow flow_again(const struct play *play, const struct flow *flow)
{
	struct flow again;
	struct error err = {0};
	if (flow_read(&again, play->arena, flow_write(play->arena, flow),
		      flow_write_secrets(play->arena, flow), flow->part_count, &err) != ERR_NONE)
		STOP(play, "a flow that cannot be read back: %s", err.text);
	return again;
}

static void no_secret_in(const struct play *play, const char *where, struct str text,
			 struct str secret)
{
	if (secret.len > 3 && str_find(text, secret, 0) != SIZE_MAX)
		STOP(play, "a secret in %s: " STR_FMT, where, STR_ARG(text));
}

static void secrets_are_kept(const struct play *play)
{
	const struct str text = flow_write(play->arena, &play->flow);
	no_secret_in(play, "the flow", text, play->env.access_token);
	no_secret_in(play, "the flow", text, play->env.refresh_token);
	no_secret_in(play, "the flow", text, play->env.client_secret);
	no_secret_in(play, "the flow", text, play->env.extra_secret);
	for (size_t i = 0; i < play->token_count; i++)
		no_secret_in(play, "the flow", text, play->tokens[i]);
	if (play->step.kind != STEP_FAIL)
		return;
	no_secret_in(play, "a failure", play->step.failure.message, play->env.access_token);
	no_secret_in(play, "a failure", play->step.failure.message, play->env.client_secret);
}

static struct str call_text(const struct play *play, const struct call *call)
{
	struct buf out;
	buf_init(&out, play->arena, FILE_MAX_BYTES * 4);
	buf_addf(&out, "%d %s ", (int)call->kind, call->method);
	buf_add(&out, call->url);
	for (size_t i = 0; i < call->header_count; i++) {
		buf_addf(&out, "\n%s: ", call->headers[i].name);
		buf_add(&out, call->headers[i].value);
	}
	buf_addf(&out, "\n\n%d %zu %" PRId64 " %" PRId64 " ", call->has_media_body,
		 call->media_index, call->media_offset_bytes, call->media_length_bytes);
	buf_add(&out, call->body);
	buf_add(&out, call->body_tail);
	return buf_str(&out);
}

/* A program that starts after a crash has only what was written: it must ask the same again. */
static void resumes(struct play *play)
{
	struct flow again = flow_again(play, &play->flow);
	struct step step = {.kind = STEP_UNKNOWN};
	platform_run(play->platform, operation_of(play), &play->env, &again, NULL, &step);
	if (step.kind != STEP_SEND ||
	    !str_equal(call_text(play, &step.call), call_text(play, &play->step.call)))
		STOP(play,
		     "asked again after a restart, another call came: " STR_FMT
		     " instead of " STR_FMT,
		     STR_ARG(call_text(play, &step.call)),
		     STR_ARG(call_text(play, &play->step.call)));
}

static void ask(struct play *play, const struct reply *reply)
{
	memset(&play->step, 0, sizeof(play->step));
	platform_run(play->platform, operation_of(play), &play->env, &play->flow, reply,
		     &play->step);
	step_is_whole(play, &play->step);
	secrets_are_kept(play);
	if (play->step.kind == STEP_SEND)
		resumes(play);
	play->flow = flow_again(play, &play->flow);
	if (!str_is_empty(play->step.account_extra))
		play->env.account_extra = parsed(play, play->step.account_extra);
}

/* ---- ">" ---- */

static void expect_first_line(struct play *play, struct str line)
{
	static const char *const kinds[] = {[CALL_READ] = "kind=read",
					    [CALL_PREPARE] = "kind=prepare",
					    [CALL_PUBLISH] = "kind=publish"};
	const struct call *call = &play->step.call;
	expect(play, "method", word(&line), str_of(call->method));
	const struct str url = word(&line);
	const bool has_query_below = is_mark(line_at(play, play->at + 1), '>') &&
				     is_mark(after_mark(line_at(play, play->at + 1)), '?');
	struct str got = call->url;
	if (has_query_below)
		got = str_slice(got, 0, str_find(got, STR("?"), 0));
	expect(play, "URL", url, got);
	expect(play, "kind", word(&line), str_of(kinds[call->kind]));
	const struct str fresh = word(&line);
	if (str_equal_z(fresh, "fresh") != call->needs_fresh_connection)
		STOP(play, "fresh connection: want %d, got %d", str_equal_z(fresh, "fresh"),
		     call->needs_fresh_connection);
}

static void expect_query(struct play *play)
{
	struct buf want;
	buf_init(&want, play->arena, FILE_MAX_BYTES);
	while (is_mark(line_at(play, play->at), '>') &&
	       is_mark(after_mark(play->lines[play->at]), '?')) {
		const struct str pair = after_mark(play->lines[play->at++]);
		buf_addf(&want, "%s" STR_FMT, want.len > 0 ? "\n" : "",
			 STR_ARG(str_slice(pair, 1, pair.len)));
	}
	const size_t mark = str_find(play->step.call.url, STR("?"), 0);
	if (want.len > 0 && mark == SIZE_MAX)
		STOP(play, "the URL has no query");
	if (want.len > 0)
		expect(play, "query", buf_str(&want),
		       form_lines(play, str_slice(play->step.call.url, mark + 1,
						  play->step.call.url.len)));
}

static struct str call_header_get(const struct call *call, struct str name)
{
	for (size_t i = 0; i < call->header_count; i++) {
		if (str_equal_nocase(str_of(call->headers[i].name), name))
			return call->headers[i].value;
	}
	return (struct str){0};
}

static struct str block_body(struct play *play, char mark)
{
	struct buf body;
	bool is_first = true;
	buf_init(&body, play->arena, FILE_MAX_BYTES);
	while (is_mark(line_at(play, play->at), mark)) {
		buf_add_z(&body, is_first ? "" : "\n");
		buf_add(&body, after_mark(play->lines[play->at++]));
		is_first = false;
	}
	return buf_str(&body);
}

static struct str between(struct str text, const char *open, const char *close)
{
	const size_t at = str_find(text, str_of(open), 0);
	const size_t from = at == SIZE_MAX ? text.len : at + strlen(open);
	return str_slice(text, from, str_find(text, str_of(close), from));
}

static struct str media_text(const struct play *play, const struct call *call)
{
	return str_format(play->arena, "@media %zu offset=%" PRId64 " length=%" PRId64,
			  call->media_index, call->media_offset_bytes, call->media_length_bytes);
}

/* One line a part; a part that is a file has its name and type too. */
static void part_add(const struct play *play, struct buf *out, struct str part)
{
	const size_t end = str_find(part, STR("\r\n\r\n"), 0);
	if (end == SIZE_MAX)
		STOP(play, "a part without an end of its head");
	const struct str head = str_slice(part, 0, end);
	const struct str value = str_slice(part, end + 4, part.len - 2);
	buf_addf(out, "%s" STR_FMT "=" STR_FMT, out->len > 0 ? "\n" : "",
		 STR_ARG(between(head, " name=\"", "\"")), STR_ARG(value));
	if (str_find(head, STR("filename="), 0) != SIZE_MAX)
		buf_addf(out, " file=" STR_FMT " type=" STR_FMT,
			 STR_ARG(between(head, "filename=\"", "\"")),
			 STR_ARG(str_trim(between(head, "Content-Type:", "\r\n"))));
}

static struct str multipart_lines(const struct play *play, const struct call *call, struct str type)
{
	const struct str boundary =
		str_concat(play->arena, STR("--"), between(type, "boundary=", ";"));
	const struct str file = call->has_media_body ? media_text(play, call) : STR("");
	const struct str body =
		str_concat(play->arena, str_concat(play->arena, call->body, file), call->body_tail);
	struct buf out;
	buf_init(&out, play->arena, FILE_MAX_BYTES);
	if (!str_has_prefix(body, boundary))
		STOP(play, "not the multipart body that its header tells");
	size_t from = boundary.len;
	while (!str_has_prefix(str_slice(body, from, body.len), STR("--"))) {
		const size_t next = str_find(body, boundary, from);
		if (next == SIZE_MAX)
			STOP(play, "a multipart body without an end");
		part_add(play, &out, str_slice(body, from, next));
		from = next + boundary.len;
	}
	return buf_str(&out);
}

static void expect_body(struct play *play, struct str want)
{
	const struct call *call = &play->step.call;
	const struct str type = call_header_get(call, STR("Content-Type"));
	struct str got = call->body;
	if (str_has_prefix(type, STR("multipart/form-data;")))
		got = multipart_lines(play, call, type);
	else if (call->has_media_body)
		got = media_text(play, call);
	else if (str_equal_z(type, "application/x-www-form-urlencoded"))
		got = form_lines(play, got);
	else if (str_has_prefix(type, STR("application/json"))) {
		got = canonical_json(play, got);
		want = canonical_json(play, want);
	}
	expect(play, "body", want, got);
}

static void expect_call(struct play *play)
{
	if (play->step.kind != STEP_SEND)
		STOP(play, "want a call, got step %d (" STR_FMT " " STR_FMT ")",
		     (int)play->step.kind, STR_ARG(play->step.failure.message),
		     STR_ARG(play->step.failure.platform_message));
	expect_first_line(play, after_mark(play->lines[play->at]));
	play->at++;
	expect_query(play);
	while (is_mark(line_at(play, play->at), '>')) {
		const struct str line = after_mark(play->lines[play->at++]);
		struct str name, value;
		if (str_is_empty(line)) {
			expect_body(play, block_body(play, '>'));
			break;
		}
		if (!name_value(line, &name, &value))
			STOP(play, "not a header line");
		expect(play, "header", value, call_header_get(&play->step.call, name));
	}
	play->calls++;
}

/* ---- "<" ---- */

/* What a platform calls a token must not stand in the public half of the flow either. */
static void tokens_note(struct play *play, const struct json *json)
{
	static const char *const names[] = {"access_token", "refresh_token", "id_token"};
	if (!json_is(json, JSON_TYPE_OBJECT) && !json_is(json, JSON_TYPE_ARRAY))
		return;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		const struct str token = json_string(json_get(json, names[i]));
		if (!str_is_empty(token) && play->token_count < TOKENS_MAX)
			play->tokens[play->token_count++] = token;
	}
	for (size_t i = 0; i < json->count; i++)
		tokens_note(play, &json->items[i]);
}

static void reply_read(struct play *play)
{
	struct str line = after_mark(play->lines[play->at++]);
	const struct str first = word(&line);
	int64_t status = 0;
	play->reply = (struct reply){.headers = play->headers, .transport_error = line};
	if (str_equal_z(first, "never-sent"))
		play->reply.outcome = REPLY_NEVER_SENT;
	else if (str_equal_z(first, "lost"))
		play->reply.outcome = REPLY_LOST;
	else if (!str_parse_i64(first, &status))
		STOP(play, "not a status");
	play->reply.status = (int)status;
	while (is_mark(line_at(play, play->at), '<')) {
		line = after_mark(play->lines[play->at++]);
		struct reply_header *header = &play->headers[play->reply.header_count];
		if (str_is_empty(line)) {
			play->reply.body = block_body(play, '<');
			break;
		}
		if (play->reply.header_count == REPLY_HEADERS_MAX ||
		    !name_value(line, &header->name, &header->value))
			STOP(play, "not a header line");
		play->reply.header_count++;
	}
	if (json_parse(play->arena, play->reply.body, NULL, &play->reply.json, NULL, NULL) !=
	    ERR_NONE)
		play->reply.json = NULL;
	tokens_note(play, play->reply.json);
}

/* ---- broken answers ---- */

static uint64_t next_random(struct play *play)
{
	play->seed ^= play->seed << 13;
	play->seed ^= play->seed >> 7;
	play->seed ^= play->seed << 17;
	return play->seed;
}

static size_t below(struct play *play, size_t limit)
{
	return limit > 0 ? (size_t)(next_random(play) % limit) : 0;
}

/* Values that take the place of a quoted text or number somewhere in the body. */
static const char *const strange[] = {"null",
				      "[]",
				      "{}",
				      "0",
				      "-1",
				      "\"\"",
				      "true",
				      "[[[]]]",
				      "{\"data\":null}",
				      "1e308",
				      "9223372036854775807",
				      "\"\\ud83d\\ude00\"",
				      "[null,null]",
				      "{\"id\":{}}"};

static struct str with_strange_value(struct play *play, struct str body)
{
	const size_t colon = str_find(body, STR(":"), below(play, body.len));
	if (colon == SIZE_MAX)
		return str_of(strange[below(play, COUNT_OF(strange))]);
	size_t end = colon + 1;
	while (end < body.len && body.ptr[end] != ',' && body.ptr[end] != '}')
		end++;
	const struct str value = str_of(strange[below(play, COUNT_OF(strange))]);
	return str_concat(play->arena,
			  str_concat(play->arena, str_slice(body, 0, colon + 1), value),
			  str_slice(body, end, body.len));
}

static struct str with_flipped_byte(struct play *play, struct str body)
{
	char *bytes = str_z(play->arena, body);
	if (body.len > 0)
		bytes[below(play, body.len)] = (char)(next_random(play) & 0x7F);
	return (struct str){bytes, body.len};
}

static struct str broken_body(struct play *play, struct str body)
{
	switch (next_random(play) % 4) {
	case 0:
		return str_slice(body, 0, below(play, body.len + 1));
	case 1:
		return with_flipped_byte(play, body);
	case 2:
		return with_strange_value(play, body);
	default:
		return with_strange_value(play, with_strange_value(play, body));
	}
}

static struct reply broken_reply(struct play *play)
{
	static const int statuses[] = {200, 201, 204, 206, 302, 308, 400, 401,
				       402, 403, 404, 409, 422, 429, 499};
	struct reply reply = play->reply;
	reply.body = broken_body(play, reply.body);
	if (below(play, 3) == 0)
		reply.status = statuses[below(play, COUNT_OF(statuses))];
	if (play->step.call.kind != CALL_PUBLISH && below(play, 10) == 0) {
		reply.outcome = below(play, 2) == 0 ? REPLY_LOST : REPLY_NEVER_SENT;
		reply.status = 0;
	}
	if (below(play, 4) == 0)
		reply.header_count = 0;
	if (json_parse(play->arena, reply.body, NULL, &reply.json, NULL, NULL) != ERR_NONE)
		reply.json = NULL;
	return reply;
}

static void survives_broken_answers(struct play *play)
{
	for (int i = 0; i < MUTATIONS; i++) {
		struct flow flow = flow_again(play, &play->flow);
		struct step step = {.kind = STEP_UNKNOWN};
		const struct reply reply = broken_reply(play);
		platform_run(play->platform, operation_of(play), &play->env, &flow, &reply, &step);
		step_is_whole(play, &step);
		flow_again(play, &flow);
	}
}

/* ---- "=" ---- */

static const char *const class_names[] = {
	[FAILURE_PERMANENT] = "permanent",
	[FAILURE_TRANSIENT] = "transient",
	[FAILURE_RATE_LIMITED] = "rate-limited",
	[FAILURE_TOKEN] = "token",
	[FAILURE_REAUTH] = "reauth",
	[FAILURE_APP] = "app",
};

static struct str step_text(const struct play *play)
{
	const struct step *step = &play->step;
	switch (step->kind) {
	case STEP_SEND:
		return str_format(play->arena, "call %s " STR_FMT, step->call.method,
				  STR_ARG(step->call.url));
	case STEP_WAIT:
		return str_format(play->arena, "wait %" PRId64, step->wait_ms);
	case STEP_MEDIA:
		if (!str_is_empty(step->file_url))
			return str_format(play->arena, "file " STR_FMT "%s",
					  STR_ARG(step->file_url),
					  step->file_is_optional ? " optional" : "");
		return str_format(play->arena, "media %zu", step->media_index);
	case STEP_DONE:
		return STR("done");
	case STEP_FAIL:
		return str_format(play->arena, "fail %s %s", class_names[step->failure.class],
				  failure_code_name(step->failure.code));
	case STEP_UNCERTAIN:
		return STR("uncertain");
	case STEP_LANDED:
		return STR("landed");
	case STEP_MATCHES:
		return STR("matches");
	case STEP_SEND_AGAIN:
		return STR("send-again");
	case STEP_UNKNOWN:
		return STR("unknown");
	}
	return STR("nothing");
}

static struct str instant_text(const struct play *play, int64_t us)
{
	return us == 0 ? STR("0") : timetext_format_instant(play->arena, us);
}

static struct str number_text(const struct play *play, int64_t number)
{
	return str_format(play->arena, "%" PRId64, number);
}

static struct str account_field(const struct play *play, const struct account_found *account,
				struct str field)
{
	const struct {
		const char *name;
		struct str value;
	} fields[] = {
		{"id", account->platform_account_id},
		{"username", account->username},
		{"name", account->name},
		{"email", account->email},
		{"avatar_url", account->avatar_url},
		{"type", str_of(account_type_name(account->type))},
		{"access_token", account->access_token},
		{"refresh_token", account->refresh_token},
		{"expires_at", instant_text(play, account->expires_at_us)},
		{"refresh_expires_at", instant_text(play, account->refresh_expires_at_us)},
		{"scopes", account->scopes},
		{"extra", account->extra},
		{"extra_secret", account->extra_secret},
	};
	for (size_t i = 0; i < COUNT_OF(fields); i++) {
		if (str_equal_z(field, fields[i].name))
			return fields[i].value;
	}
	STOP(play, "no such account field");
}

/* "account.1.name" -> 1 and "name". */
static size_t index_take(const struct play *play, struct str *name)
{
	struct str part = {0};
	uint64_t index = 0;
	str_take_field(name, '.', &part);
	if (!str_take_field(name, '.', &part) || !str_parse_u64(part, &index))
		STOP(play, "a number is missing in the name");
	return (size_t)index;
}

static struct str pair_text(const struct play *play, struct str a, struct str b)
{
	return str_trim(str_format(play->arena, STR_FMT " " STR_FMT, STR_ARG(a), STR_ARG(b)));
}

static struct str indexed_field(const struct play *play, struct str name)
{
	const struct step *step = &play->step;
	struct str rest = name;
	const size_t index = index_take(play, &rest);
	if (str_has_prefix(name, STR("account.")) && index < step->account_count)
		return account_field(play, &step->accounts[index], rest);
	if (str_has_prefix(name, STR("match.")) && index < step->match_count)
		return pair_text(play, step->matches[index].remote_id, step->matches[index].url);
	if (str_has_prefix(name, STR("part.")) && index < play->flow.part_count)
		return pair_text(play, play->flow.parts[index].remote_id,
				 play->flow.parts[index].url);
	STOP(play, "there is no " STR_FMT, STR_ARG(name));
}

/* Their codes, with "repeatable" for those that a retry repeats. */
static struct str warnings_text(const struct play *play)
{
	struct str text = STR("");
	for (size_t i = 0; i < play->flow.warning_count; i++) {
		const struct flow_warning *warning = &play->flow.warnings[i];
		text = str_format(play->arena, STR_FMT "%s" STR_FMT "%s", STR_ARG(text),
				  i > 0 ? " " : "", STR_ARG(warning->code),
				  warning->is_repeatable ? " repeatable" : "");
	}
	return text;
}

static struct str closer(const struct play *play, struct str name)
{
	const struct step *step = &play->step;
	const struct {
		const char *name;
		struct str value;
	} fields[] = {
		{"message", step->failure.message},
		{"platform_code", step->failure.platform_code},
		{"platform_message", step->failure.platform_message},
		{"retry_after_ms", number_text(play, step->failure.retry_after_ms)},
		{"unsupported", step->is_unsupported ? STR("yes") : STR("no")},
		{"retry_floor_ms", number_text(play, step->failure.retry_floor_ms)},
		{"retry_reset_ms", number_text(play, step->failure.retry_reset_ms)},
		{"connection_error", str_of(connection_error_code(step->failure.connection_error))},
		{"account_count", number_text(play, (int64_t)step->account_count)},
		{"match_count", number_text(play, (int64_t)step->match_count)},
		{"parts_done", number_text(play, (int64_t)flow_part(&play->flow))},
		{"token.access_token", step->token.access_token},
		{"token.refresh_token", step->token.refresh_token},
		{"token.expires_at", instant_text(play, step->token.expires_at_us)},
		{"token.refresh_expires_at", instant_text(play, step->token.refresh_expires_at_us)},
		{"stage", play->flow.stage},
		{"visibility", str_of(post_visibility_name(play->flow.visibility))},
		{"warnings", warnings_text(play)},
		{"account_extra", step->account_extra},
	};
	for (size_t i = 0; i < COUNT_OF(fields); i++) {
		if (str_equal_z(name, fields[i].name))
			return fields[i].value;
	}
	if (str_has_prefix(name, STR("var.")))
		return flow_get(&play->flow, str_z(play->arena, str_slice(name, 4, name.len)));
	return indexed_field(play, name);
}

static void expect_closer(struct play *play)
{
	struct str name, value;
	while (is_mark(line_at(play, play->at), '=') &&
	       name_value(after_mark(play->lines[play->at]), &name, &value)) {
		expect(play, str_z(play->arena, name), value, closer(play, name));
		play->at++;
	}
}

/* Delivery has it on disk now, or knows that it is not to be had. */
static void bring_file(struct play *play)
{
	const struct step *step = &play->step;
	if (str_is_empty(step->file_url)) {
		play->media[step->media_index] = play->media_later[step->media_index];
		return;
	}
	int index = env_file(&play->env, step->file_url);
	if (index < 0 && play->env.file_count == ENV_FILES_MAX)
		STOP(play, "too many further files");
	if (index < 0) {
		play->file_urls[play->env.file_count++] = str_copy(play->arena, step->file_url);
		index = env_file(&play->env, step->file_url);
	}
	for (size_t i = 0; i < ENV_FILES_MAX; i++) {
		if (str_equal(play->file_urls_later[i], step->file_url))
			play->media[index] = play->files_later[i];
	}
}

static void expect_step(struct play *play)
{
	expect(play, "step", after_mark(play->lines[play->at]), step_text(play));
	play->at++;
	expect_closer(play);
	if (play->step.kind == STEP_WAIT)
		play->env.now_us += play->step.wait_ms * US_PER_MS;
	if (play->step.kind == STEP_MEDIA)
		bring_file(play);
}

/* ---- "@" ---- */

/* As delivery does with the one match that belongs to no other post. */
static void adopt(struct play *play, struct str number)
{
	uint64_t index = 0;
	if (!str_parse_u64(number, &index) || index >= play->step.match_count)
		STOP(play, "no such match");
	flow_part_done(&play->flow, play->step.matches[index].remote_id,
		       play->step.matches[index].url);
}

static void change(struct play *play)
{
	struct str name, value;
	if (!name_value(after_mark(play->lines[play->at]), &name, &value))
		STOP(play, "@ name: value");
	if (str_equal_z(name, "adopt"))
		adopt(play, value);
	else
		set(play, name, value);
	if (str_equal_z(name, "function"))
		play->flow.probe = (struct str){0};
	play->at++;
}

/* ---- a file ---- */

static void lines_split(struct play *play, struct str text)
{
	struct str line;
	while (str_take_field(&text, '\n', &line)) {
		if (play->line_count == LINES_MAX)
			STOP(play, "too many lines");
		play->lines[play->line_count++] = line;
	}
}

static void conversation(struct play *play)
{
	const struct reply *reply = NULL;
	bool is_asked = false;
	for (skip_blank(play); play->at < play->line_count; skip_blank(play)) {
		const struct str line = play->lines[play->at];
		if (is_mark(line, '@')) {
			change(play);
			is_asked = false;
			continue;
		}
		if (!is_asked) {
			ask(play, reply);
			reply = NULL;
			is_asked = true;
		}
		if (is_mark(line, '>')) {
			expect_call(play);
		} else if (is_mark(line, '<')) {
			reply_read(play);
			survives_broken_answers(play);
			reply = &play->reply;
			is_asked = false;
		} else if (is_mark(line, '=')) {
			expect_step(play);
			is_asked = false;
		} else {
			STOP(play, "not a line of a conversation: " STR_FMT, STR_ARG(line));
		}
	}
	if (reply != NULL)
		STOP(play, "the last answer is not followed by a step");
}

static struct str file_read(const struct play *play, const char *path)
{
	FILE *file = fopen(path, "rb");
	if (file == NULL)
		STOP(play, "cannot be opened");
	char *bytes = arena_alloc(play->arena, FILE_MAX_BYTES);
	const size_t size = fread(bytes, 1, FILE_MAX_BYTES, file);
	fclose(file);
	if (size == FILE_MAX_BYTES)
		STOP(play, "too long");
	return (struct str){bytes, size};
}

static void play_file(void **state)
{
	const char *path = *state;
	struct play *play = calloc(1, sizeof(*play));
	assert_non_null(play);
	play->arena = arena_new("transcript", 1024 * 1024 * 1024);
	play->file = path;
	play->seed = 88172645463325252u;
	lines_split(play, file_read(play, path));
	defaults_set(play);
	head_read(play);
	env_finish(play);
	conversation(play);
	arena_free(&play->arena);
	free(play);
}

/* ---- the tests of the runner itself ---- */

static void glob_matches_as_told(void **state)
{
	static const struct {
		const char *pattern;
		const char *text;
		bool matches;
	} rows[] = {
		{"", "", true},       {"a", "a", true},      {"a", "b", false},
		{"*", "", true},      {"a*c", "abbc", true}, {"a*c", "abb", false},
		{"*b*", "abc", true}, {"a*", "a", true},     {"a**b", "ab", true},
		{"ab", "abc", false}, {"abc", "ab", false},  {"*a*b", "xaybab", true},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_int_equal(glob(str_of(rows[i].pattern), str_of(rows[i].text)),
				 rows[i].matches);
}

static int is_transcript(const struct dirent *entry)
{
	return str_has_suffix(str_of(entry->d_name), STR(".txt"));
}

int main(int argc, char **argv)
{
	struct dirent **entries = NULL;
	const char *wanted = argc > 1 ? argv[1] : "";
	const int count = scandir(TRANSCRIPT_DIR, &entries, is_transcript, alphasort);
	if (count <= 0) {
		fprintf(stderr, "no transcripts in %s\n", TRANSCRIPT_DIR);
		return 1;
	}
	struct CMUnitTest *tests = calloc((size_t)count + 1, sizeof(*tests));
	char **paths = calloc((size_t)count, sizeof(*paths));
	if (tests == NULL || paths == NULL)
		return 1;
	size_t test_count = 0;
	tests[test_count++] = (struct CMUnitTest)cmocka_unit_test(glob_matches_as_told);
	for (int i = 0; i < count; i++) {
		if (asprintf(&paths[i], "%s/%s", TRANSCRIPT_DIR, entries[i]->d_name) < 0)
			return 1;
		if (strstr(entries[i]->d_name, wanted) != NULL)
			tests[test_count++] = (struct CMUnitTest){entries[i]->d_name, play_file,
								  NULL, NULL, paths[i]};
	}
	const int failed = _cmocka_run_group_tests("transcripts", tests, test_count, NULL, NULL);
	for (int i = 0; i < count; i++) {
		free(paths[i]);
		free(entries[i]);
	}
	free(paths);
	free(entries);
	free(tests);
	return failed;
}
