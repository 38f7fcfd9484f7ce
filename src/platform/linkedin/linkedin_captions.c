/* SPDX-License-Identifier: Apache-2.0
 * LinkedIn: the captions of a post's video (linkedin.md 2.6): one SubRip file, announced where the
 * video's upload begins and sent before its parts. Nobody sees anything of it, so it may be
 * repeated. A video is better without captions than not at all: what LinkedIn refuses is a warning,
 * and the upload begins again without them, since nobody says what becomes of a video whose
 * announced captions never come. */
#include "linkedin_adapter.h"

#include "arena.h"
#include "buf.h"

#include "json.h"
#include "json_write.h"

#include "media_rules.h"
#include "multipart.h"

#define TRIES_MAX 3 /* our choice: of a call that is lost or met by a fault of LinkedIn's */
#define METADATA_MAX_BYTES 1024

static const struct json *captions_entry(const struct env *env)
{
	return json_at(json_get(env->options, "captions"), 0);
}

static void captions_lack(const struct env *env, struct flow *flow, struct str why)
{
	flow_set_int(flow, LINKEDIN_KEY_CAPTIONS_LACKING, 1);
	flow_warn(flow,
		  &(struct flow_warning){
			  .code = STR(FLOW_CAPTIONS_REFUSED),
			  .field = STR("platforms.linkedin.captions"),
			  .message = str_format(env->arena,
						"The video goes out without its captions. " STR_FMT,
						STR_ARG(why)),
		  });
}

enum linkedin_captions linkedin_captions_find(const struct env *env, struct flow *flow,
					      int *file_out, struct step *step)
{
	const struct str url = json_string(json_get(captions_entry(env), "url"));
	if (str_is_empty(url) || flow_get_int(flow, LINKEDIN_KEY_CAPTIONS_LACKING, 0) != 0)
		return LINKEDIN_CAPTIONS_NONE;
	const int index = env_file(env, url);
	if (index < 0 || !(env->media[index].is_ready || env->media[index].is_missing)) {
		step_file(step, url, true);
		return LINKEDIN_CAPTIONS_WANTED;
	}
	const struct media_file *file = &env->media[index];
	const struct str complaint =
		file->is_missing ? STR("The file could not be fetched.")
				 : media_rule_complaint(&linkedin_captions_rule, env->arena,
							&file->sniff, file->size_bytes);
	if (!str_is_empty(complaint)) {
		captions_lack(env, flow, complaint);
		return LINKEDIN_CAPTIONS_NONE;
	}
	*file_out = index;
	return LINKEDIN_CAPTIONS_HERE;
}

/* ---- the call ---- */

static void capitals_member(struct json_writer *w, const struct env *env, const char *name,
			    struct str text)
{
	char *capitals = str_z(env->arena, text);
	for (size_t i = 0; i < text.len; i++) {
		if (capitals[i] >= 'a' && capitals[i] <= 'z')
			capitals[i] = (char)(capitals[i] - 'a' + 'A');
	}
	json_member_str(w, name, (struct str){capitals, text.len});
}

/* "pt-BR" is PT of BR. What the one sample has for American English goes with it as it stands. */
static void locale_write(struct json_writer *w, const struct env *env, struct str tag)
{
	struct str rest = tag, language = {0}, second = {0};
	str_take_field(&rest, '-', &language);
	const bool has_region = str_take_field(&rest, '-', &second) && second.len == 2;
	const struct str region = has_region ? second : STR("");
	const bool is_english = str_equal_nocase(language, STR("en"));
	const bool is_american =
		is_english && (str_is_empty(region) || str_equal_nocase(region, STR("us")));
	json_begin_object(w);
	if (is_american)
		json_member_str(w, "variant", STR("AMERICAN"));
	if (is_american || !str_is_empty(region))
		capitals_member(w, env, "country", is_american ? STR("us") : region);
	capitals_member(w, env, "language", language);
	json_end_object(w);
}

static struct str metadata(const struct env *env)
{
	struct buf out;
	struct json_writer w;
	buf_init(&out, env->arena, METADATA_MAX_BYTES);
	json_writer_init(&w, &out);
	json_begin_object(&w);
	json_member_str(&w, "format", STR("SRT"));
	json_member_bool(&w, "formattedForEasyReader", true);
	json_member_bool(&w, "largeText", true);
	json_member_str(&w, "source", STR("USER_PROVIDED"));
	json_key(&w, "locale");
	locale_write(&w, env, json_string(json_get(captions_entry(env), "language")));
	json_member_str(&w, "transcriptType", STR("CLOSED_CAPTION"));
	json_end_object(&w);
	return buf_str(&out);
}

const char *linkedin_captions_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct str url = flow_get(flow, LINKEDIN_KEY_CAPTIONS_URL);
	struct multipart body;
	int file = -1;
	if (str_is_empty(url))
		return LINKEDIN_STAGE_PART;
	switch (linkedin_captions_find(env, flow, &file, step)) {
	case LINKEDIN_CAPTIONS_NONE:
		return LINKEDIN_STAGE_INIT;
	case LINKEDIN_CAPTIONS_WANTED:
		return NULL;
	case LINKEDIN_CAPTIONS_HERE:
		break;
	}
	struct call *call = step_send(step, CALL_PREPARE, "POST", url);
	call_bearer(env, call, env->access_token);
	multipart_begin(&body, env, url);
	multipart_field(&body, "metadata", metadata(env));
	multipart_file(&body, "file", "captions.srt", "text/plain", (size_t)file, 0,
		       env->media[file].size_bytes);
	multipart_end(&body, call);
	return NULL;
}

const char *linkedin_captions_answer(const struct env *env, struct flow *flow,
				     const struct reply *reply, struct step *step)
{
	if (reply->outcome == REPLY_ANSWERED && reply->status / 100 == 2)
		return LINKEDIN_STAGE_PART;
	if (!step_fail_transport(step, env, reply))
		linkedin_fail(env, reply, step);
	const enum failure_class class = step->failure.class;
	if (class == FAILURE_RATE_LIMITED ||
	    (class == FAILURE_TRANSIENT &&
	     flow_count(flow, LINKEDIN_KEY_CAPTIONS_TRIES) < TRIES_MAX))
		return NULL;
	/* At the upload host 401 and 403 say nothing about the token (section 4). */
	const bool is_at_door = reply->status == 401 || reply->status == 403;
	const struct str why = is_at_door ? STR("LinkedIn's upload URL does not accept the file.")
					  : step->failure.message;
	*step = (struct step){0};
	captions_lack(env, flow, why);
	return LINKEDIN_STAGE_INIT;
}
