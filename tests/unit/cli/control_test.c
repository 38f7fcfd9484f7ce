/* SPDX-License-Identifier: Apache-2.0
 * Calling the admin API with a service and without, and while somebody else has the database. */
#include "cli_fixture.h"

#include <pthread.h>
#include <time.h>

#define CREATE "{\"name\":\"a\",\"owner\":\"a@b.example\"}"

static struct control_answer call(struct fixture *fx, const char *method, const char *path,
				  const char *body)
{
	struct control_answer answer = {0};
	struct error err = {0};
	ok(control_call(&fx->settings, fx->arena, method, str_of(path), str_of(body), &answer,
			&err),
	   &err);
	return answer;
}

static size_t count_apps(struct fixture *fx)
{
	const struct json *list = NULL;
	struct error err = {0};
	struct control_answer answer = call(fx, "GET", "/admin/apps", "");
	assert_int_equal(answer.status, 200);
	ok(json_parse(fx->arena, answer.body, NULL, &list, NULL, &err), &err);
	return json_get(list, "data")->count;
}

static void both_ways_answer_alike(void **state)
{
	struct fixture *fx = *state;
	assert_int_equal(call(fx, "POST", "/admin/apps", CREATE).status, 201);
	assert_int_equal(call(fx, "POST", "/admin/apps", "{").status, 400);
	assert_int_equal(call(fx, "GET", "/admin/nothing", "").status, 404);
	struct service *service = serve(fx);
	assert_int_equal(call(fx, "POST", "/admin/apps", CREATE).status, 201);
	assert_int_equal(call(fx, "POST", "/admin/apps", "{").status, 400);
	assert_int_equal(call(fx, "GET", "/admin/nothing", "").status, 404);
	assert_int_equal(count_apps(fx), 2);
	service_close(&service);
	assert_int_equal(count_apps(fx), 2);
}

/* What kill -9 leaves behind. */
static void a_dead_socket_is_passed_by(void **state)
{
	struct fixture *fx = *state;
	assert_int_equal(count_apps(fx), 0);
	FILE *out = fopen(service_control_path(&fx->settings), "w");
	assert_non_null(out);
	fclose(out);
	assert_int_equal(count_apps(fx), 0);
}

struct caller {
	struct fixture *fx;
	pthread_t thread;
	enum err_kind kind;
	int status;
	struct error err;
};

static void *create_app(void *argument)
{
	struct caller *caller = argument;
	struct arena *arena = arena_new("caller", (size_t)64 << 20);
	struct settings settings = caller->fx->settings;
	struct control_answer answer = {0};
	settings.arena = arena;
	caller->kind = control_call(&settings, arena, "POST", STR("/admin/apps"), STR(CREATE),
				    &answer, &caller->err);
	caller->status = answer.status;
	arena_free(&arena);
	return NULL;
}

static void several_at_once_take_turns(void **state)
{
	struct fixture *fx = *state;
	struct caller callers[4];
	for (size_t i = 0; i < 4; i++) {
		callers[i] = (struct caller){.fx = fx};
		assert_int_equal(pthread_create(&callers[i].thread, NULL, create_app, &callers[i]),
				 0);
	}
	for (size_t i = 0; i < 4; i++) {
		pthread_join(callers[i].thread, NULL);
		ok(callers[i].kind, &callers[i].err);
		assert_int_equal(callers[i].status, 201);
	}
	assert_int_equal(count_apps(fx), 4);
}

static void a_service_that_just_starts_answers_by_its_socket(void **state)
{
	struct fixture *fx = *state;
	const struct timespec moment = {.tv_nsec = 200 * 1000000L};
	struct service *service = NULL;
	struct error err = {0};
	struct caller caller = {.fx = fx};
	ok(service_open(&fx->settings, true, &service, &err), &err);
	assert_int_equal(pthread_create(&caller.thread, NULL, create_app, &caller), 0);
	nanosleep(&moment, NULL);
	ok(service_listen(service, &err), &err);
	pthread_join(caller.thread, NULL);
	ok(caller.kind, &caller.err);
	assert_int_equal(caller.status, 201);
	service_close(&service);
}

static void who_keeps_the_database_is_named_in_the_end(void **state)
{
	struct fixture *fx = *state;
	struct service *service = NULL;
	struct control_answer answer = {0};
	struct error err = {0};
	ok(service_open(&fx->settings, true, &service, &err), &err);
	assert_int_equal(control_call(&fx->settings, fx->arena, "GET", STR("/admin/apps"), STR(""),
				      &answer, &err),
			 ERR_CONFLICT);
	assert_non_null(strstr(err.text, "in use by process"));
	service_close(&service);
}

static void a_path_too_long_for_a_socket_has_no_service(void **state)
{
	struct fixture *fx = *state;
	fixture_flag(fx, "data",
		     str_z(fx->arena, str_format(fx->arena, "%s/%0100d", fx->directory, 0)));
	assert_int_equal(count_apps(fx), 0);
	struct service *service = NULL;
	struct error err = {0};
	ok(service_open(&fx->settings, true, &service, &err), &err);
	assert_int_equal(service_listen(service, &err), ERR_INVALID);
	/* the first of its sockets, with or without test apps */
	assert_non_null(strstr(err.text, ".sock"));
	service_close(&service);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLI_TEST(both_ways_answer_alike),
		CLI_TEST(a_dead_socket_is_passed_by),
		CLI_TEST(several_at_once_take_turns),
		CLI_TEST(a_service_that_just_starts_answers_by_its_socket),
		CLI_TEST(who_keeps_the_database_is_named_in_the_end),
		CLI_TEST(a_path_too_long_for_a_socket_has_no_service),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
