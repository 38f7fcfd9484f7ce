/* SPDX-License-Identifier: Apache-2.0
 * Forms with files, however they are cut into pieces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "form_data.h"

struct seen {
	char text[512];
	size_t len;
	bool refuses_part;
	bool refuses_bytes;
};

static void note(struct seen *seen, struct str text)
{
	assert_true(seen->len + text.len < sizeof(seen->text));
	memcpy(seen->text + seen->len, text.ptr, text.len);
	seen->len += text.len;
}

static bool on_part(void *context, const struct form_data_part *part)
{
	struct seen *seen = context;
	note(seen, STR("["));
	note(seen, part->name);
	note(seen, STR("|"));
	note(seen, part->file_name);
	note(seen, STR("]"));
	return !seen->refuses_part;
}

static bool on_bytes(void *context, struct str bytes)
{
	struct seen *seen = context;
	note(seen, bytes);
	return !seen->refuses_bytes;
}

static enum form_data_state read_all(struct seen *seen, struct str body, size_t piece)
{
	struct form_data form;
	const struct form_data_sink sink = {on_part, on_bytes, seen};
	form_data_init(&form, STR("b"), &sink);
	for (size_t at = 0; at < body.len; at += piece) {
		if (!form_data_push(
			    &form,
			    str_slice(body, at, at + piece < body.len ? at + piece : body.len)))
			break;
	}
	return form.state;
}

static void assert_read(const char *body, enum form_data_state state, const char *expected)
{
	for (size_t piece = 1; piece <= strlen(body); piece++) {
		struct seen seen = {.len = 0};
		assert_int_equal(read_all(&seen, str_of(body), piece), state);
		assert_string_equal(seen.text, expected);
	}
}

static void parts_are_told_and_their_bytes_given(void **state)
{
	(void)state;
	assert_read(
		"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a; b.jpg\"\r\n"
		"Content-Type: image/jpeg\r\n\r\nwal\r\n--\r\nnut\r\n--b--\r\nafter",
		FORM_DATA_ENDED, "[file|a; b.jpg]wal\r\n--\r\nnut");
	assert_read("before\r\n--b \t\r\ncontent-disposition: form-data; name=x\r\n\r\n1\r\n"
		    "--b\r\nContent-Disposition: form-data; name=\"y\"\r\n\r\n\r\n--b--",
		    FORM_DATA_ENDED, "[x|]1[y|]");
	assert_read("--b\r\n\r\n\r\r\n\r\n-\r\n--b--", FORM_DATA_ENDED, "[|]\r\r\n\r\n-");
	assert_read("--b--", FORM_DATA_ENDED, "");
}

static void what_is_cut_or_broken_says_so(void **state)
{
	(void)state;
	assert_read("--b\r\n\r\nwalnut", FORM_DATA_BYTES, "[|]walnut");
	assert_read("--b\r\nContent-Disposition: f", FORM_DATA_HEADERS, "");
	assert_read("--bc\r\n\r\n", FORM_DATA_BROKEN, "");
	assert_read("nothing", FORM_DATA_BEFORE, "");
}

static void heads_have_a_ceiling(void **state)
{
	(void)state;
	static char body[FORM_DATA_HEADERS_MAX_BYTES + 64];
	memset(body, 'a', sizeof(body) - 1);
	memcpy(body, "--b\r\n", 5);
	struct seen seen = {.len = 0};
	assert_int_equal(read_all(&seen, str_of(body), 1000), FORM_DATA_BROKEN);
}

static void the_sink_can_end_it(void **state)
{
	(void)state;
	struct seen no_part = {.refuses_part = true};
	struct seen no_bytes = {.refuses_bytes = true};
	const struct str body = STR("--b\r\n\r\nwalnut\r\n--b--");
	assert_int_equal(read_all(&no_part, body, 3), FORM_DATA_STOPPED);
	assert_int_equal(read_all(&no_bytes, body, 3), FORM_DATA_STOPPED);
}

static void boundaries(void **state)
{
	(void)state;
	struct str boundary = {0};
	assert_true(form_data_boundary(STR("Multipart/Form-Data; charset=x; Boundary=\"a b\""),
				       &boundary));
	assert_true(str_equal(boundary, STR("a b")));
	assert_true(form_data_boundary(STR("multipart/form-data;boundary=a"), &boundary));
	assert_false(form_data_boundary(STR("multipart/form-data"), &boundary));
	assert_false(form_data_boundary(STR("multipart/form-data; boundary="), &boundary));
	assert_false(form_data_boundary(STR("multipart/form-data; boundary=\"a"), &boundary));
	assert_false(form_data_boundary(STR("multipart/mixed; boundary=a"), &boundary));
	char long_one[128] = "multipart/form-data; boundary=";
	memset(long_one + strlen(long_one), 'a', FORM_DATA_BOUNDARY_MAX + 1);
	assert_false(form_data_boundary(str_of(long_one), &boundary));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_are_told_and_their_bytes_given),
		cmocka_unit_test(what_is_cut_or_broken_says_so),
		cmocka_unit_test(heads_have_a_ceiling),
		cmocka_unit_test(the_sink_can_end_it),
		cmocka_unit_test(boundaries),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
