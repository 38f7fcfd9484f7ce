/* SPDX-License-Identifier: Apache-2.0
 * Links that let somebody in once: to make the first admin, to choose a password (an invitation,
 * or one that was forgotten), or to sign in. Only the hash of a link's token is stored. Using a
 * link and what it is used for are one transaction: of two who use it at the same instant one gets
 * in, and after a crash it is either unused or has done its work. */
#pragma once

#include <stdint.h>

#include "store.h"
#include "store_admin.h"

enum admin_link_kind { ADMIN_LINK_SETUP, ADMIN_LINK_PASSWORD, ADMIN_LINK_SIGN_IN };

struct admin_link {
	struct str token_hash; /* hex digest */
	enum admin_link_kind kind;
	int64_t expires_at_us;
};

/* A link of SETUP. Those before it stay good: each of several nodes may have printed one. CONFLICT:
 * an admin has a password. */
enum err_kind store_admin_link_add_setup(struct store *store, const struct admin_link *link,
					 int64_t now_us, struct error *err);
/* A link of the admin with this email: theirs of the same kind end. *admin_out: whose it is.
 * NOT_FOUND. */
enum err_kind store_admin_link_add(struct store *store, struct arena *arena,
				   const struct admin_link *link, struct str email, int64_t now_us,
				   struct admin_row *admin_out, struct error *err);
/* The same for an admin who is made now, or is there without a password and gets invited->role.
 * CONFLICT: this admin has a password. */
enum err_kind store_admin_link_invite(struct store *store, struct arena *arena,
				      const struct admin_link *link,
				      const struct admin_row *invited, int64_t now_us,
				      struct admin_row *admin_out, struct error *err);

/* From here on link is as its holder shows it: expires_at_us is not looked at, and FORBIDDEN says
 * that there is no such link, or that it is over at now_us. */

/* Uses nothing up. *admin_out: whose it is; empty of SETUP. FORBIDDEN. */
enum err_kind store_admin_link_find(struct store *store, struct arena *arena,
				    const struct admin_link *link, int64_t now_us,
				    struct admin_row *admin_out, struct error *err);
/* SETUP: uses it up and all others, and puts the first admin as store_admin_put() does. FORBIDDEN,
 * CONFLICT. */
enum err_kind store_admin_link_set_up(struct store *store, struct arena *arena,
				      const struct admin_link *link, int64_t now_us,
				      const struct admin_row *first, struct admin_row *admin_out,
				      struct error *err);
/* PASSWORD: uses it up; its admin has this password, and their sessions end. FORBIDDEN. */
enum err_kind store_admin_link_set_password(struct store *store, struct arena *arena,
					    const struct admin_link *link, int64_t now_us,
					    struct str password_hash, struct admin_row *admin_out,
					    struct error *err);
/* SIGN_IN: uses it up. FORBIDDEN. */
enum err_kind store_admin_link_sign_in(struct store *store, struct arena *arena,
				       const struct admin_link *link, int64_t now_us,
				       struct admin_row *admin_out, struct error *err);
