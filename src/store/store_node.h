/* SPDX-License-Identifier: Apache-2.0
 * The nodes that work on one database. Each is known by an id that it keeps in a file (a copy of
 * the file makes a node of its own), beats while it lives, and is taken over from when it has not
 * been heard of for NODE_DEAD_US: what it had claimed is claimed again, except what it had begun to
 * publish, which waits for its lease (a node may be asleep and not dead). Where one process owns
 * the database (SQLite) there are no nodes: beats do nothing and the list is empty. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clock.h"
#include "err.h"
#include "str.h"

struct arena;
struct store;

#define NODE_BEAT_MS 5000
#define NODE_DEAD_US (30 * US_PER_S)
#define NODE_ID_BYTES_MAX 64

struct node_row {
	struct str id;
	struct str name;    /* the machine's */
	struct str role;    /* "all", "api", "worker" or "command" */
	struct str address; /* where its API listens; "" = it has none */
	struct str version;
	struct str key_names; /* as of seal_key_name(), a blank between; "" = it does not say */
	int64_t started_at_us;
	int64_t beat_at_us;
	int64_t busy_count; /* accounts it works for now */
	bool is_alive;      /* heard of within NODE_DEAD_US */
};

/* Says who this node is; id and instants are the store's own. After store_open() as owner.
 * Blocks. */
enum err_kind store_node_tell(struct store *store, const struct node_row *node, struct error *err);
/* Every NODE_BEAT_MS, any thread; blocks. Also sets our clock by the database's, and takes over
 * from nodes that are gone: *taken_out lanes. NOT_FOUND: our row is gone, tell it again. CONFLICT:
 * another process runs with this node's id, or this program is too old for the database; the
 * process must end, and err->text says why. */
enum err_kind store_node_beat(struct store *store, int64_t *taken_out, struct error *err);
/* All that are known, by name; some stay for a day after they died. */
enum err_kind store_node_list(struct store *store, struct arena *arena, struct node_row **out,
			      size_t *count_out, struct error *err);
/* Do several nodes work on this database, or could they? */
bool store_is_shared(const struct store *store);
/* "" where there are no nodes. */
struct str store_node_id(const struct store *store);
