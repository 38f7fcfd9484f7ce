/* SPDX-License-Identifier: Apache-2.0
 * posthorn live-check: publishes one post of every kind that a platform takes, with a real account,
 * over the running service: its engine writes each intent down before it calls, as for any post.
 * Reads back what was sent and answered (store_delivery.h, STORE_RECORDED_PREFIX), holds it against
 * the transcripts, takes the posts back, and says what it could not. */
#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "clock.h"
#include "count_of.h"
#include "random.h"
#include "thread.h"
#include "timetext.h"
#include "uuid.h"

#include "form.h"
#include "json.h"
#include "json_write.h"

#include "platform_id.h"

#include "commands.h"
#include "control.h"
#include "live_check_compare.h"

#define PATIENCE_US (20 * US_PER_MINUTE) /* a video may be processed for long */
#define REMOVAL_PATIENCE_US (3 * US_PER_MINUTE)
#define POLL_MS 500
#define BODY_MAX_BYTES 65536
#define REPORT_MAX_BYTES ((size_t)8 << 20)
#define ARENA_MAX_BYTES ((size_t)64 << 20)
#define MEDIA_MAX 2

enum check_media { MEDIA_NONE, MEDIA_IMAGE, MEDIA_IMAGES, MEDIA_VIDEO };

/* One kind of post. */
struct check {
	enum platform_id platform;
	const char *name;
	enum check_media media;
	const char *type;    /* NULL = as the media say */
	const char *options; /* of the platform, JSON; NULL = none */
	const char *seen_by; /* until it is deleted */
};

#define FOLLOWERS "everyone, in the feeds of who follows the account"
#define CONNECTIONS "the member's connections; of a page: everyone who follows it"
#define ALONE "nobody but the account's owner"

static const struct check checks[] = {
	{PLATFORM_X, "a text", MEDIA_NONE, NULL, NULL, FOLLOWERS},
	{PLATFORM_X, "a poll", MEDIA_NONE, NULL,
	 "{\"poll\":{\"options\":[\"Yes\",\"No\"],\"duration_minutes\":5}}", FOLLOWERS},
	{PLATFORM_X, "an image", MEDIA_IMAGE, NULL, NULL, FOLLOWERS},
	{PLATFORM_X, "a video", MEDIA_VIDEO, NULL, NULL, FOLLOWERS},
	{PLATFORM_X, "an article", MEDIA_NONE, "article",
	 "{\"article\":{\"title\":\"Posthorn live-check\"}}",
	 FOLLOWERS "; only accounts with a subscription may write it"},
	{PLATFORM_FACEBOOK, "a text", MEDIA_NONE, NULL, NULL, FOLLOWERS},
	{PLATFORM_FACEBOOK, "a link", MEDIA_NONE, NULL,
	 "{\"link\":\"https://www.rfc-editor.org/\"}", FOLLOWERS},
	{PLATFORM_FACEBOOK, "a photo", MEDIA_IMAGE, NULL, NULL, FOLLOWERS},
	{PLATFORM_FACEBOOK, "two photos", MEDIA_IMAGES, "carousel", NULL, FOLLOWERS},
	{PLATFORM_FACEBOOK, "a video", MEDIA_VIDEO, NULL, NULL, FOLLOWERS},
	{PLATFORM_FACEBOOK, "a story", MEDIA_IMAGE, "story", NULL, FOLLOWERS},
	{PLATFORM_INSTAGRAM, "an image", MEDIA_IMAGE, NULL, NULL, FOLLOWERS},
	{PLATFORM_INSTAGRAM, "a carousel", MEDIA_IMAGES, "carousel", NULL, FOLLOWERS},
	{PLATFORM_INSTAGRAM, "a reel", MEDIA_VIDEO, NULL, NULL, FOLLOWERS},
	{PLATFORM_INSTAGRAM, "a story", MEDIA_IMAGE, "story", NULL, FOLLOWERS},
	{PLATFORM_LINKEDIN, "a text", MEDIA_NONE, NULL, "{\"visibility\":\"CONNECTIONS\"}",
	 CONNECTIONS},
	{PLATFORM_LINKEDIN, "a poll", MEDIA_NONE, NULL,
	 "{\"visibility\":\"CONNECTIONS\",\"poll\":{\"question\":\"Does it work?\","
	 "\"options\":[\"Yes\",\"No\"],\"duration\":\"ONE_DAY\"}}",
	 CONNECTIONS},
	{PLATFORM_LINKEDIN, "an article", MEDIA_NONE, "article",
	 "{\"visibility\":\"CONNECTIONS\",\"article\":{\"source\":\"https://www.rfc-editor.org/\","
	 "\"title\":\"Posthorn live-check\"}}",
	 CONNECTIONS},
	{PLATFORM_LINKEDIN, "an image", MEDIA_IMAGE, NULL, "{\"visibility\":\"CONNECTIONS\"}",
	 CONNECTIONS},
	{PLATFORM_LINKEDIN, "two images", MEDIA_IMAGES, NULL, "{\"visibility\":\"CONNECTIONS\"}",
	 CONNECTIONS},
	{PLATFORM_LINKEDIN, "a video", MEDIA_VIDEO, NULL, "{\"visibility\":\"CONNECTIONS\"}",
	 CONNECTIONS},
	{PLATFORM_YOUTUBE, "a video", MEDIA_VIDEO, NULL,
	 "{\"privacyStatus\":\"private\",\"notifySubscribers\":false}", ALONE},
	{PLATFORM_TIKTOK, "a video", MEDIA_VIDEO, NULL, "{\"privacy_level\":\"SELF_ONLY\"}", ALONE},
	{PLATFORM_TIKTOK, "photos", MEDIA_IMAGES, "carousel", "{\"privacy_level\":\"SELF_ONLY\"}",
	 ALONE},
};

struct run {
	const struct command *command;
	enum platform_id platform;
	const char *media[MEDIA_MAX]; /* --image, --video; NULL = none */
	struct arena *arena;          /* of one check */
	FILE *record;
	size_t differences;
	size_t failures;
	struct buf left; /* what could not be deleted, a line each */
};

/* ---- calls ---- */

/* False: it was said why. */
static bool ask(struct run *run, const char *method, struct str rest, struct str body,
		const struct json **json_out)
{
	struct error err = {0};
	struct control_answer answer = {0};
	struct arena *arena = run->arena;
	struct buf path;
	buf_init(&path, arena, BODY_MAX_BYTES);
	buf_add_z(&path, "/admin/apps/");
	percent_encode(&path, str_of(run->command->arguments->app));
	buf_add_z(&path, "/v1/");
	buf_add(&path, rest);
	if (control_call(run->command->settings, arena, method, buf_str(&path), body, &answer,
			 &err) != ERR_NONE) {
		fprintf(stderr, "posthorn: %s\n", err.text);
		return false;
	}
	if (json_parse(arena, answer.body, NULL, json_out, NULL, &err) != ERR_NONE)
		*json_out = NULL;
	if (answer.status >= 200 && answer.status < 300 && *json_out != NULL)
		return true;
	fprintf(stderr, "posthorn: " STR_FMT "\n", STR_ARG(json_get_string(*json_out, "message")));
	return false;
}

static const char *media_of(const struct run *run, const struct check *check)
{
	return run->media[check->media == MEDIA_VIDEO ? 1 : 0];
}

static void write_media(struct json_writer *w, const struct run *run, const struct check *check)
{
	const bool is_video = check->media == MEDIA_VIDEO;
	json_key(w, "media");
	json_begin_array(w);
	for (int i = 0; i < (check->media == MEDIA_IMAGES ? 2 : 1); i++) {
		json_begin_object(w);
		json_member_str(w, "url", str_of(media_of(run, check)));
		json_member_str(w, "type", is_video ? STR("video") : STR("image"));
		json_end_object(w);
	}
	json_end_array(w);
}

static struct str post_of(struct run *run, const struct check *check)
{
	const int64_t now_us = clock_now_us(clock_system());
	const struct str id = uuid_str(run->arena, uuid_v7(now_us, random_system()));
	struct buf out;
	struct json_writer w;
	buf_init(&out, run->arena, BODY_MAX_BYTES);
	json_writer_init(&w, &out);
	json_begin_object(&w);
	json_member_str(&w, "request_id", str_concat(run->arena, STR("live-check-"), id));
	json_key(&w, "account_ids");
	json_begin_array(&w);
	json_put_str(&w, str_of(run->command->arguments->account));
	json_end_array(&w);
	json_member_str(&w, "content",
			str_format(run->arena, "Posthorn live-check: %s (" STR_FMT ")", check->name,
				   STR_ARG(str_slice(id, id.len - 12, id.len))));
	if (check->type != NULL)
		json_member_str(&w, "type", str_of(check->type));
	if (check->media != MEDIA_NONE)
		write_media(&w, run, check);
	if (check->options != NULL) {
		json_key(&w, "platforms");
		json_begin_object(&w);
		json_key(&w, platform_id_slug(check->platform));
		json_put_raw(&w, str_of(check->options));
		json_end_object(&w);
	}
	json_end_object(&w);
	return buf_str(&out);
}

/* The account's part of the post, once is_over says so; NULL: it was said why. */
static const struct json *wait_for(struct run *run, struct str post_id, int64_t patience_us,
				   bool (*is_over)(const struct json *platform_post))
{
	const int64_t until_us = clock_boot_us(clock_system()) + patience_us;
	const struct str path = str_concat(run->arena, STR("posts/"), post_id);
	struct arena *whole = run->arena;
	const struct json *found = NULL;
	while (found == NULL && clock_boot_us(clock_system()) < until_us) {
		const struct json *json = NULL;
		struct arena *turn = arena_new("live-check poll", ARENA_MAX_BYTES);
		run->arena = turn;
		const bool is_answered = ask(run, "GET", path, STR(""), &json);
		const bool is_done =
			is_answered &&
			is_over(json_at(json_get(json_get(json, "data"), "platform_posts"), 0));
		run->arena = whole;
		arena_free(&turn);
		if (!is_answered)
			return NULL;
		if (is_done && ask(run, "GET", path, STR(""), &json))
			return json_at(json_get(json_get(json, "data"), "platform_posts"), 0);
		thread_sleep_ms(POLL_MS);
	}
	fprintf(stderr,
		"posthorn: the post " STR_FMT " is not done yet; its end is in the "
		"dashboard\n",
		STR_ARG(post_id));
	return NULL;
}

static bool is_final(const struct json *platform_post)
{
	const struct str status = json_get_string(platform_post, "status");
	return str_equal_z(status, "published") || str_equal_z(status, "failed");
}

static bool is_removal_over(const struct json *platform_post)
{
	const struct str status = json_get_string(json_get(platform_post, "removal"), "status");
	return !str_is_empty(status) && !str_equal_z(status, "pending");
}

/* ---- what was sent and answered ---- */

static void write_lines(FILE *file, char mark, struct str text)
{
	struct str line;
	while (text.ptr != NULL && str_take_field(&text, '\n', &line))
		fprintf(file, "%c " STR_FMT "\n", mark, STR_ARG(line));
}

/* In the form of tests/transcripts. */
static void record_exchange(FILE *file, const struct json *request, const struct json *exchange)
{
	const struct json *headers = json_get(request, "headers");
	fprintf(file, "> " STR_FMT " " STR_FMT " kind=" STR_FMT "\n",
		STR_ARG(json_get_string(request, "method")),
		STR_ARG(json_get_string(request, "url")),
		STR_ARG(json_get_string(request, "kind")));
	for (size_t i = 0; headers != NULL && i < headers->count; i++)
		fprintf(file, "> " STR_FMT ": " STR_FMT "\n", STR_ARG(headers->keys[i]),
			STR_ARG(json_string(&headers->items[i])));
	fputs(">\n", file);
	write_lines(file, '>', json_get_string(request, "body"));
	if (json_int(json_get(request, "media_bytes"), 0) > 0)
		fprintf(file, "> @media length=%lld\n",
			(long long)json_int(json_get(request, "media_bytes"), 0));
	fprintf(file, "< %lld\n<\n", (long long)json_int(json_get(exchange, "status"), 0));
	write_lines(file, '<', json_get_string(exchange, "answer"));
}

static void judge_row(struct run *run, const struct json *row)
{
	const struct json *exchange = NULL;
	struct buf found;
	if (json_parse(run->arena, json_get_string(row, "excerpt"), NULL, &exchange, NULL, NULL) !=
		    ERR_NONE ||
	    !json_is(json_get(exchange, "request"), JSON_TYPE_OBJECT))
		return;
	record_exchange(run->record, json_get(exchange, "request"), exchange);
	const struct live_call call = {.platform = str_of(platform_id_slug(run->platform)),
				       .method = json_get_string(row, "method"),
				       .host_path = json_get_string(row, "host_path"),
				       .status = (int)json_int(json_get(row, "status"), 0),
				       .answer = json_get_string(exchange, "answer")};
	buf_init(&found, run->arena, REPORT_MAX_BYTES);
	run->differences += live_check_compare(run->arena, &call, &found);
	if (buf_str(&found).len > 0)
		printf("  " STR_FMT " " STR_FMT ": %d\n" STR_FMT, STR_ARG(call.method),
		       STR_ARG(call.host_path), call.status, STR_ARG(buf_str(&found)));
}

static void judge_calls(struct run *run, const struct check *check, struct str post_id)
{
	const struct json *json = NULL;
	const struct str path =
		str_format(run->arena, "posts/" STR_FMT "/timeline", STR_ARG(post_id));
	if (!ask(run, "GET", path, STR(""), &json)) {
		run->failures++;
		return;
	}
	fprintf(run->record, "\n# %s\nplatform: %s\nfunction: publish\n\n", check->name,
		platform_id_slug(run->platform));
	const struct json *rows = json_get(json, "data");
	for (size_t i = 0; rows != NULL && i < rows->count; i++)
		judge_row(run, json_at(rows, i));
}

/* ---- one kind of post ---- */

static void leave(struct run *run, const struct check *check, const struct json *platform_post,
		  struct str why)
{
	buf_add(&run->left,
		str_format(run->arena, "  %s: " STR_FMT ": " STR_FMT "\n", check->name,
			   STR_ARG(json_get_string(platform_post, "url")), STR_ARG(why)));
}

static void take_back(struct run *run, const struct check *check, struct str post_id,
		      const struct json *platform_post)
{
	const struct json *json = NULL;
	const struct str path =
		str_format(run->arena, "posts/" STR_FMT "/unpublish", STR_ARG(post_id));
	if (!ask(run, "POST", path, STR("{}"), &json)) {
		leave(run, check, platform_post, STR("it was not asked to be deleted"));
		return;
	}
	const struct json *after = wait_for(run, post_id, REMOVAL_PATIENCE_US, is_removal_over);
	const struct json *removal = json_get(after, "removal");
	if (str_equal_z(json_get_string(removal, "status"), "removed"))
		return;
	leave(run, check, platform_post,
	      after == NULL ? STR("it is not deleted yet")
			    : json_get_string(json_get(removal, "error"), "message"));
}

static void check_kind(struct run *run, const struct check *check)
{
	const struct json *json = NULL;
	if (!ask(run, "POST", STR("posts/publish"), post_of(run, check), &json)) {
		printf("%s: not accepted\n", check->name);
		run->failures++;
		return;
	}
	const struct str post_id = json_get_string(json_get(json, "data"), "post_id");
	const struct json *platform_post = wait_for(run, post_id, PATIENCE_US, is_final);
	const bool is_out = str_equal_z(json_get_string(platform_post, "status"), "published");
	run->failures += !is_out;
	printf("%s: " STR_FMT "\n", check->name,
	       STR_ARG(is_out ? json_get_string(platform_post, "url")
			      : json_get_string(json_get(platform_post, "error"), "message")));
	if (is_out)
		take_back(run, check, post_id, platform_post);
	judge_calls(run, check, post_id);
}

static bool lacks_media(const struct run *run, const struct check *check)
{
	return check->media != MEDIA_NONE && media_of(run, check) == NULL;
}

/* ---- all of them ---- */

static void print_plan(const struct run *run)
{
	printf("One post of each kind will be published with the account %s, and deleted after "
	       "it:\n",
	       run->command->arguments->account);
	for (size_t i = 0; i < COUNT_OF(checks); i++) {
		if (checks[i].platform != run->platform)
			continue;
		if (lacks_media(run, &checks[i]))
			printf("  %s: left out, since it needs --%s URL\n", checks[i].name,
			       checks[i].media == MEDIA_VIDEO ? "video" : "image");
		else
			printf("  %s: seen by %s\n", checks[i].name, checks[i].seen_by);
	}
	if (run->platform == PLATFORM_TIKTOK)
		puts("TikTok lets nobody delete a post by API: delete them in its app afterwards.");
}

static int conclude(const struct run *run)
{
	const struct str left = buf_str(&run->left);
	if (left.len > 0)
		printf("\nNot deleted; please delete them yourself:\n" STR_FMT, STR_ARG(left));
	printf("\n%zu differences from the transcripts, %zu posts that did not go out.\n",
	       run->differences, run->failures);
	return run->failures == 0 ? 0 : 1;
}

static int run_all(struct run *run, const char *path)
{
	run->record = fopen(path, "wx");
	if (run->record == NULL) {
		fprintf(stderr, "posthorn: cannot make the file %s; name another with --record\n",
			path);
		return 1;
	}
	for (size_t i = 0; i < COUNT_OF(checks); i++) {
		if (checks[i].platform != run->platform || lacks_media(run, &checks[i]))
			continue;
		run->arena = arena_new("live-check", ARENA_MAX_BYTES);
		check_kind(run, &checks[i]);
		arena_free(&run->arena);
		fflush(stdout);
	}
	const int status = conclude(run);
	if (fclose(run->record) != 0) {
		fprintf(stderr, "posthorn: the file %s could not be written\n", path);
		return 1;
	}
	printf("What was sent and answered stands in %s, without secrets.\n", path);
	return status;
}

/* The account must be one of the app's, on this platform. */
static bool has_account(struct run *run)
{
	const struct json *json = NULL;
	struct buf path;
	buf_init(&path, run->arena, BODY_MAX_BYTES);
	buf_add_z(&path, "accounts/");
	percent_encode(&path, str_of(run->command->arguments->account));
	if (!ask(run, "GET", buf_str(&path), STR(""), &json))
		return false;
	if (str_equal_z(json_get_string(json_get(json, "data"), "platform"),
			platform_id_slug(run->platform)))
		return true;
	fprintf(stderr, "posthorn: this account is not one of %s\n",
		platform_id_slug(run->platform));
	return false;
}

static int wrong_use(const char *text)
{
	fprintf(stderr, "posthorn: %s\nposthorn: see `posthorn help live-check`\n", text);
	return 2;
}

int live_check_command(const struct command *command)
{
	const struct arguments *a = command->arguments;
	struct run run = {
		.command = command, .arena = command->arena, .media = {a->image, a->video}};
	if (a->app == NULL || a->platform == NULL || a->account == NULL)
		return wrong_use("live-check needs --app, --platform and --account");
	run.platform = platform_id_of_slug(str_of(a->platform));
	if (run.platform == PLATFORM_NONE)
		return wrong_use("--platform is instagram, facebook, x, linkedin, youtube or "
				 "tiktok");
	if (!has_account(&run))
		return 1;
	print_plan(&run);
	if (a->yes == NULL)
		return wrong_use("nothing was sent; repeat it with --yes");
	const char *path =
		a->record != NULL
			? a->record
			: str_z(command->arena,
				str_format(command->arena, "live-check-%s-%lld.txt", a->platform,
					   (long long)(clock_now_us(clock_system()) / US_PER_S)));
	buf_init(&run.left, command->arena, REPORT_MAX_BYTES);
	return run_all(&run, path);
}
