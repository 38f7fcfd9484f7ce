/* SPDX-License-Identifier: Apache-2.0
 * Instants as text. The calendar is computed here: libc's gmtime and timegm depend on time zones.
 * Years are counted from 1 March, so that the leap day is the last of its year and month lengths
 * follow a fixed rule. */
#include "timetext.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "arena.h"
#include "clock.h"

#define DAYS_PER_ERA 146097 /* 400 years of the Gregorian calendar */
#define ERA_DAY_1970 719468 /* days from 1 March of year 0 to 1 January 1970 */

static bool is_leap_year(int year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int days_in_month(int year, int month)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	return month == 2 && is_leap_year(year) ? 29 : days[month - 1];
}

/* Division that rounds down, for instants before 1970. */
static int64_t floor_div(int64_t value, int64_t by)
{
	return value / by - (value % by < 0 ? 1 : 0);
}

bool timetext_date_is_valid(struct civil_date date)
{
	return date.year >= 1 && date.year <= 9999 && date.month >= 1 && date.month <= 12 &&
	       date.day >= 1 && date.day <= days_in_month(date.year, date.month);
}

static int64_t day_of_date(struct civil_date date)
{
	const int64_t year = date.month <= 2 ? date.year - 1 : date.year;
	const int64_t month = date.month <= 2 ? date.month + 9 : date.month - 3; /* March = 0 */
	const int64_t era = floor_div(year, 400);
	const int64_t year_of_era = year - era * 400;
	const int64_t day_of_year = (153 * month + 2) / 5 + date.day - 1;
	const int64_t day_of_era =
		year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
	return era * DAYS_PER_ERA + day_of_era - ERA_DAY_1970;
}

static struct civil_date date_of_day(int64_t day)
{
	const int64_t shifted = day + ERA_DAY_1970;
	const int64_t era = floor_div(shifted, DAYS_PER_ERA);
	const int64_t day_of_era = shifted - era * DAYS_PER_ERA;
	const int64_t year_of_era =
		(day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
	const int64_t day_of_year =
		day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	const int64_t month = (5 * day_of_year + 2) / 153; /* March = 0 */
	const int64_t year = era * 400 + year_of_era + (month >= 10 ? 1 : 0);
	return (struct civil_date){
		.year = (int)year,
		.month = (int)(month < 10 ? month + 3 : month - 9),
		.day = (int)(day_of_year - (153 * month + 2) / 5 + 1),
	};
}

/* Exactly count digits with a value from min to max. */
static bool take_digits(struct str *in, size_t count, int min, int max, int *out)
{
	struct str rest = *in;
	uint64_t value;
	if (!str_take_u64(&rest, count, &value) || in->len - rest.len != count)
		return false;
	if (value < (uint64_t)min || value > (uint64_t)max)
		return false;
	*in = rest;
	*out = (int)value;
	return true;
}

static bool take_date(struct str *in, struct civil_date *out)
{
	struct str rest = *in;
	struct civil_date date;
	if (!take_digits(&rest, 4, 1, 9999, &date.year) || !str_skip(&rest, STR("-")) ||
	    !take_digits(&rest, 2, 1, 12, &date.month) || !str_skip(&rest, STR("-")) ||
	    !take_digits(&rest, 2, 1, 31, &date.day) || !timetext_date_is_valid(date))
		return false;
	*in = rest;
	*out = date;
	return true;
}

static bool take_time(struct str *in, int64_t *us_out)
{
	struct str rest = *in;
	int hour;
	int minute;
	int second;
	if (!take_digits(&rest, 2, 0, 23, &hour) || !str_skip(&rest, STR(":")) ||
	    !take_digits(&rest, 2, 0, 59, &minute) || !str_skip(&rest, STR(":")) ||
	    !take_digits(&rest, 2, 0, 59, &second))
		return false;
	*in = rest;
	*us_out = hour * US_PER_HOUR + minute * US_PER_MINUTE + second * US_PER_S;
	return true;
}

/* Nothing, or a point and 1 to 9 digits; those after the sixth are dropped. A tenth digit is left
 * for the caller to reject. */
static bool take_fraction(struct str *in, int64_t *us_out)
{
	struct str rest = *in;
	uint64_t value;
	*us_out = 0;
	if (!str_skip(&rest, STR(".")))
		return true;
	const size_t before = rest.len;
	if (!str_take_u64(&rest, 9, &value))
		return false;
	for (size_t digits = before - rest.len; digits < 9; digits++)
		value *= 10;
	*in = rest;
	*us_out = (int64_t)(value / 1000);
	return true;
}

bool timetext_parse_instant(struct str text, int64_t *us_out)
{
	struct civil_date date;
	int64_t time_us;
	int64_t fraction_us;
	if (!take_date(&text, &date) || !str_skip(&text, STR("T")) || !take_time(&text, &time_us) ||
	    !take_fraction(&text, &fraction_us) || !str_skip(&text, STR("Z")) ||
	    !str_is_empty(text))
		return false;
	if (date.year < 1970)
		return false;
	*us_out = timetext_date_us(date) + time_us + fraction_us;
	return true;
}

bool timetext_parse_date(struct str text, struct civil_date *date_out)
{
	struct civil_date date;
	if (!take_date(&text, &date) || !str_is_empty(text))
		return false;
	*date_out = date;
	return true;
}

int64_t timetext_date_us(struct civil_date date)
{
	assert(date.month >= 1 && date.month <= 12);
	return day_of_date(date) * US_PER_DAY;
}

int64_t timetext_day_number(int64_t us)
{
	return floor_div(us, US_PER_DAY);
}

/* Not us - day * US_PER_DAY: near the least int64 that would overflow. */
static int64_t us_of_day(int64_t us)
{
	const int64_t rest = us % US_PER_DAY;
	return rest < 0 ? rest + US_PER_DAY : rest;
}

struct civil_date timetext_date(int64_t us)
{
	return date_of_day(timetext_day_number(us));
}

/* Returns where the next character goes. */
static char *put_number(char *out, int value, int digits, char after)
{
	for (int i = digits - 1; i >= 0; i--) {
		out[i] = (char)('0' + value % 10);
		value /= 10;
	}
	out[digits] = after;
	return out + digits + 1;
}

/* Every answer and every line of the log has one: without printf, but for years of other
 * lengths. */
size_t timetext_write_instant(char out[TIMETEXT_INSTANT_BYTES], int64_t us)
{
	const struct civil_date date = timetext_date(us);
	const int64_t in_day = us_of_day(us);
	const int fraction = (int)(in_day % US_PER_S);
	char *at = date.year >= 0 && date.year <= 9999
			   ? put_number(out, date.year, 4, '-')
			   : out + snprintf(out, TIMETEXT_INSTANT_BYTES, "%04d-", date.year);
	at = put_number(at, date.month, 2, '-');
	at = put_number(at, date.day, 2, 'T');
	at = put_number(at, (int)(in_day / US_PER_HOUR), 2, ':');
	at = put_number(at, (int)(in_day / US_PER_MINUTE % 60), 2, ':');
	at = put_number(at, (int)(in_day / US_PER_S % 60), 2, fraction != 0 ? '.' : 'Z');
	if (fraction != 0) {
		at = put_number(at, fraction, 6, 'Z') - 1;
		while (at[-1] == '0')
			at--;
		*at++ = 'Z';
	}
	*at = '\0';
	return (size_t)(at - out);
}

struct str timetext_format_instant(struct arena *arena, int64_t us)
{
	char text[TIMETEXT_INSTANT_BYTES];
	const size_t len = timetext_write_instant(text, us);
	return str_copy(arena, (struct str){text, len});
}
