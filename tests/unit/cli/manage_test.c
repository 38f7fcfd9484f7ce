/* SPDX-License-Identifier: Apache-2.0
 * The commands that call the admin API: exit status and what they print. No service runs. */
#include "cli_fixture.h"

struct run {
	int status;
	const char *out;
	const char *err;
};

static const char *text_of(struct fixture *fx, FILE *file)
{
	char *text = arena_alloc(fx->arena, 65536);
	rewind(file);
	text[fread(text, 1, 65535, file)] = '\0';
	fclose(file);
	return text;
}

static int redirect(int fd, FILE *to)
{
	int before = dup(fd);
	assert_true(before >= 0 && dup2(fileno(to), fd) >= 0);
	return before;
}

static void restore(int fd, int before)
{
	dup2(before, fd);
	close(before);
}

/* Words separated by blanks. input: what standard input holds; empty for most. */
static struct run run(struct fixture *fx, int (*function)(const struct command *), const char *line,
		      const char *input)
{
	struct str rest = str_of(line), word;
	char *argv[32] = {NULL};
	int argc = 1;
	struct arguments arguments;
	struct error err = {0};
	while (rest.ptr != NULL && str_take_field(&rest, ' ', &word))
		argv[argc++] = str_z(fx->arena, word);
	ok(arguments_parse(argc, argv, &arguments, &fx->settings, &err), &err);
	const struct command command = {fx->arena, &fx->settings, &arguments};
	FILE *out = tmpfile(), *error = tmpfile();
	assert_true(out != NULL && error != NULL);
	assert_non_null(freopen(str_z(fx->arena, file_with(fx, input)), "r", stdin));
	fflush(stdout);
	int stdout_before = redirect(STDOUT_FILENO, out);
	int stderr_before = redirect(STDERR_FILENO, error);
	int status = function(&command);
	fflush(stdout);
	restore(STDOUT_FILENO, stdout_before);
	restore(STDERR_FILENO, stderr_before);
	return (struct run){status, text_of(fx, out), text_of(fx, error)};
}

static const struct json *assert_done(struct fixture *fx, struct run run)
{
	const struct json *json = NULL;
	struct error err = {0};
	if (run.status != 0)
		fail_msg("%d: %s%s", run.status, run.out, run.err);
	ok(json_parse(fx->arena, str_trim(str_of(run.out)), NULL, &json, NULL, &err), &err);
	return json;
}

/* posthorn-fit need not lie beside a test: of that the doctor may warn, and of nothing else. */
static void assert_well_but_for_fit(struct fixture *fx, struct run run)
{
	const struct json *json = NULL;
	struct error err = {0};
	bool is_fit_there = true;
	ok(json_parse(fx->arena, str_trim(str_of(run.out)), NULL, &json, NULL, &err), &err);
	const struct json *checks = json_get(json, "checks");
	assert_true(checks != NULL && checks->count > 0);
	for (size_t i = 0; i < checks->count; i++) {
		const struct json *check = json_at(checks, i);
		const bool is_well = json_bool(json_get(check, "ok"), false);
		if (str_equal_z(json_string(json_get(check, "check")), "fit"))
			is_fit_there = is_well;
		else if (!is_well)
			fail_msg("%s", run.out);
	}
	assert_int_equal(run.status, is_fit_there ? 0 : 3);
}

static void assert_not_done(struct run run, int status, const char *word)
{
	assert_int_equal(run.status, status);
	assert_string_equal(run.out, "");
	assert_true(str_has_prefix(str_of(run.err), STR("posthorn: ")));
	if (strstr(run.err, word) == NULL)
		fail_msg("%s", run.err);
}

static const char *made_app(struct fixture *fx)
{
	const struct json *app = assert_done(
		fx, run(fx, command_app_create, "app create --name One --owner a@b.example", ""));
	return str_z(fx->arena, json_string(json_get(app, "client_id")));
}

static const char *line(struct fixture *fx, const char *before, const char *client_id,
			const char *after)
{
	return str_z(fx->arena, str_format(fx->arena, "%s%s%s", before, client_id, after));
}

static void apps(void **state)
{
	struct fixture *fx = *state;
	const char *id = made_app(fx);
	const struct json *shown =
		assert_done(fx, run(fx, command_app_show, line(fx, "app show ", id, ""), ""));
	assert_true(str_equal_z(json_string(json_get(shown, "state")), "draft"));
	assert_int_equal(
		json_get(assert_done(fx, run(fx, command_app_list, "app list", "")), "data")->count,
		1);
	assert_not_done(run(fx, command_app_action, line(fx, "app go-live ", id, ""), ""), 1,
			"no verified platform credential");
	assert_done(fx, run(fx, command_app_action, line(fx, "app suspend ", id, ""), ""));
	assert_done(fx, run(fx, command_app_action, line(fx, "app rotate-secret ", id, ""), ""));
	assert_not_done(run(fx, command_app_show, "app show phc_none", ""), 1, "No such app");
	assert_not_done(run(fx, command_app_show, "app show ../admins", ""), 1, "No such app");
	assert_not_done(run(fx, command_app_create, "app create --owner a@b.example", ""), 2,
			"--name");
	assert_not_done(run(fx, command_app_create, "app create --name x --owner nobody", ""), 1,
			"email");
}

static void what_may_be_set(void **state)
{
	struct fixture *fx = *state;
	const char *id = made_app(fx);
	const char *one = line(
		fx, "app set --redirect-urls https://a.example --on-unknown retry_once --name Two ",
		id, "");
	const struct json *app = assert_done(fx, run(fx, command_app_set, one, ""));
	assert_true(str_equal_z(json_string(json_get(app, "name")), "Two"));
	assert_true(str_equal_z(json_string(json_get(app, "on_unknown")), "retry_once"));
	assert_int_equal(json_get(app, "redirect_urls")->count, 1);
	app = assert_done(
		fx, run(fx, command_app_set, line(fx, "app set --redirect-urls= ", id, ""), ""));
	assert_int_equal(json_get(app, "redirect_urls")->count, 0);
	assert_true(str_equal_z(json_string(json_get(app, "on_unknown")), "retry_once"));
	assert_not_done(
		run(fx, command_app_set, line(fx, "app set --on-unknown maybe ", id, ""), ""), 1,
		"on_unknown");
	assert_not_done(run(fx, command_app_set, "app set phc_none", ""), 1, "No such app");
}

static void credentials(void **state)
{
	struct fixture *fx = *state;
	const char *id = made_app(fx);
	const char *all =
		line(fx, "credential set --platform x --client-id i --client-secret-stdin --app ",
		     id, "");
	const struct json *made = assert_done(fx, run(fx, command_credential_set, all, "hush\n"));
	assert_true(str_equal_z(json_string(json_get(made, "state")), "pending"));
	struct run listed =
		run(fx, command_credential_list, line(fx, "credential list --app ", id, ""), "");
	assert_int_equal(json_get(assert_done(fx, listed), "data")->count, 1);
	assert_null(strstr(listed.out, "hush"));
	assert_not_done(run(fx, command_credential_set, all, ""), 1, "client_secret");
	assert_not_done(run(fx, command_credential_set,
			    line(fx, "credential set --platform x --client-id i --app ", id, ""),
			    ""),
			2, "--client-secret-file");
	assert_not_done(
		run(fx, command_credential_set,
		    line(fx, "credential set --platform x --client-secret-stdin --app ", id, ""),
		    "x"),
		2, "--client-id");
	assert_not_done(run(fx, command_credential_set,
			    line(fx,
				 "credential set --platform x --client-id i --client-secret-file "
				 "/no/such --app ",
				 id, ""),
			    ""),
			1, "cannot read");
	assert_not_done(run(fx, command_credential_verify, "credential verify --platform x", ""), 2,
			"--app");
	assert_not_done(run(fx, command_credential_list, "credential list", ""), 2, "--app");
}

static void too_long_a_secret_is_not_cut(void **state)
{
	struct fixture *fx = *state;
	const char *id = made_app(fx);
	char secret[4200];
	memset(secret, 'x', sizeof(secret) - 1);
	secret[sizeof(secret) - 1] = '\0';
	const char *all =
		line(fx, "credential set --platform x --client-id i --client-secret-stdin --app ",
		     id, "");
	assert_not_done(run(fx, command_credential_set, all, secret), 1, "cannot read");
}

static void admins(void **state)
{
	struct fixture *fx = *state;
	const struct json *made =
		assert_done(fx, run(fx, command_admin_create,
				    "admin create --email Jo@b.example --password-stdin",
				    "  spaces at both ends  \r\n"));
	assert_true(str_equal_z(json_string(json_get(made, "email")), "jo@b.example"));
	assert_not_done(run(fx, command_admin_create,
			    "admin create --email ann@b.example --password-stdin", "1234567\n"),
			1, "password");
	assert_not_done(run(fx, command_admin_create, "admin create --email ann@b.example", ""), 2,
			"--password-stdin");
	assert_int_equal(
		json_get(assert_done(fx, run(fx, command_admin_list, "admin list", "")), "data")
			->count,
		1);
	assert_done(fx, run(fx, command_admin_delete, "admin delete JO@b.example", ""));
	assert_not_done(run(fx, command_admin_delete, "admin delete jo@b.example", ""), 1,
			"No such admin");
}

static void the_installation(void **state)
{
	struct fixture *fx = *state;
	const struct json *schema = assert_done(fx, run(fx, command_migrate, "migrate", ""));
	assert_true(json_int(json_get(schema, "schema_version"), 0) >= 1);
	assert_well_but_for_fit(fx, run(fx, command_doctor, "doctor", ""));
	made_app(fx);
	assert_done(fx, run(fx, command_admin_delete, "admin delete a@b.example", ""));
	struct run ill = run(fx, command_doctor, "doctor", "");
	assert_int_equal(ill.status, 1);
	assert_non_null(strstr(ill.out, "admin_not_found"));
	/* is done whatever else is wrong */
	assert_done(fx, run(fx, command_migrate, "migrate", ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLI_TEST(apps),        CLI_TEST(what_may_be_set),
		CLI_TEST(credentials), CLI_TEST(too_long_a_secret_is_not_cut),
		CLI_TEST(admins),      CLI_TEST(the_installation),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
