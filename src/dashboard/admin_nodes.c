/* SPDX-License-Identifier: Apache-2.0
 * Admin API: the nodes that share the database, and when each was last seen. The doctor reports
 * problems with them. */
#include "admin_private.h"

#include "timetext.h"

#include "store_node.h"

static void write_node(struct json_writer *w, struct arena *arena, const struct node_row *node)
{
	json_begin_object(w);
	json_member_str(w, "id", node->id);
	json_member_str(w, "name", node->name);
	json_member_str(w, "role", node->role);
	json_member_str_or_null(w, "address", node->address);
	json_member_str(w, "version", node->version);
	json_member_str(w, "started_at", timetext_format_instant(arena, node->started_at_us));
	json_member_str(w, "last_beat_at", timetext_format_instant(arena, node->beat_at_us));
	json_member_bool(w, "alive", node->is_alive);
	json_member_int(w, "busy_accounts", node->busy_count);
	json_end_object(w);
}

void admin_node_list(void *context, struct http_request *request, struct http_response *response)
{
	const struct admin *admin = context;
	struct store *store = admin->config.store;
	struct node_row *nodes = NULL;
	size_t count = 0;
	struct error err = {0};
	struct json_writer w;
	const enum err_kind kind = store_is_shared(store) ? store_node_list(store, request->arena,
									    &nodes, &count, &err)
							  : ERR_NONE;
	if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "node");
		return;
	}
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_member_bool(&w, "shared", store_is_shared(store));
	json_member_str_or_null(&w, "answered_by", store_node_id(store));
	json_key(&w, "data");
	json_begin_array(&w);
	for (size_t i = 0; i < count; i++)
		write_node(&w, request->arena, &nodes[i]);
	json_end_array(&w);
	json_end_object(&w);
}
