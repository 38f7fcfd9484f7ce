/* SPDX-License-Identifier: Apache-2.0
 * The creator of the simulated TikTok (tiktok.md 1.7, 2.1, 3): its profile, its privacy
 * options, and the limits of calls and posts. Calls count within a sliding minute, posts within 24
 * hours, by the sandbox's clock. */
#include "count_of.h"

#include "sandbox_tiktok.h"

#define MINUTE_US (60 * US_PER_S)

/* ---- counting ---- */

static bool window_is_full(const struct tiktok_window *window, size_t most, int64_t since_us)
{
	return window->count >= most &&
	       window->at_us[(window->count - most) % TIKTOK_CALLS_REMEMBERED] > since_us;
}

static void window_add(struct tiktok_window *window, int64_t now_us)
{
	window->at_us[window->count++ % TIKTOK_CALLS_REMEMBERED] = now_us;
}

bool sandbox_tiktok_count(struct sandbox_call *call, enum tiktok_counted kind)
{
	static const size_t most[TIKTOK_COUNTED_COUNT] = {
		[TIKTOK_COUNTED_INIT] = 6,
		[TIKTOK_COUNTED_CREATOR] = 20,
		[TIKTOK_COUNTED_STATUS] = 30,
	};
	struct tiktok_state *state = call->state;
	struct tiktok_window *window = &state->calls[kind];
	if (sandbox_call_knob(call, SANDBOX_KNOB_tiktok_rate_limits) != 0 &&
	    window_is_full(window, most[kind], call->now_us - MINUTE_US)) {
		sandbox_tiktok_refuse(call, (struct tiktok_error){429, "rate_limit_exceeded"},
				      "The API rate limit was exceeded. Please try again later.");
		return false;
	}
	window_add(window, call->now_us);
	return true;
}

bool sandbox_tiktok_take_draft(struct sandbox_call *call)
{
	struct tiktok_state *state = call->state;
	if (window_is_full(&state->drafts, TIKTOK_DRAFTS_MAX, call->now_us - US_PER_DAY)) {
		sandbox_tiktok_refuse(
			call, (struct tiktok_error){403, "spam_risk_too_many_pending_share"},
			"The creator has too many pending drafts in 24 hours.");
		return false;
	}
	window_add(&state->drafts, call->now_us);
	return true;
}

static bool is_day_full(struct sandbox_call *call)
{
	const struct tiktok_state *state = call->state;
	const size_t most = (size_t)sandbox_call_knob(call, SANDBOX_KNOB_tiktok_posts_per_day);
	return most > 0 && state->post_count >= most &&
	       state->posts_us[(state->post_count - most) % TIKTOK_POSTS_REMEMBERED] + US_PER_DAY >
		       call->now_us;
}

/* creator_info reports these with 200 on purpose (2.1). */
bool sandbox_tiktok_may_post(struct sandbox_call *call, int status)
{
	const struct {
		bool is_so;
		const char *code;
		const char *message;
	} rows[] = {
		{sandbox_knob(call->sandbox, SANDBOX_KNOB_tiktok_banned) != 0,
		 "spam_risk_user_banned_from_posting",
		 "The creator is banned from making new posts."},
		{sandbox_knob(call->sandbox, SANDBOX_KNOB_tiktok_user_cap_reached) != 0,
		 "reached_active_user_cap",
		 "The daily quota for active publishing users is reached."},
		{is_day_full(call), "spam_risk_too_many_posts",
		 "The creator has made too many posts within the last 24 hours via this API."},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		if (!rows[i].is_so)
			continue;
		sandbox_tiktok_refuse(call, (struct tiktok_error){status, rows[i].code},
				      rows[i].message);
		return false;
	}
	return true;
}

/* ---- levels ---- */

static bool is_private(struct sandbox_call *call)
{
	return sandbox_knob(call->sandbox, SANDBOX_KNOB_tiktok_private_account) != 0;
}

/* The values of privacy_level that may be chosen now (2.1), ended by NULL. */
static const char *const *privacy_options(struct sandbox_call *call)
{
	static const char *const of_public[] = {"PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS",
						"SELF_ONLY", NULL};
	static const char *const of_private[] = {"FOLLOWER_OF_CREATOR", "MUTUAL_FOLLOW_FRIENDS",
						 "SELF_ONLY", NULL};
	return is_private(call) ? of_private : of_public;
}

bool sandbox_tiktok_check_level(struct sandbox_call *call, struct str level)
{
	static const char *const levels[] = {"PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS",
					     "FOLLOWER_OF_CREATOR", "SELF_ONLY", NULL};
	if (!sandbox_is_one_of(level, levels))
		return sandbox_tiktok_refuse_params(call,
						    "The request post info is empty or incorrect");
	if (sandbox_call_knob(call, SANDBOX_KNOB_tiktok_audited) == 0 &&
	    (!is_private(call) || !str_equal_z(level, "SELF_ONLY"))) {
		sandbox_tiktok_refuse(
			call,
			(struct tiktok_error){403,
					      "unaudited_client_can_only_post_to_private_accounts"},
			"Please review our integration guidelines.");
		return false;
	}
	if (sandbox_is_one_of(level, privacy_options(call)))
		return true;
	sandbox_tiktok_refuse(call, (struct tiktok_error){403, "privacy_level_option_mismatch"},
			      "privacy_level is not among the creator's current options");
	return false;
}

/* ---- the account ---- */

static struct str avatar_url(struct sandbox_call *call)
{
	return sandbox_url(call, TIKTOK_AVATAR_HOST, STR("/avatar"));
}

/* Fields of user/info and the scope each needs (1.2). A NULL text is the avatar's address. */
static const struct {
	const char *name;
	const char *scope;
	const char *text;
} user_fields[] = {
	{"open_id", "user.info.basic", TIKTOK_OPEN_ID},
	{"union_id", "user.info.basic", "7f61e2a9-0c44-4b1e-8d7a-20261121beef"},
	{"avatar_url", "user.info.basic", NULL},
	{"avatar_url_100", "user.info.basic", NULL},
	{"avatar_large_url", "user.info.basic", NULL},
	{"display_name", "user.info.basic", TIKTOK_NAME},
	{"username", "user.info.profile", TIKTOK_USERNAME},
	{"bio_description", "user.info.profile", "Posts that nobody sees."},
	{"profile_deep_link", "user.info.profile", "https://vm.tiktok.com/sandbox/"},
};
#define USER_FIELD_COUNT COUNT_OF(user_fields)

static size_t find_field(struct str name)
{
	size_t i = 0;
	while (i < USER_FIELD_COUNT && !str_equal_z(name, user_fields[i].name))
		i++;
	return i;
}

/* Asking for a field outside the granted scopes is refused as a whole (1.2). */
static bool check_fields(struct sandbox_call *call, const struct sandbox_token *found)
{
	struct str in = sandbox_query(call, "fields");
	if (str_is_empty(in)) {
		sandbox_tiktok_refuse(call, (struct tiktok_error){400, "invalid_params"},
				      "fields is required");
		return false;
	}
	struct str name;
	while (str_take_field(&in, ',', &name)) {
		const size_t i = find_field(str_trim(name));
		if (i == USER_FIELD_COUNT) {
			sandbox_tiktok_refuse(call, (struct tiktok_error){400, "invalid_params"},
					      "Fields has an unknown value");
			return false;
		}
		if (!sandbox_scope_has(found->scope, user_fields[i].scope)) {
			sandbox_tiktok_refuse(
				call, (struct tiktok_error){401, "scope_not_authorized"},
				"The user did not authorize the scope required for completing this "
				"request.");
			return false;
		}
	}
	return true;
}

void sandbox_tiktok_user_info(struct sandbox_call *call)
{
	const struct sandbox_token *found = sandbox_tiktok_enter(call, "user.info.basic", NULL);
	const struct str fields = sandbox_query(call, "fields");
	if (found == NULL || !check_fields(call, found))
		return;
	struct json_writer w;
	sandbox_tiktok_begin(call, &w);
	json_key(&w, "user");
	json_begin_object(&w);
	for (size_t i = 0; i < USER_FIELD_COUNT; i++) {
		if (!sandbox_scope_has(fields, user_fields[i].name))
			continue;
		json_member_str(&w, user_fields[i].name,
				user_fields[i].text != NULL ? str_of(user_fields[i].text)
							    : avatar_url(call));
	}
	json_end_object(&w);
	sandbox_tiktok_end(call, &w);
}

void sandbox_tiktok_creator_info(struct sandbox_call *call)
{
	const char *const *option = privacy_options(call);
	if (sandbox_tiktok_enter(call, "video.publish", NULL) == NULL ||
	    !sandbox_tiktok_count(call, TIKTOK_COUNTED_CREATOR) ||
	    !sandbox_tiktok_may_post(call, 200))
		return;
	struct json_writer w;
	sandbox_tiktok_begin(call, &w);
	json_member_str(&w, "creator_avatar_url", avatar_url(call));
	json_member_str(&w, "creator_username", STR(TIKTOK_USERNAME));
	json_member_str(&w, "creator_nickname", STR(TIKTOK_NAME));
	json_key(&w, "privacy_level_options");
	json_begin_array(&w);
	for (; *option != NULL; option++)
		json_put_str(&w, str_of(*option));
	json_end_array(&w);
	json_member_bool(&w, "comment_disabled", false);
	json_member_bool(&w, "duet_disabled", false);
	json_member_bool(&w, "stitch_disabled", true);
	json_member_int(&w, "max_video_post_duration_sec",
			sandbox_knob(call->sandbox, SANDBOX_KNOB_tiktok_max_duration_s));
	sandbox_tiktok_end(call, &w);
}
