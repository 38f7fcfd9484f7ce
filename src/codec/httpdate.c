/* SPDX-License-Identifier: Apache-2.0
 * HTTP dates. The weekday must be one, but need not be the right one: a platform with wrong
 * weekdays still says how long to wait. */
#include "httpdate.h"

#include <stddef.h>
#include <time.h>

#include "clock.h"
#include "count_of.h"
#include "timetext.h"

#define RETRY_AFTER_MS_MAX (US_PER_DAY / US_PER_MS)

static const struct str weekdays[] = {{"Sun", 3}, {"Mon", 3}, {"Tue", 3}, {"Wed", 3},
				      {"Thu", 3}, {"Fri", 3}, {"Sat", 3}};
static const struct str months[] = {{"Jan", 3}, {"Feb", 3}, {"Mar", 3}, {"Apr", 3},
				    {"May", 3}, {"Jun", 3}, {"Jul", 3}, {"Aug", 3},
				    {"Sep", 3}, {"Oct", 3}, {"Nov", 3}, {"Dec", 3}};

static bool take_name(struct str *in, const struct str *names, size_t count, size_t *index_out)
{
	for (size_t i = 0; i < count; i++) {
		if (str_skip(in, names[i])) {
			*index_out = i;
			return true;
		}
	}
	return false;
}

/* Exactly count digits. */
static bool take_number(struct str *in, size_t count, uint64_t max, int *out)
{
	struct str rest = *in;
	uint64_t value;
	if (!str_take_u64(&rest, count, &value) || in->len - rest.len != count || value > max)
		return false;
	*in = rest;
	*out = (int)value;
	return true;
}

struct clock_time {
	int hour;
	int minute;
	int second;
};

static bool take_time(struct str *in, struct clock_time *time)
{
	/* RFC 9110, 5.6.7 allows second 60; it is the next minute's first here. */
	return take_number(in, 2, 23, &time->hour) && str_skip(in, STR(":")) &&
	       take_number(in, 2, 59, &time->minute) && str_skip(in, STR(":")) &&
	       take_number(in, 2, 60, &time->second);
}

bool httpdate_parse(struct str text, int64_t *us_out)
{
	size_t weekday;
	size_t month;
	struct civil_date date;
	struct clock_time time;
	if (!take_name(&text, weekdays, COUNT_OF(weekdays), &weekday) ||
	    !str_skip(&text, STR(", ")) || !take_number(&text, 2, 31, &date.day) ||
	    !str_skip(&text, STR(" ")) || !take_name(&text, months, COUNT_OF(months), &month) ||
	    !str_skip(&text, STR(" ")) || !take_number(&text, 4, 9999, &date.year) ||
	    !str_skip(&text, STR(" ")) || !take_time(&text, &time) ||
	    !str_skip(&text, STR(" GMT")) || !str_is_empty(text))
		return false;
	date.month = (int)month + 1;
	if (!timetext_date_is_valid(date))
		return false;
	*us_out = timetext_date_us(date) + time.hour * US_PER_HOUR + time.minute * US_PER_MINUTE +
		  time.second * US_PER_S;
	return true;
}

static int64_t clamp_ms(int64_t ms)
{
	if (ms < 0)
		return 0;
	return ms > RETRY_AFTER_MS_MAX ? RETRY_AFTER_MS_MAX : ms;
}

static bool is_all_digits(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] < '0' || s.ptr[i] > '9')
			return false;
	}
	return !str_is_empty(s);
}

bool httpdate_parse_retry_after(struct str text, int64_t now_us, int64_t *ms_out)
{
	int64_t at_us;
	text = str_trim(text);
	if (httpdate_parse(text, &at_us)) {
		*ms_out = clamp_ms((at_us - now_us) / US_PER_MS);
		return true;
	}
	const bool is_negative = str_skip(&text, STR("-"));
	if (!is_all_digits(text))
		return false;
	/* What does not even fit a number of 64 bits is absurd like any other number of years. */
	uint64_t seconds;
	const bool is_long =
		!str_parse_u64(text, &seconds) || seconds > (uint64_t)RETRY_AFTER_MS_MAX / 1000;
	if (is_negative)
		*ms_out = 0;
	else
		*ms_out = is_long ? RETRY_AFTER_MS_MAX : (int64_t)seconds * 1000;
	return true;
}

struct str httpdate_write(struct arena *arena, int64_t at_us)
{
	const time_t at_s = (time_t)(at_us / US_PER_S);
	struct tm tm = {0};
	gmtime_r(&at_s, &tm);
	return str_format(arena, STR_FMT ", %02d " STR_FMT " %04d %02d:%02d:%02d GMT",
			  STR_ARG(weekdays[tm.tm_wday % 7]), tm.tm_mday,
			  STR_ARG(months[tm.tm_mon % 12]), tm.tm_year + 1900, tm.tm_hour, tm.tm_min,
			  tm.tm_sec);
}
