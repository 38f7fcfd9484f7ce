/* SPDX-License-Identifier: Apache-2.0
 * What the part that is next is to X: a post, a reply or an article, and where it is seen. */
#include "arena.h"

#include "json.h"

#include "x_adapter.h"

bool x_is_article(const struct env *env, const struct flow *flow)
{
	return env->post_type == POST_TYPE_ARTICLE && flow_part(flow) == 0;
}

const struct json *x_article_options(const struct env *env)
{
	return json_get(env->options, "article");
}

struct str x_post_url(const struct env *env, struct str id)
{
	return str_format(env->arena, "https://x.com/" STR_FMT "/status/" STR_FMT,
			  STR_ARG(x_first_of(env->username, STR("i"))), STR_ARG(id));
}

struct str x_parent_id(const struct env *env, const struct flow *flow)
{
	const size_t part = flow_part(flow);
	return part > 0 ? flow->parts[part - 1].remote_id
			: json_string(json_get(env->options, "in_reply_to_tweet_id"));
}
