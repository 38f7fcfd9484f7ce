/* SPDX-License-Identifier: Apache-2.0
 * See media_rules.h. */
#include "media_rules.h"

#include <ctype.h>
#include <inttypes.h>

#include "arena.h"
#include "count_of.h"

#include "media_id.h"

#include "media_fit.h"
#include "platform.h"
#include "rules.h"

#define MS_PER_S 1000

/* ---- sentences ---- */

static struct str capitalised(struct arena *arena, struct str sentence)
{
	char *text = str_z(arena, sentence);
	text[0] = (char)toupper((unsigned char)text[0]);
	return (struct str){text, sentence.len};
}

/* 75200 -> "75.2", 60000 -> "60": thousandths as people write them. */
static struct str decimal(struct arena *arena, int64_t thousandths)
{
	struct str text = str_format(arena, "%" PRId64 ".%03d", thousandths / 1000,
				     (int)(thousandths % 1000));
	while (str_has_suffix(text, STR("0")))
		text.len--;
	return str_has_suffix(text, STR(".")) ? str_slice(text, 0, text.len - 1) : text;
}

/* ---- the bytes ---- */

/* What a file breaks. */
struct complaint {
	const char *code; /* of a violation; NULL = nothing is wrong */
	int64_t limit;    /* -1 = it has no number; so actual */
	int64_t actual;
	struct str sentence; /* not capitalised */
};

static const struct complaint no_complaint = {.code = NULL};

/* One number of a file, 0 = not known, and what it may be, 0 = no limit. */
struct bound {
	int64_t actual, min, max;
	const char *unit; /* "wide": follows the number's own unit */
	const char *number_unit;
	bool is_decimal;
	const char *low_code;
	const char *high_code;
};

static struct str bound_number(const struct bound *bound, struct arena *arena, int64_t value)
{
	return bound->is_decimal ? decimal(arena, value) : str_format(arena, "%" PRId64, value);
}

static struct complaint bound_complaint(const struct media_rule *rule, struct arena *arena,
					const struct bound *bound)
{
	const bool is_low = bound->actual < bound->min;
	const bool is_high = bound->max > 0 && bound->actual > bound->max;
	if (bound->actual == 0 || (!is_low && !is_high))
		return no_complaint;
	const int64_t limit = is_low ? bound->min : bound->max;
	const struct str limit_text = bound_number(bound, arena, limit);
	const struct str actual = bound_number(bound, arena, bound->actual);
	return (struct complaint){
		.code = is_low ? bound->low_code : bound->high_code,
		.limit = limit,
		.actual = bound->actual,
		.sentence = str_format(arena,
				       "%s must be at %s " STR_FMT
				       " %s %s, but this file is " STR_FMT " %s %s.",
				       rule->what, is_low ? "least" : "most", STR_ARG(limit_text),
				       bound->number_unit, bound->unit, STR_ARG(actual),
				       bound->number_unit, bound->unit)};
}

static struct complaint type_complaint(const struct media_rule *rule, struct arena *arena,
				       const struct sniff *sniff)
{
	if (rule->types == 0 || (rule->types & MEDIA_TYPE_BIT(sniff->type)) != 0)
		return no_complaint;
	return (struct complaint){
		.code = media_fit_would_still(rule, sniff) ? MEDIA_ANIMATED_REASON
							   : MEDIA_TYPE_REASON,
		.limit = -1,
		.actual = -1,
		.sentence = str_format(
			arena, "%s must be %s, but this file is %s.", rule->what, rule->types_text,
			sniff->type == SNIFF_UNKNOWN ? "of an unknown type" : sniff->mime_type)};
}

/* By multiplication: a division would let 1.9104 pass as 1.91. */
static struct complaint ratio_complaint(const struct media_rule *rule, struct arena *arena,
					const struct sniff *sniff)
{
	const uint64_t wide = (uint64_t)sniff->width * 1000;
	const bool is_low = wide < (uint64_t)rule->ratio_min_permille * sniff->height;
	const bool is_high = rule->ratio_max_permille > 0 &&
			     wide > (uint64_t)rule->ratio_max_permille * sniff->height;
	if (sniff->width == 0 || sniff->height == 0 || (!is_low && !is_high))
		return no_complaint;
	const struct str limit =
		decimal(arena, is_low ? rule->ratio_min_permille : rule->ratio_max_permille);
	return (struct complaint){
		.code = "media_aspect_ratio",
		.limit = -1,
		.actual = -1,
		.sentence = str_format(arena,
				       "%s must be at %s " STR_FMT
				       " times as wide as high, but this file is %u x %u.",
				       rule->what, is_low ? "least" : "most", STR_ARG(limit),
				       sniff->width, sniff->height)};
}

static struct complaint bounds_complaint(const struct media_rule *rule, struct arena *arena,
					 const struct sniff *sniff, int64_t size_bytes)
{
	const int64_t pixels = (int64_t)((uint64_t)sniff->width * sniff->height & INT64_MAX);
	const uint32_t shorter = sniff->width < sniff->height ? sniff->width : sniff->height;
	const struct bound bounds[] = {
		{size_bytes, rule->size_min_bytes, rule->size_max_bytes, "large", "bytes", false,
		 "media_too_small", "media_too_large"},
		{sniff->width, rule->width_min, rule->width_max, "wide", "pixels", false,
		 "media_too_narrow", "media_too_wide"},
		{sniff->height, rule->height_min, rule->height_max, "high", "pixels", false,
		 "media_too_low", "media_too_high"},
		{shorter, 0, rule->shorter_side_max, "on its shorter side", "pixels", false, NULL,
		 "media_too_many_pixels"},
		{pixels, 0, (int64_t)(rule->pixels_max & INT64_MAX), "in all", "pixels", false,
		 NULL, "media_too_many_pixels"},
		{sniff->duration_ms, rule->duration_min_ms, rule->duration_max_ms, "long", "s",
		 true, "media_too_short", "media_too_long"},
	};
	for (size_t i = 0; i < COUNT_OF(bounds); i++) {
		const struct complaint complaint = bound_complaint(rule, arena, &bounds[i]);
		if (complaint.code != NULL)
			return complaint;
	}
	return no_complaint;
}

static struct complaint complaint_of(const struct media_rule *rule, struct arena *arena,
				     const struct sniff *sniff, int64_t size_bytes)
{
	struct complaint complaint = type_complaint(rule, arena, sniff);
	if (complaint.code == NULL)
		complaint = bounds_complaint(rule, arena, sniff, size_bytes);
	return complaint.code == NULL ? ratio_complaint(rule, arena, sniff) : complaint;
}

struct str media_rule_complaint(const struct media_rule *rule, struct arena *arena,
				const struct sniff *sniff, int64_t size_bytes)
{
	const struct complaint complaint = complaint_of(rule, arena, sniff, size_bytes);
	return complaint.code != NULL ? capitalised(arena, complaint.sentence) : STR("");
}

/* What the post allows; of files beside its media nobody says anything. */
static enum media_fit fit_of(const struct env *env, size_t media_index)
{
	const struct media *media = post_media_at(env->post, media_index);
	return media != NULL ? media->fit : MEDIA_FIT_NONE;
}

static bool wants_fit(const struct media_rule *rule, const struct env *env, size_t media_index,
		      struct step *step)
{
	const struct media_file *file = &env->media[media_index];
	const struct media_fit_subject subject = {rule, &file->sniff, file->size_bytes,
						  fit_of(env, media_index), env->post->film_mode};
	struct media_fit_order order = {.film = {0}};
	if (!env->can_fit || file->is_fitted)
		return false;
	const enum media_fit_work work = media_fit_decide(&subject, &order);
	if (work != MEDIA_FIT_NOTHING)
		step_fit(step, media_index, work, &order);
	return work != MEDIA_FIT_NOTHING;
}

bool media_rule_check(const struct media_rule *rule, const struct env *env, size_t media_index,
		      struct step *step)
{
	const struct media_file *file = &env->media[media_index];
	const size_t total = post_media_total(env->post);
	const bool is_further = media_index >= total;
	if (wants_fit(rule, env, media_index, step))
		return false;
	const struct str complaint =
		media_rule_complaint(rule, env->arena, &file->sniff, file->size_bytes);
	if (complaint.len == 0)
		return true;
	struct failure *failure = step_fail(
		step, FAILURE_PERMANENT, FAILURE_CODE_MEDIA_REJECTED,
		str_format(env->arena, "%s %zu: " STR_FMT "%s" STR_FMT,
			   is_further ? "Further file" : "Media file",
			   (is_further ? media_index - total : media_index) + 1, STR_ARG(complaint),
			   str_is_empty(file->fit_note) ? "" : " ", STR_ARG(file->fit_note)));
	if (media_fit_would_still(rule, &file->sniff))
		failure->platform_code = STR(MEDIA_ANIMATED_REASON);
	return false;
}

/* ---- what the request says ---- */

struct said_type {
	const char *mime_type;
	enum sniff_type type;
};

/* Names in use for what sniff.h knows; a prefix when it ends with '.'. */
static const struct said_type said_types[] = {
	{"image/jpeg", SNIFF_JPEG},
	{"image/jpg", SNIFF_JPEG},
	{"image/pjpeg", SNIFF_JPEG},
	{"image/png", SNIFF_PNG},
	{"image/gif", SNIFF_GIF},
	{"image/webp", SNIFF_WEBP},
	{"image/heic", SNIFF_HEIC},
	{"image/heif", SNIFF_HEIC},
	{"image/avif", SNIFF_AVIF},
	{"image/tiff", SNIFF_TIFF},
	{"video/mp4", SNIFF_MP4},
	{"video/x-m4v", SNIFF_MP4},
	{"video/quicktime", SNIFF_MOV},
	{"video/webm", SNIFF_WEBM},
	{"video/x-matroska", SNIFF_MKV},
	{"video/matroska", SNIFF_MKV},
	{"application/pdf", SNIFF_PDF},
	{"application/zip", SNIFF_ZIP},
	{"application/vnd.openxmlformats-officedocument.", SNIFF_ZIP},
	{"application/msword", SNIFF_OLE},
	{"application/vnd.ms-powerpoint", SNIFF_OLE},
};

static enum sniff_type type_said(struct arena *arena, struct str mime_type)
{
	const struct str name = str_lower(
		arena, str_trim(str_slice(mime_type, 0, str_find_char(mime_type, ';', 0))));
	for (size_t i = 0; i < COUNT_OF(said_types); i++) {
		const struct str known = str_of(said_types[i].mime_type);
		if (str_equal(name, known) ||
		    (str_has_suffix(known, STR(".")) && str_has_prefix(name, known)))
			return said_types[i].type;
	}
	return SNIFF_UNKNOWN;
}

/* Where a complaint about a medium's member belongs. */
struct said {
	const struct post_content *post;
	size_t flat_index;
	const struct rules_account *account;
	struct problems *problems;
};

static struct str said_field(const struct said *said, const char *member)
{
	struct arena *arena = said->problems->arena;
	size_t container = 0;
	while (post_media_base(said->post, container + 1) <= said->flat_index)
		container++;
	const size_t index = said->flat_index - post_media_base(said->post, container);
	return rules_field(arena, said->post, container,
			   str_z(arena, str_format(arena, "media.%zu.%s", index, member)));
}

/* "image/gif" says that it may move, and a moving picture is never stilled. */
static void refuse_said_type(const struct media_rule *rule, const struct said *said,
			     enum sniff_type type, struct str name)
{
	struct arena *arena = said->problems->arena;
	const bool may_move = type == SNIFF_GIF &&
			      post_media_at(said->post, said->flat_index)->type == MEDIA_IMAGE;
	const struct str sentence =
		str_format(arena, "%s must be %s, not " STR_FMT ".%s", rule->what, rule->types_text,
			   STR_ARG(name),
			   may_move ? " A GIF that moves is not turned into a still image." : "");
	problem_add_rule(said->problems, said_field(said, "mime_type"),
			 may_move ? MEDIA_ANIMATED_REASON : MEDIA_TYPE_REASON, said->account->id,
			 -1, -1, capitalised(arena, sentence));
}

static void warn_fitted(const struct media_rule *rule, const struct said *said, const char *member,
			struct str name)
{
	struct arena *arena = said->problems->arena;
	const struct str sentence = str_format(arena,
					       "%s must be %s: " STR_FMT
					       " will be re-encoded as JPEG. Give \"fit\": \"off\" "
					       "to have it refused instead.",
					       rule->what, rule->types_text, STR_ARG(name));
	warning_add(said->problems, said_field(said, member), "media_fitted",
		    capitalised(arena, sentence));
}

static void warn_film_fitted(const struct media_rule *rule, const struct said *said,
			     const char *member, struct str name)
{
	struct arena *arena = said->problems->arena;
	warning_add(said->problems, said_field(said, member), "media_fitted",
		    capitalised(arena,
				str_format(arena,
					   "%s must be %s: " STR_FMT
					   " will be converted to MP4 if what it holds allows it. "
					   "Give \"fit\": \"off\" to have it refused instead.",
					   rule->what, rule->types_text, STR_ARG(name))));
}

static bool may_become_film(const struct media_rule *rule, const struct said *said,
			    enum sniff_type type)
{
	const struct media *media = post_media_at(said->post, said->flat_index);
	return media->type == MEDIA_VIDEO &&
	       media_fit_takes_film(rule, type, media->fit, said->post->film_mode);
}

static void check_said_type(const struct media_rule *rule, const struct said *said,
			    struct str mime_type)
{
	const enum sniff_type type = type_said(said->problems->arena, mime_type);
	const struct media *media = post_media_at(said->post, said->flat_index);
	if (rule->types == 0 || type == SNIFF_UNKNOWN || (rule->types & MEDIA_TYPE_BIT(type)) != 0)
		return;
	if (media->type == MEDIA_IMAGE && media_fit_takes_type(rule, type, media->fit))
		warn_fitted(rule, said, "mime_type", mime_type);
	else if (may_become_film(rule, said, type))
		warn_film_fitted(rule, said, "mime_type", mime_type);
	else
		refuse_said_type(rule, said, type, mime_type);
}

/* Endings of addresses; what they mean is no more than likely. */
static const struct said_type endings[] = {
	{".jpg", SNIFF_JPEG},  {".jpeg", SNIFF_JPEG}, {".png", SNIFF_PNG},   {".gif", SNIFF_GIF},
	{".webp", SNIFF_WEBP}, {".heic", SNIFF_HEIC}, {".heif", SNIFF_HEIC}, {".avif", SNIFF_AVIF},
	{".tif", SNIFF_TIFF},  {".tiff", SNIFF_TIFF}, {".mp4", SNIFF_MP4},   {".m4v", SNIFF_MP4},
	{".mov", SNIFF_MOV},   {".webm", SNIFF_WEBM}, {".mkv", SNIFF_MKV},   {".pdf", SNIFF_PDF},
};

static const struct said_type *ending_of(struct arena *arena, struct str url)
{
	const size_t query = str_find_char(url, '?', 0);
	const size_t fragment = str_find_char(url, '#', 0);
	const struct str path =
		str_lower(arena, str_slice(url, 0, query < fragment ? query : fragment));
	for (size_t i = 0; i < COUNT_OF(endings); i++) {
		if (str_has_suffix(path, str_of(endings[i].mime_type)))
			return &endings[i];
	}
	return NULL;
}

static void check_ending(const struct media_rule *rule, const struct said *said)
{
	struct arena *arena = said->problems->arena;
	const struct media *media = post_media_at(said->post, said->flat_index);
	const struct said_type *ending = ending_of(arena, media->url);
	struct sniff sniff = {0};
	if (ending == NULL)
		return;
	sniff_set_type(&sniff, ending->type);
	if (media->type == MEDIA_VIDEO ? !sniff.is_video : !sniff.is_image) {
		warning_add(said->problems, said_field(said, "type"), "media_type_suspect",
			    str_format(arena, "This item says %s, and its address ends in %s.",
				       media->type == MEDIA_VIDEO ? "video" : "image",
				       ending->mime_type));
		return;
	}
	if (media->mime_type.len > 0 || rule->types == 0 ||
	    (rule->types & MEDIA_TYPE_BIT(ending->type)) != 0)
		return;
	if (media_fit_takes_type(rule, ending->type, media->fit))
		warn_fitted(rule, said, "url", str_of(sniff.mime_type));
	else if (may_become_film(rule, said, ending->type))
		warn_film_fitted(rule, said, "url", str_of(sniff.mime_type));
	else
		warning_add(said->problems, said_field(said, "url"), "media_type_suspect",
			    capitalised(arena, str_format(arena,
							  "%s must be %s, and this address "
							  "ends in %s.",
							  rule->what, rule->types_text,
							  ending->mime_type)));
}

/* The request has whole seconds, the rule milliseconds: what is said of a video of 60.4 s is 60. */
static void check_said_duration(const struct media_rule *rule, const struct said *said,
				int64_t duration_s)
{
	struct arena *arena = said->problems->arena;
	const int64_t min_s = rule->duration_min_ms / MS_PER_S;
	const int64_t max_s = (rule->duration_max_ms + MS_PER_S - 1) / MS_PER_S;
	const bool is_short = duration_s < min_s;
	const bool is_long = max_s > 0 && duration_s > max_s;
	if (duration_s < 0 || (!is_short && !is_long))
		return;
	const int64_t limit_s = is_short ? min_s : max_s;
	const struct str sentence =
		str_format(arena, "%s must be at %s %" PRId64 " s long, not %" PRId64 " s.",
			   rule->what, is_short ? "least" : "most", limit_s, duration_s);
	problem_add_rule(said->problems, said_field(said, "duration"),
			 is_short ? "media_too_short" : "media_too_long", said->account->id,
			 limit_s, duration_s, capitalised(arena, sentence));
}

/* ---- what was seen ---- */

static void refuse_seen(const struct said *said, const char *member,
			const struct complaint *complaint)
{
	struct arena *arena = said->problems->arena;
	const struct problem problem = {.kind = PROBLEM_RULE,
					.field = said_field(said, member),
					.message = capitalised(arena, complaint->sentence),
					.reason = str_of(complaint->code),
					.account_id = said->account->id,
					.limit = complaint->limit,
					.actual = complaint->actual,
					.is_of_file = true};
	problem_add_whole(said->problems, &problem);
}

/* As media_rule_check() will judge it: what is fitted for the platform keeps its shape, unless the
 * post allows another. */
static struct complaint complaint_of_seen(const struct media_rule *rule, const struct said *said,
					  const struct media *media, enum media_fit_work *work_out)
{
	struct arena *arena = said->problems->arena;
	const struct media_seen *seen = media->seen;
	const struct media_fit_subject subject = {rule, &seen->sniff, seen->size_bytes, media->fit,
						  said->post->film_mode};
	struct media_fit_order order;
	*work_out = media_fit_decide(&subject, &order);
	if (*work_out == MEDIA_FIT_FILM)
		return no_complaint;
	if (*work_out != MEDIA_FIT_ENCODE)
		return complaint_of(rule, arena, &seen->sniff, seen->size_bytes);
	return media->fit == MEDIA_FIT_PAD || media->fit == MEDIA_FIT_CROP
		       ? no_complaint
		       : ratio_complaint(rule, arena, &seen->sniff);
}

static void warn_seen_fitted(const struct media_rule *rule, const struct said *said,
			     const char *member, const struct media_seen *seen)
{
	struct arena *arena = said->problems->arena;
	const char *how = seen->sniff.is_video ? "converted to an MP4" : "re-encoded as a JPEG";
	const struct str pixels =
		seen->sniff.width > 0
			? str_format(arena, ", %u x %u", seen->sniff.width, seen->sniff.height)
			: STR("");
	warning_add(said->problems, said_field(said, member), "media_fitted",
		    str_format(arena,
			       "This file (%s" STR_FMT ", %" PRId64
			       " bytes) will be %s such as %s may be. Give "
			       "\"fit\": \"off\" to have it %s instead.",
			       seen->sniff.mime_type, STR_ARG(pixels), seen->size_bytes, how,
			       rule->what, seen->sniff.is_video ? "left as it is" : "refused"));
}

static void check_seen(const struct media_rule *rule, const struct said *said,
		       const struct media *media)
{
	struct arena *arena = said->problems->arena;
	const char *member = media_id_is(media->url) ? "media_id" : "url";
	enum media_fit_work work = MEDIA_FIT_NOTHING;
	if (!str_is_empty(media->seen->why)) {
		const struct complaint missing = {
			.code = MEDIA_UNREACHABLE_REASON,
			.limit = -1,
			.actual = -1,
			.sentence = str_format(arena, "this file could not be fetched: " STR_FMT,
					       STR_ARG(media->seen->why))};
		refuse_seen(said, member, &missing);
		return;
	}
	const struct complaint complaint = complaint_of_seen(rule, said, media, &work);
	if (complaint.code != NULL)
		refuse_seen(said, member, &complaint);
	else if (work == MEDIA_FIT_ENCODE || work == MEDIA_FIT_FILM)
		warn_seen_fitted(rule, said, member, media->seen);
}

void media_rule_check_said(const struct media_rule *rule, const struct post_content *post,
			   size_t flat_index, const struct rules_account *account,
			   struct problems *problems)
{
	const struct said said = {post, flat_index, account, problems};
	const struct media *media = post_media_at(post, flat_index);
	if (media == NULL)
		return;
	if (media->seen != NULL) {
		check_seen(rule, &said, media);
		return;
	}
	if (media->mime_type.len > 0)
		check_said_type(rule, &said, media->mime_type);
	check_ending(rule, &said);
	check_said_duration(rule, &said, media->duration_s);
}
