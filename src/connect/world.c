/* SPDX-License-Identifier: Apache-2.0
 * Whose platforms a task's calls reach: the real ones, or those of the sandbox inside the service
 * (api-decisions.md 14). */
#include "connect_private.h"

enum err_kind connect_task_enter_world(struct connect_task *t, struct str app_id, struct error *err)
{
	const struct connector_config *config = &t->connector->config;
	struct app_world world = {0};
	const enum err_kind kind = store_app_world(config->store, t->arena, app_id, &world, err);
	if (kind != ERR_NONE)
		return kind;
	t->task.reach = world.is_test ? TRANSFER_TEST : TRANSFER_REAL;
	t->task.test_app_id = str_copy(t->arena, app_id);
	t->task.platform = t->platform->id;
	t->time_scale = world.is_test ? world.time_scale : config->time_scale;
	return ERR_NONE;
}
