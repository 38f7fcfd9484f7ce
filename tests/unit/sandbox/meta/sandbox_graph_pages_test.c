/* SPDX-License-Identifier: Apache-2.0
 * The person, the business and the Pages on the simulated Graph (meta.md
 * 2.6). */
#include "graph_flow.h"

#define ACCOUNT_FIELDS \
	"?fields=id,name,username,access_token,tasks,picture.type(large)%7Burl%7D," \
	"instagram_business_account%7Bid,username,name,profile_picture_url%7D&limit=100"

static size_t list_pages(struct probe *probe, struct str user, const char *path,
			 const struct json **out, size_t max)
{
	size_t count = 0;
	for (int i = 0; i < 10 && path != NULL; i++) {
		const struct probe_answer answer = graph_get(probe, user, path);
		assert_status(answer, 200);
		const struct json *data = json_get(answer.json, "data");
		for (size_t j = 0; j < data->count && count < max; j++)
			out[count++] = json_at(data, j);
		const struct str next =
			json_string(json_get(json_get(answer.json, "paging"), "next"));
		if (next.len > 0)
			assert_true(str_has_prefix(next, sandbox_base_url(probe->sandbox)));
		path = next.len > 0 ? probe_z(probe, next) : NULL;
	}
	return count;
}

static void accounts_come_in_pages(void **state)
{
	struct probe *probe = *state;
	const struct str user = graph_login(probe, "facebook", FACEBOOK_SCOPE ",instagram_basic");
	const struct json *first_page =
		json_get(graph_get(probe, user, GRAPH "/me/accounts" ACCOUNT_FIELDS).json, "data");
	assert_int_equal(first_page->count, 2);
	const struct json *pages[10];
	assert_int_equal(list_pages(probe, user, GRAPH "/me/accounts" ACCOUNT_FIELDS, pages, 10),
			 3);
	assert_str(json_string(json_get(pages[0], "id")), BAKERY);
	assert_str(json_string(json_get(pages[0], "username")), "harbourbakery");
	assert_true(json_string(json_get(pages[0], "access_token")).len > 100);
	assert_str(
		json_string(json_get(json_get(pages[0], "instagram_business_account"), "username")),
		"harbour.bakery");
	assert_str(json_string(json_get(json_get(pages[1], "instagram_business_account"), "id")),
		   BOOKS_IG);
	assert_null(json_get(pages[1], "username"));
	assert_str(json_string(json_get(pages[2], "id")), CINEMA);
	assert_null(json_get(pages[2], "access_token"));
	assert_null(json_get(pages[2], "instagram_business_account"));
	const struct str picture =
		json_string(json_get(json_get(json_get(pages[0], "picture"), "data"), "url"));
	assert_status(graph_get(probe, (struct str){0}, probe_z(probe, picture)), 200);
}

static void businesses_list_the_same_pages(void **state)
{
	struct probe *probe = *state;
	const struct str user = graph_login(probe, "facebook", FACEBOOK_SCOPE);
	const struct probe_answer answer = graph_get(probe, user, GRAPH "/me/businesses");
	const struct str business =
		json_string(json_get(json_at(json_get(answer.json, "data"), 0), "id"));
	const char *owned =
		probe_z(probe, str_format(probe->arena, GRAPH "/" STR_FMT "/owned_pages%s",
					  STR_ARG(business), ACCOUNT_FIELDS));
	const struct json *pages[10];
	assert_int_equal(list_pages(probe, user, owned, pages, 10), 3);
	assert_null(json_get(pages[2], "access_token"));
	const char *client =
		probe_z(probe, str_format(probe->arena, GRAPH "/" STR_FMT "/client_pages",
					  STR_ARG(business)));
	assert_int_equal(list_pages(probe, user, client, pages, 10), 0);
}

static void unticked_permissions_are_declined(void **state)
{
	struct probe *probe = *state;
	const struct probe_answer asked =
		graph_dialog_ask(probe, "facebook", "pages_show_list,pages_manage_posts",
				 "&sandbox_decision=allow&sandbox_choice=&sandbox_choice=" BOOKS
				 "&sandbox_choice=pages_show_list");
	const struct probe_answer short_token =
		graph_exchange(probe, "facebook", probe_location_param(probe, &asked, "code"));
	const struct str user = probe_json_string(&short_token, "access_token");
	const struct json *rows =
		json_get(graph_get(probe, user, GRAPH "/me/permissions").json, "data");
	bool has_declined = false;
	for (size_t i = 0; i < rows->count; i++) {
		const struct json *row = json_at(rows, i);
		if (str_equal_z(json_string(json_get(row, "permission")), "pages_manage_posts"))
			has_declined =
				str_equal_z(json_string(json_get(row, "status")), "declined");
	}
	assert_true(has_declined);
	const struct json *pages[10];
	assert_int_equal(
		list_pages(probe, user, GRAPH "/me/accounts?fields=id,access_token", pages, 10), 3);
	assert_null(json_get(pages[0], "access_token"));
	assert_non_null(json_get(pages[1], "access_token"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(accounts_come_in_pages, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(businesses_list_the_same_pages, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(unticked_permissions_are_declined, probe_open,
						probe_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
