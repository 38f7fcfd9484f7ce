/* SPDX-License-Identifier: Apache-2.0
 * Sessions of admins who are signed in to the dashboard. The token that the browser holds is never
 * stored, only its hash. */
#pragma once

#include <stddef.h>

#include "store.h"
#include "store_admin.h"

#define SESSIONS_PER_ADMIN_MAX 20 /* the oldest end when one more signs in */

struct session_row {
	struct str token_hash; /* hex digest */
	bool is_secure;        /* its cookie is one of https */
	struct str address;    /* where it was begun */
	struct str user_agent;
	int64_t created_at_us;
	int64_t last_seen_us;
	struct admin_row admin;
};

/* A session is over when it began at or before, or was last seen at or before, these. */
struct session_limits {
	int64_t begun_after_us;
	int64_t seen_after_us;
};

/* Begins a session of session->admin.id; the one of ended_hash (empty = none) ends, and those that
 * are over by limits. */
enum err_kind store_session_begin(struct store *store, const struct session_row *session,
				  struct str ended_hash, const struct session_limits *limits,
				  struct error *err);
/* NOT_FOUND when unknown, over, or its admin is gone. */
enum err_kind store_session_find(struct store *store, struct arena *arena, struct str token_hash,
				 const struct session_limits *limits, struct session_row *out,
				 struct error *err);
/* Newest first. */
enum err_kind store_session_list(struct store *store, struct arena *arena, struct str admin_id,
				 const struct session_limits *limits, struct session_row **out,
				 size_t *count_out, struct error *err);
/* Notes that the session was seen at now_us. */
enum err_kind store_session_touch(struct store *store, struct str token_hash, int64_t now_us,
				  struct error *err);
/* Idempotent. */
enum err_kind store_session_end(struct store *store, struct str token_hash, struct error *err);
#define SESSION_ID_CHARACTERS 32 /* an admin knows a session by so much of its hash */
/* Ends the admin's session that has this id. NOT_FOUND. */
enum err_kind store_session_end_of(struct store *store, struct str admin_id, struct str session_id,
				   struct error *err);
/* A new password: all sessions of the admin end, and session begins. */
enum err_kind store_session_renew(struct store *store, const struct session_row *session,
				  struct str password_hash, struct error *err);
