/* SPDX-License-Identifier: Apache-2.0
 * The commands that call the admin API: app, credential, key, admin, audit, doctor, migrate. They
 * print its JSON unchanged; audit and doctor have lines for people too. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arena.h"
#include "buf.h"
#include "clock.h"
#include "count_of.h"
#include "timetext.h"

#include "form.h"
#include "json.h"
#include "json_write.h"

#include "quota.h"

#include "store_move.h"

#include "commands.h"
#include "control.h"
#include "service.h"

#define BODY_MAX_BYTES 65536
#define SECRET_MAX_BYTES 4096
#define DOCTOR_WARNING_STATUS 3 /* 2 is wrong use */
#define KEY_LIFETIME_MAX_S (10LL * 366 * 86400)

static int wrong_use(const char *text)
{
	fprintf(stderr, "posthorn: %s\nposthorn: see `posthorn help`\n", text);
	return 2;
}

/* 0 when the answer is a 2xx. */
static int call(const struct command *command, const char *method, struct str path, struct str body,
		struct control_answer *answer)
{
	struct error err = {0};
	if (control_call(command->settings, command->arena, method, path, body, answer, &err) !=
	    ERR_NONE) {
		fprintf(stderr, "posthorn: %s\n", err.text);
		return 1;
	}
	if (answer->status >= 200 && answer->status < 300)
		return 0;
	const struct json *json = NULL;
	struct str message = answer->body;
	if (json_parse(command->arena, answer->body, NULL, &json, NULL, NULL) == ERR_NONE)
		message = json_string(json_get(json, "message"));
	fprintf(stderr, "posthorn: " STR_FMT "\n", STR_ARG(message));
	return 1;
}

static int call_and_print(const struct command *command, const char *method, struct str path,
			  struct str body)
{
	struct control_answer answer = {0};
	int status = call(command, method, path, body, &answer);
	if (status == 0)
		printf(STR_FMT "\n", STR_ARG(answer.body));
	return status;
}

static struct str encoded(struct arena *arena, const char *text)
{
	struct buf out;
	buf_init(&out, arena, BODY_MAX_BYTES);
	percent_encode(&out, str_of(text));
	return buf_str(&out);
}

static struct str app_path(const struct command *command, const char *client_id, const char *rest)
{
	struct str id = encoded(command->arena, client_id);
	return str_format(command->arena, "/admin/apps/" STR_FMT "%s", STR_ARG(id), rest);
}

/* ---- app ---- */

static void write_redirect_urls(struct json_writer *w, const char *text)
{
	struct str rest = str_of(text), url;
	json_key(w, "redirect_urls");
	json_begin_array(w);
	while (rest.ptr != NULL && str_take_field(&rest, ' ', &url)) {
		if (!str_is_empty(url))
			json_put_str(w, url);
	}
	json_end_array(w);
}

/* "none" takes the limit away; what is no number is refused by the service. */
static void write_max_lateness(struct json_writer *w, const char *text)
{
	char *end = NULL;
	const long long seconds = strtoll(text, &end, 10);
	json_key(w, "max_lateness");
	if (strcmp(text, "none") == 0)
		json_put_null(w);
	else
		json_put_int(w, *end == '\0' ? seconds : 0);
}

/* What create and set have in common. */
static void write_settings(struct json_writer *w, const struct arguments *a)
{
	if (a->on_unknown != NULL)
		json_member_str(w, "on_unknown", str_of(a->on_unknown));
	if (a->connect_confirmation != NULL)
		json_member_str(w, "connect_confirmation", str_of(a->connect_confirmation));
	if (a->tiktok_privacy != NULL)
		json_member_str(w, "tiktok_privacy", str_of(a->tiktok_privacy));
	if (a->max_lateness != NULL)
		write_max_lateness(w, a->max_lateness);
	if (a->redirect_urls != NULL)
		write_redirect_urls(w, a->redirect_urls);
}

static void write_test(struct json_writer *w, const struct settings *settings)
{
	const struct setting *scale = &settings->values[SETTING_ID_time_scale];
	json_member_bool(w, "test", true);
	if (scale->source == SETTING_FROM_FLAG)
		json_member_int(w, "time_scale", scale->number);
}

int command_app_create(const struct command *command)
{
	const struct arguments *a = command->arguments;
	if (a->name == NULL || a->owner == NULL)
		return wrong_use("app create needs --name NAME and --owner EMAIL");
	struct buf body;
	struct json_writer w;
	buf_init(&body, command->arena, BODY_MAX_BYTES);
	json_writer_init(&w, &body);
	json_begin_object(&w);
	json_member_str(&w, "name", str_of(a->name));
	json_member_str(&w, "owner", str_of(a->owner));
	json_member_bool(&w, "live", a->live != NULL);
	if (a->test != NULL)
		write_test(&w, command->settings);
	write_settings(&w, a);
	json_end_object(&w);
	return call_and_print(command, "POST", STR("/admin/apps"), buf_str(&body));
}

int command_app_list(const struct command *command)
{
	return call_and_print(command, "GET", STR("/admin/apps"), STR(""));
}

int command_app_show(const struct command *command)
{
	return call_and_print(command, "GET", app_path(command, command->arguments->words[2], ""),
			      STR(""));
}

int command_app_set(const struct command *command)
{
	const struct arguments *a = command->arguments;
	struct buf body;
	struct json_writer w;
	buf_init(&body, command->arena, BODY_MAX_BYTES);
	json_writer_init(&w, &body);
	json_begin_object(&w);
	if (a->name != NULL)
		json_member_str(&w, "name", str_of(a->name));
	if (a->owner != NULL)
		json_member_str(&w, "owner", str_of(a->owner));
	write_settings(&w, a);
	json_end_object(&w);
	return call_and_print(command, "PATCH", app_path(command, a->words[2], ""), buf_str(&body));
}

int manage_app_delete(const struct command *command)
{
	return call_and_print(command, "DELETE",
			      app_path(command, command->arguments->words[2], ""), STR(""));
}

int manage_app_assign(const struct command *command)
{
	const struct arguments *a = command->arguments;
	struct buf body;
	struct json_writer w;
	if (a->owner == NULL)
		return wrong_use("app assign needs --owner EMAIL");
	buf_init(&body, command->arena, BODY_MAX_BYTES);
	json_writer_init(&w, &body);
	json_begin_object(&w);
	json_member_str(&w, "owner", str_of(a->owner));
	json_end_object(&w);
	return call_and_print(command, "PATCH", app_path(command, a->words[2], ""), buf_str(&body));
}

/* What is no number is refused by the service. */
static void write_quota(struct json_writer *w, enum quota quota, const char *text)
{
	char *end = NULL;
	errno = 0;
	const long long number = strtoll(text, &end, 10);
	const bool is_number = text[0] != '\0' && *end == '\0' && errno == 0;
	json_key(w, quota_name(quota));
	if (strcmp(text, "default") == 0)
		json_put_null(w);
	else if (is_number)
		json_put_int(w, number);
	else
		json_put_str(w, str_of(text));
}

int manage_app_quota(const struct command *command)
{
	const struct arguments *a = command->arguments;
	const char *const texts[QUOTA_COUNT] = {
#define QUOTA(name, word, flag, counted, advice) [QUOTA_##name] = a->word,
#include "app_quotas.def"
#undef QUOTA
	};
	const struct str path = app_path(command, a->words[2], "/quotas");
	struct buf body;
	struct json_writer w;
	size_t count = 0;
	buf_init(&body, command->arena, BODY_MAX_BYTES);
	json_writer_init(&w, &body);
	json_begin_object(&w);
	for (enum quota quota = 0; quota < QUOTA_COUNT; quota++) {
		if (texts[quota] == NULL)
			continue;
		write_quota(&w, quota, texts[quota]);
		count++;
	}
	json_end_object(&w);
	return count > 0 ? call_and_print(command, "PATCH", path, buf_str(&body))
			 : call_and_print(command, "GET", path, STR(""));
}

int command_app_action(const struct command *command)
{
	const struct arguments *a = command->arguments;
	struct str action = str_format(command->arena, "/%s", a->words[1]);
	return call_and_print(command, "POST",
			      app_path(command, a->words[2], str_z(command->arena, action)),
			      STR(""));
}

/* ---- credential ---- */

/* Without the line end that echo and editors add; spaces may belong to a password. */
static bool read_all(FILE *in, struct arena *arena, struct str *out)
{
	char *text = arena_alloc(arena, SECRET_MAX_BYTES + 1);
	size_t length = fread(text, 1, SECRET_MAX_BYTES + 1, in);
	bool is_whole = ferror(in) == 0 && length <= SECRET_MAX_BYTES;
	while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r'))
		length--;
	*out = (struct str){text, length};
	return is_whole;
}

static bool read_secret(const struct command *command, struct str *out)
{
	const struct arguments *a = command->arguments;
	if (a->client_secret_stdin != NULL)
		return read_all(stdin, command->arena, out);
	FILE *file = fopen(a->client_secret_file, "re");
	if (file == NULL)
		return false;
	bool is_good = read_all(file, command->arena, out);
	fclose(file);
	return is_good;
}

static struct str credential_path(const struct command *command, const char *action)
{
	struct str rest =
		str_format(command->arena, "/credentials/" STR_FMT "%s",
			   STR_ARG(encoded(command->arena, command->arguments->platform)), action);
	return app_path(command, command->arguments->app, str_z(command->arena, rest));
}

/* Prints the credential in any case; the exit status says whether it is verified. */
static int print_verified(const struct control_answer *answer, struct arena *arena)
{
	const struct json *json = NULL;
	printf(STR_FMT "\n", STR_ARG(answer->body));
	if (json_parse(arena, answer->body, NULL, &json, NULL, NULL) != ERR_NONE)
		return 1;
	return str_equal_z(json_string(json_get(json, "state")), "verified") ? 0 : 1;
}

int command_credential_set(const struct command *command)
{
	const struct arguments *a = command->arguments;
	struct str secret;
	if (a->app == NULL || a->platform == NULL || a->client_id == NULL)
		return wrong_use(
			"credential set needs --app CLIENT_ID, --platform SLUG and --client-id ID");
	if ((a->client_secret_file == NULL) == (a->client_secret_stdin == NULL))
		return wrong_use("credential set needs one of --client-secret-file FILE and "
				 "--client-secret-stdin");
	if (!read_secret(command, &secret)) {
		fprintf(stderr, "posthorn: cannot read the client secret\n");
		return 1;
	}
	struct buf body;
	struct json_writer w;
	buf_init(&body, command->arena, BODY_MAX_BYTES);
	json_writer_init(&w, &body);
	json_begin_object(&w);
	json_member_str(&w, "client_id", str_of(a->client_id));
	json_member_str(&w, "client_secret", secret);
	if (a->variant != NULL)
		json_member_str(&w, "variant", str_of(a->variant));
	if (a->config_id != NULL)
		json_member_str(&w, "config_id", str_of(a->config_id));
	if (a->scopes != NULL)
		json_member_str(&w, "scopes", str_of(a->scopes));
	json_member_bool(&w, "verify", a->verify != NULL);
	json_member_bool(&w, "force", a->force != NULL);
	json_end_object(&w);
	struct control_answer answer = {0};
	int status = call(command, "PUT", credential_path(command, ""), buf_str(&body), &answer);
	if (status != 0)
		return status;
	if (a->verify != NULL)
		return print_verified(&answer, command->arena);
	printf(STR_FMT "\n", STR_ARG(answer.body));
	return 0;
}

int command_credential_verify(const struct command *command)
{
	struct control_answer answer = {0};
	if (command->arguments->app == NULL || command->arguments->platform == NULL)
		return wrong_use("credential verify needs --app CLIENT_ID and --platform SLUG");
	int status = call(command, "POST", credential_path(command, "/verify"), STR(""), &answer);
	return status != 0 ? status : print_verified(&answer, command->arena);
}

int command_credential_list(const struct command *command)
{
	if (command->arguments->app == NULL)
		return wrong_use("credential list needs --app CLIENT_ID");
	return call_and_print(command, "GET",
			      app_path(command, command->arguments->app, "/credentials"), STR(""));
}

/* ---- key ---- */

/* "90d", "12h" and "3600s" in seconds; 0 for anything else. The service has the bounds. */
static int64_t lifetime_s(const char *text)
{
	static const struct {
		char letter;
		int64_t seconds;
	} units[] = {{'d', 86400}, {'h', 3600}, {'s', 1}};
	char *end = NULL;
	const long long count = strtoll(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || count > KEY_LIFETIME_MAX_S || strlen(end) != 1)
		return 0;
	for (size_t i = 0; i < COUNT_OF(units); i++) {
		if (*end == units[i].letter)
			return count * units[i].seconds;
	}
	return 0;
}

static void write_scopes(struct json_writer *w, const char *text)
{
	struct str rest = str_of(text), scope;
	json_key(w, "scopes");
	json_begin_array(w);
	while (rest.ptr != NULL && str_take_field(&rest, ',', &scope)) {
		if (!str_is_empty(str_trim(scope)))
			json_put_str(w, str_trim(scope));
	}
	json_end_array(w);
}

int manage_key_create(const struct command *command)
{
	const struct arguments *a = command->arguments;
	struct buf body;
	struct json_writer w;
	if (a->app == NULL || a->name == NULL || a->scopes == NULL)
		return wrong_use("key create needs --app CLIENT_ID, --name NAME and --scopes "
				 "read,publish,...");
	if (a->expires != NULL && lifetime_s(a->expires) == 0)
		return wrong_use("--expires must be a number of days, hours or seconds, as 90d, "
				 "12h or 3600s");
	buf_init(&body, command->arena, BODY_MAX_BYTES);
	json_writer_init(&w, &body);
	json_begin_object(&w);
	json_member_str(&w, "name", str_of(a->name));
	write_scopes(&w, a->scopes);
	if (a->expires != NULL)
		json_member_int(&w, "expires_in", lifetime_s(a->expires));
	json_end_object(&w);
	return call_and_print(command, "POST", app_path(command, a->app, "/keys"), buf_str(&body));
}

int manage_key_list(const struct command *command)
{
	if (command->arguments->app == NULL)
		return wrong_use("key list needs --app CLIENT_ID");
	return call_and_print(command, "GET", app_path(command, command->arguments->app, "/keys"),
			      STR(""));
}

int manage_key_revoke(const struct command *command)
{
	const struct str id = encoded(command->arena, command->arguments->words[2]);
	return call_and_print(command, "DELETE",
			      str_concat(command->arena, STR("/admin/keys/"), id), STR(""));
}

/* ---- admin ---- */

int command_admin_create(const struct command *command)
{
	const struct arguments *a = command->arguments;
	struct str password;
	if (a->email == NULL || a->password_stdin == NULL)
		return wrong_use("admin create needs --email EMAIL and --password-stdin");
	if (!read_all(stdin, command->arena, &password)) {
		fprintf(stderr, "posthorn: cannot read the password\n");
		return 1;
	}
	struct buf body;
	struct json_writer w;
	buf_init(&body, command->arena, BODY_MAX_BYTES);
	json_writer_init(&w, &body);
	json_begin_object(&w);
	json_member_str(&w, "email", str_of(a->email));
	json_member_str(&w, "password", password);
	if (a->role != NULL)
		json_member_str(&w, "role", str_of(a->role));
	json_end_object(&w);
	return call_and_print(command, "POST", STR("/admin/admins"), buf_str(&body));
}

/* {first: ..., second: ...} of those that are given. */
static struct str pair_body(const struct command *command, const char *first_name,
			    const char *first, const char *second_name, const char *second)
{
	struct buf body;
	struct json_writer w;
	buf_init(&body, command->arena, BODY_MAX_BYTES);
	json_writer_init(&w, &body);
	json_begin_object(&w);
	if (first != NULL)
		json_member_str(&w, first_name, str_of(first));
	if (second != NULL)
		json_member_str(&w, second_name, str_of(second));
	json_end_object(&w);
	return buf_str(&body);
}

int manage_admin_invite(const struct command *command)
{
	const struct arguments *a = command->arguments;
	if (a->email == NULL)
		return wrong_use("admin invite needs --email EMAIL");
	return call_and_print(command, "POST", STR("/admin/invitations"),
			      pair_body(command, "email", a->email, "role", a->role));
}

int manage_admin_role(const struct command *command)
{
	const struct arguments *a = command->arguments;
	if (a->role == NULL)
		return wrong_use("admin role needs --role root or --role owner");
	const struct str email = encoded(command->arena, a->words[2]);
	return call_and_print(command, "PATCH",
			      str_concat(command->arena, STR("/admin/admins/"), email),
			      pair_body(command, "role", a->role, "", NULL));
}

int manage_admin_reset_second_factor(const struct command *command)
{
	const struct str email = encoded(command->arena, command->arguments->words[2]);
	const struct str path = str_format(
		command->arena, "/admin/admins/" STR_FMT "/second-factor/reset", STR_ARG(email));
	return call_and_print(command, "POST", path, STR(""));
}

int manage_admin_setup_link(const struct command *command)
{
	const char *email = command->arguments->email;
	return call_and_print(
		command, "POST", STR("/admin/links"),
		pair_body(command, "kind", email != NULL ? "password" : "setup", "email", email));
}

int command_admin_delete(const struct command *command)
{
	struct str email = encoded(command->arena, command->arguments->words[2]);
	return call_and_print(command, "DELETE",
			      str_concat(command->arena, STR("/admin/admins/"), email), STR(""));
}

int command_admin_list(const struct command *command)
{
	return call_and_print(command, "GET", STR("/admin/admins"), STR(""));
}

/* ---- the audit trail ---- */

#define AUDIT_PAGE_BYTES ((size_t)64 << 20)
#define AUDIT_PAGE_ROWS 500

/* "7d" becomes an instant; what is a time already is left to the service. */
static struct str since_text(struct arena *arena, const char *text)
{
	const int64_t ago_s = lifetime_s(text);
	if (ago_s == 0)
		return str_of(text);
	return timetext_format_instant(arena, clock_now_us(clock_system()) - ago_s * US_PER_S);
}

static struct str audit_path(const struct command *command, struct arena *arena, int64_t before)
{
	const char *since = command->arguments->since;
	struct str path = str_format(arena, "/admin/audit?limit=%d", AUDIT_PAGE_ROWS);
	if (before > 0)
		path = str_format(arena, STR_FMT "&before=%lld", STR_ARG(path), (long long)before);
	if (since != NULL) {
		const struct str time =
			encoded(arena, str_z(arena, since_text(command->arena, since)));
		path = str_format(arena, STR_FMT "&since=" STR_FMT, STR_ARG(path), STR_ARG(time));
	}
	return path;
}

static struct str json_line(struct arena *arena, const struct json *value)
{
	struct buf line;
	struct json_writer w;
	buf_init(&line, arena, BODY_MAX_BYTES);
	json_writer_init(&w, &line);
	json_put_value(&w, value);
	return buf_str(&line);
}

/* "2026-11-22T12:00:00Z ann@example.com 192.0.2.7 app.suspend done: app phc_x {before} ->
 * {after}". */
static void print_audit_row(struct arena *arena, const struct json *row)
{
	static const char *const words[] = {"time", "actor", "source", "action", "outcome"};
	const int64_t times = json_int(json_get(row, "times"), 1);
	for (size_t i = 0; i < COUNT_OF(words); i++) {
		const struct str word = json_string(json_get(row, words[i]));
		printf("%s" STR_FMT, i > 0 ? " " : "",
		       STR_ARG(str_is_empty(word) ? STR("-") : word));
	}
	const struct str object = json_string(json_get(row, "object"));
	if (!str_is_empty(object))
		printf(": " STR_FMT, STR_ARG(object));
	if (times > 1)
		printf(" (%lld times, the last at " STR_FMT ")", (long long)times,
		       STR_ARG(json_string(json_get(row, "last_at"))));
	const struct json *before = json_get(row, "before");
	const struct json *after = json_get(row, "after");
	if (!json_is_null(before) || !json_is_null(after))
		printf(" " STR_FMT " -> " STR_FMT, STR_ARG(json_line(arena, before)),
		       STR_ARG(json_line(arena, after)));
	printf("\n");
}

/* *before: of the page that follows, 0 = none. *is_first: nothing is printed yet. */
static int print_audit_page(const struct command *command, int64_t *before, bool *is_first)
{
	const bool is_json = command->arguments->json != NULL;
	struct command page = *command;
	struct control_answer answer = {0};
	const struct json *json = NULL;
	const struct json *row = NULL;
	const struct json_limits limits = {.nodes_max = 1000000};
	page.arena = arena_new("audit page", AUDIT_PAGE_BYTES);
	int status = call(&page, "GET", audit_path(command, page.arena, *before), STR(""), &answer);
	if (status == 0 &&
	    json_parse(page.arena, answer.body, &limits, &json, NULL, NULL) != ERR_NONE) {
		fprintf(stderr, "posthorn: the service's answer cannot be read\n");
		status = 1;
	}
	if (status == 0 && is_json && *is_first)
		printf("{\"data\":[");
	for (size_t i = 0; (row = json_at(json_get(json, "data"), i)) != NULL; i++) {
		if (is_json)
			printf("%s" STR_FMT, *is_first ? "" : ",\n",
			       STR_ARG(json_line(page.arena, row)));
		else
			print_audit_row(page.arena, row);
		*is_first = false;
	}
	*before = json_int(json_get(json, "next"), 0);
	arena_free(&page.arena);
	return status;
}

int manage_audit(const struct command *command)
{
	int64_t before = 0;
	bool is_first = true;
	int status = 0;
	do
		status = print_audit_page(command, &before, &is_first);
	while (status == 0 && before > 0);
	if (status == 0 && command->arguments->json != NULL)
		printf("]}\n");
	return status;
}

/* ---- the installation ---- */

/* ok, warning, error; anything else is an error too. */
static int doctor_status(struct str severity)
{
	return str_equal_z(severity, "ok")        ? 0
	       : str_equal_z(severity, "warning") ? DOCTOR_WARNING_STATUS
						  : 1;
}

static void print_checks(const struct json *checks)
{
	const struct json *check;
	for (size_t i = 0; (check = json_at(checks, i)) != NULL; i++) {
		const struct str severity = json_string(json_get(check, "severity"));
		const struct str name = json_string(json_get(check, "check"));
		const struct str message = json_string(json_get(check, "message"));
		printf("%-8.*s %-10.*s " STR_FMT "\n", (int)severity.len, severity.ptr,
		       (int)name.len, name.ptr, STR_ARG(message));
	}
}

int command_doctor(const struct command *command)
{
	struct control_answer answer = {0};
	int status = 0;
	if (command->arguments->repair != NULL)
		status = call(command, "POST", STR("/admin/repair"), STR(""), &answer);
	if (status == 0)
		status = call(command, "GET", STR("/admin/doctor"), STR(""), &answer);
	const struct json *json = NULL;
	if (status != 0)
		return status;
	const bool is_read =
		json_parse(command->arena, answer.body, NULL, &json, NULL, NULL) == ERR_NONE;
	if (is_read && command->arguments->text != NULL)
		print_checks(json_get(json, "checks"));
	else
		printf(STR_FMT "\n", STR_ARG(answer.body));
	return is_read ? doctor_status(json_string(json_get(json, "severity"))) : 1;
}

int manage_metrics(const struct command *command)
{
	struct control_answer answer = {0};
	const int status = call(command, "GET", STR("/admin/metrics"), STR(""), &answer);
	if (status == 0)
		printf(STR_FMT, STR_ARG(answer.body));
	return status;
}

/* Never prints the URLs: they may hold a password. */
static int move_database(const struct command *command)
{
	const struct log log = service_make_log(command->settings);
	const struct store_move_config config = {.from_url = command->arguments->from,
						 .to_url = command->arguments->to,
						 .clock = clock_system(),
						 .log = &log};
	struct store_moved moved = {0};
	struct error err = {0};
	if (config.from_url == NULL || config.to_url == NULL)
		return wrong_use("a move needs --from sqlite:PATH and --to postgres://...");
	if (store_move(&config, &moved, &err) != ERR_NONE) {
		fprintf(stderr, "posthorn: %s\n", err.text);
		return 1;
	}
	printf("{\"tables\":%lld,\"rows\":%lld,\"rows_of_an_earlier_run\":%lld,\"verified\":true}"
	       "\n",
	       (long long)moved.tables, (long long)moved.rows, (long long)moved.resumed);
	return 0;
}

int command_migrate(const struct command *command)
{
	if (command->arguments->from != NULL || command->arguments->to != NULL)
		return move_database(command);
	/* Opening the store migrates it: every command does that, this one nothing else. */
	return call_and_print(command, "GET", STR("/admin/schema"), STR(""));
}
