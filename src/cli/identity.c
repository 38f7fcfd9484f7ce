/* SPDX-License-Identifier: Apache-2.0
 * What a start must agree with (design.md 5): the database is the one that was here before, its
 * secrets are sealed with our master key, and it belongs to the mode of this start. What does not
 * agree refuses the start in one line that says what to do. */
#include <assert.h>
#include <string.h>
#include <sys/stat.h>

#include "arena.h"

#include "seal.h"

#include "epoch_file.h"
#include "store_alarm.h"
#include "store_identity.h"
#include "store_node.h"
#include "store_reseal.h"

#include "service_private.h"

#define KEY_ARENA_MAX_BYTES 65536
#define NODES_ARENA_MAX_BYTES (1 << 20) /* of a day: thousands */
#define KEY_ALARM "master key"

/* ---- a database that is gone ---- */

static bool is_sqlite(const char *url)
{
	return str_has_prefix(str_of(url), STR("sqlite:"));
}

static enum err_kind refuse_empty(const struct service *service, const char *url, struct error *err)
{
	const char *epoch = service_path(service, "epoch");
	if (is_sqlite(url))
		return error_set(err, ERR_INVALID,
				 "the database %s is empty, but one ran here before. Put it back; "
				 "or remove %s to begin again",
				 url + strlen("sqlite:"), epoch);
	return error_set(err, ERR_INVALID,
			 "the PostgreSQL database is empty, but another one ran here before. "
			 "Put it back; or remove %s to begin again",
			 epoch);
}

static enum err_kind has_run_here(const struct service *service, bool *has_run_out,
				  struct error *err)
{
	struct epoch epoch = {0};
	const enum err_kind kind = epoch_file_read(service_path(service, "epoch"), &epoch, err);
	*has_run_out = epoch.is_there && epoch.number > 0;
	return kind;
}

enum err_kind identity_check_file(const struct service *service, const char *url, struct error *err)
{
	struct stat status;
	bool has_run = false;
	const enum err_kind kind = has_run_here(service, &has_run, err);
	if (kind != ERR_NONE || !has_run || !is_sqlite(url))
		return kind;
	const bool is_there = stat(url + strlen("sqlite:"), &status) == 0 && status.st_size > 0;
	return is_there ? ERR_NONE : refuse_empty(service, url, err);
}

enum err_kind identity_check_content(const struct service *service, const char *url,
				     struct error *err)
{
	bool has_run = false;
	bool is_new = false;
	enum err_kind kind = has_run_here(service, &has_run, err);
	if (kind == ERR_NONE && has_run)
		kind = store_is_new(service->store, &is_new, err);
	return kind == ERR_NONE && is_new ? refuse_empty(service, url, err) : kind;
}

/* ---- the master key ---- */

static enum err_kind refuse_key(const struct service *service, int64_t theirs, struct error *err)
{
	char ours_name[9];
	char theirs_name[9];
	seal_key_name(service->seal, ours_name);
	seal_key_name_of_number(theirs, theirs_name);
	return error_set(
		err, ERR_INVALID,
		"the database holds secrets sealed with the master key %s, but this is %s: "
		"put the file of %s back, or give it as --old-master-key-file (this one is "
		"%s)",
		theirs_name, ours_name, theirs_name, service->key_path);
}

static_assert(STORE_KEYS_MAX == 1 + SEAL_OLD_KEYS_MAX, "the store takes all keys of a seal");

static void key_put(struct store_keys *keys, struct str head)
{
	keys->heads[keys->count] = head;
	keys->numbers[keys->count++] = seal_key_number_of_record(head);
}

static struct store_keys keys_of(const struct seal *seal)
{
	struct store_keys keys = {0};
	key_put(&keys, seal_record_head(seal));
	for (size_t i = 0; i < seal_old_key_count(seal); i++)
		key_put(&keys, seal_old_record_head(seal, i));
	return keys;
}

static enum err_kind find_other_key(const struct service *service, int64_t *number_out,
				    struct error *err)
{
	struct arena *arena = arena_new("key check", KEY_ARENA_MAX_BYTES);
	const struct store_keys keys = keys_of(service->seal);
	struct str head = STR("");
	const enum err_kind kind = store_key_find_other(service->store, arena, &keys, &head, err);
	*number_out = seal_key_number_of_record(head);
	arena_free(&arena);
	return kind;
}

enum err_kind identity_check_key(struct service *service, struct error *err)
{
	const struct store_keys keys = keys_of(service->seal);
	const int64_t ours = keys.numbers[0];
	int64_t found = 0;
	int64_t known = ours;
	enum err_kind kind = find_other_key(service, &found, err);
	if (kind == ERR_NONE && found == 0)
		kind = store_key_agree(service->store, &keys, &known, err);
	if (kind != ERR_NONE)
		return kind;
	if (found != 0)
		return refuse_key(service, found, err);
	return known == ours ? ERR_NONE : refuse_key(service, known, err);
}

struct str identity_key_names(const struct service *service, struct arena *arena)
{
	const struct store_keys keys = keys_of(service->seal);
	struct str names = STR("");
	for (size_t i = 0; i < keys.count; i++) {
		char name[9];
		seal_key_name_of_number(keys.numbers[i], name);
		names = str_format(arena, STR_FMT "%s%s", STR_ARG(names), i > 0 ? " " : "", name);
	}
	return names;
}

static enum err_kind refuse_first(const struct node_row *node, const char *key, struct error *err)
{
	return error_set(err, ERR_INVALID,
			 "the node " STR_FMT " " STR_FMT
			 " runs without the master key %s, and would stop delivering at the first "
			 "record of it: restart that node with this key as --old-master-key-file "
			 "first, then this one (docs/operations.md, \"To change it\")",
			 STR_ARG(node->name), STR_ARG(node->address), key);
}

enum err_kind identity_check_nodes(struct service *service, struct error *err)
{
	struct arena *arena = arena_new("keys of nodes", NODES_ARENA_MAX_BYTES);
	struct node_row *nodes = NULL;
	size_t count = 0;
	char ours[9];
	seal_key_name(service->seal, ours);
	enum err_kind kind = store_node_list(service->store, arena, &nodes, &count, err);
	for (size_t i = 0; i < count && kind == ERR_NONE; i++) {
		const bool is_told = nodes[i].is_alive && !str_is_empty(nodes[i].key_names);
		if (is_told && str_find(nodes[i].key_names, str_of(ours), 0) == SIZE_MAX)
			kind = refuse_first(&nodes[i], ours, err);
	}
	arena_free(&arena);
	return kind;
}

static int64_t count_of_key(const struct sealed_count *counts, size_t count, int64_t number)
{
	for (size_t i = 0; i < count; i++) {
		if (seal_key_number_of_record(counts[i].head) == number)
			return counts[i].records;
	}
	return 0;
}

/* "master key 1234abcd: 7 records; old key ...: 2 records" */
static struct str key_sentence(struct arena *arena, const struct store_keys *keys,
			       const struct sealed_count *counts, size_t count, int64_t *old_out)
{
	struct str text = STR("");
	*old_out = 0;
	for (size_t i = 0; i < keys->count; i++) {
		const int64_t records = count_of_key(counts, count, keys->numbers[i]);
		char name[9];
		seal_key_name_of_number(keys->numbers[i], name);
		text = str_format(arena, STR_FMT "%s key %s: %lld records", STR_ARG(text),
				  i == 0 ? "master" : "; old", name, (long long)records);
		*old_out += i == 0 ? 0 : records;
	}
	return *old_out == 0 ? text
			     : str_format(arena, STR_FMT ". Run posthorn reseal", STR_ARG(text));
}

static enum err_kind judge_counts(const struct service *service, const struct store_keys *keys,
				  const struct sealed_count *counts, size_t count,
				  struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		const int64_t number = seal_key_number_of_record(counts[i].head);
		bool is_known = number == 0; /* no key's: integrity is another check */
		for (size_t k = 0; k < keys->count; k++)
			is_known = is_known || keys->numbers[k] == number;
		if (!is_known)
			return refuse_key(service, number, err);
	}
	return ERR_NONE;
}

enum key_finding identity_key_finding(void *context, struct arena *arena, struct str *sentence_out)
{
	const struct service *service = context;
	const struct store_keys keys = keys_of(service->seal);
	struct sealed_count *counts = NULL;
	size_t count = 0;
	int64_t old = 0;
	struct error err = {0};
	enum err_kind kind = store_sealed_count(service->store, arena, &counts, &count, &err);
	if (kind == ERR_NONE)
		kind = judge_counts(service, &keys, counts, count, &err);
	if (kind != ERR_NONE) {
		*sentence_out = str_copy(arena, str_of(err.text));
		return KEY_OTHER;
	}
	*sentence_out = key_sentence(arena, &keys, counts, count, &old);
	return old > 0 ? KEY_OLD : KEY_RIGHT;
}

void identity_note_other_key(void *context, struct str why)
{
	struct service *service = context;
	struct error err = {0};
	if (atomic_exchange(&service->is_key_other, true))
		return;
	LOG(&service->log, ERROR, "master_key_is_other", log_str("error", why),
	    log_str("meaning",
		    STR("this node delivers nothing until it is started with the right key")));
	const struct str message = str_format(
		service->arena,
		STR_FMT ". Nothing is delivered: put the right key back and start again.",
		STR_ARG(why));
	if (store_alarm_raise(service->store, STR(KEY_ALARM), message,
			      clock_now_us(store_clock(service->store)), &err) != ERR_NONE)
		LOG(&service->log, WARN, "alarm_not_kept", log_str("error", str_of(err.text)));
}

/* ---- live or sandbox ---- */

static bool has_sandbox(const struct settings *settings)
{
	return settings_text(settings, SETTING_ID_sandbox)[0] != '\0';
}

static enum err_kind refuse_mode(const struct mode_start *start, struct error *err)
{
	const bool is_sandbox = start->wish == STORE_MODE_SANDBOX;
	switch (start->finding) {
	case MODE_AGREED:
	case MODE_CHANGED:
		return ERR_NONE;
	case MODE_OTHER:
		return error_set(
			err, ERR_INVALID,
			is_sandbox ? "this database is live, and --sandbox is given: start it "
				     "without --sandbox, or change it with --change-mode "
				     "(holds every unfinished post, and every account must be "
				     "connected again)"
				   : "this database was used with a sandbox, and --sandbox is "
				     "not given: give --sandbox URL, or change it to live "
				     "with --change-mode (holds every unfinished post, and "
				     "every account must be connected again)");
	case MODE_UNKNOWN:
		return error_set(
			err, ERR_INVALID,
			"an earlier version left accounts in this database and did not "
			"write down whether they are real: say it once with --mode live, or "
			"with --mode sandbox and --sandbox URL");
	case MODE_IN_USE:
		return error_set(err, ERR_INVALID,
				 "--change-mode: other nodes work on this database in the other "
				 "mode. Stop them first");
	}
	return ERR_NONE;
}

enum err_kind identity_check_mode(struct service *service, struct error *err)
{
	const struct settings *settings = service->settings;
	struct mode_start start = {
		.wish = has_sandbox(settings) ? STORE_MODE_SANDBOX : STORE_MODE_LIVE,
		.is_told = settings_text(settings, SETTING_ID_mode)[0] != '\0',
		.may_change = settings->changes_mode,
		.now_us = clock_now_us(store_clock(service->store)),
	};
	const enum err_kind kind = store_mode_start(service->store, &start, err);
	if (kind != ERR_NONE)
		return kind;
	service->mode = start.wish;
	if (start.finding == MODE_CHANGED)
		LOG(&service->log, WARN, "mode_changed",
		    log_str("mode", str_of(store_mode_name(start.wish))),
		    log_int("deliveries_held", start.held_count));
	return refuse_mode(&start, err);
}

enum err_kind identity_learn_mode(struct service *service, struct error *err)
{
	const enum store_mode wish =
		has_sandbox(service->settings) ? STORE_MODE_SANDBOX : STORE_MODE_LIVE;
	const enum err_kind kind = store_mode_read(service->store, &service->mode, err);
	if (service->mode == STORE_MODE_LIVE && wish == STORE_MODE_SANDBOX)
		service->closed_why = "This database is live: leave --sandbox out.";
	if (service->mode == STORE_MODE_SANDBOX && wish == STORE_MODE_LIVE)
		service->closed_why = "This database is used with a sandbox: give --sandbox URL.";
	if (service->mode == STORE_MODE_NONE)
		service->mode = wish;
	return kind;
}
