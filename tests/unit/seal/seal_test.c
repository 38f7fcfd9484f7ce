/* SPDX-License-Identifier: Apache-2.0
 * Sealed records under every kind of tampering, and the master key's file in every state an
 * operator may leave it in. */
#include "seal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"
#include "count_of.h"
#include "random.h"

static const uint8_t key_a[SEAL_KEY_BYTES] = {1, 2, 3};
static const uint8_t key_b[SEAL_KEY_BYTES] = {1, 2, 4};

struct fixture {
	struct arena *arena;
	struct seal *seal;
	char directory[32];
	char path[64];
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	f->arena = arena_new("test", 1 << 20);
	assert_int_equal(seal_open_key(key_a, &f->seal, NULL), ERR_NONE);
	snprintf(f->directory, sizeof(f->directory), "/tmp/seal_test.XXXXXX");
	assert_non_null(mkdtemp(f->directory));
	snprintf(f->path, sizeof(f->path), "%s/master.key", f->directory);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	unlink(f->path);
	assert_int_equal(rmdir(f->directory), 0); /* nothing else was left there */
	seal_free(&f->seal);
	assert_null(f->seal);
	seal_free(&f->seal);
	arena_free(&f->arena);
	free(f);
	return 0;
}

static struct seal_place place(const char *table, const char *column, const char *row_id)
{
	return (struct seal_place){str_of(table), str_of(column), str_of(row_id)};
}

static void sealed_text_opens_again(void **state)
{
	const struct fixture *f = *state;
	const struct seal_place at = place("accounts", "access_token", "id-1");
	static const size_t lengths[] = {0, 1, 31, 32, 33, 5000};
	char text[5000];
	memset(text, 'x', sizeof(text));
	for (size_t i = 0; i < COUNT_OF(lengths); i++) {
		struct str opened;
		const struct str plain = {lengths[i] > 0 ? text : NULL, lengths[i]};
		const struct str sealed =
			seal_secret(f->seal, f->arena, &at, plain, random_system());
		assert_int_equal(sealed.len, lengths[i] + SEAL_OVERHEAD_BYTES);
		assert_int_equal(sealed.ptr[0], 1);
		assert_int_equal(seal_open_secret(f->seal, f->arena, &at, sealed, &opened, NULL),
				 ERR_NONE);
		assert_true(str_equal(opened, plain));
	}
}

static void two_seals_of_one_text_differ(void **state)
{
	const struct fixture *f = *state;
	const struct seal_place at = place("t", "c", "r");
	const struct str a = seal_secret(f->seal, f->arena, &at, STR("token"), random_system());
	const struct str b = seal_secret(f->seal, f->arena, &at, STR("token"), random_system());
	assert_false(str_equal(a, b));
	assert_int_equal(str_find(a, STR("token"), 0), SIZE_MAX);
}

static void every_changed_or_missing_byte_is_noticed(void **state)
{
	const struct fixture *f = *state;
	const struct seal_place at = place("t", "c", "r");
	const struct str sealed =
		seal_secret(f->seal, f->arena, &at, STR("a secret"), random_system());
	for (size_t i = 0; i < sealed.len; i++) {
		struct str opened = STR("untouched");
		struct error err = {0};
		struct str bad = str_copy(f->arena, sealed);
		((char *)(uintptr_t)bad.ptr)[i] ^= 1;
		/* bytes 1 to 4 are the key's id */
		assert_int_equal(seal_open_secret(f->seal, f->arena, &at, bad, &opened, &err),
				 i >= 1 && i <= 4 ? ERR_FORBIDDEN : ERR_INTERNAL);
		assert_true(err.text[0] != '\0');
		assert_string_equal(opened.ptr, "untouched");
		bad = str_copy(f->arena, str_slice(sealed, 0, i));
		assert_int_equal(seal_open_secret(f->seal, f->arena, &at, bad, &opened, &err),
				 ERR_INTERNAL);
	}
}

static void a_record_belongs_to_its_place(void **state)
{
	const struct fixture *f = *state;
	const struct seal_place at = place("accounts", "token", "7");
	static const struct {
		const char *name, *table, *column, *row_id;
	} rows[] = {
		{"other row", "accounts", "token", "8"},
		{"other column", "accounts", "secret", "7"},
		{"other table", "apps", "token", "7"},
		{"border moved right", "accounts", "token7", ""},
		{"border moved left", "account", "stoken", "7"},
		{"row cut", "accounts", "token", ""},
		{"row longer", "accounts", "token", "77"},
	};
	const struct str sealed = seal_secret(f->seal, f->arena, &at, STR("s"), random_system());
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct seal_place other =
			place(rows[i].table, rows[i].column, rows[i].row_id);
		struct str opened;
		struct error err = {0};
		print_message("%s\n", rows[i].name);
		assert_int_equal(seal_open_secret(f->seal, f->arena, &other, sealed, &opened, &err),
				 ERR_INTERNAL);
		assert_non_null(strstr(err.text, "another row"));
	}
}

static void another_key_is_told_by_name(void **state)
{
	const struct fixture *f = *state;
	const struct seal_place at = place("t", "c", "r");
	struct seal *other = NULL;
	struct str opened;
	struct error err = {0};
	char ours[9];
	char theirs[9];
	assert_int_equal(seal_open_key(key_b, &other, NULL), ERR_NONE);
	seal_key_name(f->seal, theirs);
	seal_key_name(other, ours);
	assert_string_not_equal(ours, theirs);
	const struct str sealed = seal_secret(f->seal, f->arena, &at, STR("s"), random_system());
	assert_int_equal(seal_open_secret(other, f->arena, &at, sealed, &opened, &err),
			 ERR_FORBIDDEN);
	const struct str head = seal_record_head(f->seal);
	assert_memory_equal(head.ptr, sealed.ptr, head.len);
	assert_true(seal_key_number(f->seal) == seal_key_number_of_record(sealed));
	assert_true(seal_key_number(other) != seal_key_number_of_record(sealed));
	char named[9];
	seal_key_name_of_number(seal_key_number_of_record(sealed), named);
	assert_string_equal(named, theirs);
	assert_true(seal_key_number_of_record(STR("")) == 0);
	assert_non_null(strstr(err.text, ours));
	assert_non_null(strstr(err.text, theirs));
	seal_free(&other);
}

static void write_file(const char *path, struct str content, mode_t mode)
{
	unlink(path);
	const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, content.ptr, content.len), content.len);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void first_start_makes_a_private_key(void **state)
{
	const struct fixture *f = *state;
	const struct seal_place at = place("t", "c", "r");
	struct seal *first = NULL;
	struct seal *second = NULL;
	struct stat status;
	struct str opened;
	assert_int_equal(seal_open_keyfile(f->path, random_system(), &first, NULL), ERR_NONE);
	assert_int_equal(stat(f->path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0600);
	assert_int_equal(status.st_size, 65);
	assert_int_equal(seal_open_keyfile(f->path, random_system(), &second, NULL), ERR_NONE);
	const struct str sealed = seal_secret(first, f->arena, &at, STR("s"), random_system());
	assert_int_equal(seal_open_secret(second, f->arena, &at, sealed, &opened, NULL), ERR_NONE);
	seal_free(&first);
	seal_free(&second);
}

#define HEX_A "0102030000000000000000000000000000000000000000000000000000000000"

static void key_files_are_read_or_refused(void **state)
{
	const struct fixture *f = *state;
	static const char raw[SEAL_KEY_BYTES + 1] = {1, 2, 3};
	static const struct {
		const char *name;
		struct str content;
		mode_t mode;
		enum err_kind kind;
	} rows[] = {
		{"hex with newline", {HEX_A "\n", 65}, 0600, ERR_NONE},
		{"hex", {HEX_A, 64}, 0600, ERR_NONE},
		{"hex with CR LF, read-only", {HEX_A "\r\n", 66}, 0400, ERR_NONE},
		{"raw", {raw, 32}, 0600, ERR_NONE},
		{"raw, one short", {raw, 31}, 0600, ERR_INVALID},
		{"raw, one long", {raw, 33}, 0600, ERR_INVALID},
		{"empty", {"", 0}, 0600, ERR_INVALID},
		{"hex, one short", {HEX_A, 63}, 0600, ERR_INVALID},
		{"hex, two more", {HEX_A "00", 66}, 0600, ERR_INVALID},
		{"hex twice", {HEX_A HEX_A, 128}, 0600, ERR_INVALID},
		{"not hex", {"g" HEX_A, 64}, 0600, ERR_INVALID},
		{"readable by the group", {HEX_A, 64}, 0640, ERR_FORBIDDEN},
		{"readable by others", {HEX_A, 64}, 0604, ERR_FORBIDDEN},
		{"writable by the group", {HEX_A, 64}, 0620, ERR_FORBIDDEN},
		{"as umask leaves it", {HEX_A, 64}, 0644, ERR_FORBIDDEN},
	};
	char name_a[9];
	seal_key_name(f->seal, name_a);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct seal *seal = NULL;
		struct error err = {0};
		print_message("%s\n", rows[i].name);
		write_file(f->path, rows[i].content, rows[i].mode);
		assert_int_equal(seal_open_keyfile(f->path, random_system(), &seal, &err),
				 rows[i].kind);
		if (rows[i].kind != ERR_NONE) {
			assert_null(seal);
			assert_non_null(strstr(err.text, f->path));
			assert_null(strstr(err.text, "010203"));
			continue;
		}
		char name[9];
		seal_key_name(seal, name);
		assert_string_equal(name, name_a);
		seal_free(&seal);
	}
}

static void a_directory_that_is_not_there_is_told(void **state)
{
	const struct fixture *f = *state;
	struct seal *seal = NULL;
	struct error err = {0};
	char path[128];
	snprintf(path, sizeof(path), "%s/no/master.key", f->directory);
	assert_int_equal(seal_open_keyfile(path, random_system(), &seal, &err), ERR_INTERNAL);
	assert_null(seal);
	assert_int_equal(seal_open_keyfile(f->directory, random_system(), &seal, &err),
			 ERR_INVALID);
}

struct racer {
	const char *path;
	char name[9];
};

static void *race(void *context)
{
	struct racer *racer = context;
	struct seal *seal = NULL;
	if (seal_open_keyfile(racer->path, random_system(), &seal, NULL) == ERR_NONE)
		seal_key_name(seal, racer->name);
	seal_free(&seal);
	return NULL;
}

/* `app create` and `serve` may both be the first. */
static void many_first_starts_agree_on_one_key(void **state)
{
	const struct fixture *f = *state;
	for (int round = 0; round < 20; round++) {
		struct racer racers[8];
		pthread_t threads[8];
		for (size_t i = 0; i < 8; i++) {
			racers[i] = (struct racer){.path = f->path};
			pthread_create(&threads[i], NULL, race, &racers[i]);
		}
		for (size_t i = 0; i < 8; i++)
			pthread_join(threads[i], NULL);
		for (size_t i = 0; i < 8; i++) {
			assert_int_equal(strlen(racers[i].name), 8);
			assert_string_equal(racers[i].name, racers[0].name);
		}
		unlink(f->path);
	}
}

struct witness {
	struct str text;
	bool is_wiped;
};

static void look_after_wipe(void *object)
{
	struct witness *witness = object;
	witness->is_wiped = witness->text.ptr[0] == 0 && witness->text.ptr[1] == 0;
}

static void plaintext_is_wiped_with_its_arena(void **state)
{
	const struct fixture *f = *state;
	const struct seal_place at = place("t", "c", "r");
	struct witness witness = {0};
	struct arena *arena = arena_new("wipe", 1 << 16);
	const struct str sealed = seal_secret(f->seal, f->arena, &at, STR("s3"), random_system());
	/* Cleanups run last registered first: this one, registered before, looks after the wipe. */
	arena_on_clear(arena, look_after_wipe, &witness);
	assert_int_equal(seal_open_secret(f->seal, arena, &at, sealed, &witness.text, NULL),
			 ERR_NONE);
	assert_true(str_equal_z(witness.text, "s3"));
	arena_free(&arena);
	assert_true(witness.is_wiped);
}

/* ---- old keys ---- */

#define HEX_B "0102040000000000000000000000000000000000000000000000000000000000"

static void an_old_key_opens_and_never_seals(void **state)
{
	const struct fixture *f = *state;
	const struct seal_place at = place("t", "c", "r");
	struct seal *seal = NULL;
	struct str opened;
	assert_int_equal(seal_open_key(key_b, &seal, NULL), ERR_NONE);
	const struct str sealed = seal_secret(f->seal, f->arena, &at, STR("s"), random_system());
	assert_int_equal(seal_open_secret(seal, f->arena, &at, sealed, &opened, NULL),
			 ERR_FORBIDDEN);
	assert_int_equal(seal_old_key_count(seal), 0);
	write_file(f->path, (struct str){HEX_A "\n", 65}, 0600);
	for (int times = 0; times < 2; times++) { /* twice is once */
		assert_int_equal(seal_add_old_keyfile(seal, f->path, NULL), ERR_NONE);
		assert_int_equal(seal_old_key_count(seal), 1);
	}
	assert_true(str_equal(seal_old_record_head(seal, 0), seal_record_head(f->seal)));
	assert_int_equal(seal_open_secret(seal, f->arena, &at, sealed, &opened, NULL), ERR_NONE);
	assert_true(str_equal_z(opened, "s"));
	const struct str again = seal_secret(seal, f->arena, &at, STR("s"), random_system());
	assert_true(str_has_prefix(again, seal_record_head(seal)));
	assert_int_equal(seal_open_secret(f->seal, f->arena, &at, again, &opened, NULL),
			 ERR_FORBIDDEN);
	/* the head says which key it is, and is sealed in: it cannot be changed for another */
	struct str bad = str_copy(f->arena, sealed);
	memcpy((char *)(uintptr_t)bad.ptr, seal_record_head(seal).ptr, seal_record_head(seal).len);
	assert_int_equal(seal_open_secret(seal, f->arena, &at, bad, &opened, NULL), ERR_INTERNAL);
	seal_free(&seal);
}

static void the_master_key_is_no_old_key(void **state)
{
	const struct fixture *f = *state;
	write_file(f->path, (struct str){HEX_A "\n", 65}, 0600);
	assert_int_equal(seal_add_old_keyfile(f->seal, f->path, NULL), ERR_NONE);
	assert_int_equal(seal_old_key_count(f->seal), 0);
}

static void an_old_key_file_is_never_made(void **state)
{
	const struct fixture *f = *state;
	struct error err = {0};
	assert_int_equal(seal_add_old_keyfile(f->seal, f->path, &err), ERR_INTERNAL);
	assert_non_null(strstr(err.text, f->path));
	assert_int_equal(access(f->path, F_OK), -1);
	write_file(f->path, (struct str){HEX_B "\n", 65}, 0644);
	assert_int_equal(seal_add_old_keyfile(f->seal, f->path, &err), ERR_FORBIDDEN);
	write_file(f->path, STR("no key"), 0600);
	assert_int_equal(seal_add_old_keyfile(f->seal, f->path, &err), ERR_INVALID);
	assert_int_equal(seal_old_key_count(f->seal), 0);
}

static void old_keys_are_bounded(void **state)
{
	const struct fixture *f = *state;
	struct error err = {0};
	char hex[2 * SEAL_KEY_BYTES + 1] = HEX_A;
	for (int i = 0; i <= SEAL_OLD_KEYS_MAX; i++) {
		hex[0] = (char)('1' + i);
		write_file(f->path, str_of(hex), 0600);
		assert_int_equal(seal_add_old_keyfile(f->seal, f->path, &err),
				 i < SEAL_OLD_KEYS_MAX ? ERR_NONE : ERR_INVALID);
	}
	assert_int_equal(seal_old_key_count(f->seal), SEAL_OLD_KEYS_MAX);
	assert_non_null(strstr(err.text, "at most"));
}

static void a_key_file_is_made_and_never_overwritten(void **state)
{
	const struct fixture *f = *state;
	struct stat status;
	struct seal *seal = NULL;
	struct error err = {0};
	char made[9];
	char again[9];
	char opened[9];
	assert_int_equal(seal_create_keyfile(f->path, random_system(), made, &err), ERR_NONE);
	assert_int_equal(stat(f->path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0600);
	assert_int_equal(seal_create_keyfile(f->path, random_system(), again, &err), ERR_CONFLICT);
	assert_non_null(strstr(err.text, f->path));
	assert_int_equal(seal_open_keyfile(f->path, random_system(), &seal, &err), ERR_NONE);
	seal_key_name(seal, opened);
	assert_string_equal(opened, made);
	seal_free(&seal);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sealed_text_opens_again, set_up, tear_down),
		cmocka_unit_test_setup_teardown(two_seals_of_one_text_differ, set_up, tear_down),
		cmocka_unit_test_setup_teardown(every_changed_or_missing_byte_is_noticed, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_record_belongs_to_its_place, set_up, tear_down),
		cmocka_unit_test_setup_teardown(another_key_is_told_by_name, set_up, tear_down),
		cmocka_unit_test_setup_teardown(first_start_makes_a_private_key, set_up, tear_down),
		cmocka_unit_test_setup_teardown(key_files_are_read_or_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_directory_that_is_not_there_is_told, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(many_first_starts_agree_on_one_key, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(plaintext_is_wiped_with_its_arena, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(an_old_key_opens_and_never_seals, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(the_master_key_is_no_old_key, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_old_key_file_is_never_made, set_up, tear_down),
		cmocka_unit_test_setup_teardown(old_keys_are_bounded, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_key_file_is_made_and_never_overwritten, set_up,
						tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
