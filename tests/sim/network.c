/* SPDX-License-Identifier: Apache-2.0
 * See network.h. */
#include "network.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "count_of.h"

#include "httpdate.h"
#include "json.h"

#define AIR_MAX 512
#define NEVER INT64_MAX
#define STALL_MS 30000
#define MULTIPART_PARTS_MAX 32

/* ---- the kinds of faults ---- */

enum fault_effect { EFFECT_NONE, EFFECT_DONE, EFFECT_PERHAPS_LATE };

enum fault_answer {
	ANSWER_TRUE, /* what the world said */
	ANSWER_NEVER_SENT,
	ANSWER_LOST, /* the connection breaks */
	ANSWER_TIMED_OUT,
	ANSWER_REFUSED, /* a well-formed refusal instead */
	ANSWER_STATUS,  /* a bare status with a page of HTML */
	ANSWER_SPOILT   /* the world's status, a body that cannot be read */
};

/* On which calls it may fall. */
enum { ON_READ = 1, ON_PREPARE = 2, ON_PUBLISH = 4, ON_TOKEN = 8, ON_UPLOAD = 16, ON_ALL = 31 };

struct fault {
	const char *name;
	int weight;
	unsigned on;
	enum fault_effect effect;
	enum fault_answer answer;
	bool is_dishonest; /* as an answer to a look it may use up the looks */
	int status;        /* STATUS: 0 = one of the 5xx */
	enum refusal_kind refusal;
	const char *body; /* SPOILT: NULL = cut in the middle */
	enum transfer_problem problem;
};

#define NOT_UPLOAD (ON_ALL & ~(unsigned)ON_UPLOAD)

static const struct fault faults[] = {
	{"name not resolved", 6, ON_ALL, EFFECT_NONE, ANSWER_NEVER_SENT,
	 .problem = TRANSFER_NAME_NOT_RESOLVED},
	{"connection refused", 6, ON_ALL, EFFECT_NONE, ANSWER_NEVER_SENT,
	 .problem = TRANSFER_CONNECT_FAILED},
	{"TLS failed", 4, ON_ALL, EFFECT_NONE, ANSWER_NEVER_SENT, .problem = TRANSFER_TLS_FAILED},
	{"lost before", 10, ON_ALL, EFFECT_NONE, ANSWER_LOST,
	 .problem = TRANSFER_CONNECTION_BROKEN},
	{"lost after", 14, ON_ALL, EFFECT_DONE, ANSWER_LOST, .problem = TRANSFER_CONNECTION_BROKEN},
	{"timeout before", 8, ON_ALL, EFFECT_NONE, ANSWER_TIMED_OUT, .problem = TRANSFER_TIMED_OUT},
	{"timeout after", 8, ON_ALL, EFFECT_DONE, ANSWER_TIMED_OUT, .problem = TRANSFER_TIMED_OUT},
	{"timeout, done later", 8, ON_ALL, EFFECT_PERHAPS_LATE, ANSWER_TIMED_OUT,
	 .problem = TRANSFER_TIMED_OUT},
	{"5xx before", 12, ON_ALL, EFFECT_NONE, ANSWER_STATUS},
	{"5xx after", 12, ON_ALL, EFFECT_DONE, ANSWER_STATUS},
	{"redirect before", 3, ON_ALL & ~(unsigned)ON_TOKEN, EFFECT_NONE, ANSWER_STATUS, true, 302},
	{"redirect after", 3, ON_ALL & ~(unsigned)ON_TOKEN, EFFECT_DONE, ANSWER_STATUS, true, 302},
	{"unreadable 400 after", 3, ON_READ | ON_PUBLISH, EFFECT_DONE, ANSWER_STATUS, true, 400},
	{"unreadable 403 after", 3, ON_READ | ON_PUBLISH, EFFECT_DONE, ANSWER_STATUS, true, 403},
	{"unreadable 409 before", 3, ON_READ | ON_PUBLISH, EFFECT_NONE, ANSWER_STATUS, true, 409},
	{"token expired", 8, ON_READ | ON_PREPARE | ON_PUBLISH, EFFECT_NONE, ANSWER_REFUSED,
	 .refusal = REFUSE_TOKEN},
	{"refresh refused", 2, ON_TOKEN, EFFECT_NONE, ANSWER_REFUSED, .refusal = REFUSE_TOKEN},
	{"forbidden", 1, NOT_UPLOAD, EFFECT_NONE, ANSWER_REFUSED, true,
	 .refusal = REFUSE_FORBIDDEN},
	{"unknown code", 1, NOT_UPLOAD, EFFECT_NONE, ANSWER_REFUSED, true, .refusal = REFUSE_BAD},
	{"not found", 2, ON_READ, EFFECT_NONE, ANSWER_REFUSED, true, .refusal = REFUSE_NOT_FOUND},
	{"duplicate, says it", 2, ON_PUBLISH, EFFECT_NONE, ANSWER_REFUSED,
	 .refusal = REFUSE_DUPLICATE},
	{"rate limit", 8, ON_ALL, EFFECT_NONE, ANSWER_REFUSED, .refusal = REFUSE_RATE},
	{"cut body", 4, ON_ALL, EFFECT_DONE, ANSWER_SPOILT, true},
	{"empty body", 4, ON_ALL, EFFECT_DONE, ANSWER_SPOILT, true, .body = ""},
	{"null", 3, ON_ALL, EFFECT_DONE, ANSWER_SPOILT, true, .body = "null"},
	{"no id", 4, ON_ALL, EFFECT_DONE, ANSWER_SPOILT, true,
	 .body = "{\"data\":{},\"items\":{},\"success\":true}"},
	{"keys twice", 2, ON_ALL, EFFECT_DONE, ANSWER_SPOILT, true,
	 .body = "{\"id\":\"1\",\"id\":\"2\",\"data\":{\"id\":\"3\"}}"},
	{"not UTF-8", 2, ON_ALL, EFFECT_DONE, ANSWER_SPOILT, true,
	 .body = "{\"id\":\"\xff\xfe\",\"data\":{\"id\":\"\xc0\x80\"}}"},
	{"huge number", 2, ON_ALL, EFFECT_DONE, ANSWER_SPOILT, true,
	 .body = "{\"id\":99999999999999999999999999,\"data\":[]}"},
	{"error in a 200", 4, ON_ALL, EFFECT_DONE, ANSWER_SPOILT, true,
	 .body = "{\"error\":{\"message\":\"An unknown error "
		 "occurred\",\"code\":1,\"is_transient\":true}}"},
	{"HTML", 3, ON_ALL, EFFECT_DONE, ANSWER_SPOILT, true,
	 .body = "<html><body>Just a moment...</body></html>"},
};

#define FAULT_COUNT COUNT_OF(faults)

/* ---- calls under way ---- */

struct flight {
	struct network_end *end;
	uint64_t id;     /* its engine's */
	bool is_awaited; /* somebody of ours waits */
	bool is_publish;
	bool is_fetch;
	struct ask ask;
	const struct fault *fault; /* NULL = all is well */
	int64_t started_at_us;
	int64_t effect_at_us; /* NEVER = none (any more) */
	int64_t answer_at_us;
	const char *save_path;
	struct answer answer;
};

struct network {
	struct sim *sim;
	struct world *world;
	struct flight *air[AIR_MAX];
	size_t count;
};

struct network *network_new(struct sim *sim, struct world *world)
{
	struct network *network = ARENA_NEW(sim->arena, struct network);
	network->sim = sim;
	network->world = world;
	return network;
}

/* ---- reading a request ---- */

static struct str header_of(const struct transfer_request *request, const char *name)
{
	for (size_t i = 0; i < request->header_count; i++) {
		if (str_equal_nocase(request->headers[i].name, str_of(name)))
			return request->headers[i].value;
	}
	return STR("");
}

static void read_path(struct arena *arena, struct ask *ask)
{
	struct str rest = ask->url.path;
	struct str segment;
	str_skip(&rest, STR("/"));
	while (ask->path_count < 8 && str_take_field(&rest, '/', &segment))
		percent_decode(arena, segment, &ask->path[ask->path_count++]);
}

/* A text part of a multipart body: its name and value. A part with a file name is none. */
static bool read_part(struct str part, struct form_pair *pair_out)
{
	struct str head, name, rest = part;
	const size_t end = str_find(part, STR("\r\n\r\n"), 0);
	if (end == SIZE_MAX)
		return false;
	head = str_slice(part, 0, end);
	const size_t at = str_find(head, STR("name=\""), 0);
	if (at == SIZE_MAX || str_find(head, STR("filename="), 0) != SIZE_MAX)
		return false;
	rest = str_slice(head, at + strlen("name=\""), head.len);
	if (!str_take_until(&rest, '"', &name))
		return false;
	/* Behind the value stands the line break of the next boundary. */
	*pair_out = (struct form_pair){name, str_slice(part, end + 4, part.len - 2)};
	return true;
}

/* The text parts of multipart/form-data (RFC 7578); the file's bytes are not here. */
static struct form read_multipart(struct arena *arena, struct str boundary, struct str body)
{
	const struct str mark = str_concat(arena, STR("--"), boundary);
	struct form form = {.pairs = ARENA_ARRAY(arena, struct form_pair, MULTIPART_PARTS_MAX)};
	size_t from = str_find(body, mark, 0);
	while (from != SIZE_MAX && form.count < MULTIPART_PARTS_MAX) {
		const size_t next = str_find(body, mark, from + mark.len);
		const struct str part = str_slice(body, from + mark.len, next);
		if (read_part(part, &form.pairs[form.count]))
			form.count++;
		from = next;
	}
	return form;
}

static void read_body(struct arena *arena, const struct transfer_request *request, struct ask *ask)
{
	struct str type = header_of(request, "Content-Type");
	if (str_skip(&type, STR("multipart/form-data; boundary=")))
		ask->form = read_multipart(arena, type, ask->body);
	else if (str_has_prefix(ask->body, STR("{")))
		json_parse(arena, ask->body, NULL, &ask->json, NULL, NULL);
	else
		form_parse(arena, ask->body, 0, &ask->form, NULL);
}

static int64_t read_offset(const struct transfer_request *request)
{
	int64_t offset = -1;
	return str_parse_i64(header_of(request, "offset"), &offset) ? offset : -1;
}

static struct ask read_ask(struct network *network, const struct transfer_request *request)
{
	struct arena *arena = network->sim->arena;
	struct str token = header_of(request, "Authorization");
	if (!str_skip(&token, STR("Bearer ")))
		str_skip(&token, STR("OAuth "));
	struct ask ask = {
		.method = str_copy(arena, str_of(request->method)),
		.token = str_copy(arena, token),
		.range = str_copy(arena, header_of(request, "Content-Range")),
		.offset_bytes = read_offset(request),
		.body = str_concat(arena, request->body, request->body_tail),
		.file_bytes = request->body_path != NULL ? request->body_length_bytes : 0,
	};
	if (url_parse(arena, str_copy(arena, request->url), &ask.url, NULL) != ERR_NONE)
		sim_violation(network->sim, "a request to no URL: " STR_FMT, STR_ARG(request->url));
	read_path(arena, &ask);
	form_parse(arena, ask.url.query, 0, &ask.query, NULL);
	read_body(arena, request, &ask);
	return ask;
}

static bool is_token_call(const struct ask *ask)
{
	return world_voice(ask) == VOICE_TOKEN;
}

static unsigned kind_of(const struct flight *flight)
{
	const struct ask *ask = &flight->ask;
	if (is_token_call(ask))
		return ON_TOKEN;
	if (ask->file_bytes > 0)
		return ON_UPLOAD;
	if (flight->is_publish)
		return ON_PUBLISH;
	const bool is_question = str_equal_z(ask->method, "GET") ||
				 str_equal_z(ask->method, "PUT") ||
				 str_find(ask->url.path, STR("status/fetch"), 0) != SIZE_MAX;
	return is_question ? ON_READ : ON_PREPARE;
}

/* ---- drawing what goes wrong ---- */

/* What no platform can be believed to do. A refusal that can be read is always true, and for
 * uploads the bare status is all there is; Meta's access tokens die for good, so not too often. */
static bool is_possible(struct network *network, const struct flight *flight,
			const struct fault *fault)
{
	struct sim *sim = network->sim;
	const enum voice voice = world_voice(&flight->ask);
	const unsigned kind = kind_of(flight);
	const bool is_bare =
		kind == ON_UPLOAD && fault->answer == ANSWER_SPOILT && voice == VOICE_UPLOAD;
	if ((fault->on & kind) == 0 || is_bare)
		return false;
	if (fault->is_dishonest && kind == ON_READ && !sim->weather.has_dishonest_reads)
		return false;
	/* Its duplicates are real: a text that it never had is none (linkedin.md 5), and for
	 * members that word is all there is. */
	if (fault->refusal == REFUSE_DUPLICATE && voice == VOICE_LINKEDIN)
		return false;
	if (fault->refusal == REFUSE_DUPLICATE && !str_is_empty(world_deletion_id(&flight->ask)))
		return false;
	if (fault->answer == ANSWER_REFUSED && fault->refusal == REFUSE_TOKEN &&
	    voice == VOICE_GRAPH)
		return dice_permille(&sim->dice, 80);
	return true;
}

static const struct fault *draw_fault(struct network *network, const struct flight *flight)
{
	struct sim *sim = network->sim;
	int64_t sum = 0;
	int weights[FAULT_COUNT];
	if (!sim_chance(sim, sim->weather.fault_permille))
		return NULL;
	for (size_t i = 0; i < FAULT_COUNT; i++) {
		weights[i] = is_possible(network, flight, &faults[i]) ? faults[i].weight : 0;
		sum += weights[i];
	}
	int64_t at = dice_below(&sim->dice, sum);
	size_t i = 0;
	while (at >= weights[i])
		at -= weights[i++];
	sim->totals->faults++;
	return &faults[i];
}

/* An honest call takes 20 ms to 3 s. */
static void draw_times(struct network *network, struct flight *flight,
		       const struct transfer_request *request)
{
	struct dice *dice = &network->sim->dice;
	const struct fault *fault = flight->fault;
	const int64_t now_us = network->sim->true_us;
	/* A fetch may take hours, but not stand still (transfer.h, low_speed_bytes_s). */
	const bool ends_early = request->low_speed_bytes_s > 0 && request->timeout_ms > STALL_MS;
	const int64_t timeout_us = (ends_early ? STALL_MS : request->timeout_ms) * US_PER_MS;
	const int64_t takes_us =
		dice_between(dice, 20, dice_permille(dice, 900) ? 800 : 3000) * US_PER_MS;
	flight->started_at_us = now_us;
	flight->effect_at_us = now_us + dice_below(dice, takes_us);
	flight->answer_at_us = now_us + takes_us;
	if (fault == NULL)
		return;
	if (fault->answer == ANSWER_TIMED_OUT)
		flight->answer_at_us = now_us + timeout_us;
	if (fault->effect == EFFECT_NONE)
		flight->effect_at_us = NEVER;
	if (fault->effect == EFFECT_PERHAPS_LATE)
		flight->effect_at_us = now_us + dice_below(dice, timeout_us + 45 * US_PER_S);
}

static void trace_start(struct network *network, const struct flight *flight,
			const struct transfer_request *request)
{
	const bool is_publish = flight->is_publish;
	sim_trace(network->sim, "call %llu %s " STR_FMT STR_FMT "%s%s%s body %zu",
		  (unsigned long long)flight->id, request->method, STR_ARG(flight->ask.url.host),
		  STR_ARG(flight->ask.url.path), is_publish ? " PUBLISH" : "",
		  flight->fault != NULL ? " FAULT " : "",
		  flight->fault != NULL ? flight->fault->name : "", request->body.len);
}

static void tell_refresh(const struct flight *flight)
{
	const struct str *token = form_find(&flight->ask.form, "refresh_token");
	if (is_token_call(&flight->ask) && token != NULL)
		flight->end->saw_refresh(flight->end->saw_context, *token);
}

static void tell_deletion(struct network *network, const struct flight *flight)
{
	const struct str id = world_deletion_id(&flight->ask);
	if (str_is_empty(id))
		return;
	network->sim->totals->deletions++;
	world_note_deletion(network->world, &flight->ask);
	flight->end->saw_deletion(flight->end->saw_context, id);
}

/* Whose account a call is for; NULL = nobody's, or it is no call to a platform's account. */
static const struct key *key_of(const struct network *network, const struct flight *flight)
{
	return flight->is_fetch || is_token_call(&flight->ask)
		       ? NULL
		       : world_key(network->world, flight->ask.token);
}

/* Two users' accounts that are one at its platform are one lane: never are publish calls for both
 * of them under way at once. A process that stood still for longer than its lease may ask, or
 * prepare, for a post that has been settled meanwhile: that does no harm, and what it would publish
 * comes too late for its send deadline. */
static void check_lane(struct network *network, const struct flight *flight)
{
	const struct key *key = key_of(network, flight);
	for (size_t i = 0; key != NULL && flight->is_publish && i < network->count; i++) {
		const struct flight *other = network->air[i];
		const struct key *theirs = key_of(network, other);
		const bool is_same = theirs != NULL && theirs->home == key->home;
		if (other == flight || other->end != flight->end || !other->is_awaited ||
		    !other->is_publish || !is_same || theirs->login == key->login)
			continue;
		sim_violation(network->sim, "L1 publish calls for both logins of %s/%zu at once",
			      platform_id_slug(network->world->homes[key->home].platform),
			      key->home);
	}
}

static void start(void *context, const struct transfer_request *request)
{
	static const struct fault too_late = {
		"past the send deadline", 0, 0, EFFECT_NONE, ANSWER_NEVER_SENT,
		.problem = TRANSFER_OTHER};
	struct network_end *end = context;
	struct network *network = end->network;
	struct sim *sim = network->sim;
	struct flight *flight = ARENA_NEW(sim->arena, struct flight);
	if (network->count == AIR_MAX)
		abort();
	network->air[network->count++] = flight;
	flight->end = end;
	flight->id = request->id;
	flight->is_awaited = true;
	flight->is_fetch = request->pool == TRANSFER_MEDIA;
	flight->save_path =
		request->save_path != NULL ? str_z(sim->arena, str_of(request->save_path)) : NULL;
	flight->ask = read_ask(network, request);
	const int64_t deadline_us = request->send_deadline_boot_us;
	flight->is_publish = deadline_us != 0 && !is_token_call(&flight->ask);
	flight->fault = draw_fault(network, flight);
	if (deadline_us != 0 && clock_boot_us(end->clock) >= deadline_us)
		flight->fault = &too_late;
	draw_times(network, flight, request);
	if (flight->is_publish && !request->fresh_connection)
		sim_violation(sim, "a publish call on a connection that may be reused");
	sim->totals->calls++;
	sim->totals->publish_calls += flight->is_publish;
	trace_start(network, flight, request);
	if (flight->fault == &too_late)
		return;
	check_lane(network, flight);
	tell_refresh(flight);
	tell_deletion(network, flight);
}

/* ---- effect and answer ---- */

static void take_effect(struct network *network, struct flight *flight)
{
	flight->effect_at_us = NEVER;
	if (flight->is_fetch)
		return;
	network->world->sent_at_us = flight->started_at_us;
	world_do(network->world, &flight->ask, &flight->answer);
	network->world->sent_at_us = 0;
}

static void answer_refused(struct network *network, struct flight *flight)
{
	static const char *const advice[] = {
		NULL, "30", "600", "315360000", "-5", "Thu, 01 Jan 2037 00:00:00 GMT", "soon"};
	const struct fault *fault = flight->fault;
	struct dice *dice = &network->sim->dice;
	flight->answer = (struct answer){0};
	world_refuse(network->world, world_voice(&flight->ask), fault->refusal, &flight->answer);
	if (fault->refusal == REFUSE_TOKEN)
		world_expire(network->world, flight->ask.token);
	const char *header = advice[dice_below(dice, 7)];
	if (fault->refusal == REFUSE_RATE && header != NULL)
		world_header(&flight->answer, "Retry-After", str_of(header));
}

static void answer_status(struct network *network, struct flight *flight)
{
	static const int statuses[] = {500, 502, 503, 504};
	const int status = flight->fault->status;
	flight->answer = (struct answer){0};
	world_answer(&flight->answer,
		     status != 0 ? status : statuses[dice_below(&network->sim->dice, 4)],
		     STR("<html><body>Oops</body></html>"));
	if (status == 302)
		world_header(&flight->answer, "Location", STR("https://elsewhere.example/"));
}

static void answer_spoilt(struct flight *flight)
{
	const char *body = flight->fault->body;
	struct answer *answer = &flight->answer;
	answer->body =
		body != NULL ? str_of(body) : str_slice(answer->body, 0, answer->body.len / 2);
	answer->header_count = 0;
}

static void shape_answer(struct network *network, struct flight *flight)
{
	switch (flight->fault->answer) {
	case ANSWER_REFUSED:
		answer_refused(network, flight);
		return;
	case ANSWER_STATUS:
		answer_status(network, flight);
		return;
	case ANSWER_SPOILT:
		answer_spoilt(flight);
		return;
	case ANSWER_TRUE:
	case ANSWER_NEVER_SENT:
	case ANSWER_LOST:
	case ANSWER_TIMED_OUT:
		return;
	}
}

static enum transfer_outcome outcome_of(const struct flight *flight)
{
	static const enum transfer_outcome outcomes[] = {
		[ANSWER_TRUE] = TRANSFER_ANSWERED,    [ANSWER_NEVER_SENT] = TRANSFER_NEVER_SENT,
		[ANSWER_LOST] = TRANSFER_LOST,        [ANSWER_TIMED_OUT] = TRANSFER_LOST,
		[ANSWER_REFUSED] = TRANSFER_ANSWERED, [ANSWER_STATUS] = TRANSFER_ANSWERED,
		[ANSWER_SPOILT] = TRANSFER_ANSWERED,
	};
	return flight->fault != NULL ? outcomes[flight->fault->answer] : TRANSFER_ANSWERED;
}

/* ---- the customer's media: what the name says, so and so many bytes ---- */

#define VIDEO_BYTES 3000
#define FILM_BYTES 100000                   /* the least that LinkedIn takes is 75 kB */
#define LONG_VIDEO_BYTES (INT64_C(9) << 20) /* more than one chunk of YouTube's */

struct file_kind {
	const char *name_end;
	struct str head;
	int64_t size_bytes;
};

#define VIDEO_HEAD \
	STR("\0\0\0\x18" \
	    "ftypisom\0\0\0\0isommp42")

/* By how the name ends, the first that fits. */
static struct file_kind file_kind(struct str path)
{
	const struct file_kind kinds[] = {
		{".jpg", STR("\xff\xd8\xff\xe0"), VIDEO_BYTES},
		{".pdf", STR("%PDF-1.4\n"), VIDEO_BYTES},
		{"-film.mp4", VIDEO_HEAD, FILM_BYTES},
		{"", VIDEO_HEAD,
		 str_find(path, STR("long"), 0) != SIZE_MAX ? LONG_VIDEO_BYTES : VIDEO_BYTES},
	};
	size_t i = 0;
	while (!str_has_suffix(path, str_of(kinds[i].name_end)))
		i++;
	return kinds[i];
}

static int64_t write_file(const char *path, const struct file_kind *kind)
{
	const struct str head = kind->head;
	const int64_t size = kind->size_bytes;
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	const bool is_written =
		pwrite(fd, head.ptr, head.len, 0) == (ssize_t)head.len && ftruncate(fd, size) == 0;
	close(fd);
	return is_written ? size : -1;
}

static void fetch_media(struct flight *flight, struct transfer_result *result)
{
	const struct file_kind kind = file_kind(flight->ask.url.path);
	if (result->outcome != TRANSFER_ANSWERED || flight->answer.status != 0)
		return;
	result->received_bytes = write_file(flight->save_path, &kind);
	result->status = 200;
	if (result->received_bytes < 0)
		abort();
}

/* ---- results ---- */

static void mutate(struct network *network, const struct flight *flight,
		   struct transfer_result *result)
{
	const enum mutant mutant = network->sim->mutant;
	const bool is_500 = result->outcome == TRANSFER_ANSWERED && result->status >= 500;
	const bool is_lost = result->outcome == TRANSFER_LOST;
	if (flight->is_publish && ((mutant == MUTANT_RETRY_ON_500 && is_500) ||
				   (mutant == MUTANT_LOST_IS_NEVER_SENT && is_lost)))
		result->outcome = TRANSFER_NEVER_SENT;
	if (mutant == MUTANT_LOST_IS_REMOVED && is_lost &&
	    !str_is_empty(world_deletion_id(&flight->ask)))
		*result = (struct transfer_result){
			.id = result->id,
			.outcome = TRANSFER_ANSWERED,
			.status = 200,
			.body = STR("{\"success\":true,\"data\":{\"deleted\":true}}")};
}

static void tell(struct network *network, struct flight *flight, struct transfer_result *result)
{
	if (flight->fault != NULL)
		shape_answer(network, flight);
	*result = (struct transfer_result){
		.id = flight->id,
		.outcome = outcome_of(flight),
		.problem = flight->fault != NULL ? flight->fault->problem : TRANSFER_OK,
		.duration_us = network->sim->true_us - flight->started_at_us,
	};
	if (result->outcome == TRANSFER_ANSWERED) {
		result->status = flight->answer.status;
		result->headers = flight->answer.headers;
		result->header_count = flight->answer.header_count;
		result->body = flight->answer.body;
		result->received_bytes = (int64_t)flight->answer.body.len;
	} else {
		result->error_text = STR("The connection failed.");
	}
	if (flight->is_fetch)
		fetch_media(flight, result);
	mutate(network, flight, result);
	sim_trace(network->sim, "answer %llu outcome %d status %d body %zu",
		  (unsigned long long)flight->id, result->outcome, result->status,
		  result->body.len);
}

static bool is_over(const struct flight *flight)
{
	return !flight->is_awaited && flight->effect_at_us == NEVER;
}

static void drop_over(struct network *network)
{
	size_t kept = 0;
	for (size_t i = 0; i < network->count; i++) {
		if (!is_over(network->air[i]))
			network->air[kept++] = network->air[i];
	}
	network->count = kept;
}

static int64_t next_event_us(const struct flight *flight)
{
	const int64_t answer_us = flight->is_awaited ? flight->answer_at_us : NEVER;
	return flight->effect_at_us < answer_us ? flight->effect_at_us : answer_us;
}

/* The flight whose next event comes first, or NULL. */
static struct flight *earliest(const struct network *network)
{
	struct flight *first = NULL;
	for (size_t i = 0; i < network->count; i++) {
		if (next_event_us(network->air[i]) == NEVER)
			continue;
		if (first == NULL || next_event_us(network->air[i]) < next_event_us(first))
			first = network->air[i];
	}
	return first;
}

static bool is_answer_due(const struct network *network, const struct flight *flight)
{
	return flight->is_awaited && flight->effect_at_us > flight->answer_at_us &&
	       flight->answer_at_us <= network->sim->true_us;
}

/* The next thing that happens by then. Returns a flight whose answer is due, or NULL when nothing
 * more happens by then. */
static struct flight *run_until(struct network *network, int64_t until_us)
{
	struct sim *sim = network->sim;
	struct flight *flight;
	while ((flight = earliest(network)) != NULL && next_event_us(flight) <= until_us) {
		if (sim->true_us < next_event_us(flight))
			sim->true_us = next_event_us(flight);
		if (is_answer_due(network, flight))
			return flight;
		take_effect(network, flight);
		drop_over(network);
	}
	if (sim->true_us < until_us)
		sim->true_us = until_us;
	return NULL;
}

/* ---- several nodes: the one that waits gives its turn away ---- */

static int64_t answer_us(const struct network_end *end, const struct flight *flight)
{
	const bool is_own = flight->end == end && flight->is_awaited;
	return is_own && flight->effect_at_us > flight->answer_at_us ? flight->answer_at_us : NEVER;
}

static struct flight *earliest_answer(const struct network_end *end)
{
	const struct network *network = end->network;
	struct flight *first = NULL;
	for (size_t i = 0; i < network->count; i++) {
		const int64_t at_us = answer_us(end, network->air[i]);
		if (at_us != NEVER && (first == NULL || at_us < answer_us(end, first)))
			first = network->air[i];
	}
	return first;
}

int64_t network_next_answer_us(const struct network_end *end)
{
	const struct flight *first = earliest_answer(end);
	return first != NULL ? first->answer_at_us : NEVER;
}

static struct flight *earliest_effect(const struct network *network)
{
	struct flight *first = NULL;
	for (size_t i = 0; i < network->count; i++) {
		if (first == NULL || network->air[i]->effect_at_us < first->effect_at_us)
			first = network->air[i];
	}
	return first;
}

int64_t network_next_effect_us(const struct network *network)
{
	const struct flight *first = earliest_effect(network);
	return first != NULL ? first->effect_at_us : NEVER;
}

void network_arrive(struct network *network)
{
	while (network_next_effect_us(network) <= network->sim->true_us) {
		take_effect(network, earliest_effect(network));
		drop_over(network);
	}
	world_settle(network->world);
}

/* As run_until(), for the answers of one end. */
static struct flight *wait_until(struct network_end *end, int64_t until_us)
{
	const struct sim *sim = end->network->sim;
	while (true) {
		struct flight *flight = earliest_answer(end);
		if (flight != NULL && flight->answer_at_us <= sim->true_us)
			return flight;
		if (sim->true_us >= until_us || end->is_woken)
			return NULL;
		end->wait(end->wait_context, NETWORK_WAIT_ANSWER, until_us);
	}
}

static struct flight *next_answer(struct network_end *end, int64_t until_us)
{
	return end->wait != NULL ? wait_until(end, until_us) : run_until(end->network, until_us);
}

/* ---- the port ---- */

static size_t poll(void *context, struct arena *arena, int64_t timeout_ms,
		   struct transfer_result *results, size_t max)
{
	struct network_end *end = context;
	struct network *network = end->network;
	int64_t until_us = network->sim->true_us + timeout_ms * US_PER_MS;
	size_t count = 0;
	struct flight *flight;
	(void)arena;
	while (count < max && (flight = next_answer(end, until_us)) != NULL) {
		tell(network, flight, &results[count++]);
		flight->is_awaited = false;
		drop_over(network);
		until_us = network->sim->true_us; /* no waiting once there is something */
	}
	world_settle(network->world);
	end->is_woken = false;
	return count;
}

static void wake(void *context)
{
	((struct network_end *)context)->is_woken = true;
}

static size_t running(void *context)
{
	const struct network_end *end = context;
	const struct network *network = end->network;
	size_t count = 0;
	for (size_t i = 0; i < network->count; i++)
		count += network->air[i]->end == end && network->air[i]->is_awaited;
	return count;
}

struct transport network_transport(struct network_end *end)
{
	static const struct transport_ops ops = {start, poll, wake, running};
	return (struct transport){&ops, end};
}

/* Half of what was on its way never arrives. */
void network_forget(struct network_end *end)
{
	struct network *network = end->network;
	for (size_t i = 0; i < network->count; i++) {
		struct flight *flight = network->air[i];
		if (flight->end != end)
			continue;
		flight->is_awaited = false;
		if (flight->effect_at_us != NEVER && dice_permille(&network->sim->dice, 500))
			flight->effect_at_us = NEVER;
	}
	drop_over(network);
}

void network_pass(struct network *network, int64_t us)
{
	const int64_t until_us = network->sim->true_us + us;
	struct flight *flight;
	/* Answers that come meanwhile wait in our socket: their instant is put off. */
	while ((flight = run_until(network, until_us)) != NULL)
		flight->answer_at_us = until_us + 1;
	world_settle(network->world);
}

void network_end_pass(struct network_end *end, enum network_wait how, int64_t us)
{
	if (end->wait == NULL)
		network_pass(end->network, us);
	else
		end->wait(end->wait_context, how, end->network->sim->true_us + us);
}
