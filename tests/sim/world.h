/* SPDX-License-Identifier: Apache-2.0
 * The six platforms as the flows meet them, with the one ledger that counts: what people can see.
 * Written from the documents in platforms/, apart from both the adapters and the sandbox. It is
 * always honest and always up; what goes wrong on the way is network.h. Its answers are only as
 * rich as the flows need. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

#include "form.h"
#include "url.h"

#include "account.h"
#include "platform_id.h"

#include "transfer.h"

#include "sim.h"

struct json;

#define WORLD_HOMES_MAX 16
#define WORLD_LOGINS_MAX 2 /* of one account: so many users of the app have connected it */
#define WORLD_KEYS_MAX 1024
#define WORLD_ENTRIES_MAX 512
#define WORLD_PIECES_MAX 1024

/* An account at its platform. */
struct home {
	enum platform_id platform;
	enum account_type type;
	struct str id;
	struct str username;
	/* By login: the one that works now; empty = none. */
	struct str refresh_tokens[WORLD_LOGINS_MAX];
};

/* An access token. */
struct key {
	struct str text;
	size_t home;
	size_t login;
	int64_t until_us;
};

/* Something that people can see. */
struct entry {
	size_t home;
	struct str id;
	struct str text;
	struct str parent;  /* id of what it answers; empty = a post of its own */
	bool is_story;      /* in a list of its own, without its text */
	int64_t sent_at_us; /* the call that made it */
	int64_t at_us;
	int64_t listed_at_us; /* from then on lists show it */
	size_t file_count;    /* files that hang on it, where lists tell */
	struct str link;      /* what it shows instead of its text; empty = the text */
	/* Once it was removed it stays here, for the judge; 0 = it is there. */
	int64_t removed_at_us;
	int64_t shown_until_us;    /* reads are behind: they show it until then */
	int64_t deletion_asked_us; /* when we first asked the platform to delete it; 0 = never */
	bool is_removed_by_hand;   /* somebody did it at the platform */
};

enum piece_kind {
	PIECE_CONTAINER,
	PIECE_SESSION,
	PIECE_TASK,
	PIECE_PHOTO,
	PIECE_VIDEO,
	PIECE_REEL
};

/* Something begun that nobody sees yet: Instagram's container, YouTube's session, TikTok's task, a
 * Page's photo or video. */
struct piece {
	enum piece_kind kind;
	size_t home;
	struct str id;
	struct str text;
	int64_t begun_at_us;
	int64_t ready_at_us; /* container: processed; task: posts, when all bytes are there */
	bool ends_in_error;
	int64_t size_bytes;
	int64_t received_bytes;
	int64_t changed_at_us;     /* when bytes came, or it was published */
	int64_t stale_us;          /* status answers lag so far behind */
	int64_t named_late_us;     /* a task tells its post's id so long after it has posted */
	const struct entry *entry; /* what came of it */
	bool is_story;             /* container: what comes of it is one */
	bool is_child;             /* container: of a carousel, not to be published */
};

struct world {
	struct sim *sim;
	struct home homes[WORLD_HOMES_MAX];
	size_t home_count;
	struct key keys[WORLD_KEYS_MAX];
	size_t key_count;
	struct entry entries[WORLD_ENTRIES_MAX];
	size_t entry_count;
	struct piece pieces[WORLD_PIECES_MAX];
	size_t piece_count;
	uint64_t last_id;
	int64_t sent_at_us; /* of the call that takes effect; 0 = it is no call's effect */
};

struct ask {
	struct str method;
	struct url url;
	struct str path[8]; /* segments, decoded */
	size_t path_count;
	struct form query;
	struct str token;        /* bearer */
	struct str range;        /* Content-Range */
	int64_t offset_bytes;    /* rupload's own header; -1 = none */
	struct str body;         /* without the bytes of a file in it */
	struct form form;        /* of the body, the text parts of a multipart one too */
	const struct json *json; /* likewise */
	int64_t file_bytes;      /* a body from a file has so many */
};

#define ANSWER_HEADERS_MAX 4

struct answer {
	int status;
	struct transfer_header headers[ANSWER_HEADERS_MAX];
	size_t header_count;
	struct str body;
};

/* Who speaks: each has its own shape of errors. */
enum voice {
	VOICE_GRAPH,
	VOICE_X,
	VOICE_LINKEDIN,
	VOICE_GOOGLE,
	VOICE_TIKTOK,
	VOICE_TOKEN,
	VOICE_UPLOAD,
	VOICE_OTHER
};
enum refusal_kind {
	REFUSE_TOKEN,
	REFUSE_FORBIDDEN,
	REFUSE_NOT_FOUND,
	REFUSE_BAD,
	REFUSE_RATE,
	REFUSE_DUPLICATE
};

struct world *world_new(struct sim *sim);
size_t world_add_home(struct world *world, enum platform_id platform, enum account_type type);
/* A new access token of that account and login, good for so long. */
struct str world_new_key(struct world *world, size_t home, size_t login, int64_t life_us);
/* Whose token it is or was; NULL = nobody's. */
const struct key *world_key(const struct world *world, struct str token);
/* Does what is asked and answers. */
void world_do(struct world *world, const struct ask *ask, struct answer *answer);
/* Lets time pass: what was to be done by now is done. */
void world_settle(struct world *world);
enum voice world_voice(const struct ask *ask);
/* A well-formed refusal in that voice; nothing else happens. */
void world_refuse(struct world *world, enum voice voice, enum refusal_kind kind,
		  struct answer *answer);
/* Every access token of the bearer's account ends now. */
void world_expire(struct world *world, struct str token);

/* Shared by the platforms' files. */
struct home *world_home_of(struct world *world, const struct ask *ask, struct answer *answer);
size_t world_home_index(const struct world *world, const struct home *home);
struct str world_id(struct world *world, const char *format_prefix);
struct entry *world_publish(struct world *world, size_t home, struct str id, struct str text,
			    struct str parent);
/* Not what is removed, once reads know of it. */
struct entry *world_entry(struct world *world, struct str id);
/* It and what goes with it is not there any more, by the account's own wish. */
void world_remove(struct world *world, struct entry *entry);
/* The id of what is to be deleted, also of what is deleted already; empty = it asks for something
 * else. */
struct str world_deletion_id(const struct ask *ask);
/* We are about to ask for that. */
void world_note_deletion(struct world *world, const struct ask *ask);
/* Same text by the same account since then, or NULL. */
struct entry *world_twin(struct world *world, size_t home, struct str text, struct str parent,
			 int64_t since_us);
struct piece *world_piece(struct world *world, enum piece_kind kind, struct str id);
struct piece *world_begin(struct world *world, enum piece_kind kind, size_t home, struct str text);
bool world_is_listed(const struct world *world, const struct entry *entry);
struct str world_instant(const struct world *world, int64_t us);
/* text as a JSON string with its quotes */
struct str world_quoted(const struct world *world, struct str text);
/* id as the platform writes it: a string, or a number on some days */
struct str world_id_json(const struct world *world, struct str id);
void world_answer(struct answer *answer, int status, struct str body);
void world_header(struct answer *answer, const char *name, struct str value);
/* "bytes A-B/N" -> A, B, N; a star instead of A-B gives from = -1. */
bool world_range(struct str range, int64_t *from, int64_t *to, int64_t *size);
/* The one token endpoint with four addresses. */
void world_refresh(struct world *world, const struct ask *ask, enum platform_id platform,
		   bool rotates, struct answer *answer);

void graph_do(struct world *world, const struct ask *ask, struct answer *answer);
/* What of it only Pages have; leaves the answer empty when it is for graph_do(). */
void pages_do(struct world *world, const struct ask *ask, struct home *home, struct answer *answer);
void x_do(struct world *world, const struct ask *ask, struct answer *answer);
void linkedin_do(struct world *world, const struct ask *ask, struct answer *answer);
void google_do(struct world *world, const struct ask *ask, struct answer *answer);
void tiktok_do(struct world *world, const struct ask *ask, struct answer *answer);
