/* SPDX-License-Identifier: Apache-2.0
 * Uploaded files that posts name by media_id (api-decisions.md 11): are they there, and what are
 * they? The transaction that writes the post looks again. */
#include "api_private.h"

#include "media_id.h"

struct media_names media_use_names(struct arena *arena, const struct post_content *content)
{
	struct media_use *uses = NULL;
	size_t count = 0;
	media_id_uses(arena, content, &uses, &count);
	struct str *ids = ARENA_ARRAY(arena, struct str, count);
	for (size_t i = 0; i < count; i++)
		ids[i] = uses[i].media_id;
	return (struct media_names){ids, count};
}

static void refuse(struct problems *problems, const struct media_use *use, const char *reason,
		   const char *message)
{
	problem_add(problems, PROBLEM_MEDIA, use->field, reason, str_of(message));
}

static enum err_kind refuse_missing(const struct api *api, struct str app_id,
				    const struct media_use *use, struct problems *problems,
				    struct error *err)
{
	bool is_coming = false;
	const enum err_kind kind =
		store_media_is_coming(api->config.store, app_id, use->media_id, &is_coming, err);
	if (kind != ERR_NONE)
		return kind;
	if (is_coming)
		refuse(problems, use, "not_uploaded",
		       "This file has not been uploaded in full yet. Wait for its upload to end.");
	else
		refuse(problems, use, "unknown_media",
		       "No such file: it was never uploaded by this app, or was deleted. POST "
		       "/v1/media uploads one.");
	return ERR_NONE;
}

/* The file says what it is; a type that says otherwise is a mistake somewhere. */
static void take_type(const struct media_use *use, const struct media_row *row,
		      struct problems *problems)
{
	const bool is_image = str_has_prefix(row->mime_type, STR("image/"));
	const bool is_video = str_has_prefix(row->mime_type, STR("video/"));
	const enum media_type type = is_video ? MEDIA_VIDEO : MEDIA_IMAGE;
	if (!is_image && !is_video)
		refuse(problems, use, "bad_type",
		       "This file is a document. It can be named in the options of a platform that "
		       "takes documents, not in media.");
	else if (use->media->is_type_open)
		use->media->type = type;
	else if (use->media->type != type)
		refuse(problems, use, "bad_type",
		       is_video ? "This file is a video, and type says image. Leave type out."
				: "This file is an image, and type says video. Leave type out.");
}

static enum err_kind check(const struct api *api, struct str app_id, const struct media_use *use,
			   struct problems *problems, struct error *err)
{
	struct media_row row = {0};
	const enum err_kind kind = store_media_find(api->config.store, problems->arena, app_id,
						    use->media_id, &row, err);
	if (kind == ERR_NOT_FOUND)
		return refuse_missing(api, app_id, use, problems, err);
	if (kind == ERR_NONE && use->media != NULL)
		take_type(use, &row, problems);
	return kind;
}

enum err_kind media_use_check(const struct api *api, struct str app_id,
			      struct post_content *content, struct problems *problems,
			      struct media_names *names_out, struct error *err)
{
	struct media_use *uses = NULL;
	size_t count = 0;
	enum err_kind kind = ERR_NONE;
	content->film_mode = api->config.film_mode;
	media_id_uses(problems->arena, content, &uses, &count);
	*names_out = media_use_names(problems->arena, content);
	for (size_t i = 0; i < count && kind == ERR_NONE; i++)
		kind = check(api, app_id, &uses[i], problems, err);
	return kind;
}

void media_respond_expired(struct http_response *response)
{
	struct json_writer w;
	respond_error_begin(
		response, 422, "MEDIA_UNREACHABLE",
		STR("An uploaded file of this post is gone: it was kept for as long as "
		    "the service keeps files. Upload it again, and publish a new post."),
		&w);
	json_key(&w, "details");
	json_begin_object(&w);
	json_member_str(&w, "reason", STR("media_expired"));
	json_end_object(&w);
	json_end_object(&w);
}
