/* SPDX-License-Identifier: Apache-2.0
 * LinkedIn (platforms/linkedin.md 1.5, 2, 5): members' posts cannot be read back, and for ten
 * minutes the same text is refused. */
#include "world.h"

#include "buf.h"

#include "json.h"

#define LIST_MAX_BYTES (512 * 1024)
#define GUARD_US (10 * US_PER_MINUTE)

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

static void create(struct world *world, const struct ask *ask, struct home *home,
		   struct answer *answer)
{
	const size_t index = world_home_index(world, home);
	const struct str text = shown(world, json_string(json_get(ask->json, "commentary")));
	if (!str_equal(json_string(json_get(ask->json, "author")), urn_of(world, home))) {
		world_refuse(world, VOICE_LINKEDIN, REFUSE_FORBIDDEN, answer);
		return;
	}
	const struct entry *twin =
		world_twin(world, index, text, STR(""), world->sim->true_us - GUARD_US);
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
	buf_addf(out, "%s{\"id\":\"" STR_FMT "\",\"commentary\":" STR_FMT ",\"createdAt\":%lld}",
		 out->len > 0 ? "," : "", STR_ARG(entry->id), STR_ARG(text),
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

void linkedin_do(struct world *world, const struct ask *ask, struct answer *answer)
{
	if (str_equal_z(ask->url.path, "/oauth/v2/accessToken")) {
		world_refresh(world, ask, PLATFORM_LINKEDIN, false, answer);
		return;
	}
	struct home *home = world_home_of(world, ask, answer);
	if (home == NULL)
		return;
	const bool is_post = str_equal_z(ask->method, "POST");
	const bool is_comments = ask->path_count == 4 && str_equal_z(ask->path[3], "comments");
	if (str_equal_z(ask->url.path, "/rest/posts") && is_post)
		create(world, ask, home, answer);
	else if (str_equal_z(ask->url.path, "/rest/posts"))
		posts_get(world, home, answer);
	else if (is_comments && world_entry(world, ask->path[2]) == NULL)
		world_refuse(world, VOICE_LINKEDIN, REFUSE_NOT_FOUND, answer);
	else if (is_comments && is_post)
		comment(world, ask, home, answer);
	else if (is_comments)
		list(world, world_home_index(world, home), ask->path[2], add_comment, answer);
}
