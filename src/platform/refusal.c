/* SPDX-License-Identifier: Apache-2.0
 * Error tables and the clocks that quotas run by. */
#include "refusal.h"

#include "clock.h"
#include "timetext.h"

#include "httpdate.h"
#include "utf8.h"

void refusal_marker_add(struct refusal_facts *facts, struct str marker)
{
	if (!str_is_empty(marker) && facts->marker_count < REFUSAL_MARKERS_MAX)
		facts->markers[facts->marker_count++] = marker;
}

static bool facts_have_marker(const struct refusal_facts *facts, const char *marker)
{
	for (size_t i = 0; i < facts->marker_count; i++) {
		if (str_equal_z(facts->markers[i], marker))
			return true;
	}
	return false;
}

static bool refusal_fits(const struct refusal *row, const struct refusal_facts *facts)
{
	return (row->status == 0 || row->status == facts->status) &&
	       (row->marker == NULL || facts_have_marker(facts, row->marker)) &&
	       (row->words == NULL || str_find(facts->message, str_of(row->words), 0) != SIZE_MAX);
}

const struct refusal *refusal_find(const struct refusal *rows, const struct refusal_facts *facts)
{
	const struct refusal *row = rows;
	while (!refusal_fits(row, facts) && row[1].sentence != NULL)
		row++;
	return row;
}

void refusal_fail(const struct refusal *rows, const struct env *env,
		  const struct refusal_facts *facts, const struct reply *reply, struct step *step)
{
	const struct refusal *row = refusal_find(rows, facts);
	struct failure *failure = step_fail(step, row->class, row->code, str_of(row->sentence));
	if (facts->marker_count > 0)
		failure->platform_code = facts->markers[0];
	failure->platform_message = utf8_cut_bytes(facts->message, PLATFORM_MESSAGE_MAX_BYTES);
	if (!failure_is_transient(row->class))
		return;
	const struct str advice = reply_header(reply, "Retry-After");
	if (!httpdate_parse_retry_after(advice, env->now_us, &failure->retry_after_ms))
		refusal_advise(row->wait, env->now_us, failure);
}

bool refusal_is_certain(const struct refusal_facts *facts)
{
	return facts->is_readable || facts->status == 401 || facts->status == 429;
}

static int64_t ms_until(int64_t then_us, int64_t now_us)
{
	return (then_us - now_us + US_PER_MS - 1) / US_PER_MS;
}

/* 00:00 UTC of the nth Sunday of a month. */
static int64_t nth_sunday_us(int year, int month, int nth)
{
	const int64_t first_us = timetext_date_us((struct civil_date){year, month, 1});
	const int64_t weekday =
		(timetext_day_number(first_us) + 4) % 7; /* 1970-01-01 was a Thursday; 0 = Sunday */
	const int64_t days_to_sunday = (7 - weekday) % 7;
	return first_us + (days_to_sunday + 7 * (nth - 1)) * US_PER_DAY;
}

/* Behind UTC: 7 hours from the second Sunday of March, 02:00 local (10:00 UTC), to the first Sunday
 * of November, 02:00 local (09:00 UTC); else 8. Energy Policy Act of 2005, section 110. */
static int64_t pacific_behind_us(int64_t us)
{
	const int year = timetext_date(us).year;
	const int64_t summer_us = nth_sunday_us(year, 3, 2) + 10 * US_PER_HOUR;
	const int64_t winter_us = nth_sunday_us(year, 11, 1) + 9 * US_PER_HOUR;
	return us >= summer_us && us < winter_us ? 7 * US_PER_HOUR : 8 * US_PER_HOUR;
}

/* The next 00:00 in California, where Google's quotas start again (youtube.md 3). Strictly
 * after now_us. */
static int64_t pacific_midnight_us(int64_t now_us)
{
	const int64_t behind_us = pacific_behind_us(now_us);
	const int64_t local_midnight_us =
		(timetext_day_number(now_us - behind_us) + 1) * US_PER_DAY;
	/* The clock may be changed between now and then; midnight itself never lies within a
	 * change. */
	return local_midnight_us + pacific_behind_us(local_midnight_us + behind_us);
}

int64_t refusal_wait_ms(enum refusal_wait wait, int64_t now_us)
{
	switch (wait) {
	case WAIT_BY_SCHEDULE:
		return 0;
	case WAIT_MINUTE:
		return US_PER_MINUTE / US_PER_MS;
	case WAIT_QUARTER_TO_MIDNIGHT_UTC:
		return 15 * US_PER_MINUTE / US_PER_MS;
	case WAIT_DAY:
		return US_PER_DAY / US_PER_MS;
	case WAIT_MIDNIGHT_UTC:
		return ms_until((timetext_day_number(now_us) + 1) * US_PER_DAY, now_us);
	case WAIT_MIDNIGHT_PACIFIC:
		return ms_until(pacific_midnight_us(now_us), now_us);
	}
	return 0;
}

void refusal_advise(enum refusal_wait wait, int64_t now_us, struct failure *failure)
{
	const int64_t wait_ms = refusal_wait_ms(wait, now_us);
	const bool grows = wait == WAIT_MINUTE || wait == WAIT_QUARTER_TO_MIDNIGHT_UTC;
	failure->retry_after_ms = grows ? 0 : wait_ms;
	failure->retry_floor_ms = grows ? wait_ms : 0;
	failure->retry_reset_ms = wait == WAIT_QUARTER_TO_MIDNIGHT_UTC
					  ? refusal_wait_ms(WAIT_MIDNIGHT_UTC, now_us)
					  : 0;
}
