/* SPDX-License-Identifier: Apache-2.0
 * The guided tour: a sandbox and a service on an empty data directory, an app with six credentials,
 * six OAuth connections through their consent pages, seven posts (one of them scheduled), an eighth
 * for all six with overrides and an edit, which is taken back, and where to look at them.
 * Everything goes over HTTP as a customer's requests would; only the two servers run inside this
 * process. Exits 0 when everything was published and taken back. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"
#include "buf.h"
#include "clock.h"
#include "count_of.h"
#include "log.h"
#include "random.h"
#include "thread.h"

#include "spawner.h"

#include "form.h"
#include "json.h"
#include "json_write.h"

#include "platform_id.h"

#include "http.h"
#include "httpd.h"

#include "sandbox.h"

#include "browser.h"
#include "commands.h"
#include "containment.h"
#include "control.h"
#include "service.h"

#define SCHEDULE_AHEAD_US (6 * US_PER_S)
#define PATIENCE_US (120 * US_PER_S)
#define POLL_MS 500
#define FILE_MAX_BYTES ((size_t)32 << 20)
#define BODY_MAX_BYTES 65536
#define OWNER "owner@example.com"

/* One post of the tour. */
struct demo_post {
	enum platform_id platform;
	const char *text;
	const char *media; /* file of the media server, or NULL */
	const char *media_type;
	bool is_scheduled;
	bool is_uploaded; /* its file is the one that was uploaded */
};

static const struct demo_post demo_posts[] = {
	{PLATFORM_INSTAGRAM, "The horn is polished. #posthorn", "photo.jpg", "image", false, true},
	{PLATFORM_FACEBOOK, "One call, six platforms: this is the Facebook one.", NULL, NULL, false,
	 false},
	{PLATFORM_X, "The mail has come and will be gone by the next stage.", NULL, NULL, false,
	 false},
	{PLATFORM_LINKEDIN, "Accepted means durable (even through a power cut).", NULL, NULL, false,
	 false},
	{PLATFORM_YOUTUBE, "A test card, six seconds long", "video.mp4", "video", false, false},
	{PLATFORM_TIKTOK, "The same test card, upright in spirit", "video.mp4", "video", false,
	 false},
	{PLATFORM_X, "This one was scheduled a few seconds ahead.", NULL, NULL, true, false},
};

#define POST_COUNT COUNT_OF(demo_posts)
#define SHAPES_TEXT "One post for six accounts, edited before its time"

struct media_file_served {
	const char *name;
	const char *mime_type;
	struct str bytes;
};

struct demo {
	struct arena *arena;
	struct settings settings;
	char *data; /* the empty data directory, removed at the end */
	struct sandbox *sandbox;
	struct service *service;
	struct http_router *media_router;
	struct httpd *media_server;
	struct media_file_served files[2];
	struct str client_id, client_secret;
	const char *bearer;
	struct str photo_id;                      /* the uploaded picture's */
	struct str accounts[PLATFORM_ID_MAX + 1]; /* first account of each platform */
	struct str post_ids[POST_COUNT + 1];      /* the last is the one of many shapes */
};

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void say(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
	fflush(stdout);
}

static bool failed(const char *what, struct str why)
{
	printf("  failed: %s: " STR_FMT "\n", what, STR_ARG(why));
	fflush(stdout);
	return false;
}

static bool failed_error(const char *what, const struct error *err)
{
	return failed(what, str_of(err->text));
}

/* ---- media server, sandbox, service ---- */

static bool read_file(struct demo *demo, const char *directory, struct media_file_served *file)
{
	struct str path = str_format(demo->arena, "%s/%s", directory, file->name);
	FILE *in = fopen(str_z(demo->arena, path), "re");
	if (in == NULL)
		return failed("open a media file (give --media DIR)", path);
	char *bytes = arena_alloc(demo->arena, FILE_MAX_BYTES);
	file->bytes = (struct str){bytes, fread(bytes, 1, FILE_MAX_BYTES, in)};
	fclose(in);
	return !str_is_empty(file->bytes) || failed("read a media file", path);
}

static void serve_media(void *context, struct http_request *request, struct http_response *response)
{
	struct demo *demo = context;
	struct str name = http_request_capture(request, "name");
	for (size_t i = 0; i < COUNT_OF(demo->files); i++) {
		if (str_equal_z(name, demo->files[i].name)) {
			buf_add(http_response_text(response, 200, demo->files[i].mime_type),
				demo->files[i].bytes);
			return;
		}
	}
	http_response_text(response, 404, "text/plain");
}

static void media_fault(void *context, enum http_fault fault, const struct http_request *request,
			struct http_response *response)
{
	(void)context, (void)fault, (void)request;
	http_response_text(response, 404, "text/plain");
}

static bool start_media_server(struct demo *demo, const char *directory)
{
	struct error err = {0};
	demo->files[0] = (struct media_file_served){"photo.jpg", "image/jpeg", {0}};
	demo->files[1] = (struct media_file_served){"video.mp4", "video/mp4", {0}};
	const struct http_router_config router = {.context = demo,
						  .render_fault = media_fault,
						  .response_max_bytes = FILE_MAX_BYTES + 4096};
	const struct http_route route = {
		.method = "GET", .pattern = "/media/{name}", .handler = serve_media};
	if (!read_file(demo, directory, &demo->files[0]) ||
	    !read_file(demo, directory, &demo->files[1]))
		return false;
	if (http_router_new(&router, &demo->media_router, &err) != ERR_NONE ||
	    http_router_add(demo->media_router, &route, 1, &err) != ERR_NONE)
		return failed_error("make the media server", &err);
	const struct httpd_config config = {
		.listen = "127.0.0.1:0",
		.router = demo->media_router,
		.random = random_system(),
		.threads = 2,
		.arena_max_bytes = 2 * FILE_MAX_BYTES,
	};
	return httpd_open(&config, &demo->media_server, &err) == ERR_NONE ||
	       failed_error("start the media server", &err);
}

static bool start_sandbox(struct demo *demo)
{
	struct error err = {0};
	const struct sandbox_config config = {
		.listen = "127.0.0.1:0", .clock = clock_system(), .random = random_system()};
	return sandbox_open(&config, &demo->sandbox, &err) == ERR_NONE ||
	       failed_error("start the sandbox", &err);
}

static bool start_spawner(struct demo *demo)
{
	struct error err = {0};
	return spawner_start("/proc/self/exe", &demo->settings.spawner, &err) == ERR_NONE ||
	       failed_error("start the spawner", &err);
}

static const char *temporary_directory(void)
{
	const char *temporary = getenv("TMPDIR");
	return temporary != NULL ? temporary : "/tmp";
}

/* Of all three servers. They have their files in the temporary directory, and nothing elsewhere. */
static bool contain(const struct settings *given, const char *media)
{
	struct error err = {0};
	const struct contain_path more[] = {{temporary_directory(), CONTAIN_WRITE},
					    {media, CONTAIN_READ}};
	return containment_enter(given, NULL, more, COUNT_OF(more), &err) == ERR_NONE ||
	       failed_error("contain the demo", &err);
}

static bool make_data_directory(struct demo *demo)
{
	struct str pattern =
		str_format(demo->arena, "%s/posthorn-demo-XXXXXX", temporary_directory());
	demo->data = str_z(demo->arena, pattern);
	if (mkdtemp(demo->data) != NULL)
		return true;
	demo->data = NULL;
	return failed("make an empty data directory", str_of(strerror(errno)));
}

static bool set_flag(struct demo *demo, const char *name, struct str value)
{
	struct error err = {0};
	return settings_set_flag(&demo->settings, str_of(name), str_z(demo->arena, value), &err) ==
		       ERR_NONE ||
	       failed_error(name, &err);
}

static bool start_service(struct demo *demo, const struct settings *given)
{
	struct error err = {0};
	demo->settings.is_contained = true;
	const struct setting *listen = &given->values[SETTING_ID_listen];
	if (!set_flag(demo, "data", str_of(demo->data)) ||
	    !set_flag(demo, "sandbox", sandbox_base_url(demo->sandbox)) ||
	    !set_flag(demo, "media-allow", STR("127.0.0.0/8")) ||
	    !set_flag(demo, "log-level", STR("error")) ||
	    (listen->source == SETTING_FROM_DEFAULT &&
	     !set_flag(demo, "listen", STR("127.0.0.1:0"))))
		return false;
	if (service_open(&demo->settings, SERVICE_ALL, &demo->service, &err) != ERR_NONE ||
	    service_listen(demo->service, &err) != ERR_NONE)
		return failed_error("start the service", &err);
	return true;
}

static bool set_the_stage(struct demo *demo, const struct command *command)
{
	const char *directory =
		command->arguments->media != NULL ? command->arguments->media : "demo-media";
	say("1. Start a media server, a sandbox of all six platforms, and the service on an empty "
	    "data directory");
	demo->settings = *command->settings;
	if (!start_spawner(demo) || !contain(command->settings, directory) ||
	    !start_media_server(demo, directory) || !start_sandbox(demo) ||
	    !make_data_directory(demo) || !start_service(demo, command->settings))
		return false;
	struct str sandbox = sandbox_base_url(demo->sandbox);
	say("   service %s   sandbox " STR_FMT, service_base_url(demo->service), STR_ARG(sandbox));
	return true;
}

/* ---- what an app owner does in the dashboard ---- */

static bool admin_call(struct demo *demo, const char *what, const char *method, struct str path,
		       struct str body, const struct json **out)
{
	struct control_answer answer = {0};
	struct error err = {0};
	if (control_call(&demo->settings, demo->arena, method, path, body, &answer, &err) !=
	    ERR_NONE)
		return failed_error(what, &err);
	if (answer.status > 299 ||
	    json_parse(demo->arena, answer.body, NULL, out, NULL, &err) != ERR_NONE)
		return failed(what, answer.body);
	return true;
}

static bool create_app(struct demo *demo)
{
	const struct json *app = NULL;
	say("2. Create an app");
	if (!admin_call(demo, "create the app", "POST", STR("/admin/apps"),
			STR("{\"name\":\"Tour\",\"owner\":\"" OWNER "\"}"), &app))
		return false;
	demo->client_id = json_string(json_get(app, "client_id"));
	demo->client_secret = json_string(json_get(app, "client_secret"));
	say("   client id " STR_FMT, STR_ARG(demo->client_id));
	return true;
}

static bool set_credential(struct demo *demo, const char *slug)
{
	const struct json *credential = NULL;
	struct str path = str_format(demo->arena, "/admin/apps/" STR_FMT "/credentials/%s",
				     STR_ARG(demo->client_id), slug);
	const bool has_pages = str_equal_z(str_of(slug), "linkedin");
	struct str body = str_format(demo->arena,
				     "{\"client_id\":\"sandbox-%s\",\"client_secret\":\"sandbox-"
				     "secret-%s\",%s\"verify\":true}",
				     slug, slug, has_pages ? "\"variant\":\"both\"," : "");
	if (!admin_call(demo, "set a credential", "PUT", path, body, &credential))
		return false;
	if (!str_equal_z(json_string(json_get(credential, "state")), "verified"))
		return failed(slug, json_string(json_get(credential, "message")));
	say("   %-10s verified", slug);
	return true;
}

static bool set_credentials(struct demo *demo)
{
	say("3. Enter the OAuth credentials of six platforms; each platform is asked whether they "
	    "are good");
	for (int id = 1; id <= PLATFORM_ID_MAX; id++) {
		if (!set_credential(demo, platform_id_slug((enum platform_id)id)))
			return false;
	}
	return true;
}

/* ---- what the app's own server does ---- */

static struct str api_url(struct demo *demo, const char *path)
{
	return str_format(demo->arena, "%s%s", service_base_url(demo->service), path);
}

/* The answer as JSON; false unless it is a 2xx. */
static bool api_send(struct demo *demo, const char *what, struct browser_request request,
		     const struct json **out)
{
	struct browser_answer answer = {0};
	struct error err = {0};
	request.authorization = demo->bearer;
	if (browser_call(demo->arena, &request, &answer, &err) != ERR_NONE)
		return failed_error(what, &err);
	if (answer.status > 299 ||
	    json_parse(demo->arena, answer.body, NULL, out, NULL, &err) != ERR_NONE)
		return failed(what, answer.body);
	return true;
}

static bool api_call(struct demo *demo, const char *what, const char *path,
		     const char *content_type, struct str body, const struct json **out)
{
	const struct browser_request request = {
		.url = api_url(demo, path), .content_type = content_type, .body = body};
	return api_send(demo, what, request, out);
}

static bool get_token(struct demo *demo)
{
	const struct json *token = NULL;
	say("4. Get an access token with the app's client id and secret");
	demo->bearer = browser_basic(demo->arena, demo->client_id, demo->client_secret);
	if (!api_call(demo, "get a token", "/v1/oauth/token", "application/x-www-form-urlencoded",
		      STR("grant_type=client_credentials"), &token))
		return false;
	struct str text = json_string(json_get(token, "access_token"));
	demo->bearer = str_z(demo->arena, str_concat(demo->arena, STR("Bearer "), text));
	say("   a Bearer token, good for %lld days",
	    (long long)(json_int(json_get(token, "expires_in"), 0) / 86400));
	return true;
}

/* Opens the consent page, presses Allow, and follows the redirects back to the app's own URL, which
 * it does not open. */
static bool consent(struct demo *demo, const char *slug, struct str authorize_url)
{
	struct browser_answer page = {0};
	struct error err = {0};
	struct str url;
	if (browser_call(demo->arena, &(struct browser_request){.url = authorize_url}, &page,
			 &err) != ERR_NONE)
		return failed_error(slug, &err);
	if (!browser_press(demo->arena, authorize_url, page.body, "sandbox_decision", "allow",
			   &url))
		return failed(slug, STR("there is no consent form"));
	for (int hop = 0; hop < 2; hop++) {
		if (browser_call(demo->arena, &(struct browser_request){.url = url}, &page, &err) !=
		    ERR_NONE)
			return failed_error(slug, &err);
		if (str_is_empty(page.location))
			return page.status == 200 ||
			       /* our page that asks again: the accounts answer has the outcome */
			       failed(slug, page.body);
		url = page.location;
	}
	return str_find(url, STR("status=success"), 0) != SIZE_MAX || failed(slug, url);
}

/* The accounts answer once the connection is no longer pending. */
static bool connection_of(struct demo *demo, const char *slug, struct str id,
			  const struct json **out)
{
	const int64_t until_us = clock_boot_us(clock_system()) + PATIENCE_US;
	struct str path =
		str_format(demo->arena, "/v1/connections/" STR_FMT "/accounts", STR_ARG(id));
	while (true) {
		if (!api_call(demo, slug, str_z(demo->arena, path), NULL, STR(""), out))
			return false;
		if (!str_equal_z(json_string(json_get(*out, "status")), "pending") ||
		    clock_boot_us(clock_system()) > until_us)
			return true;
		thread_sleep_ms(POLL_MS);
	}
}

static bool connect(struct demo *demo, enum platform_id platform)
{
	const char *slug = platform_id_slug(platform);
	const struct json *begun = NULL;
	const struct json *connection = NULL;
	struct str path = str_format(
		demo->arena,
		"/v1/oauth/%s/"
		"connect?user_id=tourist&redirect_url=https%%3A%%2F%%2Fapp.example.com%%2Fback",
		slug);
	if (!api_call(demo, slug, str_z(demo->arena, path), NULL, STR(""), &begun) ||
	    !consent(demo, slug, json_string(json_get(begun, "redirect_url"))))
		return false;
	if (!connection_of(demo, slug, json_string(json_get(begun, "connection_id")), &connection))
		return false;
	const struct json *accounts = json_get(connection, "accounts");
	if (accounts == NULL || accounts->count == 0)
		return failed(slug, STR("no accounts"));
	demo->accounts[platform] = json_string(json_get(json_at(accounts, 0), "id"));
	struct str name = json_string(json_get(json_at(accounts, 0), "name"));
	say("   %-10s %zu account%s, first: " STR_FMT, slug, accounts->count,
	    accounts->count == 1 ? "" : "s", STR_ARG(name));
	return true;
}

static bool connect_all(struct demo *demo)
{
	say("5. Connect a user's accounts: six OAuth flows through the platforms' consent pages");
	for (int id = 1; id <= PLATFORM_ID_MAX; id++) {
		if (!connect(demo, (enum platform_id)id))
			return false;
	}
	return true;
}

static struct str publish_body(struct demo *demo, const struct demo_post *post)
{
	struct buf body;
	struct json_writer w;
	struct str base = httpd_base_url(demo->media_server);
	buf_init(&body, demo->arena, BODY_MAX_BYTES);
	json_writer_init(&w, &body);
	json_begin_object(&w);
	json_key(&w, "account_ids");
	json_begin_array(&w);
	json_put_str(&w, demo->accounts[post->platform]);
	json_end_array(&w);
	json_member_str(&w, "content", str_of(post->text));
	if (post->media != NULL) {
		json_key(&w, "media");
		json_begin_array(&w);
		json_begin_object(&w);
		if (post->is_uploaded)
			json_member_str(&w, "media_id", demo->photo_id);
		else
			json_member_str(&w, "url",
					str_format(demo->arena, STR_FMT "/media/%s", STR_ARG(base),
						   post->media));
		json_member_str(&w, "type", str_of(post->media_type));
		json_end_object(&w);
		json_end_array(&w);
	}
	if (post->is_scheduled) {
		int64_t at_us = clock_now_us(clock_system()) + SCHEDULE_AHEAD_US;
		json_member_instant(&w, "scheduled_at", at_us - at_us % US_PER_S);
	}
	json_end_object(&w);
	return buf_str(&body);
}

/* The files of the tour come from addresses, but for this one. */
static bool upload_photo(struct demo *demo)
{
	const struct json *answer = NULL;
	if (!api_call(demo, "upload a picture", "/v1/media", "image/jpeg", demo->files[0].bytes,
		      &answer))
		return false;
	demo->photo_id = json_string(json_get(json_get(answer, "data"), "id"));
	return true;
}

static bool publish_all(struct demo *demo)
{
	say("6. Upload a picture, and publish: that picture, three texts, two videos, and one text "
	    "scheduled a few seconds ahead");
	if (!upload_photo(demo))
		return false;
	for (size_t i = 0; i < POST_COUNT; i++) {
		const struct json *answer = NULL;
		if (!api_call(demo, "publish", "/v1/posts/publish", "application/json",
			      publish_body(demo, &demo_posts[i]), &answer))
			return false;
		demo->post_ids[i] = json_string(json_get(json_get(answer, "data"), "post_id"));
	}
	return true;
}

/* What a platform gets instead. */
static void write_override(struct demo *demo, struct json_writer *w, const char *slug,
			   const char *text, const struct demo_post *like)
{
	struct str base = httpd_base_url(demo->media_server);
	json_key(w, slug);
	json_begin_object(w);
	json_member_str(w, "content", str_of(text));
	if (like != NULL) {
		json_key(w, "media");
		json_begin_array(w);
		json_begin_object(w);
		json_member_str(
			w, "url",
			str_format(demo->arena, STR_FMT "/media/%s", STR_ARG(base), like->media));
		json_member_str(w, "type", str_of(like->media_type));
		json_end_object(w);
		json_end_array(w);
	}
	json_end_object(w);
}

static struct str shapes_body(struct demo *demo)
{
	const struct demo_post picture = {.media = "photo.jpg", .media_type = "image"};
	const struct demo_post film = {.media = "video.mp4", .media_type = "video"};
	const int64_t at_us = clock_now_us(clock_system()) + SCHEDULE_AHEAD_US;
	struct buf body;
	struct json_writer w;
	buf_init(&body, demo->arena, BODY_MAX_BYTES);
	json_writer_init(&w, &body);
	json_begin_object(&w);
	json_key(&w, "account_ids");
	json_begin_array(&w);
	for (int id = 1; id <= PLATFORM_ID_MAX; id++)
		json_put_str(&w, demo->accounts[id]);
	json_end_array(&w);
	json_member_str(&w, "content", STR("One post for six accounts, as it was first written"));
	json_key(&w, "overrides");
	json_begin_object(&w);
	write_override(demo, &w, "instagram", "One post, with its picture. #posthorn", &picture);
	write_override(demo, &w, "youtube", "One post, as a film", &film);
	write_override(demo, &w, "tiktok", "One post, as the same film", &film);
	json_end_object(&w);
	json_member_instant(&w, "scheduled_at", at_us - at_us % US_PER_S);
	json_end_object(&w);
	return buf_str(&body);
}

/* One post with three overrides, which another text gets before its time has come. */
static bool publish_shapes(struct demo *demo)
{
	const struct json *answer = NULL;
	say("7. One post for all six, with three overrides and a time; its text is edited before "
	    "that");
	if (!api_call(demo, "publish", "/v1/posts/publish", "application/json", shapes_body(demo),
		      &answer))
		return false;
	const struct str id = json_string(json_get(json_get(answer, "data"), "post_id"));
	const struct str path = str_format(demo->arena, "/v1/posts/" STR_FMT, STR_ARG(id));
	const struct browser_request edit = {.url = api_url(demo, str_z(demo->arena, path)),
					     .method = "PATCH",
					     .content_type = "application/json",
					     .body = STR("{\"content\":\"" SHAPES_TEXT "\"}")};
	demo->post_ids[POST_COUNT] = id;
	return api_send(demo, "edit", edit, &answer);
}

/* ---- watching ---- */

struct tally {
	size_t published;
	size_t failed;
};

static bool count(struct demo *demo, struct tally *tally)
{
	*tally = (struct tally){0};
	for (size_t i = 0; i <= POST_COUNT; i++) {
		const struct json *post = NULL;
		struct str path =
			str_format(demo->arena, "/v1/posts/" STR_FMT, STR_ARG(demo->post_ids[i]));
		if (!api_call(demo, "look at a post", str_z(demo->arena, path), NULL, STR(""),
			      &post))
			return false;
		struct str status = json_string(json_get(json_get(post, "data"), "status"));
		tally->published += str_equal_z(status, "published");
		tally->failed += str_equal_z(status, "failed");
	}
	return true;
}

static bool wait_for_all(struct demo *demo)
{
	const int64_t until_us = clock_boot_us(clock_system()) + PATIENCE_US;
	struct tally tally = {0};
	struct tally shown = {.published = SIZE_MAX};
	while (clock_boot_us(clock_system()) < until_us) {
		if (!count(demo, &tally))
			return false;
		if (tally.published != shown.published || tally.failed != shown.failed)
			say("   %zu of %zu published%s", tally.published, POST_COUNT + 1,
			    tally.failed > 0 ? ", some failed" : "");
		shown = tally;
		if (tally.published + tally.failed == POST_COUNT + 1)
			return true;
		thread_sleep_ms(POLL_MS);
	}
	return true; /* report() names the posts that are missing */
}

static bool report_post(struct demo *demo, size_t index)
{
	const struct json *answer = NULL;
	struct str path =
		str_format(demo->arena, "/v1/posts/" STR_FMT, STR_ARG(demo->post_ids[index]));
	if (!api_call(demo, "look at a post", str_z(demo->arena, path), NULL, STR(""), &answer))
		return false;
	const struct json *target =
		json_at(json_get(json_get(answer, "data"), "platform_posts"), 0);
	struct str status = json_string(json_get(target, "status"));
	struct str where = json_string(json_get(target, "url"));
	if (!str_equal_z(status, "published"))
		where = json_string(json_get(json_get(target, "error"), "message"));
	say("   %-10s %-10s " STR_FMT, platform_id_slug(demo_posts[index].platform),
	    str_z(demo->arena, status), STR_ARG(where));
	return str_equal_z(status, "published");
}

/* What each platform got of the one post. */
static bool report_shapes(struct demo *demo)
{
	const struct json *answer = NULL;
	struct str path =
		str_format(demo->arena, "/v1/posts/" STR_FMT, STR_ARG(demo->post_ids[POST_COUNT]));
	bool is_good = true;
	if (!api_call(demo, "look at a post", str_z(demo->arena, path), NULL, STR(""), &answer))
		return false;
	const struct json *targets = json_get(json_get(answer, "data"), "platform_posts");
	say("   and of the one post for all six:");
	for (size_t i = 0; json_at(targets, i) != NULL; i++) {
		const struct json *target = json_at(targets, i);
		const struct json *effective = json_get(target, "effective");
		const struct str text = json_string(
			json_get(json_at(json_get(effective, "containers"), 0), "content"));
		const struct str status = json_string(json_get(target, "status"));
		say("   %-10s %-10s \"" STR_FMT "\"",
		    str_z(demo->arena, json_string(json_get(target, "platform"))),
		    str_z(demo->arena, status), STR_ARG(text));
		is_good = is_good && str_equal_z(status, "published");
	}
	return is_good;
}

/* Its platform posts once no removal is under way any more; NULL: said why. */
static const struct json *wait_for_removals(struct demo *demo, const char *path)
{
	const int64_t until_us = clock_boot_us(clock_system()) + PATIENCE_US;
	const struct json *targets = NULL;
	bool is_pending = true;
	while (is_pending && clock_boot_us(clock_system()) < until_us) {
		const struct json *answer = NULL;
		if (!api_call(demo, "look at a post", path, NULL, STR(""), &answer))
			return NULL;
		targets = json_get(json_get(answer, "data"), "platform_posts");
		is_pending = false;
		for (size_t i = 0; json_at(targets, i) != NULL; i++) {
			const struct json *removal = json_get(json_at(targets, i), "removal");
			is_pending = is_pending ||
				     str_equal_z(json_get_string(removal, "status"), "pending");
		}
		if (is_pending)
			thread_sleep_ms(POLL_MS);
	}
	return targets;
}

/* Instagram's usual scopes do not let an app delete: it says so, as TikTok says that it cannot. */
static bool report_removal(struct demo *demo, const struct json *target)
{
	const struct json *removal = json_get(target, "removal");
	const struct str status = json_get_string(removal, "status");
	const struct json *error = json_get(removal, "error");
	say("   %-10s %-11s " STR_FMT, str_z(demo->arena, json_get_string(target, "platform")),
	    str_z(demo->arena, status), STR_ARG(json_get_string(error, "message")));
	return str_equal_z(status, "removed") || str_equal_z(status, "unsupported") ||
	       str_equal_z(json_get_string(error, "code"), "PERMISSION_MISSING");
}

/* The one post again: away where a platform lets us, and said where it does not. */
static bool take_back(struct demo *demo)
{
	const struct str id = demo->post_ids[POST_COUNT];
	const char *path =
		str_z(demo->arena, str_format(demo->arena, "/v1/posts/" STR_FMT, STR_ARG(id)));
	const char *unpublish = str_z(demo->arena, str_format(demo->arena, "%s/unpublish", path));
	const struct json *answer = NULL;
	bool is_good = true;
	say("9. Unpublish that one post");
	if (!api_call(demo, "unpublish", unpublish, "application/json", STR("{}"), &answer))
		return false;
	const struct json *targets = wait_for_removals(demo, path);
	for (size_t i = 0; json_at(targets, i) != NULL; i++)
		is_good = report_removal(demo, json_at(targets, i)) && is_good;
	return is_good && targets != NULL;
}

/* The tour's owner has no password: a link lets in whoever looks at the terminal. */
static bool show_dashboard(struct demo *demo)
{
	const struct json *link = NULL;
	if (!admin_call(demo, "make the owner root", "PATCH", STR("/admin/admins/" OWNER),
			STR("{\"role\":\"root\"}"), &link) ||
	    !admin_call(demo, "make a sign-in link", "POST", STR("/admin/links"),
			STR("{\"kind\":\"sign_in\",\"email\":\"" OWNER "\"}"), &link))
		return false;
	const struct str url = json_string(json_get(link, "link"));
	say("See them in the dashboard (this link signs in once, within ten minutes): " STR_FMT,
	    STR_ARG(url));
	return true;
}

static bool report(struct demo *demo)
{
	bool is_good = true;
	say("8. The results");
	for (size_t i = 0; i < POST_COUNT; i++)
		is_good = report_post(demo, i) && is_good;
	is_good = report_shapes(demo) && is_good;
	is_good = take_back(demo) && is_good;
	struct str sandbox = sandbox_base_url(demo->sandbox);
	say("\nSee the posts as the world sees them: " STR_FMT "/", STR_ARG(sandbox));
	say("Read how each of these calls is made: %s/docs", service_base_url(demo->service));
	return show_dashboard(demo) && is_good;
}

/* ---- ending ---- */

static void stay(struct demo *demo)
{
	sigset_t end_signals;
	int signal_number;
	sigemptyset(&end_signals);
	sigaddset(&end_signals, SIGINT);
	sigaddset(&end_signals, SIGTERM);
	say("The service at %s and the sandbox keep running until Ctrl-C.",
	    service_base_url(demo->service));
	while (sigwait(&end_signals, &signal_number) != 0)
		;
}

static void remove_data(const char *data)
{
	static const char *const names[] = {"posthorn.db",     "posthorn.db-wal",
					    "posthorn.db-shm", "posthorn.db.lock",
					    "master.key",      "control.sock"};
	char path[4096];
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", data, names[i]);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/spool", data);
	rmdir(path);
	rmdir(data);
}

static void clear_the_stage(struct demo *demo)
{
	service_close(&demo->service);
	spawner_stop(&demo->settings.spawner);
	sandbox_close(&demo->sandbox);
	httpd_close(&demo->media_server, 1000);
	http_router_free(&demo->media_router);
	if (demo->data != NULL)
		remove_data(demo->data);
	arena_free(&demo->arena);
}

static void block_end_signals(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

int command_demo(const struct command *command)
{
	struct demo demo = {.arena = arena_new("demo", (size_t)512 << 20)};
	bool is_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	/* before any thread starts, so that only stay() receives them */
	if (is_terminal)
		block_end_signals();
	bool is_good = set_the_stage(&demo, command) && create_app(&demo) &&
		       set_credentials(&demo) && get_token(&demo) && connect_all(&demo) &&
		       publish_all(&demo) && publish_shapes(&demo) && wait_for_all(&demo) &&
		       report(&demo);
	if (is_good)
		say("\nEverything was published, and taken back where it can be.");
	else
		say("\nNot everything went as it should; the lines above say what.");
	if (is_good && is_terminal)
		stay(&demo);
	clear_the_stage(&demo);
	return is_good ? 0 : 1;
}
