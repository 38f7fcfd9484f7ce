/* SPDX-License-Identifier: Apache-2.0
 * LinkedIn (linkedin.md 1.5, 2, 5): members' posts cannot be read back, and for ten
 * minutes the same text with the same files is refused. Files go up before: a video in parts, whose
 * addresses want no bearer and whose etags must come in order. */
#include "world.h"

#include "buf.h"

#include "json.h"

#define LIST_MAX_BYTES (512 * 1024)
#define GUARD_US (10 * US_PER_MINUTE)
#define PART_BYTES (INT64_C(4) << 20)
#define ASSETS_MAX 20

/* Little text without its backslashes: what a reader sees. */
static struct str shown(struct world *world, struct str little)
{
	struct buf out;
	buf_init(&out, world->sim->arena, little.len + 1);
	for (size_t i = 0; i < little.len; i++) {
		if (little.ptr[i] == '\\' && i + 1 < little.len)
			i++;
		buf_add_char(&out, little.ptr[i]);
	}
	return buf_str(&out);
}

static struct str escaped(struct world *world, struct str text)
{
	struct buf out;
	buf_init(&out, world->sim->arena, 2 * text.len + 1);
	for (size_t i = 0; i < text.len; i++) {
		if (str_find_char(STR("\\|{}@[]()<>#*_~"), text.ptr[i], 0) != SIZE_MAX)
			buf_add_char(&out, '\\');
		buf_add_char(&out, text.ptr[i]);
	}
	return buf_str(&out);
}

static struct str urn_of(struct world *world, const struct home *home)
{
	const char *kind = home->type == ACCOUNT_ORGANIZATION ? "organization" : "person";
	return str_format(world->sim->arena, "urn:li:%s:" STR_FMT, kind, STR_ARG(home->id));
}

/* ---- files ---- */

/* "urn:li:video:session-7" -> the piece. */
static struct piece *asset_of(struct world *world, struct str urn)
{
	struct str rest = urn;
	struct str word;
	for (int i = 0; i < 3; i++) {
		if (!str_take_until(&rest, ':', &word) || !str_skip(&rest, STR(":")))
			return NULL;
	}
	return world_piece(world, PIECE_SESSION, rest);
}

static bool is_complete(const struct piece *asset)
{
	return asset->received_bytes >= asset->size_bytes;
}

static void initialize(struct world *world, const struct ask *ask, struct home *home,
		       struct answer *answer)
{
	const struct json *asked = json_get(ask->json, "initializeUploadRequest");
	struct piece *asset =
		world_begin(world, PIECE_SESSION, world_home_index(world, home), STR(""));
	struct arena *arena = world->sim->arena;
	struct buf parts;
	const bool is_video = str_equal_z(ask->path[1], "videos");
	const char *name = is_video                              ? "video"
			   : str_equal_z(ask->path[1], "images") ? "image"
								 : "document";
	buf_init(&parts, arena, LIST_MAX_BYTES);
	asset->size_bytes = is_video ? json_int(json_get(asked, "fileSizeBytes"), 0) : 1;
	if (!str_equal(json_string(json_get(asked, "owner")), urn_of(world, home)))
		sim_violation(world->sim, "a file for somebody else");
	for (int64_t first = 0, part = 0; first < asset->size_bytes; first += PART_BYTES, part++)
		buf_addf(&parts,
			 "%s{\"uploadUrl\":\"https://dms.licdn.com/part/" STR_FMT
			 "/%lld\",\"firstByte\":%lld,\"lastByte\":%lld}",
			 part > 0 ? "," : "", STR_ARG(asset->id), (long long)part, (long long)first,
			 (long long)(first + PART_BYTES - 1));
	const struct str list = buf_str(&parts);
	world_answer(answer, 200,
		     str_format(arena,
				"{\"value\":{\"%s\":\"urn:li:%s:" STR_FMT
				"\",\"uploadUrl\":\"https://dms.licdn.com/whole/" STR_FMT
				"\",\"uploadToken\":\"t-" STR_FMT
				"\",\"uploadInstructions\":[" STR_FMT "]}}",
				name, name, STR_ARG(asset->id), STR_ARG(asset->id),
				STR_ARG(asset->id), STR_ARG(list)));
}

/* A part is told by its etag; whether all came is known at the end. */
static void put(struct world *world, const struct ask *ask, struct answer *answer)
{
	const bool is_part = ask->path_count == 3 && str_equal_z(ask->path[0], "part");
	struct piece *asset = world_piece(world, PIECE_SESSION, ask->path[1]);
	if (asset == NULL) {
		world_refuse(world, VOICE_UPLOAD, REFUSE_NOT_FOUND, answer);
		return;
	}
	if (is_part != str_is_empty(ask->token))
		sim_violation(world->sim, "a bearer where none belongs, or none where one does");
	if (!is_part)
		asset->received_bytes = asset->size_bytes;
	world_answer(answer, is_part ? 200 : 201, STR(""));
	if (is_part)
		world_header(answer, "etag",
			     str_format(world->sim->arena, "e-" STR_FMT "-" STR_FMT,
					STR_ARG(asset->id), STR_ARG(ask->path[2])));
}

static bool are_parts_in_order(struct world *world, const struct piece *asset,
			       const struct json *ids)
{
	const int64_t count = (asset->size_bytes + PART_BYTES - 1) / PART_BYTES;
	bool is_good = ids != NULL && (int64_t)ids->count == count;
	for (int64_t i = 0; is_good && i < count; i++)
		is_good = str_equal(json_string(json_at(ids, (size_t)i)),
				    str_format(world->sim->arena, "e-" STR_FMT "-%lld",
					       STR_ARG(asset->id), (long long)i));
	return is_good;
}

static void finalize(struct world *world, const struct ask *ask, struct answer *answer)
{
	const struct json *asked = json_get(ask->json, "finalizeUploadRequest");
	struct piece *asset = asset_of(world, json_string(json_get(asked, "video")));
	if (asset == NULL || is_complete(asset)) {
		world_refuse(world, VOICE_LINKEDIN, REFUSE_BAD, answer);
		return;
	}
	if (!are_parts_in_order(world, asset, json_get(asked, "uploadedPartIds")) ||
	    !str_equal(json_string(json_get(asked, "uploadToken")),
		       str_format(world->sim->arena, "t-" STR_FMT, STR_ARG(asset->id))))
		sim_violation(world->sim, "a video put together in another order");
	asset->received_bytes = asset->size_bytes;
	asset->ready_at_us += world->sim->true_us - asset->begun_at_us;
	world_answer(answer, 200, STR(""));
}

static bool is_processed(const struct world *world, const struct piece *asset)
{
	return is_complete(asset) && asset->ready_at_us <= world->sim->true_us;
}

static void asset_get(struct world *world, const struct ask *ask, struct home *home,
		      struct answer *answer)
{
	const struct piece *asset = asset_of(world, ask->path[2]);
	const bool is_video = str_equal_z(ask->path[1], "videos");
	if (asset == NULL)
		world_refuse(world, VOICE_LINKEDIN, REFUSE_NOT_FOUND, answer);
	else if (!is_video && home->type != ACCOUNT_ORGANIZATION)
		world_refuse(world, VOICE_LINKEDIN, REFUSE_FORBIDDEN, answer);
	else
		world_answer(answer, 200,
			     str_format(world->sim->arena, "{\"status\":\"%s\"}",
					!is_complete(asset)          ? "WAITING_UPLOAD"
					: asset->ends_in_error       ? "PROCESSING_FAILED"
					: is_processed(world, asset) ? "AVAILABLE"
								     : "PROCESSING"));
}

static void files(struct world *world, const struct ask *ask, struct home *home,
		  struct answer *answer)
{
	const bool ends = str_find(ask->url.query, STR("finalizeUpload"), 0) != SIZE_MAX;
	if (str_equal_z(ask->method, "GET"))
		asset_get(world, ask, home, answer);
	else if (ends)
		finalize(world, ask, answer);
	else
		initialize(world, ask, home, answer);
}

/* ---- posts ---- */

/* The files a post shows: their pieces into out, at most ASSETS_MAX. */
static size_t shown_assets(struct world *world, const struct json *post, struct piece **out)
{
	const struct json *content = json_get(post, "content");
	const struct json *images = json_get(json_get(content, "multiImage"), "images");
	struct str urns[ASSETS_MAX] = {
		json_string(json_get(json_get(content, "media"), "id")),
		json_string(json_get(json_get(content, "article"), "thumbnail"))};
	size_t count = 0;
	for (size_t i = 0; json_at(images, i) != NULL && i + 2 < ASSETS_MAX; i++)
		urns[i + 2] = json_string(json_get(json_at(images, i), "id"));
	for (size_t i = 0; i < ASSETS_MAX; i++) {
		struct piece *asset = str_is_empty(urns[i]) ? NULL : asset_of(world, urns[i]);
		if (asset != NULL)
			out[count++] = asset;
	}
	return count;
}

/* With fresh files it is another post to the guard (5). */
static const struct entry *find_twin(struct world *world, size_t index, struct str text,
				     struct piece *const *assets, size_t count)
{
	const struct entry *twin =
		world_twin(world, index, text, STR(""), world->sim->true_us - GUARD_US);
	return twin != NULL && (count == 0 || assets[0]->entry == twin) ? twin : NULL;
}

static bool are_usable(struct piece *const *assets, size_t count, struct answer *answer)
{
	for (size_t i = 0; i < count; i++) {
		if (is_complete(assets[i]))
			continue;
		world_answer(answer, 400,
			     STR("{\"status\":400,\"code\":\"MEDIA_ASSET_WAITING_UPLOAD\","
				 "\"message\":\"no bytes\"}"));
		return false;
	}
	return true;
}

static void create(struct world *world, const struct ask *ask, struct home *home,
		   struct answer *answer)
{
	struct piece *assets[ASSETS_MAX];
	const size_t count = shown_assets(world, ask->json, assets);
	const size_t index = world_home_index(world, home);
	const struct str text = shown(world, json_string(json_get(ask->json, "commentary")));
	if (!str_equal(json_string(json_get(ask->json, "author")), urn_of(world, home))) {
		world_refuse(world, VOICE_LINKEDIN, REFUSE_FORBIDDEN, answer);
		return;
	}
	if (!are_usable(assets, count, answer))
		return;
	const struct entry *twin = find_twin(world, index, text, assets, count);
	if (twin != NULL) {
		world_answer(
			answer, 422,
			str_format(
				world->sim->arena,
				"{\"status\":422,\"message\":\"Content is a duplicate of " STR_FMT
				"\",\"errorDetails\":{\"inputErrors\":[{\"code\":\"DUPLICATE_"
				"POST\"}]}}",
				STR_ARG(twin->id)));
		return;
	}
	const struct entry *entry =
		world_publish(world, index, world_id(world, "urn:li:share:"), text, STR(""));
	for (size_t i = 0; i < count; i++)
		assets[i]->entry = entry;
	world_answer(answer, 201, STR(""));
	world_header(answer, "x-restli-id", entry->id);
}

static void comment(struct world *world, const struct ask *ask, struct home *home,
		    struct answer *answer)
{
	const struct str text = json_string(json_get(json_get(ask->json, "message"), "text"));
	const struct entry *entry =
		world_publish(world, world_home_index(world, home),
			      world_id(world, "urn:li:comment:"), text, ask->path[2]);
	world_answer(answer, 201,
		     str_format(world->sim->arena, "{\"commentUrn\":\"" STR_FMT "\"}",
				STR_ARG(entry->id)));
	world_header(answer, "x-restli-id", entry->id);
}

static void add_post(struct world *world, struct buf *out, const struct entry *entry)
{
	const struct str text = world_quoted(world, escaped(world, entry->text));
	const struct str author = urn_of(world, &world->homes[entry->home]);
	buf_addf(out,
		 "%s{\"id\":\"" STR_FMT "\",\"author\":\"" STR_FMT "\",\"commentary\":" STR_FMT
		 ",\"createdAt\":%lld}",
		 out->len > 0 ? "," : "", STR_ARG(entry->id), STR_ARG(author), STR_ARG(text),
		 (long long)(entry->at_us / US_PER_MS));
}

static void add_comment(struct world *world, struct buf *out, const struct entry *entry)
{
	const struct str text = world_quoted(world, entry->text);
	const struct str actor = urn_of(world, &world->homes[entry->home]);
	buf_addf(out,
		 "%s{\"commentUrn\":\"" STR_FMT "\",\"actor\":\"" STR_FMT
		 "\",\"message\":{\"text\":" STR_FMT "},\"created\":{\"time\":%lld}}",
		 out->len > 0 ? "," : "", STR_ARG(entry->id), STR_ARG(actor), STR_ARG(text),
		 (long long)(entry->at_us / US_PER_MS));
}

static void list(struct world *world, size_t home, struct str parent,
		 void (*add)(struct world *world, struct buf *out, const struct entry *entry),
		 struct answer *answer)
{
	struct buf out;
	buf_init(&out, world->sim->arena, LIST_MAX_BYTES);
	for (size_t i = world->entry_count; i-- > 0;) {
		const struct entry *entry = &world->entries[i];
		if (entry->home == home && str_equal(entry->parent, parent) &&
		    world_is_listed(world, entry))
			add(world, &out, entry);
	}
	const struct str items = buf_str(&out);
	world_answer(answer, 200,
		     str_format(world->sim->arena, "{\"elements\":[" STR_FMT "]}", STR_ARG(items)));
}

static void posts_get(struct world *world, struct home *home, struct answer *answer)
{
	if (home->type == ACCOUNT_ORGANIZATION)
		list(world, world_home_index(world, home), STR(""), add_post, answer);
	else
		world_refuse(world, VOICE_LINKEDIN, REFUSE_FORBIDDEN, answer);
}

/* One post of a page; the finder may be behind it. */
static void post_get(struct world *world, const struct ask *ask, struct home *home,
		     struct answer *answer)
{
	const struct entry *entry = world_entry(world, ask->path[2]);
	struct buf out;
	buf_init(&out, world->sim->arena, LIST_MAX_BYTES);
	if (home->type != ACCOUNT_ORGANIZATION) {
		world_refuse(world, VOICE_LINKEDIN, REFUSE_FORBIDDEN, answer);
		return;
	}
	if (entry == NULL) {
		world_refuse(world, VOICE_LINKEDIN, REFUSE_NOT_FOUND, answer);
		return;
	}
	add_post(world, &out, entry);
	world_answer(answer, 200, buf_str(&out));
}

/* A member deletes what was never read back, too. Again is answered as the first time (2.11), or as
 * what nobody knows. */
static void post_delete(struct world *world, const struct ask *ask, struct home *home,
			struct answer *answer)
{
	struct entry *entry = world_entry(world, ask->path[2]);
	if (entry != NULL && entry->home != world_home_index(world, home)) {
		world_refuse(world, VOICE_LINKEDIN, REFUSE_FORBIDDEN, answer);
		return;
	}
	if (entry == NULL && dice_permille(&world->sim->dice, 300)) {
		world_refuse(world, VOICE_LINKEDIN, REFUSE_NOT_FOUND, answer);
		return;
	}
	if (entry != NULL)
		world_remove(world, entry);
	world_answer(answer, 204, STR(""));
}

void linkedin_do(struct world *world, const struct ask *ask, struct answer *answer)
{
	if (str_equal_z(ask->url.path, "/oauth/v2/accessToken")) {
		world_refresh(world, ask, PLATFORM_LINKEDIN, false, answer);
		return;
	}
	if (str_equal_z(ask->url.host, "dms.licdn.com")) {
		put(world, ask, answer);
		return;
	}
	struct home *home = world_home_of(world, ask, answer);
	if (home == NULL)
		return;
	const bool is_file = ask->path_count >= 2 && (str_equal_z(ask->path[1], "images") ||
						      str_equal_z(ask->path[1], "videos") ||
						      str_equal_z(ask->path[1], "documents"));
	const bool is_post = str_equal_z(ask->method, "POST");
	const bool is_comments = ask->path_count == 4 && str_equal_z(ask->path[3], "comments");
	if (is_file)
		files(world, ask, home, answer);
	else if (str_equal_z(ask->url.path, "/rest/posts") && is_post)
		create(world, ask, home, answer);
	else if (str_equal_z(ask->url.path, "/rest/posts"))
		posts_get(world, home, answer);
	else if (!str_is_empty(world_deletion_id(ask)) && str_equal_z(ask->path[1], "posts"))
		post_delete(world, ask, home, answer);
	else if (ask->path_count == 3 && str_equal_z(ask->path[1], "posts"))
		post_get(world, ask, home, answer);
	else if (is_comments && world_entry(world, ask->path[2]) == NULL)
		world_refuse(world, VOICE_LINKEDIN, REFUSE_NOT_FOUND, answer);
	else if (is_comments && is_post)
		comment(world, ask, home, answer);
	else if (is_comments)
		list(world, world_home_index(world, home), ask->path[2], add_comment, answer);
}
