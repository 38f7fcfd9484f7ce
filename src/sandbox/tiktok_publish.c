/* SPDX-License-Identifier: Apache-2.0
 * Publish tasks of the simulated TikTok (platforms/tiktok.md 2.2, 2.3, 2.5, 2.6): init with its
 * chunk arithmetic, the bytes on the upload host, pulling, and a status that the sandbox's clock
 * moves on. Photo posts are none of this. */
#include "tiktok_private.h"

#include "form.h"
#include "url.h"
#include "utf8.h"

#include "content_range.h"

#define CHUNK_BYTES_MIN INT64_C(5242880)    /* section 8: the larger reading of 5 MB */
#define CHUNK_BYTES_MAX INT64_C(64000000)   /* section 8: the smaller reading of 64 MB */
#define CHUNKS_MAX 1000                     /* 2.3 */
#define VIDEO_BYTES_MAX INT64_C(4294967296) /* section 3: 4 GB, the larger reading */
#define TITLE_UNITS_MAX 2200                /* section 3: UTF-16 code units */
#define UPLOAD_LIFETIME_US US_PER_HOUR      /* 2.2 */
#define PROCESSING_US (3 * US_PER_S / 2)    /* our choice; TikTok needs up to minutes (2.6) */
#define MODERATION_US US_PER_S              /* our choice; usually under a minute (2.6) */

/* One publish_id. It is in one of three stages, told by uploaded_us and the clock: bytes are
 * missing; processing; ended. */
struct tiktok_task {
	struct str publish_id;
	struct str token_client; /* who may ask for it */
	struct str title;
	bool is_public;
	bool is_draft; /* for the inbox: never in the ledger */
	bool is_pull;
	struct str upload_id;
	struct str upload_secret;
	int64_t created_us;
	int64_t video_bytes;
	int64_t chunk_bytes;
	int64_t chunk_count;
	int64_t received_bytes;  /* also downloaded bytes */
	int64_t uploaded_us;     /* when the last byte came; 0 = not yet */
	const char *fail_reason; /* known with the last byte, told when processing is over; NULL =
				    all is well */
	struct sandbox_media media;
	struct str post_id; /* of a public post, decided at its end */
	bool is_in_ledger;
	struct tiktok_task *next_pending;
};

/* ---- The state of a task ---- */

enum stage { STAGE_WAITING, STAGE_PROCESSING, STAGE_ENDED, STAGE_LOST };

static enum stage stage_of(const struct tiktok_task *task, int64_t now_us)
{
	if (task->uploaded_us == 0)
		return now_us < task->created_us + UPLOAD_LIFETIME_US ? STAGE_WAITING : STAGE_LOST;
	return now_us < task->uploaded_us + PROCESSING_US ? STAGE_PROCESSING : STAGE_ENDED;
}

/* NULL = it has not failed. A task whose bytes never came dies with its upload address (section 5).
 */
static const char *failure_of(const struct tiktok_task *task, int64_t now_us)
{
	switch (stage_of(task, now_us)) {
	case STAGE_WAITING:
	case STAGE_PROCESSING:
		return NULL;
	case STAGE_ENDED:
		return task->fail_reason;
	case STAGE_LOST:
		return "internal";
	}
	return NULL;
}

static const char *status_of(const struct tiktok_task *task, int64_t now_us)
{
	if (failure_of(task, now_us) != NULL)
		return "FAILED";
	if (stage_of(task, now_us) != STAGE_ENDED)
		return task->is_pull ? "PROCESSING_DOWNLOAD" : "PROCESSING_UPLOAD";
	return task->is_draft ? "SEND_TO_USER_INBOX" : "PUBLISH_COMPLETE";
}

static void show(struct sandbox *sandbox, struct tiktok_task *task)
{
	struct arena *arena = arena_new("sandbox tiktok post", 64 * 1024);
	struct sandbox_post post = {
		.platform = SANDBOX_TIKTOK,
		.account_id = STR(TIKTOK_OPEN_ID),
		.id = task->publish_id,
		.type = STR("video"),
		.text = task->title,
		.media = &task->media,
		.media_count = 1,
		.url = STR("https://www.tiktok.com/@" TIKTOK_USERNAME),
		.created_us = task->uploaded_us + PROCESSING_US,
		.extra = task,
	};

	/* Real ids are of this size: above 2^53, where doubles lose digits (section 0). */
	if (task->is_public) {
		task->post_id = sandbox_id_decimal(sandbox, "75", 19);
		post.id = task->post_id;
		post.url = str_format(arena,
				      "https://www.tiktok.com/@" TIKTOK_USERNAME "/video/" STR_FMT,
				      STR_ARG(task->post_id));
	}
	task->is_in_ledger = true;
	sandbox_ledger_add(sandbox, &post);
	arena_free(&arena);
}

static bool is_due(const struct tiktok_task *task, int64_t now_us)
{
	return !task->is_in_ledger && task->fail_reason == NULL &&
	       stage_of(task, now_us) == STAGE_ENDED;
}

/* The due task that ended first, so that the ledger keeps the order of things. */
static struct tiktok_task *find_due(struct tiktok_task *task, int64_t now_us)
{
	struct tiktok_task *first = NULL;

	for (; task != NULL; task = task->next_pending) {
		if (is_due(task, now_us) &&
		    (first == NULL || task->uploaded_us <= first->uploaded_us))
			first = task;
	}
	return first;
}

static bool is_over(const struct tiktok_task *task, int64_t now_us)
{
	enum stage stage = stage_of(task, now_us);

	return stage == STAGE_ENDED || stage == STAGE_LOST;
}

/* A lost task leaves its file behind; the others gave theirs back when it was whole. */
static void discard_bytes(struct sandbox *sandbox, const struct tiktok_task *task)
{
	struct sandbox_upload *upload =
		sandbox_upload_find(sandbox, SANDBOX_TIKTOK, task->upload_id);

	if (upload != NULL)
		sandbox_upload_discard(sandbox, upload);
}

void sandbox_tiktok_settle(struct sandbox *sandbox)
{
	struct tiktok_state *state = sandbox_state(sandbox, SANDBOX_TIKTOK);
	int64_t now_us = sandbox_now_us(sandbox);
	struct tiktok_task *task;

	while ((task = find_due(state->pending, now_us)) != NULL)
		show(sandbox, task);
	for (struct tiktok_task **link = &state->pending; *link != NULL;) {
		if (is_over(*link, now_us)) {
			discard_bytes(sandbox, *link);
			*link = (*link)->next_pending;
		} else {
			link = &(*link)->next_pending;
		}
	}
}

/* ---- Init: checks ---- */

bool sandbox_tiktok_chunks_fit(int64_t video_bytes, int64_t chunk_bytes, int64_t chunk_count)
{
	if (video_bytes < 1 || video_bytes > VIDEO_BYTES_MAX || chunk_bytes < 1 ||
	    chunk_bytes > CHUNK_BYTES_MAX || chunk_count < 1 || chunk_count > CHUNKS_MAX)
		return false;
	if (chunk_bytes < CHUNK_BYTES_MIN && !(chunk_bytes == video_bytes && chunk_count == 1))
		return false;
	return chunk_count == video_bytes / chunk_bytes;
}

static bool refuse_params(struct sandbox_call *call, const char *message)
{
	sandbox_tiktok_refuse(call, (struct tiktok_error){400, "invalid_params"}, message);
	return false;
}

static bool check_flags(struct sandbox_call *call, const struct json *post_info)
{
	static const char *const flags[] = {"disable_duet",         "disable_stitch",
					    "disable_comment",      "brand_content_toggle",
					    "brand_organic_toggle", "is_aigc"};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		const struct json *flag = json_get(post_info, flags[i]);

		if (!json_is_null(flag) && !json_is(flag, JSON_TYPE_BOOL))
			return refuse_params(call, "The request post info is empty or incorrect");
	}
	return true;
}

static bool is_offered(struct str privacy_level)
{
	const char *const *option = sandbox_tiktok_privacy_options();

	while (*option != NULL && !str_equal_z(privacy_level, *option))
		option++;
	return *option != NULL;
}

static bool check_post_info(struct sandbox_call *call, const struct json *post_info)
{
	static const char *const levels[] = {"PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS",
					     "FOLLOWER_OF_CREATOR", "SELF_ONLY"};
	struct str level = json_string(json_get(post_info, "privacy_level"));
	const struct json *title = json_get(post_info, "title");
	bool is_level = false;

	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		is_level = is_level || str_equal_z(level, levels[i]);
	if (!is_level || (!json_is_null(title) && !json_is(title, JSON_TYPE_STRING)))
		return refuse_params(call, "The request post info is empty or incorrect");
	if (!is_offered(level)) {
		sandbox_tiktok_refuse(call,
				      (struct tiktok_error){403, "privacy_level_option_mismatch"},
				      "privacy_level is not among the creator's current options");
		return false;
	}
	if (utf8_utf16_units(json_string(title)) > TITLE_UNITS_MAX)
		return refuse_params(call, "The title is longer than 2200 UTF-16 code units");
	return check_flags(call, post_info);
}

/* ---- Init: the task ---- */

static struct tiktok_task *make_task(struct sandbox_call *call, const struct sandbox_token *token,
				     const struct json *post_info, const char *prefix)
{
	struct tiktok_state *state = sandbox_state(call->sandbox, SANDBOX_TIKTOK);
	struct tiktok_task *task = sandbox_keep(call->sandbox, sizeof(*task));

	*task = (struct tiktok_task){
		.publish_id = sandbox_id_decimal(call->sandbox, prefix, strlen(prefix) + 19),
		.token_client = sandbox_keep_str(call->sandbox, token->client_id),
		.title = sandbox_keep_str(call->sandbox, json_string(json_get(post_info, "title"))),
		.is_public = str_equal_z(json_string(json_get(post_info, "privacy_level")),
					 "PUBLIC_TO_EVERYONE"),
		.is_draft = post_info == NULL,
		.created_us = call->now_us,
	};
	/* Drafts never come into the ledger: nobody waits for them. */
	if (!task->is_draft) {
		task->next_pending = state->pending;
		state->pending = task;
	}
	sandbox_object_put(call->sandbox, SANDBOX_TIKTOK, "task", task->publish_id, task);
	return task;
}

static void answer_task(struct sandbox_call *call, const struct tiktok_task *task)
{
	struct json_writer w;
	struct buf path;

	buf_init(&path, call->arena, 1024);
	sandbox_tiktok_begin(call, &w);
	json_member_str(&w, "publish_id", task->publish_id);
	if (!task->is_pull) {
		buf_add_z(&path, "/video/?");
		buf_addf(&path, "upload_id=" STR_FMT "&upload_token=" STR_FMT,
			 STR_ARG(task->upload_id), STR_ARG(task->upload_secret));
		json_member_str(&w, "upload_url",
				sandbox_url(call, TIKTOK_UPLOAD_HOST, buf_str(&path)));
	}
	sandbox_tiktok_end(call, &w);
}

static void init_upload(struct sandbox_call *call, const struct sandbox_token *token,
			const struct json *post_info, const struct json *source)
{
	int64_t video_bytes = json_int(json_get(source, "video_size"), 0);
	int64_t chunk_bytes = json_int(json_get(source, "chunk_size"), 0);
	int64_t chunk_count = json_int(json_get(source, "total_chunk_count"), 0);
	struct sandbox_upload *upload;
	struct tiktok_task *task;

	if (!sandbox_tiktok_chunks_fit(video_bytes, chunk_bytes, chunk_count)) {
		refuse_params(call, video_bytes < 1 || video_bytes > VIDEO_BYTES_MAX
					    ? "The video size is invalid"
					    : "The chunk size is invalid");
		return;
	}
	upload = sandbox_upload_new(call->sandbox, SANDBOX_TIKTOK,
				    sandbox_id_decimal(call->sandbox, "7", 19), video_bytes);
	if (upload == NULL) {
		sandbox_tiktok_refuse(call, (struct tiktok_error){500, "internal_error"},
				      "Please try again later");
		return;
	}
	task = make_task(call, token, post_info,
			 post_info != NULL ? "v_pub_file~v2-1." : "v_inbox_file~v2.");
	task->upload_id = upload->id;
	task->upload_secret = sandbox_id_text(call->sandbox, "", 24);
	task->video_bytes = video_bytes;
	task->chunk_bytes = chunk_bytes;
	task->chunk_count = chunk_count;
	upload->extra = task;
	answer_task(call, task);
}

/* Loopback http plays the verified https host here (DESIGN.md, "Sandbox contract"); nothing else
 * was verified. */
static bool may_pull(struct sandbox_call *call, struct str address)
{
	struct url url;

	if (url_parse(call->arena, address, &url, NULL) != ERR_NONE)
		return refuse_params(call, "video_url is not a URL");
	if (sandbox_redirect_is_registered(call, address))
		return true;
	sandbox_tiktok_refuse(call, (struct tiktok_error){403, "url_ownership_unverified"},
			      "Please review our URL ownership verification rules");
	return false;
}

static void init_pull(struct sandbox_call *call, const struct sandbox_token *token,
		      const struct json *post_info, const struct json *source)
{
	const struct sandbox_pull_config config = {
		.url = json_string(json_get(source, "video_url")),
		.user_agent = "TikTok-Sandbox",
		.max_bytes = VIDEO_BYTES_MAX,
	};
	struct sandbox_token kept =
		*token; /* its strings live in kept memory; the pull lets go of the lock */
	struct sandbox_media media = {0};
	enum sandbox_pull outcome;
	struct tiktok_task *task;

	if (!may_pull(call, config.url))
		return;
	kept.client_id = str_copy(call->arena, token->client_id);
	outcome = sandbox_media_pull(call, &config, &media, NULL);
	task = make_task(call, &kept, post_info,
			 post_info != NULL ? "v_pub_url~v2." : "v_inbox_url~v2.");
	task->is_pull = true;
	task->media = media;
	task->received_bytes = media.size_bytes;
	task->uploaded_us = sandbox_now_us(call->sandbox);
	if (outcome != SANDBOX_PULL_OK)
		task->fail_reason = "video_pull_failed";
	else if (!media.sniff.is_video)
		task->fail_reason = "file_format_check_failed";
	answer_task(call, task);
}

/* post_info is NULL for a draft, whose settings are all lost (2.2). */
static void init_task(struct sandbox_call *call, const struct sandbox_token *token,
		      const struct json *post_info)
{
	const struct json *source = json_get(sandbox_json(call), "source_info");
	struct str word = json_string(json_get(source, "source"));

	if (str_equal_z(word, "FILE_UPLOAD"))
		init_upload(call, token, post_info, source);
	else if (str_equal_z(word, "PULL_FROM_URL"))
		init_pull(call, token, post_info, source);
	else
		refuse_params(call, "The request source info is empty or incorrect");
}

static bool check_body(struct sandbox_call *call)
{
	return json_is(sandbox_json(call), JSON_TYPE_OBJECT) ||
	       refuse_params(call, "The body is not a JSON object");
}

void sandbox_tiktok_video_init(struct sandbox_call *call)
{
	const struct sandbox_token *token = sandbox_tiktok_enter(call, "video.publish", NULL);
	const struct json *post_info;

	if (token == NULL || !check_body(call))
		return;
	post_info = json_get(sandbox_json(call), "post_info");
	if (!json_is(post_info, JSON_TYPE_OBJECT)) {
		refuse_params(call, "The request post info is empty or incorrect");
		return;
	}
	if (check_post_info(call, post_info))
		init_task(call, token, post_info);
}

void sandbox_tiktok_inbox_init(struct sandbox_call *call)
{
	const struct sandbox_token *token = sandbox_tiktok_enter(call, "video.upload", NULL);

	if (token != NULL && check_body(call))
		init_task(call, token, NULL);
}

/* ---- The upload host ---- */

/* "bytes 0-{uploaded}/{total}": 2.3 puts the count there, not the last byte. */
static void answer_progress(struct sandbox_call *call, const struct tiktok_task *task, int status)
{
	sandbox_answer_header(call, "Content-Range",
			      str_format(call->arena, "bytes 0-%lld/%lld",
					 (long long)task->received_bytes,
					 (long long)task->video_bytes));
	sandbox_answer_empty(call, status);
}

/* The task of an upload address; NULL and the answer made. These bodies are not the envelope (2.3).
 */
static struct tiktok_task *enter_upload(struct sandbox_call *call,
					struct sandbox_upload **upload_out)
{
	struct sandbox_upload *upload = sandbox_upload_find(call->sandbox, SANDBOX_TIKTOK,
							    sandbox_query(call, "upload_id"));
	struct tiktok_task *task = upload != NULL ? upload->extra : NULL;

	if (task == NULL) {
		sandbox_answer_empty(call, 404);
		return NULL;
	}
	if (!str_equal(task->upload_secret, sandbox_query(call, "upload_token")) ||
	    call->now_us >= task->created_us + UPLOAD_LIFETIME_US) {
		sandbox_answer_empty(call, 403);
		return NULL;
	}
	*upload_out = upload;
	return task;
}

static bool is_video_type(struct str type)
{
	return str_equal_z(type, "video/mp4") || str_equal_z(type, "video/quicktime") ||
	       str_equal_z(type, "video/webm");
}

/* The length the next chunk must have: chunk_size, and for the last one all that is left. */
static int64_t next_chunk_bytes(const struct tiktok_task *task)
{
	int64_t index = task->received_bytes / task->chunk_bytes;

	return index + 1 >= task->chunk_count ? task->video_bytes - task->received_bytes
					      : task->chunk_bytes;
}

static bool check_chunk(struct sandbox_call *call, const struct tiktok_task *task,
			struct content_range *range_out)
{
	if (!is_video_type(str_trim(sandbox_header(call, "Content-Type"))) ||
	    !sandbox_content_range_parse(sandbox_header(call, "Content-Range"), range_out) ||
	    range_out->is_query || range_out->total != task->video_bytes ||
	    sandbox_content_range_bytes(range_out) != (int64_t)call->body.len) {
		sandbox_answer_empty(call, 400);
		return false;
	}
	if (range_out->first != task->received_bytes) {
		answer_progress(call, task, 416);
		return false;
	}
	if (sandbox_content_range_bytes(range_out) != next_chunk_bytes(task)) {
		sandbox_answer_empty(call, 400);
		return false;
	}
	return true;
}

/* The last byte is here: looks at the file; what is wrong with it is told when processing is over.
 */
static void finish(struct sandbox_call *call)
{
	struct str id = str_copy(call->arena, sandbox_query(call, "upload_id"));
	struct sandbox_media media = {0};
	bool is_read = sandbox_upload_look(call, SANDBOX_TIKTOK, id, &media);
	struct sandbox_upload *upload;
	struct tiktok_task *task = enter_upload(call, &upload); /* the lock was let go */

	if (task == NULL)
		return;
	if (task->uploaded_us == 0) {
		task->media = media;
		task->fail_reason =
			is_read && media.sniff.is_video ? NULL : "file_format_check_failed";
		task->uploaded_us = sandbox_now_us(call->sandbox);
		sandbox_upload_discard(call->sandbox, upload);
	}
	answer_progress(call, task, 201);
}

void sandbox_tiktok_upload_put(struct sandbox_call *call)
{
	struct content_range range = {0};
	struct sandbox_upload *upload;
	struct tiktok_task *task;

	sandbox_tiktok_settle(call->sandbox);
	task = enter_upload(call, &upload);
	if (task == NULL || !check_chunk(call, task, &range))
		return;
	if (!sandbox_upload_write(call->sandbox, upload, range.first, call->body)) {
		sandbox_answer_empty(call, 500);
		return;
	}
	task->received_bytes = range.last + 1;
	if (task->received_bytes == task->video_bytes)
		finish(call);
	else
		answer_progress(call, task, 206);
}

/* ---- Status ---- */

static struct tiktok_task *find_task(struct sandbox_call *call, const struct sandbox_token *token)
{
	struct str id = json_string(json_get(sandbox_json(call), "publish_id"));
	struct tiktok_task *task = sandbox_object_get(call->sandbox, SANDBOX_TIKTOK, "task", id);

	if (task == NULL) {
		sandbox_tiktok_refuse(call, (struct tiktok_error){400, "invalid_publish_id"},
				      "The publish_id does not exist");
		return NULL;
	}
	if (!str_equal(task->token_client, token->client_id)) {
		sandbox_tiktok_refuse(
			call,
			(struct tiktok_error){400, "token_not_authorized_for_specified_publish_id"},
			"The access token does not belong to the publish_id");
		return NULL;
	}
	return task;
}

/* The id of a public post comes when moderation is over, as an integer in a list; never for others
 * (2.6). */
static void put_post_ids(struct json_writer *w, const struct tiktok_task *task, int64_t now_us)
{
	json_key(w, "publicaly_available_post_id");
	json_begin_array(w);
	if (!str_is_empty(task->post_id) &&
	    now_us >= task->uploaded_us + PROCESSING_US + MODERATION_US)
		json_put_raw(w, task->post_id);
	json_end_array(w);
}

void sandbox_tiktok_status_fetch(struct sandbox_call *call)
{
	const struct sandbox_token *token =
		sandbox_tiktok_enter(call, "video.publish", "video.upload");
	const struct tiktok_task *task;
	struct json_writer w;

	if (token == NULL || !check_body(call))
		return;
	task = find_task(call, token);
	if (task == NULL)
		return;
	sandbox_tiktok_begin(call, &w);
	json_member_str(&w, "status", str_of(status_of(task, call->now_us)));
	json_member_str(&w, "fail_reason", str_of(failure_of(task, call->now_us)));
	put_post_ids(&w, task, call->now_us);
	json_member_int(&w, "uploaded_bytes", task->is_pull ? 0 : task->received_bytes);
	json_member_int(&w, "downloaded_bytes", task->is_pull ? task->received_bytes : 0);
	sandbox_tiktok_end(call, &w);
}
