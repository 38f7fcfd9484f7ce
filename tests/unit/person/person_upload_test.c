/* SPDX-License-Identifier: Apache-2.0
 * A large file goes up in pieces: its progress at a terminal, lost answers, and refusals. */
#include "person_fixture.h"

#include <unistd.h>

#include "person_upload.h"

#define FILE_BYTES (9 << 20)
#define ERASE "\r\033[K"
#define STARTED \
	.match = "POST", .status = 201, .body = "{}", .header_name = "Location", \
	.header_value = "http://elsewhere/v1/media/uploads/up_1"

/* Of no bytes that are written: the place on the disk is not taken. */
static char *make_file(void)
{
	char *path = strdup("/tmp/posthorn-upload-XXXXXX");
	assert_non_null(path);
	const int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, FILE_BYTES), 0);
	close(fd);
	return path;
}

static enum person_status upload(struct desk *desk, struct str *id_out)
{
	char *path = make_file();
	DESK_PARSE(desk, "upload", path);
	desk->person.err_is_terminal = true;
	const enum person_status status = person_upload_file(&desk->person, path, id_out);
	fflush(desk->person.err);
	unlink(path);
	free(path);
	return status;
}

static void in_pieces(void **state)
{
	struct desk *desk = *state;
	struct str id;
	DESK_ANSWER(desk, STARTED);
	DESK_ANSWER(desk, .match = "PATCH", .outcome = TRANSFER_LOST);
	DESK_ANSWER(desk, .match = "GET", .header_name = "Upload-Offset",
		    .header_value = "4194304");
	DESK_ANSWER(desk, .match = "PATCH", .status = 204, .header_name = "Posthorn-Media-Id",
		    .header_value = "med_1");
	assert_int_equal(upload(desk, &id), PERSON_DONE);
	assert_true(str_equal_z(id, "med_1"));
	assert_int_equal(fake_nth(&desk->fake, "PATCH", 1)->body_offset_bytes, 4194304);
	assert_string_equal(desk->err,
			    ERASE "0 % of 9.4 MB sent" ERASE "44 % of 9.4 MB sent" ERASE);
}

static void refused_at_once(void **state)
{
	struct desk *desk = *state;
	struct str id;
	DESK_ANSWER(desk, .match = "POST", .status = 403,
		    .body = "{\"message\":\"No scope.\",\"error\":\"INSUFFICIENT_SCOPE\"}");
	assert_int_equal(upload(desk, &id), PERSON_FAILED);
	assert_true(str_is_empty(id));
	assert_string_equal(desk->err, "posthorn: No scope. (INSUFFICIENT_SCOPE)\n");
}

static void refused_on_the_way(void **state)
{
	struct desk *desk = *state;
	struct str id;
	DESK_ANSWER(desk, STARTED);
	DESK_ANSWER(desk, .match = "PATCH", .status = 415,
		    .body = "{\"message\":\"No image.\",\"error\":\"UNSUPPORTED_MEDIA_TYPE\"}");
	assert_int_equal(upload(desk, &id), PERSON_FAILED);
	/* what is said begins on a clean line */
	desk_said(desk->err, "sent" ERASE "posthorn: No image. (UNSUPPORTED_MEDIA_TYPE)\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DESK_TEST(in_pieces),
		DESK_TEST(refused_at_once),
		DESK_TEST(refused_on_the_way),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
