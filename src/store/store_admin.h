/* SPDX-License-Identifier: Apache-2.0
 * Admins: they own apps, and those with a password may sign in to the dashboard. An admin is known
 * by email. */
#pragma once

#include <stddef.h>

#include "store.h"

/* Root manages admins and sees every app; an owner sees their own. */
enum admin_role { ADMIN_OWNER, ADMIN_ROOT };

struct admin_row {
	struct str id;            /* uuid */
	struct str email;         /* lower case */
	struct str password_hash; /* empty = none set yet */
	int64_t created_at_us;
	enum admin_role role;
	bool has_second_factor; /* out only (store_second_factor.h) */
};

enum admin_condition {
	ADMIN_IF_FIRST, /* no admin has a password yet */
	ADMIN_IF_NEW    /* the admin with that email has none yet */
};

/* "owner" or "root". */
const char *store_admin_role_name(enum admin_role role);
/* False: there is no such role. */
bool store_admin_role_of_name(struct str name, enum admin_role *role_out);

/* NOT_FOUND. */
enum err_kind store_admin_find(struct store *store, struct arena *arena, struct str email,
			       struct admin_row *out, struct error *err);
/* Oldest first. */
enum err_kind store_admin_list(struct store *store, struct arena *arena, struct admin_row **out,
			       size_t *count_out, struct error *err);
/* Makes the admin, or gives the admin with that email a first password. Who is the first with a
 * password is root, whatever admin->role says; who was root stays it. *admin_out is the stored row;
 * its texts live in arena or are admin's. CONFLICT when the condition does not hold. */
enum err_kind store_admin_put(struct store *store, struct arena *arena,
			      const struct admin_row *admin, enum admin_condition condition,
			      struct admin_row *admin_out, struct error *err);
/* Is there an admin with a password? */
enum err_kind store_admin_any(struct store *store, bool *any_out, struct error *err);
/* CONFLICT when keep_one is set and nobody else would be root with a password; NOT_FOUND. */
enum err_kind store_admin_set_role(struct store *store, struct str email, enum admin_role role,
				   bool keep_one, struct error *err);
/* Deletes the admin and ends its sessions and links. Its apps and all that is theirs go to the
 * admin heir_email; when that is empty they stay: nothing of them goes out, their tokens and keys
 * are dead, until store_app_set_owner(). CONFLICT when keep_one is set and nobody else is root with
 * a password; INVALID when no other admin has the heir's email (nothing is changed); NOT_FOUND. */
enum err_kind store_admin_remove(struct store *store, struct str email, struct str heir_email,
				 bool keep_one, struct error *err);
