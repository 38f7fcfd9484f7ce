/* SPDX-License-Identifier: Apache-2.0
 * Makes docs/post-states.md from the table of legal transitions. Without an argument it prints the
 * document; with a file it checks that the file is that document, which is how a test keeps the two
 * together. Same table, same bytes. */
#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "buf.h"

#include "delivery_transitions.h"

#define DOCUMENT_MAX_BYTES ((size_t)1 << 16)

static const char before_diagram[] =
	"<!-- Made from src/store/delivery_transitions.c by tests/store/post_states.c; "
	"do not edit. -->\n"
	"# States of a platform post\n"
	"\n"
	"A post goes to one or more accounts; each of them is a platform post (inside: a delivery) "
	"with "
	"a state of its own. These are all\n"
	"the ways a state can change. There is no other: one function writes states, and it asks "
	"this "
	"table.\n"
	"\n"
	"```mermaid\n"
	"stateDiagram-v2\n"
	"    [*] --> pending: accepted\n"
	"    [*] --> scheduled: accepted with scheduled_at\n";

static const char after_diagram[] = "    published --> [*]\n"
				    "    failed --> [*]\n"
				    "```\n"
				    "\n"
				    "| from | change | to | why |\n"
				    "|---|---|---|---|\n";

static const char after_table[] =
	"\n"
	"Published and failed are final: no row leads out of them by itself. The exceptions are a "
	"person's: `try_again`\n"
	"(`POST /v1/posts/{post_id}/retry`), and `appeared`, where a publish call's outcome was "
	"unknown (the dashboard).\n"
	"\n"
	"## The state of a post\n"
	"\n"
	"It follows from its platform posts, in the same transaction: retrying if one is retrying, "
	"else "
	"processing, pending or scheduled if one\n"
	"is that, else failed if one failed, else published. `status` in lists has four values: "
	"processing and retrying show as pending.\n";

static void add_diagram(struct buf *out)
{
	for (size_t i = 0; i < delivery_transition_count; i++) {
		const struct delivery_transition *row = &delivery_transitions[i];
		buf_addf(out, "    %s --> %s: %s\n", post_state_name(row->from),
			 post_state_name(row->to), delivery_change_name(row->change));
	}
}

static void add_table(struct buf *out)
{
	for (size_t i = 0; i < delivery_transition_count; i++) {
		const struct delivery_transition *row = &delivery_transitions[i];
		buf_addf(out, "| %s | %s | %s | %s |\n", post_state_name(row->from),
			 delivery_change_name(row->change), post_state_name(row->to), row->reason);
	}
}

static int check(const char *path, struct str expected)
{
	static char found[DOCUMENT_MAX_BYTES];
	FILE *file = fopen(path, "rb");
	const size_t length = file != NULL ? fread(found, 1, sizeof(found), file) : 0;
	if (file != NULL)
		fclose(file);
	if (length == expected.len && memcmp(found, expected.ptr, length) == 0)
		return 0;
	fprintf(stderr,
		"%s is not what the table says; make it anew: tests/store/post_states > it\n",
		path);
	return 1;
}

int main(int argc, char **argv)
{
	struct arena *arena = arena_new("document", 4 * DOCUMENT_MAX_BYTES);
	struct buf out;
	buf_init(&out, arena, DOCUMENT_MAX_BYTES);
	buf_add_z(&out, before_diagram);
	add_diagram(&out);
	buf_add_z(&out, after_diagram);
	add_table(&out);
	buf_add_z(&out, after_table);
	const struct str text = buf_str(&out);
	const int status =
		argc > 1 ? check(argv[1], text) : fwrite(text.ptr, 1, text.len, stdout) != text.len;
	arena_free(&arena);
	return out.is_over ? 1 : status;
}
