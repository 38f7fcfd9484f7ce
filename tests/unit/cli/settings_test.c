/* SPDX-License-Identifier: Apache-2.0
 * Settings: flags win over the environment, the environment over the file; whatever is wrong is one
 * clear line. */
#include "settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arena.h"
#include "count_of.h"

struct given {
	struct arena *arena;
	struct settings settings;
	struct error err;
	char path[64]; /* of the INI file */
};

static int begin(void **state)
{
	struct given *given = test_calloc(1, sizeof(*given));
	given->arena = arena_new("test", 1 << 20);
	snprintf(given->path, sizeof(given->path), "/tmp/settings-test-XXXXXX");
	int fd = mkstemp(given->path);
	assert_true(fd >= 0);
	close(fd);
	settings_init(&given->settings, given->arena);
	*state = given;
	return 0;
}

static int end(void **state)
{
	struct given *given = *state;
	unlink(given->path);
	arena_free(&given->arena);
	test_free(given);
	return 0;
}

static void flag(struct given *given, const char *name, const char *value)
{
	assert_int_equal(settings_set_flag(&given->settings, str_of(name), value, &given->err),
			 ERR_NONE);
}

static enum err_kind finish(struct given *given, const char *const *environment, const char *file)
{
	if (file != NULL) {
		FILE *out = fopen(given->path, "w");
		assert_non_null(out);
		fputs(file, out);
		fclose(out);
		flag(given, "config", given->path);
	}
	return settings_finish(&given->settings, (char *const *)environment, &given->err);
}

static const char *const nothing[] = {NULL};

static void defaults(void **state)
{
	struct given *given = *state;
	assert_int_equal(finish(given, nothing, NULL), ERR_NONE);
	assert_string_equal(settings_text(&given->settings, SETTING_ID_data), "./posthorn-data");
	assert_string_equal(settings_text(&given->settings, SETTING_ID_listen), "127.0.0.1:8080");
	assert_int_equal(settings_number(&given->settings, SETTING_ID_rate_limit), 600);
	assert_int_equal(settings_number(&given->settings, SETTING_ID_token_failure_limit), 10);
	assert_int_equal(given->settings.values[SETTING_ID_media_port].list_count, 2);
	assert_int_equal(given->settings.values[SETTING_ID_media_allow].list_count, 0);
}

static void flag_before_environment_before_file(void **state)
{
	static const char *const environment[] = {
		"POSTHORN_TOKEN_TTL=2222", "POSTHORN_RATE_LIMIT=22", "POSTHORN_DATA=/env", NULL};
	struct given *given = *state;
	flag(given, "token-ttl", "1111");
	assert_int_equal(
		finish(given, environment,
		       "[posthorn]\ntoken-ttl = 3333\nrate-limit = 33\ntoken-failure-limit = 3\n"),
		ERR_NONE);
	assert_int_equal(settings_number(&given->settings, SETTING_ID_token_ttl), 1111);
	assert_int_equal(settings_number(&given->settings, SETTING_ID_rate_limit), 22);
	assert_int_equal(settings_number(&given->settings, SETTING_ID_token_failure_limit), 3);
	assert_string_equal(settings_text(&given->settings, SETTING_ID_data), "/env");
}

static void what_was_changed_is_told_without_secrets(void **state)
{
	static const char *const environment[] = {"POSTHORN_DATABASE=postgres://u:secret@h/n",
						  "POSTHORN_RATE_LIMIT=600", NULL};
	struct given *given = *state;
	flag(given, "media-port", "8080");
	flag(given, "media-port", "8443");
	flag(given, "log-level", "debug");
	assert_int_equal(finish(given, environment, "threads = 3\n"), ERR_NONE);
	struct arena *arena = given->settings.arena;
	const struct str expected = str_format(
		arena, "database=*** config=%s log-level=debug media-port=8080,8443 threads=3",
		settings_text(&given->settings, SETTING_ID_config));
	assert_string_equal(str_z(arena, settings_changed(&given->settings, arena)),
			    str_z(arena, expected));
}

static void lists_add_up_within_a_source_only(void **state)
{
	static const char *const environment[] = {"POSTHORN_MEDIA_ALLOW=10.0.0.0/8, fd00::/8,",
						  "POSTHORN_MEDIA_PORT=1", NULL};
	struct given *given = *state;
	flag(given, "media-port", "8080");
	flag(given, "media-port", "8443,8444");
	assert_int_equal(finish(given, environment, "media-allow = 192.168.0.0/16\n"), ERR_NONE);
	const struct setting *ports = &given->settings.values[SETTING_ID_media_port];
	const struct setting *allow = &given->settings.values[SETTING_ID_media_allow];
	assert_int_equal(ports->list_count, 3);
	assert_string_equal(ports->list[0], "8080");
	assert_string_equal(ports->list[2], "8444");
	assert_int_equal(allow->list_count, 2);
	assert_string_equal(allow->list[1], "fd00::/8");
}

static void lists_of_the_file_add_up(void **state)
{
	struct given *given = *state;
	assert_int_equal(finish(given, nothing, "media-port = 80\nmedia-port = 8080\n"), ERR_NONE);
	assert_int_equal(given->settings.values[SETTING_ID_media_port].list_count, 2);
}

/* Other programs' variables may begin alike (POSTHORN_BIN is one); a file is ours alone. */
static void unknown_names(void **state)
{
	static const char *const environment[] = {"POSTHORN_NO_SUCH=1", "POSTHORN_RATE_LIMITS=x",
						  "POSTHORN_=", NULL};
	struct given *given = *state;
	assert_int_equal(finish(given, environment, NULL), ERR_NONE);
	assert_int_equal(settings_set_flag(&given->settings, STR("no-such"), "1", &given->err),
			 ERR_NOT_FOUND);
	assert_int_equal(finish(given, nothing, "; a comment\nno-such = 1\n"), ERR_INVALID);
	assert_true(str_has_suffix(str_of(given->err.text),
				   STR(", line 2: unknown setting \"no-such\"")));
}

static void the_file_is_named_by_the_environment_too(void **state)
{
	struct given *given = *state;
	FILE *out = fopen(given->path, "w");
	assert_non_null(out);
	fputs("rate-limit = 7\n", out);
	fclose(out);
	struct str variable = str_format(given->arena, "POSTHORN_CONFIG=%s", given->path);
	const char *const environment[] = {str_z(given->arena, variable), NULL};
	assert_int_equal(finish(given, environment, NULL), ERR_NONE);
	assert_int_equal(settings_number(&given->settings, SETTING_ID_rate_limit), 7);
}

static void wrong_files(void **state)
{
	static const struct {
		const char *file;
		const char *text;
	} rows[] = {
		{"\nnonsense\n", ", line 2: not of the form name = value"},
		{"[other]\nrate-limit = 1\n", ", line 2: unknown setting \"rate-limit\""},
		{"rate-limit = many\n",
		 ", line 1: rate-limit must be a whole number from 0 to 1000000000, not \"many\""},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct given *given = *state;
		assert_int_equal(finish(given, nothing, rows[i].file), ERR_INVALID);
		if (!str_has_suffix(str_of(given->err.text), str_of(rows[i].text)))
			fail_msg("%s", given->err.text);
	}
}

static void wrong_values(void **state)
{
	static const struct {
		const char *variable;
		const char *word; /* the line names it */
	} rows[] = {
		{"POSTHORN_RATE_LIMIT=", "rate-limit"},
		{"POSTHORN_RATE_LIMIT=-1", "rate-limit"},
		{"POSTHORN_TOKEN_TTL=59", "token-ttl"},
		{"POSTHORN_TOKEN_TTL=60.5", "token-ttl"},
		{"POSTHORN_LISTEN=127.0.0.1", "listen"},
		{"POSTHORN_LISTEN=", "listen"},
		{"POSTHORN_LISTEN=:8080", "listen"},
		{"POSTHORN_LISTEN=127.0.0.1:", "listen"},
		{"POSTHORN_LISTEN=127.0.0.1:99999", "listen"},
		{"POSTHORN_LISTEN=127.0.0.1:x", "listen"},
		{"POSTHORN_LISTEN=::1:8080", "listen"},
		{"POSTHORN_LISTEN=[::1:8080", "listen"},
		{"POSTHORN_THREADS=0", "threads"},
		{"POSTHORN_TIME_SCALE=2", "sandbox"},
		{"POSTHORN_LOG_FORMAT=xml", "log-format"},
		{"POSTHORN_LOG_LEVEL=loud", "log-level"},
		{"POSTHORN_DATABASE=mysql://x", "database"},
		{"POSTHORN_PUBLIC_URL=example.com", "public-url"},
		{"POSTHORN_PUBLIC_URL=http://", "public-url"},
		{"POSTHORN_PUBLIC_URL=http://u@h", "public-url"},
		{"POSTHORN_PUBLIC_URL=http://h/?a", "public-url"},
		{"POSTHORN_PUBLIC_URL=http://h/#a", "public-url"},
		{"POSTHORN_SANDBOX=ftp://x", "sandbox"},
		{"POSTHORN_CONFIG=/no/such/file", "/no/such/file"},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct given *given = *state;
		const char *const environment[] = {rows[i].variable, NULL};
		settings_init(&given->settings, given->arena);
		assert_int_equal(finish(given, environment, NULL), ERR_INVALID);
		if (strstr(given->err.text, rows[i].word) == NULL)
			fail_msg("%s: %s", rows[i].variable, given->err.text);
	}
}

static void addresses_to_listen_on(void **state)
{
	static const char *const good[] = {"127.0.0.1:0", "0.0.0.0:65535", "[::1]:8080", "[::]:80",
					   "localhost:8080"};
	for (size_t i = 0; i < COUNT_OF(good); i++) {
		struct given *given = *state;
		settings_init(&given->settings, given->arena);
		flag(given, "listen", good[i]);
		assert_int_equal(finish(given, nothing, NULL), ERR_NONE);
	}
}

static void a_password_in_a_database_url_is_not_told(void **state)
{
	static const char *const environment[] = {"POSTHORN_DATABASE=mysql://u:hush@h/d", NULL};
	struct given *given = *state;
	assert_int_equal(finish(given, environment, NULL), ERR_INVALID);
	assert_null(strstr(given->err.text, "hush"));
}

static void slashes_at_the_end_of_urls_are_cut(void **state)
{
	struct given *given = *state;
	flag(given, "public-url", "https://post.example/horn//");
	flag(given, "sandbox", "http://127.0.0.1:8081/");
	flag(given, "time-scale", "20");
	assert_int_equal(finish(given, nothing, NULL), ERR_NONE);
	assert_string_equal(settings_text(&given->settings, SETTING_ID_public_url),
			    "https://post.example/horn");
	assert_string_equal(settings_text(&given->settings, SETTING_ID_sandbox),
			    "http://127.0.0.1:8081");
}

static void help_names_every_setting(void **state)
{
	static const char *const names[] = {
#define SETTING(field, name, type, fallback, min, max, value, help) "--" name " " value,
#include "settings.def"
#undef SETTING
	};
	char text[16384] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");
	(void)state;
	assert_non_null(out);
	settings_print_help(out);
	fclose(out);
	for (size_t i = 0; i < SETTING_COUNT; i++)
		assert_non_null(strstr(text, names[i]));
}

#define SETTINGS_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SETTINGS_TEST(defaults),
		SETTINGS_TEST(flag_before_environment_before_file),
		SETTINGS_TEST(what_was_changed_is_told_without_secrets),
		SETTINGS_TEST(lists_add_up_within_a_source_only),
		SETTINGS_TEST(lists_of_the_file_add_up),
		SETTINGS_TEST(unknown_names),
		SETTINGS_TEST(the_file_is_named_by_the_environment_too),
		SETTINGS_TEST(wrong_files),
		SETTINGS_TEST(wrong_values),
		SETTINGS_TEST(addresses_to_listen_on),
		SETTINGS_TEST(a_password_in_a_database_url_is_not_told),
		SETTINGS_TEST(slashes_at_the_end_of_urls_are_cut),
		SETTINGS_TEST(help_names_every_setting),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
