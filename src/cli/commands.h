/* SPDX-License-Identifier: Apache-2.0
 * The subcommands. Each returns the exit status: 0 done, 1 it could not be done (said on standard error), 2 wrong use. */
#pragma once

#include "arguments.h"
#include "settings.h"

struct arena;

struct command {
	struct arena *arena;
	const struct settings *settings;
	const struct arguments *arguments;
};

/* COMMAND(word, second word or NULL, function, words it takes, summary) */
#define COMMANDS(X)                                                                                                          \
	X("serve", NULL, command_serve, "", "run the service")                                                              \
	X("sandbox", NULL, command_sandbox, "", "run the six simulated platforms")                                          \
	X("demo", NULL, command_demo, "[--media DIR]", "a guided tour against a sandbox of its own")                                     \
	X("app", "create", command_app_create, "--name NAME --owner EMAIL [--live]", "create an app; prints its secret once") \
	X("app", "list", command_app_list, "", "list apps")                                                                 \
	X("app", "show", command_app_show, "CLIENT_ID", "one app with its credentials")                                     \
	X("app", "activate", command_app_action, "CLIENT_ID", "undo a suspension")                                          \
	X("app", "suspend", command_app_action, "CLIENT_ID", "refuse the app's calls")                                      \
	X("app", "go-live", command_app_action, "CLIENT_ID", "bring a draft live")                                          \
	X("app", "rotate-secret", command_app_action, "CLIENT_ID", "new client secret; revokes the token")                  \
	X("credential", "set", command_credential_set,                                                                      \
	  "--app CLIENT_ID --platform SLUG --client-id ID (--client-secret-file FILE | --client-secret-stdin) [--verify]",  \
	  "enter a platform's OAuth credentials")                                                                           \
	X("credential", "verify", command_credential_verify, "--app CLIENT_ID --platform SLUG", "ask the platform whether they are good") \
	X("credential", "list", command_credential_list, "--app CLIENT_ID", "list them")                                    \
	X("admin", "create", command_admin_create, "--email EMAIL --password-stdin", "create an admin")                     \
	X("admin", "delete", command_admin_delete, "EMAIL", "delete an admin; their apps answer admin_not_found")           \
	X("admin", "list", command_admin_list, "", "list admins")                                                           \
	X("doctor", NULL, command_doctor, "", "look whether everything is well")                                            \
	X("migrate", NULL, command_migrate, "", "make or upgrade the database")                                             \
	X("version", NULL, command_version, "", "show the version")                                                         \
	X("help", NULL, command_help, "", "show this help")

#define X(word, second, function, usage, summary) int function(const struct command *command);
COMMANDS(X)
#undef X

