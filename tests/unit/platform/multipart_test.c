/* SPDX-License-Identifier: Apache-2.0
 * Multipart bodies as RFC 7578 wants them, with and without a file from the spool. */
#include "multipart.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"

#include "platform.h"

struct fixture {
	struct arena *arena;
	struct env env;
	struct step step;
	struct call *call;
};

static int set_up(void **state)
{
	static struct fixture f;
	f = (struct fixture){.arena = arena_new("multipart", 32 << 20)};
	f.env = (struct env){.arena = f.arena, .access_token = STR("token-1")};
	f.call = step_send(&f.step, CALL_PREPARE, "POST", STR("https://graph.example/photos"));
	*state = &f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	arena_free(&f->arena);
	return 0;
}

/* As the words below write it. */
static struct str with_boundary(struct fixture *f, const char *text, struct str boundary)
{
	struct str rest = str_of(text), piece, out = STR("");
	while (str_take_field(&rest, '@', &piece)) {
		out = str_concat(f->arena, out, piece);
		if (rest.ptr != NULL)
			out = str_concat(f->arena, out, boundary);
	}
	return out;
}

static void assert_text(struct fixture *f, struct str got, const char *want, struct str boundary)
{
	const struct str wanted = with_boundary(f, want, boundary);
	assert_int_equal(got.len, wanted.len);
	assert_memory_equal(got.ptr, wanted.ptr, wanted.len);
}

static void fields_alone_make_a_whole_body(void **state)
{
	struct fixture *f = *state;
	struct multipart m;
	multipart_begin(&m, &f->env, STR("flow-1"));
	multipart_field(&m, "caption", STR("a \"b\"\r\n--c"));
	multipart_field(&m, "published", STR(""));
	multipart_bytes(&m, "thumb", "t.jpg", "image/jpeg", STR("\xff\xd8!x"));
	multipart_end(&m, f->call);
	assert_text(
		f, f->call->body,
		"--@\r\nContent-Disposition: form-data; name=\"caption\"\r\n\r\na \"b\"\r\n--c\r\n"
		"--@\r\nContent-Disposition: form-data; name=\"published\"\r\n\r\n\r\n"
		"--@\r\nContent-Disposition: form-data; name=\"thumb\"; filename=\"t.jpg\"\r\n"
		"Content-Type: image/jpeg\r\n\r\n\xff\xd8!x\r\n--@--\r\n",
		m.boundary);
}

static void a_file_stands_between_head_and_tail(void **state)
{
	struct fixture *f = *state;
	struct multipart m;
	multipart_begin(&m, &f->env, STR("flow-1"));
	multipart_field(&m, "a", STR("1"));
	multipart_file(&m, "source", "clip.mp4", "video/mp4", 2, 4096, 1024);
	multipart_field(&m, "b", STR("2"));
	multipart_end(&m, f->call);
	assert_text(
		f, f->call->body,
		"--@\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n"
		"--@\r\nContent-Disposition: form-data; name=\"source\"; filename=\"clip.mp4\"\r\n"
		"Content-Type: video/mp4\r\n\r\n",
		m.boundary);
	assert_text(f, f->call->body_tail,
		    "\r\n--@\r\nContent-Disposition: form-data; name=\"b\"\r\n\r\n2\r\n--@--\r\n",
		    m.boundary);
	assert_true(f->call->has_media_body);
	assert_int_equal(f->call->media_index, 2);
	assert_int_equal(f->call->media_offset_bytes, 4096);
	assert_int_equal(f->call->media_length_bytes, 1024);
}

static void the_call_names_the_boundary(void **state)
{
	struct fixture *f = *state;
	struct multipart m;
	multipart_begin(&m, &f->env, STR("flow-1"));
	multipart_end(&m, f->call);
	assert_false(f->call->has_media_body);
	assert_int_equal(f->call->header_count, 1);
	assert_string_equal(f->call->headers[0].name, "Content-Type");
	assert_text(f, f->call->headers[0].value, "multipart/form-data; boundary=@", m.boundary);
	assert_text(f, f->call->body, "--@--\r\n", m.boundary);
	/* RFC 2046 5.1.1: at most 70 characters, and none that would need quotes. */
	assert_true(m.boundary.len >= 24 && m.boundary.len <= 70);
	for (size_t i = 0; i < m.boundary.len; i++)
		assert_non_null(strchr("abcdefghijklmnopqrstuvwxyz0123456789-", m.boundary.ptr[i]));
}

static struct str boundary(struct fixture *f, const char *salt)
{
	struct multipart m;
	multipart_begin(&m, &f->env, str_of(salt));
	return m.boundary;
}

/* The same after a crash; another for another post; and nobody without the token can foretell
 * it. */
static void the_boundary_follows_salt_and_token(void **state)
{
	struct fixture *f = *state;
	const struct str first = boundary(f, "flow-1");
	assert_true(str_equal(first, boundary(f, "flow-1")));
	assert_false(str_equal(first, boundary(f, "flow-2")));
	f->env.access_token = STR("token-2");
	assert_false(str_equal(first, boundary(f, "flow-1")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(fields_alone_make_a_whole_body, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_file_stands_between_head_and_tail, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(the_call_names_the_boundary, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_boundary_follows_salt_and_token, set_up,
						tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
