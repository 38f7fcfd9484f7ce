/* SPDX-License-Identifier: Apache-2.0
 * Walking a platform's plan for one post. */
#include "plan.h"

#include "json.h"

#include "platform.h"
#include "rules.h"

struct planning {
	const struct post_content *post;
	const struct json *options;
	unsigned type;
	bool is_organization;
	struct plan_call *calls;
	size_t max;
	size_t count;
};

static enum plan_shape shape_of(const struct container *container)
{
	size_t videos = 0;
	for (size_t i = 0; i < container->media_count; i++)
		videos += container->media[i].type == MEDIA_VIDEO;
	if (container->media_count == 0)
		return PLAN_TEXT;
	if (videos == 0)
		return container->media_count == 1 ? PLAN_IMAGE : PLAN_IMAGES;
	return container->media_count == 1 ? PLAN_VIDEO : PLAN_MIXED;
}

static bool is_among(unsigned one, unsigned wanted)
{
	return wanted == 0 || (one & wanted) != 0;
}

static bool option_fits(const struct planning *p, const struct plan_row *row)
{
	if (row->only_option == NULL)
		return true;
	const struct json *option = json_get(p->options, row->only_option);
	if (row->unless_value != NULL)
		return !str_equal_z(json_string(option), row->unless_value);
	return !json_is_null(option) &&
	       (row->only_value == NULL || str_equal_z(json_string(option), row->only_value));
}

static bool row_fits(const struct planning *p, const struct plan_row *row, size_t part)
{
	return is_among(part == 0 ? PLAN_POST : PLAN_COMMENTS, row->parts) &&
	       is_among(p->type, row->types) &&
	       is_among(shape_of(&p->post->containers[part]), row->shapes) &&
	       (!row->only_organization || p->is_organization) && option_fits(p, row);
}

static bool file_fits(enum plan_each each, const struct media *media)
{
	switch (each) {
	case PLAN_ONCE:
	case PLAN_EACH_FILE:
		return true;
	case PLAN_EACH_IMAGE:
		return media->type == MEDIA_IMAGE;
	case PLAN_EACH_VIDEO:
		return media->type == MEDIA_VIDEO;
	case PLAN_EACH_ALT_TEXT:
		return media->type == MEDIA_IMAGE && media->alt_text.len > 0;
	case PLAN_EACH_THUMBNAIL:
		return media->thumbnail_url.len > 0;
	}
	return false;
}

static void add(struct planning *p, const struct plan_row *row, size_t part)
{
	if (p->count < p->max)
		p->calls[p->count] =
			(struct plan_call){part,           row->stage,     row->method,
					   row->host_path, row->publishes, row->summary};
	p->count++;
}

/* The run of rows from row on that are for each file, file by file; returns the row after it. */
static const struct plan_row *add_files(struct planning *p, const struct plan_row *first,
					size_t part)
{
	const struct container *container = &p->post->containers[part];
	const struct plan_row *end = first;
	while (end->stage != NULL && end->each != PLAN_ONCE)
		end++;
	for (size_t i = 0; i < container->media_count; i++) {
		for (const struct plan_row *row = first; row < end; row++)
			if (row_fits(p, row, part) && file_fits(row->each, &container->media[i]))
				add(p, row, part);
	}
	return end;
}

static void add_part(struct planning *p, const struct plan_row *row, size_t part)
{
	while (row->stage != NULL) {
		if (row->each != PLAN_ONCE) {
			row = add_files(p, row, part);
			continue;
		}
		if (row_fits(p, row, part))
			add(p, row, part);
		row++;
	}
}

static const struct plan_row *rows_for(const struct platform *platform,
				       const struct plan_account *account)
{
	const struct env env = {.account_extra = account->extra};
	return platform->login_plan != NULL && platform->is_other_login(&env) ? platform->login_plan
									      : platform->plan;
}

size_t plan_make(const struct platform *platform, const struct post_content *post,
		 enum post_type type, const struct plan_account *account, struct plan_call *calls,
		 size_t max)
{
	const struct plan_row *rows = rows_for(platform, account);
	struct planning p = {
		.post = post,
		.options = rules_options(post, platform->id),
		.type = 1U << type,
		.is_organization = account->type == ACCOUNT_ORGANIZATION,
		.calls = calls,
		.max = max,
	};
	for (size_t part = 0; part < post->container_count; part++)
		add_part(&p, rows, part);
	return p.count;
}
