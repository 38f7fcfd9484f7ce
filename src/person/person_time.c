/* SPDX-License-Identifier: Apache-2.0
 * See person_time.h. */
#include "person_time.h"

#include <stdio.h>

#include "clock.h"
#include "count_of.h"
#include "timetext.h"

#define DAYS_AHEAD_MAX 36500
#define MINUTE_BYTES 16 /* YYYY-MM-DDTHH:MM */

static bool relative(struct str text, int64_t now_us, int64_t *us_out)
{
	static const struct {
		char unit;
		int64_t us;
	} units[] = {{'m', US_PER_MINUTE}, {'h', US_PER_HOUR}, {'d', US_PER_DAY}};
	uint64_t count = 0;
	if (!str_skip(&text, STR("+")) || !str_take_u64(&text, 6, &count) || text.len != 1)
		return false;
	for (size_t i = 0; i < COUNT_OF(units); i++) {
		if (text.ptr[0] == units[i].unit &&
		    count <= (uint64_t)(DAYS_AHEAD_MAX * US_PER_DAY / units[i].us)) {
			*us_out = now_us + (int64_t)count * units[i].us;
			return true;
		}
	}
	return false;
}

/* "Z", "z", "+HH:MM" or "-HH:MM": how far it is ahead of UTC. */
static bool take_zone(struct str text, int64_t *ahead_us_out)
{
	uint64_t hours = 0;
	uint64_t minutes = 0;
	*ahead_us_out = 0;
	if (str_equal_nocase(text, STR("Z")))
		return true;
	const bool is_behind = str_skip(&text, STR("-"));
	if (!is_behind && !str_skip(&text, STR("+")))
		return false;
	if (text.len != 5 || !str_take_u64(&text, 2, &hours) || !str_skip(&text, STR(":")) ||
	    !str_take_u64(&text, 2, &minutes) || !str_is_empty(text) || hours > 23 || minutes > 59)
		return false;
	const int64_t us = (int64_t)hours * US_PER_HOUR + (int64_t)minutes * US_PER_MINUTE;
	*ahead_us_out = is_behind ? -us : us;
	return true;
}

bool person_time_parse(struct str text, int64_t now_us, int64_t *us_out)
{
	char whole[64];
	int64_t us = 0;
	int64_t ahead_us = 0;
	if (relative(text, now_us, us_out))
		return true;
	if (text.len <= MINUTE_BYTES || text.len > 40 ||
	    (text.ptr[10] != 'T' && text.ptr[10] != 't' && text.ptr[10] != ' '))
		return false;
	size_t zone_at = MINUTE_BYTES;
	while (zone_at < text.len && (text.ptr[zone_at] == ':' || text.ptr[zone_at] == '.' ||
				      (text.ptr[zone_at] >= '0' && text.ptr[zone_at] <= '9')))
		zone_at++;
	const struct str seconds = str_slice(text, MINUTE_BYTES, zone_at);
	if (!take_zone(str_slice(text, zone_at, text.len), &ahead_us))
		return false;
	snprintf(whole, sizeof(whole), "%.10sT%.5s" STR_FMT "Z", text.ptr, text.ptr + 11,
		 STR_ARG(str_is_empty(seconds) ? STR(":00") : seconds));
	if (!timetext_parse_instant(str_of(whole), &us) || us < ahead_us)
		return false;
	*us_out = us - ahead_us;
	return true;
}
