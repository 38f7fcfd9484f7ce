/* SPDX-License-Identifier: Apache-2.0
 * webhooks: list, create, show, change, delete, rotate. */
#include "person_fixture.h"

#define BASE "http://service.example/v1/webhooks"
#define LOST .outcome = TRANSFER_LOST, .error_text = "reset"
#define WEBHOOK_MORE(events, state, more) \
	"{\"id\":\"" ID_1 "\",\"url\":\"https://a.example/\\u001bhook\",\"events\":[" events \
	"]," state \
	",\"created_at\":\"2027-01-15T08:00:00.5Z\",\"updated_at\":\"2027-01-15T08:00:00Z\"" more \
	"}"
#define WEBHOOK(events, state) WEBHOOK_MORE(events, state, "")
#define ON "\"enabled\":true,\"disabled_reason\":null,\"failing_since\":null"
#define OFF "\"enabled\":false,\"disabled_reason\":null,\"failing_since\":null"
#define GONE "\"enabled\":false,\"disabled_reason\":\"410 Gone\",\"failing_since\":null"
#define FAILING \
	"\"enabled\":true,\"disabled_reason\":null,\"failing_since\":\"2027-01-15T08:00:00.5Z\""
#define ALL \
	"\"post.publish.succeeded\",\"post.publish.failed\",\"post.completed\"," \
	"\"connection.completed\",\"account.reauth_required\",\"test\",\"user.erased\"," \
	"\"account.expiring\",\"draft.created\",\"draft.rejected\",\"post.removed\"," \
	"\"post.removal_failed\",\"post.media_problem\",\"post.id_found\""
#define NOT_FOUND .status = 404, .body = "{\"message\":\"No.\",\"error\":\"NOT_FOUND\"}"

static void list(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(
		desk, .match = "GET " BASE,
		.body = "{\"data\":[" WEBHOOK(ALL, ON) "," WEBHOOK("\"test\"", GONE) "," WEBHOOK(
			"\"test\",\"post.completed\"", FAILING) "," WEBHOOK("\"test\"", OFF) "]}");
	assert_int_equal(DESK_RUN(desk, "webhooks"), PERSON_DONE);
	desk_said(desk->out, "ADDRESS");
	desk_said(desk->out, "https://a.example/ hook  all                   on ");
	desk_said(desk->out, "off: 410 Gone ");
	desk_said(desk->out, "test, post.completed  failing since 2027-01-15T08:00:00Z  " ID_1);
	desk_said(desk->out, "  off  ");
}

static void show(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "GET " BASE "/a%2Fb",
		    .body = "{\"data\":" WEBHOOK("\"test\"", ON) "}");
	assert_int_equal(DESK_RUN(desk, "webhooks", "show", "a/b"), PERSON_DONE);
	assert_string_equal(desk->out, "Webhook     " ID_1 "\n"
				       "Address     https://a.example/ hook\n"
				       "Events      test\n"
				       "State       on\n"
				       "Created     2027-01-15T08:00:00Z\n");
	DESK_ANSWER(desk, .match = "GET", NOT_FOUND);
	assert_int_equal(DESK_RUN(desk, "webhooks", "show", ID_1), PERSON_FAILED);
	desk_said(desk->err, "NOT_FOUND");
}

#define CREATED "{\"data\":" WEBHOOK_MORE("\"test\"", ON, ",\"secret\":\"whsec_abc\"") "}"

static void create(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "POST " BASE, .status = 201, .body = CREATED, .times = 2);
	assert_int_equal(DESK_RUN(desk, "webhooks", "create", "https://a.example/"), PERSON_DONE);
	assert_string_equal(fake_nth(&desk->fake, "POST", 0)->body,
			    "{\"url\":\"https://a.example/\"}");
	desk_said(desk->out, "\nSecret      whsec_abc\n");
	assert_string_equal(desk->err, "Keep the secret: it is shown only now.\n");
	const size_t size = desk->err_size;
	assert_int_equal(DESK_RUN(desk, "webhooks", "create", "u", "--disable", "--json",
				  "--events", "test,post.completed"),
			 PERSON_DONE);
	assert_string_equal(
		fake_nth(&desk->fake, "POST", 1)->body,
		"{\"url\":\"u\",\"events\":[\"post.completed\",\"test\"],\"enabled\":false}");
	desk_said(desk->out, CREATED "\n");
	assert_int_equal(desk->err_size, size);
}

static void a_create_is_made_once(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "POST", LOST, .times = 9);
	assert_int_equal(DESK_RUN(desk, "webhooks", "create", "u"), PERSON_FAILED);
	assert_int_equal(fake_count(&desk->fake, "POST"), 1);
	desk_said(desk->err, "look with `posthorn webhooks`, and delete it");
	assert_int_equal(DESK_RUN(desk, "webhooks", "rotate", ID_1), PERSON_FAILED);
	assert_int_equal(fake_count(&desk->fake, "POST"), 2);
	desk_said(desk->err, "may be replaced by one that nobody knows");
}

static void change(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "PATCH " BASE "/" ID_1,
		    .body = "{\"data\":" WEBHOOK("\"test\"", ON) "}", .times = 3);
	assert_int_equal(DESK_RUN(desk, "webhooks", "change", ID_1, "--address", "u", "--events",
				  "test", "--enable"),
			 PERSON_DONE);
	assert_string_equal(fake_nth(&desk->fake, "PATCH", 0)->body,
			    "{\"url\":\"u\",\"events\":[\"test\"],\"enabled\":true}");
	desk_said(desk->out, "State       on\n");
	assert_int_equal(DESK_RUN(desk, "webhooks", "change", ID_1, "--disable"), PERSON_DONE);
	assert_string_equal(fake_nth(&desk->fake, "PATCH", 1)->body, "{\"enabled\":false}");
}

static void wrong_use(void **state)
{
	struct desk *desk = *state;
	assert_int_equal(DESK_RUN(desk, "webhooks", "change", ID_1), PERSON_WRONG_USE);
	desk_said(desk->err, "nothing is to change: give --address, --events, --enable or");
	assert_int_equal(DESK_RUN(desk, "webhooks", "change", ID_1, "--enable", "--disable"),
			 PERSON_WRONG_USE);
	desk_said(desk->err, "do not go together");
	assert_int_equal(DESK_RUN(desk, "webhooks", "create", "u", "--events", "tset"),
			 PERSON_WRONG_USE);
	desk_said(desk->err, "did you mean test?");
	assert_int_equal(fake_count(&desk->fake, "http"), 0);
}

static void delete_and_rotate(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "DELETE", LOST);
	DESK_ANSWER(desk, .match = "DELETE " BASE "/" ID_1, NOT_FOUND, .times = 2);
	assert_int_equal(DESK_RUN(desk, "webhooks", "delete", ID_1), PERSON_DONE);
	assert_string_equal(desk->out, "Deleted: nothing more is sent to webhook " ID_1 ".\n");
	assert_int_equal(DESK_RUN(desk, "webhooks", "delete", ID_1), PERSON_FAILED);
	desk_said(desk->err, "NOT_FOUND");
	DESK_ANSWER(desk, .match = "POST " BASE "/" ID_1 "/rotate", .body = CREATED);
	assert_int_equal(DESK_RUN(desk, "webhooks", "rotate", ID_1), PERSON_DONE);
	desk_said(desk->out, "Secret      whsec_abc\n");
	desk_said(desk->err, "Keep the secret");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DESK_TEST(list),
		DESK_TEST(show),
		DESK_TEST(create),
		DESK_TEST(a_create_is_made_once),
		DESK_TEST(change),
		DESK_TEST(wrong_use),
		DESK_TEST(delete_and_rotate),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
