/* SPDX-License-Identifier: Apache-2.0
 * Knobs: small numbers that decide how a platform behaves where its documents leave it open.
 * Platforms read them, /_sandbox/knobs sets them, a reset restores their initial values. */
#include "arena.h"
#include "count_of.h"
#include "str.h"

#include "json.h"
#include "json_write.h"

#include "sandbox_core.h"

struct knob {
	const char *name;
	int64_t at_first;
	int64_t least;
	int64_t most;
	const char *sentence;
};

static const struct knob knobs[SANDBOX_KNOB_COUNT] = {
#define SANDBOX_KNOB(name, at_first, least, most, what) \
	[SANDBOX_KNOB_##name] = {#name, at_first, least, most, what},
#include "knobs.def"
#undef SANDBOX_KNOB
};

int64_t sandbox_knob(const struct sandbox *sandbox, enum sandbox_knob knob)
{
	return sandbox->knobs[knob];
}

/* What apps meet on the day they were made (docs/sandbox.md, "New apps"): each the strictest value
 * that the platform's document gives for them. */
static const struct {
	enum sandbox_knob knob;
	int64_t value;
} of_new_apps[] = {
	{SANDBOX_KNOB_x_subscription, 0},        {SANDBOX_KNOB_x_me_limit, 75},
	{SANDBOX_KNOB_x_create_limit, 100},      {SANDBOX_KNOB_x_segment_max_bytes, 1048576},
	{SANDBOX_KNOB_youtube_audited, 0},       {SANDBOX_KNOB_youtube_testing, 1},
	{SANDBOX_KNOB_tiktok_audited, 0},        {SANDBOX_KNOB_tiktok_rate_limits, 1},
	{SANDBOX_KNOB_tiktok_posts_per_day, 15}, {SANDBOX_KNOB_instagram_publish_quota, 50},
};

/* A quota of 0 is none; of others the least is the strictest, of switches the one that is named. */
static int64_t stricter(const struct knob *knob, int64_t set, int64_t of_new)
{
	const bool is_switch = knob->least == 0 && knob->most == 1;
	if (is_switch || set == 0)
		return of_new;
	return set < of_new ? set : of_new;
}

int64_t sandbox_call_knob(struct sandbox_call *call, enum sandbox_knob knob)
{
	const int64_t set = sandbox_knob(call->sandbox, knob);
	for (size_t i = 0; i < COUNT_OF(of_new_apps); i++) {
		if (of_new_apps[i].knob == knob)
			return sandbox_call_is_new(call)
				       ? stricter(&knobs[knob], set, of_new_apps[i].value)
				       : set;
	}
	return set;
}

void sandbox_knobs_reset(struct sandbox *sandbox)
{
	for (size_t i = 0; i < SANDBOX_KNOB_COUNT; i++)
		sandbox->knobs[i] = knobs[i].at_first;
}

static size_t knob_find(struct str name)
{
	size_t i = 0;
	while (i < SANDBOX_KNOB_COUNT && !str_equal_z(name, knobs[i].name))
		i++;
	return i;
}

static enum err_kind check(struct str name, const struct json *value, struct error *err)
{
	const size_t index = knob_find(name);
	if (index == SANDBOX_KNOB_COUNT)
		return error_set(err, ERR_INVALID, "unknown knob " STR_FMT, STR_ARG(name));
	const struct knob *knob = &knobs[index];
	const bool is_good = json_is(value, JSON_TYPE_INT) && value->integer >= knob->least &&
			     value->integer <= knob->most;
	return is_good ? ERR_NONE
		       : error_set(err, ERR_INVALID, "%s must be an integer from %lld to %lld",
				   knob->name, (long long)knob->least, (long long)knob->most);
}

enum err_kind sandbox_knobs_set(struct sandbox *sandbox, const struct json *json, struct error *err)
{
	if (!json_is(json, JSON_TYPE_OBJECT))
		return error_set(err, ERR_INVALID, "knobs must be a JSON object of integers");
	for (size_t i = 0; i < json->count; i++) {
		const enum err_kind kind = check(json->keys[i], &json->items[i], err);
		if (kind != ERR_NONE)
			return kind;
	}
	for (size_t i = 0; i < json->count; i++)
		sandbox->knobs[knob_find(json->keys[i])] = json->items[i].integer;
	return ERR_NONE;
}

/* By the name's end, and a switch by its range. */
static const char *unit_of(const struct knob *knob)
{
	static const struct {
		const char *end;
		const char *unit;
	} units[] = {{"_ms", "milliseconds"},
		     {"_s", "seconds"},
		     {"_days", "days"},
		     {"_mils", "thousandths of a dollar"},
		     {"_per_day", "a day"}};
	for (size_t i = 0; i < COUNT_OF(units); i++) {
		if (str_has_suffix(str_of(knob->name), str_of(units[i].end)))
			return units[i].unit;
	}
	return knob->least == 0 && knob->most == 1 ? "switch" : "number";
}

void sandbox_knobs_write(const struct sandbox *sandbox, struct json_writer *w)
{
	json_begin_object(w);
	json_key(w, "knobs");
	json_begin_array(w);
	for (size_t i = 0; i < SANDBOX_KNOB_COUNT; i++) {
		json_begin_object(w);
		json_member_str(w, "name", str_of(knobs[i].name));
		json_member_str(w, "unit", str_of(unit_of(&knobs[i])));
		json_member_int(w, "default", knobs[i].at_first);
		json_member_int(w, "value", sandbox->knobs[i]);
		json_member_int(w, "least", knobs[i].least);
		json_member_int(w, "most", knobs[i].most);
		json_member_str(w, "sentence", str_of(knobs[i].sentence));
		json_end_object(w);
	}
	json_end_array(w);
	json_end_object(w);
}
