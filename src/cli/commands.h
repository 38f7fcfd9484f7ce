/* SPDX-License-Identifier: Apache-2.0
 * The subcommands. Each returns the exit status: 0 done, 1 not done (standard error says why), 2
 * wrong use. */
#pragma once

#include "arguments.h"
#include "settings.h"

struct arena;

struct command {
	struct arena *arena;
	const struct settings *settings;
	const struct arguments *arguments;
};

/* X(word, second word or NULL, function, operands after them, usage, summary) */
#define COMMANDS(X) \
	X("serve", NULL, command_serve, 0, "[--no-deliver] [--change-mode]", \
	  "run the service; --no-deliver: only its API (PostgreSQL); --change-mode: once, to go " \
	  "from " \
	  "live to sandbox or back (holds unfinished posts, accounts must be connected again)") \
	X("worker", NULL, command_worker, 0, "", "only deliver, beside other nodes (PostgreSQL)") \
	X("sandbox", NULL, command_sandbox, 0, "", \
	  "run the six simulated platforms; what they know is kept in --data (here " \
	  "./posthorn-data/sandbox; '' = in memory)") \
	X("demo", NULL, command_demo, 0, "[--media DIR]", "a guided tour with its own sandbox") \
	X("app", "create", command_app_create, 0, \
	  "--name NAME --owner EMAIL [--live] [--test [--time-scale N]] " \
	  "[--redirect-urls 'URL URL...'] [--connect-confirmation on|off] " \
	  "[--on-unknown hold|retry_once] [--max-lateness SECONDS|none]", \
	  "create an app; prints its secret once. Recommended: exact redirect URLs and " \
	  "--connect-confirmation on") \
	X("app", "list", command_app_list, 0, "", "list apps") \
	X("app", "show", command_app_show, 1, "CLIENT_ID", "one app with its credentials") \
	X("app", "set", command_app_set, 1, \
	  "CLIENT_ID [--name NAME] [--owner EMAIL] [--redirect-urls 'URL URL...'] " \
	  "[--on-unknown hold|retry_once] [--connect-confirmation on|off] " \
	  "[--max-lateness SECONDS|none]", \
	  "change what is given; an empty --redirect-urls allows any") \
	X("app", "delete", manage_app_delete, 1, "CLIENT_ID", \
	  "delete an app: cancels what is scheduled, disconnects its accounts, ends its token " \
	  "and keys") \
	X("app", "assign", manage_app_assign, 1, "CLIENT_ID --owner EMAIL", \
	  "give the app another admin; what was held for want of one goes on") \
	X("app", "quota", manage_app_quota, 1, \
	  "CLIENT_ID [--pending-posts N] [--accounts N] [--post-bytes N] [--media-bytes N] " \
	  "[--media-files N] [--webhook-backlog N]", \
	  "show the app's quotas and use, or set its own: 0 = no limit, default = the setting's") \
	X("app", "activate", command_app_action, 1, "CLIENT_ID", "undo a suspension") \
	X("app", "suspend", command_app_action, 1, "CLIENT_ID", "refuse the app's calls") \
	X("app", "go-live", command_app_action, 1, "CLIENT_ID", "bring a draft live") \
	X("app", "rotate-secret", command_app_action, 1, "CLIENT_ID", \
	  "new client secret; revokes the token") \
	X("credential", "set", command_credential_set, 0, \
	  "--app CLIENT_ID --platform SLUG --client-id ID (--client-secret-file FILE | " \
	  "--client-secret-stdin) [--variant NAME] [--config-id ID] [--scopes LIST] [--verify] " \
	  "[--force]", \
	  "enter a platform's OAuth credentials; one that works stays until the new one is " \
	  "proven") \
	X("credential", "verify", command_credential_verify, 0, "--app CLIENT_ID --platform SLUG", \
	  "ask the platform whether they are valid") \
	X("credential", "list", command_credential_list, 0, "--app CLIENT_ID", "list them") \
	X("key", "create", manage_key_create, 0, \
	  "--app CLIENT_ID --name NAME --scopes read,publish [--expires 90d|12h|3600s]", \
	  "create a key with scopes of its own; prints it once") \
	X("key", "list", manage_key_list, 0, "--app CLIENT_ID", "list an app's keys") \
	X("key", "revoke", manage_key_revoke, 1, "KEY_ID", "end a key at once") \
	X("admin", "create", command_admin_create, 0, \
	  "--email EMAIL --password-stdin [--role root|owner]", \
	  "create an admin; the first with a password is root") \
	X("admin", "invite", manage_admin_invite, 0, "--email EMAIL [--role root|owner]", \
	  "make an admin (owner, unless root is said), and print the link with which they choose " \
	  "a password") \
	X("admin", "role", manage_admin_role, 1, "EMAIL --role root|owner", \
	  "make an admin root or owner") \
	X("admin", "reset-second-factor", manage_admin_reset_second_factor, 1, "EMAIL", \
	  "turn off the second factor of an admin who has lost the app and the recovery codes") \
	X("admin", "setup-link", manage_admin_setup_link, 0, "[--email EMAIL]", \
	  "print a link that makes the first admin; with --email, one with which that admin " \
	  "chooses a new password. Good once, for ten minutes") \
	X("admin", "delete", command_admin_delete, 1, "EMAIL", \
	  "delete an admin; their apps are held until app assign") \
	X("admin", "list", command_admin_list, 0, "", "list admins") \
	X("doctor", NULL, command_doctor, 0, "[--text] [--repair]", \
	  "check everything; exits 0 when all is well, 3 with warnings only, 1 with errors; " \
	  "--repair: count again what lists of posts go by") \
	X("live-check", NULL, live_check_command, 0, \
	  "--app CLIENT_ID --platform SLUG --account ID [--image URL] [--video URL] " \
	  "[--record FILE] [--yes]", \
	  "publish one post of each kind with a real account, hold what is sent and answered " \
	  "against the transcripts, and delete the posts; without --yes: say who would see them") \
	X("metrics", NULL, manage_metrics, 0, "", \
	  "the figures of the running service, in the Prometheus text format") \
	X("audit", NULL, manage_audit, 0, "[--since TIME|7d|12h] [--json]", \
	  "who did what, newest first") \
	X("backup", NULL, command_backup, 1, "FILE", \
	  "copy the database to a new file; works while the service runs") \
	X("restore", NULL, backup_restore, 1, "FILE", \
	  "put a backup back in the place of the database, which is kept under another name; " \
	  "what it cannot know to be unpublished is held. Stop the service first (SQLite)") \
	X("restore", NULL, backup_restore_mark, 0, "--mark", \
	  "say that the database was put back in another way (pg_restore, a whole volume): the " \
	  "next start holds what is due. Stop every node first") \
	X("master-key", "create", reseal_create_key, 1, "FILE", \
	  "make a key in a new file, for --master-key-file") \
	X("reseal", NULL, reseal_command, 0, "", \
	  "seal again with the master key what the keys of --old-master-key-file sealed; works " \
	  "while the service runs") \
	X("pause", NULL, command_pause, 0, "[--platform SLUG] [--app CLIENT_ID] [--account ID]", \
	  "begin nothing new there; posts are accepted and wait") \
	X("resume", NULL, command_pause, 0, "[--platform SLUG] [--app CLIENT_ID] [--account ID]", \
	  "end a pause, named by the same words") \
	X("hold", "show", command_hold_show, 0, "", \
	  "count what is held since a backup was restored") \
	X("hold", "release", command_hold_decide, 0, "[--platform SLUG]", "publish what is held") \
	X("hold", "fail", command_hold_decide, 0, "[--platform SLUG]", \
	  "fail what is held as OUTCOME_UNKNOWN") \
	X("migrate", NULL, command_migrate, 0, "[--from sqlite:PATH --to postgres://...]", \
	  "create or upgrade the database, or move it to PostgreSQL") \
	X("version", NULL, command_version, 0, "", "show the version") \
	X("help", NULL, command_help, 0, "", "show this help")

#define X(word, second, function, operands, usage, summary) \
	int function(const struct command *command);
COMMANDS(X)
#undef X
