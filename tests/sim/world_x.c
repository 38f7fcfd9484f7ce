/* SPDX-License-Identifier: Apache-2.0
 * X: posts, files, articles, the timeline, refresh (x.md 1.4, 2, 5). */
#include "world.h"

#include "buf.h"
#include "timetext.h"

#include "json.h"

#define LIST_MAX_BYTES (512 * 1024)

/* ---- files (2.3, 2.4) ---- */

static void answer_file(struct world *world, const struct piece *file, struct answer *answer)
{
	const bool is_ready = world->sim->true_us >= file->ready_at_us;
	const char *state = !is_ready             ? "in_progress"
			    : file->ends_in_error ? "failed"
						  : "succeeded";
	world_answer(
		answer, 200,
		str_format(world->sim->arena,
			   "{\"data\":{\"id\":\"" STR_FMT
			   "\",\"processing_info\":{\"state\":\"%s\",\"check_after_secs\":1}}}",
			   STR_ARG(file->id), state));
}

static void answer_id(struct world *world, int status, struct str id, struct answer *answer)
{
	world_answer(
		answer, status,
		str_format(world->sim->arena, "{\"data\":{\"id\":\"" STR_FMT "\"}}", STR_ARG(id)));
}

/* An image is ready at once. */
static void upload(struct world *world, const struct ask *ask, struct home *home,
		   struct answer *answer)
{
	struct piece *file =
		world_begin(world, PIECE_CONTAINER, world_home_index(world, home), STR(""));
	if (ask->file_bytes == 0 ||
	    !str_equal_z(*form_find(&ask->form, "media_category"), "tweet_image"))
		sim_violation(world->sim, "an upload without its image");
	file->size_bytes = file->received_bytes = ask->file_bytes;
	file->ready_at_us = file->begun_at_us;
	file->ends_in_error = false;
	file->changed_at_us = world->sim->true_us;
	answer_id(world, 200, file->id, answer);
}

static void initialize(struct world *world, const struct ask *ask, struct home *home,
		       struct answer *answer)
{
	struct piece *file =
		world_begin(world, PIECE_CONTAINER, world_home_index(world, home), STR(""));
	file->size_bytes = json_int(json_get(ask->json, "total_bytes"), 0);
	answer_id(world, 200, file->id, answer);
}

#define CHUNK_BYTES (4 << 20)

/* The same segment again takes the place of the first. */
static void append(struct world *world, const struct ask *ask, struct piece *file,
		   struct answer *answer)
{
	const struct str *index = form_find(&ask->form, "segment_index");
	int64_t segment = -1;
	if (index == NULL || !str_parse_i64(*index, &segment) ||
	    segment * CHUNK_BYTES > file->received_bytes || file->changed_at_us != 0) {
		world_refuse(world, VOICE_X, REFUSE_BAD, answer);
		return;
	}
	const int64_t end = segment * CHUNK_BYTES + ask->file_bytes;
	file->received_bytes = end > file->received_bytes ? end : file->received_bytes;
	world_answer(answer, 200, STR("{\"data\":{\"expires_at\":1}}"));
}

static void finalize(struct world *world, struct piece *file, struct answer *answer)
{
	if (file->received_bytes != file->size_bytes) {
		world_refuse(world, VOICE_X, REFUSE_BAD, answer);
		return;
	}
	if (file->changed_at_us == 0)
		file->changed_at_us = world->sim->true_us;
	answer_file(world, file, answer);
}

static void status(struct world *world, const struct ask *ask, struct answer *answer)
{
	const struct str *id = form_find(&ask->query, "media_id");
	const struct piece *file = id != NULL ? world_piece(world, PIECE_CONTAINER, *id) : NULL;
	if (file == NULL || file->changed_at_us == 0)
		world_refuse(world, VOICE_X, REFUSE_BAD, answer);
	else
		answer_file(world, file, answer);
}

static void chunked(struct world *world, const struct ask *ask, struct home *home,
		    struct answer *answer)
{
	struct piece *file = world_piece(world, PIECE_CONTAINER, ask->path[3]);
	const bool is_append = ask->path_count == 5 && str_equal_z(ask->path[4], "append");
	if (ask->path_count == 4)
		initialize(world, ask, home, answer);
	else if (file == NULL)
		world_refuse(world, VOICE_X, REFUSE_BAD, answer);
	else if (is_append)
		append(world, ask, file, answer);
	else
		finalize(world, file, answer);
}

/* Every file is there and was made ready; else nothing is posted. */
static bool are_files_ready(struct world *world, const struct json *ids)
{
	for (size_t i = 0; ids != NULL && i < ids->count; i++) {
		const struct piece *file =
			world_piece(world, PIECE_CONTAINER, json_string(&ids->items[i]));
		if (file == NULL || file->changed_at_us == 0 || file->ends_in_error ||
		    world->sim->true_us < file->ready_at_us)
			return false;
	}
	return true;
}

/* ---- articles (2.6) ---- */

static void draft(struct world *world, const struct ask *ask, struct home *home,
		  struct answer *answer)
{
	const struct str title = json_string(json_get(ask->json, "title"));
	struct piece *article =
		world_begin(world, PIECE_CONTAINER, world_home_index(world, home), title);
	article->ends_in_error = false;
	answer_id(world, 201, article->id, answer);
}

static void publish(struct world *world, const struct ask *ask, struct answer *answer)
{
	struct piece *article = world_piece(world, PIECE_CONTAINER, ask->path[2]);
	if (article == NULL || article->entry != NULL) {
		world_refuse(world, VOICE_X, article == NULL ? REFUSE_NOT_FOUND : REFUSE_BAD,
			     answer);
		return;
	}
	struct entry *entry =
		world_publish(world, article->home, world_id(world, ""), article->text, STR(""));
	entry->link = str_format(world->sim->arena, "https://x.com/i/article/" STR_FMT,
				 STR_ARG(article->id));
	article->entry = entry;
	world_answer(answer, 200,
		     str_format(world->sim->arena, "{\"data\":{\"post_id\":\"" STR_FMT "\"}}",
				STR_ARG(entry->id)));
}

/* ---- posts ---- */

static void create(struct world *world, const struct ask *ask, struct home *home,
		   struct answer *answer)
{
	const size_t index = world_home_index(world, home);
	const struct str text = json_string(json_get(ask->json, "text"));
	const struct str parent =
		json_string(json_get(json_get(ask->json, "reply"), "in_reply_to_tweet_id"));
	if (!str_is_empty(parent) && world_entry(world, parent) == NULL) {
		world_refuse(world, VOICE_X, REFUSE_NOT_FOUND, answer);
		return;
	}
	const struct json *ids = json_get(json_get(ask->json, "media"), "media_ids");
	if (!are_files_ready(world, ids)) {
		sim_violation(world->sim, "a post with a file that is not ready");
		world_refuse(world, VOICE_X, REFUSE_BAD, answer);
		return;
	}
	if (world->sim->weather.x_knows_duplicates &&
	    world_twin(world, index, text, parent, 0) != NULL) {
		world_refuse(world, VOICE_X, REFUSE_DUPLICATE, answer);
		return;
	}
	struct entry *entry = world_publish(world, index, world_id(world, ""), text, parent);
	entry->file_count = ids != NULL ? ids->count : 0;
	answer_id(world, 201, entry->id, answer);
}

/* X escapes three characters (x.md 5). */
static struct str escaped(struct world *world, struct str text)
{
	struct buf out;
	buf_init(&out, world->sim->arena, LIST_MAX_BYTES);
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '&')
			buf_add_z(&out, "&amp;");
		else if (text.ptr[i] == '<')
			buf_add_z(&out, "&lt;");
		else
			buf_add_char(&out, text.ptr[i]);
	}
	return world_quoted(world, buf_str(&out));
}

static void add_item(struct world *world, struct buf *out, const struct entry *entry)
{
	const bool has_files = entry->file_count > 0;
	const struct str shown =
		!str_is_empty(entry->link) ? STR("https://t.co/a")
		: has_files ? str_concat(world->sim->arena, entry->text, STR(" https://t.co/m"))
			    : entry->text;
	const struct str text = escaped(world, shown);
	const struct str at = world_instant(world, entry->at_us);
	buf_addf(out,
		 "%s{\"id\":\"" STR_FMT "\",\"text\":" STR_FMT ",\"created_at\":\"" STR_FMT "\"",
		 out->len > 0 ? "," : "", STR_ARG(entry->id), STR_ARG(text), STR_ARG(at));
	if (!str_is_empty(entry->link))
		buf_addf(out,
			 ",\"entities\":{\"urls\":[{\"url\":\"https://t.co/"
			 "a\",\"expanded_url\":\"" STR_FMT "\"}]}",
			 STR_ARG(entry->link));
	if (has_files)
		buf_add_z(out, ",\"attachments\":{\"media_keys\":[");
	for (size_t i = 0; i < entry->file_count; i++)
		buf_addf(out, "%s\"3_%zu\"", i > 0 ? "," : "", i);
	if (has_files)
		buf_add_z(out, "]}");
	if (!str_is_empty(entry->parent))
		buf_addf(out,
			 ",\"referenced_posts\":[{\"type\":\"replied_to\",\"id\":\"" STR_FMT "\"}]",
			 STR_ARG(entry->parent));
	buf_add_char(out, '}');
}

static void timeline(struct world *world, const struct ask *ask, struct home *home,
		     struct answer *answer)
{
	const struct str *start = form_find(&ask->query, "start_time");
	int64_t since_us = 0;
	struct buf out;
	buf_init(&out, world->sim->arena, LIST_MAX_BYTES);
	if (start != NULL)
		timetext_parse_instant(*start, &since_us);
	for (size_t i = world->entry_count; i-- > 0;) {
		const struct entry *entry = &world->entries[i];
		if (entry->home == world_home_index(world, home) && world_is_listed(world, entry) &&
		    entry->at_us >= since_us)
			add_item(world, &out, entry);
	}
	const struct str items = buf_str(&out);
	world_answer(answer, 200,
		     str_is_empty(items) ? STR("{\"meta\":{\"result_count\":0}}")
					 : str_format(world->sim->arena, "{\"data\":[" STR_FMT "]}",
						      STR_ARG(items)));
}

/* ---- one post (2.7) ---- */

/* By the names of 2026, or by those of before (0). */
static bool knows_fields(const struct world *world, const struct ask *ask)
{
	const bool is_old = world->sim->seed % 8 == 6;
	return form_find(&ask->query, is_old ? "post.fields" : "tweet.fields") == NULL;
}

/* What is not there is an error, or stands as one beside data that is missing (4). */
static void missing(struct world *world, struct answer *answer)
{
	if (dice_permille(&world->sim->dice, 500))
		world_refuse(world, VOICE_X, REFUSE_NOT_FOUND, answer);
	else
		world_answer(answer, 200,
			     STR("{\"errors\":[{\"title\":\"Not Found Error\",\"type\":\"https://"
				 "api.x.com/2/problems/resource-not-found\"}]}"));
}

static void post_get(struct world *world, const struct ask *ask, struct answer *answer)
{
	const struct entry *entry = world_entry(world, ask->path[2]);
	if (!knows_fields(world, ask)) {
		world_refuse(world, VOICE_X, REFUSE_BAD, answer);
		return;
	}
	if (entry == NULL) {
		missing(world, answer);
		return;
	}
	const struct str at = world_instant(world, entry->at_us);
	world_answer(answer, 200,
		     str_format(world->sim->arena,
				"{\"data\":{\"id\":\"" STR_FMT "\",\"author_id\":\"" STR_FMT
				"\",\"created_at\":\"" STR_FMT "\"}}",
				STR_ARG(entry->id), STR_ARG(world->homes[entry->home].id),
				STR_ARG(at)));
}

static void post_delete(struct world *world, const struct ask *ask, struct home *home,
			struct answer *answer)
{
	struct entry *entry = world_entry(world, ask->path[2]);
	if (entry == NULL) {
		missing(world, answer);
		return;
	}
	if (entry->home != world_home_index(world, home)) {
		world_refuse(world, VOICE_X, REFUSE_FORBIDDEN, answer);
		return;
	}
	world_remove(world, entry);
	world_answer(answer, 200, STR("{\"data\":{\"deleted\":true}}"));
}

/* ---- who is asked ---- */

void x_do(struct world *world, const struct ask *ask, struct answer *answer)
{
	if (str_equal_z(ask->url.path, "/2/oauth2/token")) {
		world_refresh(world, ask, PLATFORM_X, true, answer);
		return;
	}
	struct home *home = world_home_of(world, ask, answer);
	if (home == NULL)
		return;
	const bool is_media = ask->path_count >= 3 && str_equal_z(ask->path[1], "media");
	const bool is_get = str_equal_z(ask->method, "GET");
	const bool is_post = ask->path_count == 3 && str_equal_z(ask->path[1], "tweets");
	if (is_post && is_get)
		post_get(world, ask, answer);
	else if (is_post && str_equal_z(ask->method, "DELETE"))
		post_delete(world, ask, home, answer);
	else if (str_equal_z(ask->url.path, "/2/tweets") && !is_get)
		create(world, ask, home, answer);
	else if (str_equal_z(ask->url.path, "/2/media/metadata"))
		world_answer(answer, 200, STR("{\"data\":{\"id\":\"1\"}}"));
	else if (is_media && ask->path_count > 3)
		chunked(world, ask, home, answer);
	else if (is_media && is_get)
		status(world, ask, answer);
	else if (is_media)
		upload(world, ask, home, answer);
	else if (str_equal_z(ask->url.path, "/2/articles/draft"))
		draft(world, ask, home, answer);
	else if (ask->path_count == 4 && str_equal_z(ask->path[1], "articles"))
		publish(world, ask, answer);
	else if (ask->path_count == 4 && str_equal(ask->path[2], home->id) &&
		 str_equal_z(ask->path[3], "tweets"))
		timeline(world, ask, home, answer);
}
