/* SPDX-License-Identifier: Apache-2.0
 * Who may sign in to the dashboard, and who is: admins with a password, and their sessions. What a
 * browser holds is never stored, only its hash. Admins as owners of apps are store_app.h. */
#pragma once

#include <stddef.h>

#include "store.h"
#include "store_app.h"

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

/* What is over: begun at or before, or last seen at or before. */
struct session_limits {
	int64_t begun_after_us;
	int64_t seen_after_us;
};

enum admin_condition {
	ADMIN_IF_FIRST, /* nobody has a password yet */
	ADMIN_IF_NEW    /* that address has none yet */
};

/* Makes the admin, or gives the one of that e-mail its first password; *admin_out is the stored
 * row. CONFLICT when the condition does not hold. */
enum err_kind store_admin_put(struct store *store, struct arena *arena,
			      const struct admin_row *admin, enum admin_condition condition,
			      struct admin_row *admin_out, struct error *err);
/* Is there an admin with a password? */
enum err_kind store_admin_any(struct store *store, bool *any_out, struct error *err);
/* The admin and its sessions. CONFLICT when keep_one and nobody else has a password; NOT_FOUND. */
enum err_kind store_admin_remove(struct store *store, struct str email, bool keep_one,
				 struct error *err);
/* The app goes to the admin of that e-mail. NOT_FOUND: no such admin, or no such app. */
enum err_kind store_app_set_owner(struct store *store, struct str app_id, struct str email,
				  struct error *err);

/* Begins a session of session->admin.id; the one of ended_hash (empty = none) ends, and whatever is
 * over by limits. */
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
/* It was seen just now. */
enum err_kind store_session_touch(struct store *store, struct str token_hash, int64_t now_us,
				  struct error *err);
/* May be said again. */
enum err_kind store_session_end(struct store *store, struct str token_hash, struct error *err);
/* A new password: all sessions of the admin end, and session begins. */
enum err_kind store_session_renew(struct store *store, const struct session_row *session,
				  struct str password_hash, struct error *err);
