/* SPDX-License-Identifier: Apache-2.0
 * The parsed command line: words ("app", "create"), settings (settings.def, passed on) and the
 * flags of commands. Flags may stand anywhere, as --name VALUE or --name=VALUE; "--" ends them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "str.h"

#include "settings.h"

#define ARGUMENT_WORDS_MAX 8

/* COMMAND_FLAG(field, "name", has value, "what for") */
#define COMMAND_FLAGS(X) \
	X(name, "name", true, "app create, app set, key create: the name") \
	X(owner, "owner", true, "app create, app set: e-mail of its admin") \
	X(redirect_urls, "redirect-urls", true, \
	  "app set: URLs that users may be sent back to, separated by spaces") \
	X(on_unknown, "on-unknown", true, "app set: hold or retry_once") \
	X(tiktok_privacy, "tiktok-privacy", true, \
	  "app set: who sees a TikTok post without privacy_level: most_open, self_only or refuse") \
	X(connect_confirmation, "connect-confirmation", true, "app set: on or off") \
	X(max_lateness, "max-lateness", true, "app set: seconds, or none for no limit") \
	X(pending_posts, "pending-posts", true, \
	  "app quota: a number, 0 for no limit, or default; so are the other quotas") \
	X(accounts, "accounts", true, "app quota: connected accounts") \
	X(post_bytes, "post-bytes", true, "app quota: bytes of stored posts") \
	X(media_bytes, "media-bytes", true, "app quota: bytes of media files") \
	X(media_files, "media-files", true, "app quota: media files") \
	X(webhook_backlog, "webhook-backlog", true, \
	  "app quota: webhook calls that still have to be made") \
	X(live, "live", false, "app create: live at once") \
	X(test, "test", false, \
	  "app create: a test app, whose platforms are the sandbox inside the service") \
	X(app, "app", true, "credential, key, live-check, pause, resume: the app's client id") \
	X(platform, "platform", true, \
	  "credential, hold, live-check, pause, resume: platform slug") \
	X(account, "account", true, "live-check, pause, resume: the account's id") \
	X(image, "image", true, "live-check: the address of a JPEG picture, 1080 by 1080 or so") \
	X(video, "video", true, "live-check: the address of an upright MP4 video of 5 to 60 s") \
	X(record, "record", true, "live-check: the file for what was sent and answered") \
	X(yes, "yes", false, "live-check: do it") \
	X(client_id, "client-id", true, "credential set: the platform's client id") \
	X(client_secret_file, "client-secret-file", true, \
	  "credential set: file with the platform's client secret") \
	X(client_secret_stdin, "client-secret-stdin", false, \
	  "credential set: read the secret from standard input") \
	X(variant, "variant", true, \
	  "credential set: the kind of app; LinkedIn: member (when not given), pages or both; " \
	  "Instagram: facebook_login (when not given) or instagram_login") \
	X(config_id, "config-id", true, \
	  "credential set: Facebook, Instagram: the configuration of Facebook Login for Business " \
	  "to ask for instead of scopes; empty = none") \
	X(scopes, "scopes", true, \
	  "credential set: OAuth scopes to request; empty = the platform's usual ones; key " \
	  "create: " \
	  "what the key may do, with commas") \
	X(expires, "expires", true, \
	  "key create: its life, as 90d, 12h or 3600s; else it has no end") \
	X(verify, "verify", false, "credential set: verify at once") \
	X(force, "force", false, \
	  "credential set: use it even if it is not proven and another one works") \
	X(email, "email", true, "admin create, admin invite, admin setup-link: e-mail") \
	X(role, "role", true, "admin create, admin invite, admin role: root or owner") \
	X(password_stdin, "password-stdin", false, \
	  "admin create: read the password from standard input") \
	X(no_deliver, "no-deliver", false, "serve: accept posts, and leave delivery to workers") \
	X(mark, "mark", false, "restore: only say that the database was put back") \
	X(repair, "repair", false, "doctor: count again what lists of posts go by") \
	X(change_mode, "change-mode", false, \
	  "serve, worker: change the database from live to sandbox or back, once") \
	X(from, "from", true, "migrate: sqlite:PATH to move from") \
	X(to, "to", true, "migrate: postgres://... to move to") \
	X(media, "media", true, "demo: directory with photo.jpg and video.mp4") \
	X(text, "text", false, "doctor: lines for people instead of JSON") \
	X(since, "since", true, \
	  "audit: from this time on, as 2026-11-22, 2026-11-22T12:00:00Z, 7d, 12h or 3600s") \
	X(json, "json", false, "audit: JSON instead of lines for people") \
	X(help, "help", false, "show help") \
	X(version, "version", false, "show the version")

struct arguments {
	const char *words[ARGUMENT_WORDS_MAX];
	size_t word_count;
/* NULL = not given; "" for flags without value */
#define X(field, name, has_value, help) const char *field;
	COMMAND_FLAGS(X)
#undef X
};

/* Fills arguments, which point into argv; passes settings on to settings_set_flag(). INVALID: err
 * has one sentence that names the flag and never its value. */
enum err_kind arguments_parse(int argc, char **argv, struct arguments *arguments,
			      struct settings *settings, struct error *err);
