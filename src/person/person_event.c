/* SPDX-License-Identifier: Apache-2.0
 * See person_event.h. */
#include "person_event.h"

#include "event.h"
#include "known.h"

#include "person_print.h"

static enum person_status wrong_event(struct person *person, struct str name)
{
	const char *names[EVENT_KIND_COUNT + 1];
	for (int i = 0; i < EVENT_KIND_COUNT; i++)
		names[i] = event_kind_name((enum event_kind)i);
	names[EVENT_KIND_COUNT] = NULL;
	const char *meant = known_nearest(name, names);
	const struct str shown = str_slice(name, 0, 60);
	return person_say_wrong(person, "--events: no event is called \"" STR_FMT "\"%s%s%s",
				STR_ARG(shown), meant != NULL ? "; did you mean " : "",
				meant != NULL ? meant : "", meant != NULL ? "?" : "");
}

enum person_status person_event_read(struct person *person, int64_t *mask_out)
{
	const char *value;
	*mask_out = person_flag_is_given(person->flags, PERSON_FLAG_events) ? 0 : EVENT_MASK_ALL;
	for (size_t i = 0; (value = person_flag_at(person->flags, PERSON_FLAG_events, i)) != NULL;
	     i++) {
		struct str rest = str_of(value);
		struct str name;
		while (rest.ptr != NULL && str_take_field(&rest, ',', &name)) {
			const enum event_kind kind = event_kind_of_name(str_trim(name));
			if (kind == EVENT_KIND_COUNT)
				return wrong_event(person, name);
			*mask_out |= INT64_C(1) << kind;
		}
	}
	return PERSON_DONE;
}
