/* SPDX-License-Identifier: Apache-2.0
 * The journal of a world, or of a standalone sandbox that is kept. What it holds follows from the
 * calls that it got, in their order, and from what each drew from outside (sandbox_tape.h): so that
 * is what is written down, and opening it plays it again. A call is written before its answer is
 * sent, so whatever the service was told is there after a crash. When there is too much, what is
 * old is forgotten but for the calls that made codes and tokens: people stay connected, old posts
 * go.
 *
 * DIRECTORY/journal: a head of HEAD_BYTES (mark and seed), then records: length and FNV sum in 32
 * bits each, then fields, numbers in the machine's byte order. DIRECTORY/body-N: bodies that came
 * as files, and others that are too large for a record. DIRECTORY/media-SHA: sandbox_media.c.
 *
 * Where a port keeps journals too (sandbox_world.h), that one is the truth and the file is its
 * copy: whoever opens the world next may have another directory. Bodies and media stay in ours;
 * of a call whose body is not here nothing comes back. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sodium.h>

#include "arena.h"
#include "buf.h"
#include "fnv.h"
#include "log.h"
#include "str.h"

#include "sandbox_core.h"

#define MARK "posthorn-sandbox-1\n"
#define HEAD_BYTES 64
#define BODY_PREFIX "body-"
#define RECORD_MAX_BYTES ((size_t)4 << 20)
#define PLAY_ARENA_MAX_BYTES ((size_t)64 << 20)
#define KEPT_OF_ROOM 4 /* a quarter stays when there is too much */
/* Of a journal that a port keeps: it is read over a network, and stands in somebody's database. */
#define PORT_BYTES_MAX (INT64_C(64) << 20)

struct sandbox_journal {
	int fd;
	int64_t size_bytes;  /* of the journal */
	int64_t files_bytes; /* of bodies beside it */
	uint64_t records;
	uint64_t next_file;
	unsigned char seed[SANDBOX_SEED_BYTES]; /* of what a reset draws */
};

/* A record as it stands in the file. */
struct record {
	struct str bytes; /* without length and sum */
	bool touches_account;
	uint64_t file; /* body-N; 0 = none */
	int64_t file_bytes;
};

static void path_of(const struct sandbox *sandbox, const char *name, char out[512])
{
	snprintf(out, 512, "%s/%s", sandbox->directory, name);
}

static const struct sandbox_world_port *port_of(const struct sandbox *sandbox)
{
	const struct sandbox_world_port *port =
		sandbox->world != NULL ? sandbox->world->port : NULL;
	return port != NULL && port->journal_read != NULL ? port : NULL;
}

/* The log's word for it. */
static struct str app_of(const struct sandbox *sandbox)
{
	return sandbox->world != NULL ? str_of(sandbox->world->app_id) : STR("");
}

static int64_t room_bytes_of(const struct sandbox *sandbox)
{
	return sandbox->world != NULL ? sandbox->world->bytes_max : SANDBOX_KEPT_BYTES_MAX;
}

/* False: it is not kept where it must be. */
static bool tell_port(const struct sandbox *sandbox, struct str bytes, bool is_all)
{
	const struct sandbox_world_port *port = port_of(sandbox);
	struct error err = {0};
	if (port == NULL)
		return true;
	const struct sandbox_journal_piece piece = {.app_id = app_of(sandbox),
						    .hold = sandbox->world->hold,
						    .bytes = bytes,
						    .is_all = is_all};
	const enum err_kind kind = port->journal_write(port->context, &piece, &err);
	if (kind != ERR_NONE)
		LOG(sandbox->log, WARN, "sandbox_call_lost", log_str("app", piece.app_id),
		    log_str("error", str_of(err.text)));
	return kind == ERR_NONE;
}

static void body_path_of(const struct sandbox *sandbox, uint64_t file, char out[512])
{
	snprintf(out, 512, "%s/" BODY_PREFIX "%llu", sandbox->directory, (unsigned long long)file);
}

/* ---- the tape ---- */

static int64_t tape_now_us(void *context)
{
	const struct sandbox_past *past = context;
	return past->tape != NULL ? past->tape->now_us : clock_now_us(past->real_clock);
}

static int64_t tape_boot_us(void *context)
{
	const struct sandbox_past *past = context;
	return clock_boot_us(past->real_clock);
}

/* Every draw has a stream of its own, so that what is drawn does not depend on how much was drawn
 * before it. */
static void tape_fill(void *context, void *out, size_t size_bytes)
{
	struct sandbox_past *past = context;
	unsigned char nonce[crypto_stream_chacha20_NONCEBYTES] = {0};
	if (past->tape == NULL) {
		random_fill(past->real_random, out, size_bytes);
		return;
	}
	const uint64_t number = past->tape->drawn++;
	memcpy(nonce, &number, sizeof(nonce) < sizeof(number) ? sizeof(nonce) : sizeof(number));
	crypto_stream_chacha20(out, size_bytes, nonce, past->tape->seed);
}

void sandbox_tape_begin(struct sandbox *sandbox, struct sandbox_tape *tape, struct arena *arena)
{
	const struct sandbox_past *past = sandbox->past;
	*tape = (struct sandbox_tape){.now_us = clock_now_us(past->real_clock)};
	random_fill(past->real_random, tape->seed, sizeof(tape->seed));
	tape->pulls = ARENA_ARRAY(arena, struct sandbox_tape_pull, SANDBOX_TAPE_PULLS_MAX);
}

/* What a reset draws is the same at every opening. */
static void reset_by_seed(struct sandbox *sandbox)
{
	struct sandbox_tape tape = {.now_us = clock_now_us(sandbox->past->real_clock)};
	struct sandbox_tape *before = sandbox->past->tape;
	memcpy(tape.seed, sandbox->past->journal->seed, sizeof(tape.seed));
	sandbox->past->tape = &tape;
	sandbox_reset(sandbox);
	sandbox->past->tape = before;
}

/* ---- writing ---- */

static void put_number(struct buf *out, int64_t number)
{
	buf_add(out, (struct str){(const char *)&number, sizeof(number)});
}

static void put_text(struct buf *out, struct str text)
{
	put_number(out, (int64_t)text.len);
	buf_add(out, text);
}

static void put_pull(struct buf *out, const struct sandbox_tape_pull *pull)
{
	const struct sniff *sniff = &pull->media.sniff;
	const int64_t numbers[] = {pull->outcome, pull->status,       pull->media.size_bytes,
				   sniff->type,   sniff->is_animated, sniff->width,
				   sniff->height, sniff->duration_ms};
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		put_number(out, numbers[i]);
	put_text(out, str_of(pull->media.sha256));
}

static void put_request(struct buf *out, const struct http_request *request)
{
	put_text(out, request->is_head ? STR("HEAD") : request->method);
	put_text(out, request->target);
	put_number(out, (int64_t)request->header_count);
	for (size_t i = 0; i < request->header_count; i++) {
		put_text(out, request->headers[i].name);
		put_text(out, request->headers[i].value);
	}
}

static bool write_body(const char *path, struct str body)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	const bool is_written = fd >= 0 && sandbox_write_all(fd, body.ptr, body.len);
	if (fd >= 0)
		close(fd);
	return is_written;
}

/* A body that came as a file stays one, under another name; a large one becomes one. */
static bool keep_body(struct sandbox *sandbox, const struct http_request *request,
		      struct record *record)
{
	const bool is_file = request->body_path != NULL && request->body_size_bytes > 0;
	char path[512];
	if (!is_file && request->body.len <= SANDBOX_BODY_KEPT_MAX_BYTES)
		return true;
	record->file = sandbox->past->journal->next_file++;
	record->file_bytes = is_file ? request->body_size_bytes : (int64_t)request->body.len;
	body_path_of(sandbox, record->file, path);
	return is_file ? link(request->body_path, path) == 0 : write_body(path, request->body);
}

static void close_journal(struct sandbox_journal *journal)
{
	if (journal->fd >= 0)
		close(journal->fd);
	journal->fd = -1;
}

/* As it stands in a journal. */
static struct str whole_record(struct arena *arena, struct str bytes)
{
	const uint32_t head[2] = {(uint32_t)bytes.len, fnv_hash(bytes)};
	return str_concat(arena, (struct str){(const char *)head, sizeof(head)}, bytes);
}

/* A record that is cut short is no record, and neither is what would follow it: it goes. */
static bool write_record(struct sandbox_journal *journal, struct str bytes)
{
	const uint32_t head[2] = {(uint32_t)bytes.len, fnv_hash(bytes)};
	if (sandbox_write_all(journal->fd, (const char *)head, sizeof(head)) &&
	    sandbox_write_all(journal->fd, bytes.ptr, bytes.len)) {
		journal->size_bytes += (int64_t)(sizeof(head) + bytes.len);
		journal->records++;
		return true;
	}
	if (ftruncate(journal->fd, journal->size_bytes) != 0)
		close_journal(journal);
	else
		lseek(journal->fd, journal->size_bytes, SEEK_SET);
	return false;
}

static struct str format_record(struct buf *out, const struct http_request *request,
				const struct sandbox_tape *tape, const struct record *record)
{
	buf_init(out, request->arena, RECORD_MAX_BYTES);
	put_number(out, record->touches_account);
	put_number(out, (int64_t)record->file);
	put_number(out, record->file_bytes);
	put_number(out, tape->now_us);
	buf_add(out, (struct str){(const char *)tape->seed, sizeof(tape->seed)});
	put_request(out, request);
	put_text(out, record->file == 0 ? request->body : STR(""));
	put_number(out, (int64_t)tape->pull_count);
	for (size_t i = 0; i < tape->pull_count; i++)
		put_pull(out, &tape->pulls[i]);
	put_text(out, tape->home->seen_url); /* what posts' addresses were made of */
	return buf_str(out);
}

bool sandbox_journal_add(struct sandbox *sandbox, const struct http_request *request,
			 const struct sandbox_tape *tape)
{
	struct sandbox_journal *journal = sandbox->past->journal;
	struct record record = {.touches_account = tape->touches_account};
	struct buf out;
	if (journal == NULL || journal->fd < 0)
		return journal == NULL || port_of(sandbox) == NULL;
	const bool is_kept = keep_body(sandbox, request, &record);
	const struct str bytes = format_record(&out, request, tape, &record);
	if (is_kept && !out.is_over && write_record(journal, bytes)) {
		journal->files_bytes += record.file_bytes;
		return tell_port(sandbox, whole_record(request->arena, bytes), false);
	}
	LOG(sandbox->log, WARN, "sandbox_call_not_kept", log_str("app", app_of(sandbox)));
	return port_of(sandbox) == NULL;
}

/* ---- reading ---- */

static int64_t take_number(struct str *in)
{
	int64_t number = 0;
	if (in->len < sizeof(number))
		return 0;
	memcpy(&number, in->ptr, sizeof(number));
	*in = str_slice(*in, sizeof(number), in->len);
	return number;
}

static struct str take_text(struct str *in)
{
	const int64_t len = take_number(in);
	if (len < 0 || (uint64_t)len > in->len)
		return (struct str){0};
	const struct str text = str_slice(*in, 0, (size_t)len);
	*in = str_slice(*in, (size_t)len, in->len);
	return text;
}

static void take_pull(struct str *in, struct sandbox_tape_pull *pull)
{
	pull->outcome = (enum sandbox_pull)take_number(in);
	pull->status = (int)take_number(in);
	pull->media.size_bytes = take_number(in);
	struct sniff *sniff = &pull->media.sniff;
	const int64_t type = take_number(in);
	sniff_set_type(sniff, type >= 0 && type < SNIFF_TYPE_COUNT ? (enum sniff_type)type
								   : SNIFF_UNKNOWN);
	sniff->is_animated = take_number(in) != 0;
	sniff->width = (uint32_t)take_number(in);
	sniff->height = (uint32_t)take_number(in);
	sniff->duration_ms = take_number(in);
	const struct str sha256 = take_text(in);
	if (sha256.len > 0 && sha256.len < sizeof(pull->media.sha256))
		memcpy(pull->media.sha256, sha256.ptr, sha256.len);
}

/* The record at the front of in, which goes on after it. False: none that is whole. */
static bool take_record(struct str *in, struct record *out)
{
	uint32_t head[2];
	if (in->len < sizeof(head))
		return false;
	memcpy(head, in->ptr, sizeof(head));
	if (head[0] > RECORD_MAX_BYTES || head[0] > in->len - sizeof(head))
		return false;
	const struct str bytes = str_slice(*in, sizeof(head), sizeof(head) + head[0]);
	if (fnv_hash(bytes) != head[1])
		return false;
	*in = str_slice(*in, sizeof(head) + head[0], in->len);
	struct str rest = bytes;
	*out = (struct record){.bytes = bytes};
	out->touches_account = take_number(&rest) != 0;
	out->file = (uint64_t)take_number(&rest);
	out->file_bytes = take_number(&rest);
	return true;
}

/* ---- playing ---- */

static void read_request(struct arena *arena, struct str *in, struct http_request *request)
{
	request->arena = arena;
	request->method = take_text(in);
	request->target = take_text(in);
	const int64_t count = take_number(in);
	for (int64_t i = 0; i < count && i < HTTP_HEADERS_MAX; i++) {
		struct http_header *header = &request->headers[request->header_count++];
		header->name = take_text(in);
		header->value = take_text(in);
	}
	request->body = take_text(in);
	request->body_size_bytes = (int64_t)request->body.len;
}

static void read_tape(struct arena *arena, struct str *in, struct sandbox_tape *tape)
{
	const int64_t count = take_number(in);
	tape->pulls = ARENA_ARRAY(arena, struct sandbox_tape_pull, SANDBOX_TAPE_PULLS_MAX);
	for (int64_t i = 0; i < count && i < SANDBOX_TAPE_PULLS_MAX; i++)
		take_pull(in, &tape->pulls[tape->pull_count++]);
}

/* The body's file, as it was when the record was written. */
static bool has_body(const struct record *record, const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && st.st_size == record->file_bytes;
}

static void play(struct sandbox *sandbox, struct arena *arena, const struct record *record)
{
	struct sandbox_home home = {0};
	struct sandbox_tape tape = {.is_played = true, .home = &home, .seen_path = ""};
	struct http_response response;
	char path[512];
	struct str in = str_slice(record->bytes, 3 * sizeof(int64_t), record->bytes.len);
	struct http_request *request = ARENA_NEW(arena, struct http_request);
	tape.now_us = take_number(&in);
	if (in.len < sizeof(tape.seed))
		return;
	memcpy(tape.seed, in.ptr, sizeof(tape.seed));
	in = str_slice(in, sizeof(tape.seed), in.len);
	read_request(arena, &in, request);
	read_tape(arena, &in, &tape);
	home.seen_url = take_text(&in);
	body_path_of(sandbox, record->file, path);
	if (record->file != 0 && !has_body(record, path))
		return;
	if (record->file != 0) {
		request->body_path = path;
		request->body_size_bytes = record->file_bytes;
	}
	http_request_prepare(request, sandbox->past->real_random);
	http_response_init(&response, arena, http_router_response_max_bytes(sandbox->router));
	request->user = &tape;
	http_router_dispatch(sandbox->router, request, &response);
}

/* Plays all of content, and returns how many bytes of it are whole records. Without the lock. */
static size_t play_all(struct sandbox *sandbox, struct str content)
{
	struct sandbox_journal *journal = sandbox->past->journal;
	struct str in = str_slice(content, HEAD_BYTES, content.len);
	struct record record;
	while (take_record(&in, &record)) {
		struct arena *arena = arena_new("sandbox play", PLAY_ARENA_MAX_BYTES);
		play(sandbox, arena, &record);
		arena_free(&arena);
		journal->records++;
		journal->files_bytes += record.file_bytes;
		if (record.file >= journal->next_file)
			journal->next_file = record.file + 1;
	}
	return content.len - in.len;
}

/* ---- opening ---- */

static bool read_whole(int fd, struct arena *arena, struct str *out)
{
	struct stat st;
	if (fstat(fd, &st) != 0)
		return false;
	char *bytes = arena_try_alloc(arena, (size_t)st.st_size + 1);
	size_t len = 0;
	if (bytes == NULL)
		return false;
	for (ssize_t n; len < (size_t)st.st_size &&
			(n = pread(fd, bytes + len, (size_t)st.st_size - len, (off_t)len)) > 0;)
		len += (size_t)n;
	*out = (struct str){bytes, len};
	return true;
}

/* What stands in the file stands in the port's place too. */
static bool tell_port_of_all(struct sandbox *sandbox)
{
	struct str content = STR("");
	if (port_of(sandbox) == NULL)
		return true;
	struct arena *arena = arena_new("sandbox journal", (size_t)1 << 30);
	const bool is_told = read_whole(sandbox->past->journal->fd, arena, &content) &&
			     tell_port(sandbox, content, true);
	arena_free(&arena);
	return is_told;
}

static bool write_head(struct sandbox_journal *journal)
{
	char head[HEAD_BYTES] = MARK;
	memcpy(head + HEAD_BYTES - SANDBOX_SEED_BYTES, journal->seed, SANDBOX_SEED_BYTES);
	journal->size_bytes = HEAD_BYTES;
	journal->files_bytes = 0;
	journal->records = 0;
	return ftruncate(journal->fd, 0) == 0 && lseek(journal->fd, 0, SEEK_SET) == 0 &&
	       sandbox_write_all(journal->fd, head, sizeof(head));
}

static bool begin(struct sandbox *sandbox)
{
	struct sandbox_journal *journal = sandbox->past->journal;
	random_fill(sandbox->past->real_random, journal->seed, sizeof(journal->seed));
	sandbox_remove_files(sandbox->directory, BODY_PREFIX);
	return write_head(journal) && tell_port_of_all(sandbox);
}

static bool is_journal(struct str content)
{
	return content.len >= HEAD_BYTES && str_has_prefix(content, STR(MARK));
}

static struct str seed_in(struct str content)
{
	return str_slice(content, HEAD_BYTES - SANDBOX_SEED_BYTES, HEAD_BYTES);
}

/* The file becomes a copy of what the port keeps; a port that keeps nothing yet is told what the
 * file has, which is then from before there was one. */
static bool copy_from_port(struct sandbox *sandbox, struct arena *arena, struct str *content)
{
	struct sandbox_journal *journal = sandbox->past->journal;
	const struct sandbox_world_port *port = port_of(sandbox);
	struct str kept = STR("");
	struct error err = {0};
	if (port == NULL)
		return true;
	if (port->journal_read(port->context, arena, app_of(sandbox), &kept, &err) != ERR_NONE) {
		LOG(sandbox->log, WARN, "sandbox_not_read", log_str("app", app_of(sandbox)),
		    log_str("error", str_of(err.text)));
		return false;
	}
	if (!is_journal(kept))
		return !is_journal(*content) || tell_port(sandbox, *content, true);
	/* Bodies of another life of this world have the same names. */
	if (!is_journal(*content) || !str_equal(seed_in(kept), seed_in(*content)))
		sandbox_remove_files(sandbox->directory, BODY_PREFIX);
	*content = kept;
	return ftruncate(journal->fd, 0) == 0 && lseek(journal->fd, 0, SEEK_SET) == 0 &&
	       sandbox_write_all(journal->fd, kept.ptr, kept.len);
}

/* Sets the state to what the journal says. */
static bool restore(struct sandbox *sandbox, struct arena *arena)
{
	struct sandbox_journal *journal = sandbox->past->journal;
	struct str content = STR("");
	if (!read_whole(journal->fd, arena, &content) || !copy_from_port(sandbox, arena, &content))
		return false;
	const bool is_ours = is_journal(content);
	if (!is_ours && !begin(sandbox))
		return false;
	if (is_ours)
		memcpy(journal->seed, seed_in(content).ptr, SANDBOX_SEED_BYTES);
	sandbox_lock(sandbox);
	reset_by_seed(sandbox);
	sandbox_unlock(sandbox);
	if (!is_ours)
		return true;
	journal->records = 0;
	journal->files_bytes = 0;
	journal->size_bytes = (int64_t)play_all(sandbox, content);
	return ftruncate(journal->fd, journal->size_bytes) == 0 &&
	       lseek(journal->fd, journal->size_bytes, SEEK_SET) == journal->size_bytes;
}

static bool restore_from_file(struct sandbox *sandbox)
{
	struct arena *arena = arena_new("sandbox journal", (size_t)1 << 30);
	const bool is_done = restore(sandbox, arena);
	arena_free(&arena);
	return is_done;
}

enum err_kind sandbox_journal_open(struct sandbox *sandbox, struct error *err)
{
	struct sandbox_past *past = sandbox->past;
	char path[512];
	path_of(sandbox, "journal", path);
	past->clock = (struct clock){tape_now_us, tape_boot_us, past};
	past->random = (struct random_source){tape_fill, past};
	sandbox->clock = &past->clock;
	sandbox->random = &past->random;
	struct sandbox_journal *journal = calloc(1, sizeof(*journal));
	if (journal == NULL)
		return error_set(err, ERR_TEMPORARY, "out of memory");
	past->journal = journal;
	journal->next_file = 1;
	journal->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	sandbox_remove_files(sandbox->directory, "intake-");
	sandbox_media_count(sandbox);
	if (journal->fd >= 0 && restore_from_file(sandbox))
		return ERR_NONE;
	return error_set_native(err, ERR_TEMPORARY, errno, "cannot keep a sandbox in %.150s",
				sandbox->directory);
}

void sandbox_journal_close(struct sandbox *sandbox)
{
	struct sandbox_journal *journal = sandbox->past->journal;
	if (journal != NULL)
		close_journal(journal);
	free(journal);
	sandbox->past->journal = NULL;
}

bool sandbox_journal_restart(struct sandbox *sandbox)
{
	const bool is_begun = sandbox->past->journal->fd >= 0 && begin(sandbox);
	sandbox_media_clear(sandbox);
	reset_by_seed(sandbox);
	return is_begun || port_of(sandbox) == NULL;
}

/* ---- forgetting ---- */

/* Bytes on the disk. */
static int64_t journal_bytes(const struct sandbox *sandbox)
{
	const struct sandbox_journal *journal = sandbox->past->journal;
	return journal->size_bytes + journal->files_bytes + sandbox->media_kept_bytes +
	       sandbox->uploads_bytes;
}

static bool is_too_much(const struct sandbox *sandbox)
{
	const struct sandbox_journal *journal = sandbox->past->journal;
	return journal_bytes(sandbox) > room_bytes_of(sandbox) ||
	       journal->records > sandbox->past->records_max || sandbox_is_full(sandbox) ||
	       (port_of(sandbox) != NULL && journal->size_bytes > PORT_BYTES_MAX);
}

static int64_t weight_of(const struct record *record)
{
	return (int64_t)record->bytes.len + record->file_bytes;
}

/* Writes what stays of content: what made codes and tokens, and of the rest the newest, up to
 * kept_bytes and kept_records. */
static bool write_kept(struct sandbox_journal *to, struct str content, int64_t kept_bytes,
		       uint64_t kept_records)
{
	struct str in = str_slice(content, HEAD_BYTES, content.len);
	struct record record;
	int64_t all_bytes = 0;
	uint64_t all = 0;
	while (take_record(&in, &record)) {
		all_bytes += weight_of(&record);
		all++;
	}
	in = str_slice(content, HEAD_BYTES, content.len);
	bool is_good = write_head(to);
	for (uint64_t i = 0; is_good && take_record(&in, &record); i++) {
		const bool is_new = all_bytes <= kept_bytes && all - i <= kept_records;
		all_bytes -= weight_of(&record);
		if (!is_new && !record.touches_account)
			continue;
		is_good = write_record(to, record.bytes);
		to->files_bytes += record.file_bytes;
	}
	return is_good;
}

static bool forget(struct sandbox *sandbox, struct arena *arena, int64_t kept_bytes,
		   uint64_t kept_records)
{
	struct sandbox_journal *journal = sandbox->past->journal;
	struct sandbox_journal new = *journal;
	struct str content = STR("");
	char path[512];
	char new_path[512];
	path_of(sandbox, "journal", path);
	path_of(sandbox, "journal.new", new_path);
	new.fd = open(new_path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (new.fd < 0 || !read_whole(journal->fd, arena, &content) ||
	    !write_kept(&new, content, kept_bytes, kept_records) || rename(new_path, path) != 0) {
		if (new.fd >= 0)
			close(new.fd);
		return false;
	}
	close(journal->fd);
	*journal = new;
	return tell_port_of_all(sandbox);
}

/* Of calls that were forgotten. */
static void remove_forgotten_bodies(struct sandbox *sandbox, struct arena *arena)
{
	struct sandbox_journal *journal = sandbox->past->journal;
	struct str content = STR("");
	struct record record;
	if (!read_whole(journal->fd, arena, &content))
		return;
	struct str in = str_slice(content, HEAD_BYTES, content.len);
	uint64_t expected = 1;
	char path[512];
	while (take_record(&in, &record)) {
		for (; record.file != 0 && expected < record.file; expected++) {
			body_path_of(sandbox, expected, path);
			unlink(path);
		}
		if (record.file != 0)
			expected = record.file + 1;
	}
	for (; expected < journal->next_file; expected++) {
		body_path_of(sandbox, expected, path);
		unlink(path);
	}
}

static bool forget_down_to(struct sandbox *sandbox, int64_t kept_bytes, uint64_t kept_records)
{
	struct arena *arena = arena_new("sandbox journal", (size_t)2 << 30);
	bool is_done = forget(sandbox, arena, kept_bytes, kept_records);
	if (is_done) {
		remove_forgotten_bodies(sandbox, arena);
		sandbox_media_clear(sandbox);
		sandbox_unlock(sandbox);
		is_done = restore_from_file(sandbox);
		sandbox_lock(sandbox);
	}
	arena_free(&arena);
	LOG(sandbox->log, INFO, "sandbox_has_forgotten", log_str("app", app_of(sandbox)),
	    log_int("calls_left", (int64_t)sandbox->past->journal->records));
	return is_done;
}

void sandbox_journal_trim(struct sandbox *sandbox)
{
	struct sandbox_journal *journal = sandbox->past->journal;
	if (journal->fd < 0 || (journal->records <= sandbox->past->records_max &&
				journal_bytes(sandbox) <= room_bytes_of(sandbox)))
		return;
	struct arena *arena = arena_new("sandbox journal", (size_t)2 << 30);
	const bool is_done = forget(sandbox, arena, room_bytes_of(sandbox) / KEPT_OF_ROOM,
				    sandbox->past->records_max / KEPT_OF_ROOM);
	if (is_done)
		remove_forgotten_bodies(sandbox, arena);
	arena_free(&arena);
	if (is_done && journal->records <= sandbox->past->records_max / 2)
		return;
	LOG(sandbox->log, WARN, "sandbox_kept_no_longer",
	    log_str("directory", str_of(sandbox->directory)),
	    log_int("calls", (int64_t)journal->records));
	close_journal(journal);
}

bool sandbox_journal_make_room(struct sandbox *sandbox)
{
	const int64_t own_bytes = room_bytes_of(sandbox);
	const int64_t room_bytes =
		port_of(sandbox) != NULL && own_bytes > PORT_BYTES_MAX ? PORT_BYTES_MAX : own_bytes;
	if (!is_too_much(sandbox))
		return true;
	if (!forget_down_to(sandbox, room_bytes / KEPT_OF_ROOM,
			    sandbox->past->records_max / KEPT_OF_ROOM))
		return false;
	if (is_too_much(sandbox))
		forget_down_to(sandbox, 0, 0);
	return !is_too_much(sandbox);
}
