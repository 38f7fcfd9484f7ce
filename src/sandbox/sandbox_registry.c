/* SPDX-License-Identifier: Apache-2.0
 * The table of the simulated platforms. No other file of the core names them. */
#include "sandbox.h"

#include "count_of.h"

#include "sandbox_core.h"

extern const struct sandbox_module sandbox_facebook;
extern const struct sandbox_module sandbox_instagram;
extern const struct sandbox_module sandbox_x;
extern const struct sandbox_module sandbox_linkedin;
extern const struct sandbox_module sandbox_youtube;
extern const struct sandbox_module sandbox_tiktok;

static const struct sandbox_module *const modules[] = {
	&sandbox_facebook, &sandbox_instagram, &sandbox_x,
	&sandbox_linkedin, &sandbox_youtube,   &sandbox_tiktok,
};

const struct sandbox_module *const *sandbox_modules(size_t *count_out)
{
	*count_out = COUNT_OF(modules);
	return modules;
}

enum err_kind sandbox_open(const struct sandbox_config *config, struct sandbox **sandbox_out,
			   struct error *err)
{
	return sandbox_open_with(config, modules, COUNT_OF(modules), sandbox_out, err);
}
