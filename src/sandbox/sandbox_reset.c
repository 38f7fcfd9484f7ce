/* SPDX-License-Identifier: Apache-2.0
 * The reset: frees all state and starts every platform again. */
#include "arena.h"

#include "sandbox_core.h"

static void start_modules(struct sandbox *sandbox)
{
	for (size_t i = 0; i < sandbox->module_count; i++) {
		const struct sandbox_module *module = sandbox->modules[i];
		if (module->state_size_bytes > 0)
			sandbox->states[module->platform] =
				sandbox_keep(sandbox, module->state_size_bytes);
	}
	/* Only now, because a module may use another's state: instagram's accounts belong to
	 * facebook's Pages. */
	for (size_t i = 0; i < sandbox->module_count; i++) {
		const struct sandbox_module *module = sandbox->modules[i];
		if (module->start != NULL)
			module->start(sandbox, sandbox->states[module->platform]);
	}
}

void sandbox_reset(struct sandbox *sandbox)
{
	sandbox_fini(sandbox);
	sandbox->generation++;
	if (sandbox->world != NULL)
		sandbox->reqlog.bytes_max = SANDBOX_WORLD_REQLOG_BYTES_MAX;
	sandbox->kept = arena_new("sandbox state", sandbox->state_max_bytes);
	sandbox_table_init(&sandbox->objects, sandbox->kept);
	sandbox_knobs_reset(sandbox);
	start_modules(sandbox);
}

void sandbox_fini(struct sandbox *sandbox)
{
	sandbox_fault_clear(sandbox);
	sandbox_reqlog_clear(&sandbox->reqlog);
	sandbox_uploads_clear(sandbox);
	if (sandbox->past == NULL)
		sandbox_media_clear(sandbox);
	sandbox_table_fini(&sandbox->objects);
	arena_free(&sandbox->kept);
	memset(sandbox->states, 0, sizeof(sandbox->states));
	sandbox->ledger_first = NULL;
	sandbox->ledger_last = NULL;
	sandbox->advance_us = 0;
}
