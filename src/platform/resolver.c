/* SPDX-License-Identifier: Apache-2.0
 * The answers of one probe of a resolver. */
#include "resolver.h"

#include <stdio.h>

#include "buf.h"
#include "clock.h"
#include "timetext.h"

const char *resolver_end(struct flow *flow, struct step *step, enum step_kind kind)
{
	*step = (struct step){.kind = kind};
	flow->probe = (struct str){0};
	return NULL;
}

void resolver_matches_begin(struct flow *flow, struct step *step)
{
	resolver_end(flow, step, STEP_MATCHES);
}

const char *resolver_matches_end(struct step *step)
{
	if (step->match_count == 0)
		step->kind = STEP_UNKNOWN;
	return NULL;
}

void resolver_match_add(struct step *step, struct str remote_id, struct str url)
{
	if (step->match_count < STEP_MATCHES_MAX)
		step->matches[step->match_count++] = (struct match){remote_id, url};
}

static struct str text_plain(struct arena *arena, struct str text)
{
	struct buf plain;
	buf_init(&plain, arena, text.len + 1);
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] != '\r')
			buf_add_char(&plain, text.ptr[i]);
	}
	return str_trim(buf_str(&plain));
}

bool resolver_texts_equal(struct arena *arena, struct str a, struct str b)
{
	return str_equal(text_plain(arena, a), text_plain(arena, b));
}

#define LOOK_BACK_US (2 * US_PER_MINUTE)

struct uncertain_key {
	char text[32];
};

static struct uncertain_key uncertain_key(const struct flow *flow)
{
	struct uncertain_key name;
	snprintf(name.text, sizeof(name.text), "part%zu_doubt_us", flow_part(flow));
	return name;
}

int64_t resolver_uncertain_us(const struct flow *flow)
{
	return flow_get_int(flow, uncertain_key(flow).text, 0);
}

int64_t resolver_since_us(const struct env *env, struct flow *flow)
{
	if (resolver_uncertain_us(flow) == 0)
		flow_set_int(flow, uncertain_key(flow).text, env->started_at_us);
	return resolver_uncertain_us(flow) - LOOK_BACK_US;
}

bool resolver_clock_has_moved(const struct flow *flow)
{
	return flow_get_int(flow, FLOW_CLOCK_MOVED, 0) != 0;
}

bool resolver_is_since_ms(const struct env *env, struct flow *flow, int64_t created_ms)
{
	return created_ms > 0 && created_ms < INT64_MAX / US_PER_MS &&
	       created_ms * US_PER_MS >= resolver_since_us(env, flow);
}

bool resolver_is_since(const struct env *env, struct flow *flow, struct str created_at)
{
	int64_t created_us = 0;
	return timetext_parse_instant(created_at, &created_us) &&
	       created_us >= resolver_since_us(env, flow);
}
