/* SPDX-License-Identifier: Apache-2.0
 * See version_end.h. */
#include "version_end.h"

#include "count_of.h"
#include "timetext.h"

#include "platform.h"

struct known_end {
	const char *version;
	struct civil_date date;
};

/* meta.md 1 */
static const struct known_end graph_ends[] = {
	{"v20.0", {2026, 9, 24}}, {"v21.0", {2027, 1, 21}}, {"v22.0", {2027, 5, 20}},
	{"v23.0", {2027, 10, 8}}, {"v24.0", {2028, 2, 18}}, {"v25.0", {2028, 7, 29}},
};

/* linkedin.md 8; the others end about the middle of their month a year later. */
static const struct known_end linkedin_ends[] = {
	{"202508", {2026, 8, 17}}, {"202510", {2026, 10, 15}}, {"202511", {2026, 11, 16}},
	{"202601", {2027, 1, 15}}, {"202602", {2027, 2, 15}},  {"202603", {2027, 3, 16}},
};

#define WARN_US (60 * US_PER_DAY)
#define LINKEDIN_END_DAY 15
#define YEAR_MIN 2020
#define YEAR_MAX 2099

static int64_t known_end_us(const struct known_end *known, size_t count, struct str version)
{
	for (size_t i = 0; i < count; i++) {
		if (str_equal_z(version, known[i].version))
			return timetext_date_us(known[i].date);
	}
	return 0;
}

static int64_t linkedin_end_us(struct str version)
{
	uint64_t number = 0;
	const int64_t known_us = known_end_us(linkedin_ends, COUNT_OF(linkedin_ends), version);
	if (known_us != 0)
		return known_us;
	if (version.len != 6 || !str_parse_u64(version, &number))
		return 0;
	const int year = (int)(number / 100);
	const int month = (int)(number % 100);
	if (year < YEAR_MIN || year > YEAR_MAX || month < 1 || month > 12)
		return 0;
	return timetext_date_us((struct civil_date){year + 1, month, LINKEDIN_END_DAY});
}

bool version_end_is_near(const struct version_end *end, int64_t now_us)
{
	return end->ends_at_us <= now_us + WARN_US;
}

size_t version_ends(const struct platform_settings *settings,
		    struct version_end ends[VERSION_ENDS_MAX])
{
	const struct version_end all[VERSION_ENDS_MAX] = {
		{"graph-version", "Facebook and Instagram", settings->graph_version,
		 known_end_us(graph_ends, COUNT_OF(graph_ends), settings->graph_version)},
		{"linkedin-version", "LinkedIn", settings->linkedin_version,
		 linkedin_end_us(settings->linkedin_version)},
	};
	size_t count = 0;
	for (size_t i = 0; i < COUNT_OF(all); i++) {
		if (all[i].ends_at_us != 0)
			ends[count++] = all[i];
	}
	return count;
}
