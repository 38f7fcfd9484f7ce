/* SPDX-License-Identifier: Apache-2.0
 * See person_progress.h. */
#include "person_progress.h"

#include "person_print.h"

#define LINE_COLUMNS 78
#define LINE_ERASE "\r\033[K"

void person_progress_show(struct person *person, struct person_progress *progress, struct str line)
{
	const struct str text = person_print_short(person->scratch, line, LINE_COLUMNS);
	if (str_equal(text, progress->shown) || person_wants_json(person))
		return;
	progress->shown = str_copy(person->arena, text);
	if (person->err_is_terminal)
		fputs(LINE_ERASE, person->err);
	person_print_text(person->err, text);
	if (!person->err_is_terminal)
		fputc('\n', person->err);
	progress->is_open = person->err_is_terminal;
	fflush(person->err);
}

void person_progress_end(struct person *person, struct person_progress *progress)
{
	if (progress->is_open)
		fputs(LINE_ERASE, person->err);
	progress->is_open = false;
	fflush(person->err);
}
