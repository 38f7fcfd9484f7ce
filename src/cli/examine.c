/* SPDX-License-Identifier: Apache-2.0
 * What the doctor asks of the service itself and not of the store: its mode, key, clock, disk,
 * directory and address. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "arena.h"
#include "count_of.h"
#include "timetext.h"

#include "version_end.h"

#include "film_job.h"

#include "epoch_file.h"
#include "store_doctor.h"

#include "reach.h"

#include "admin.h"

#include "jobs.h"
#include "service_private.h"

#define REACH_WAIT_MS 3000
#define CLOCK_OFF_US (5 * US_PER_S)
#define DISK_SHORT_BYTES ((uint64_t)256 << 20)

typedef void (*examiner)(struct service *service, struct arena *arena, struct admin_findings *out);

static void examine_mode(struct service *service, struct arena *arena, struct admin_findings *out)
{
	(void)arena;
	admin_finding(out, "mode", service->closed_why == NULL ? ADMIN_FINE : ADMIN_WARNING,
		      service->closed_why != NULL ? str_of(service->closed_why)
		      : service->mode == STORE_MODE_SANDBOX
			      ? STR("sandbox: nothing reaches a real platform")
			      : STR("live: posts go to the real platforms"));
}

static void examine_key(struct service *service, struct arena *arena, struct admin_findings *out)
{
	static const enum admin_severity severities[] = {
		[KEY_RIGHT] = ADMIN_FINE, [KEY_OLD] = ADMIN_WARNING, [KEY_OTHER] = ADMIN_ERROR};
	struct str sentence;
	const enum key_finding finding = identity_key_finding(service, arena, &sentence);
	admin_finding(out, "key", severities[finding], sentence);
}

/* The store's clock is the database's where several nodes share it. Elsewhere there is only ours,
 * and the newest thing that the database has seen. */
static void examine_clock(struct service *service, struct arena *arena, struct admin_findings *out)
{
	const int64_t ours_us = clock_now_us(clock_system());
	int64_t off_us = clock_now_us(store_clock(service->store)) - ours_us;
	struct epoch epoch = {0};
	struct error err = {0};
	if (epoch_file_read(service_path(service, "epoch"), &epoch, &err) == ERR_NONE &&
	    epoch.at_us - ours_us > off_us)
		off_us = epoch.at_us - ours_us;
	const bool is_off = llabs((long long)off_us) > CLOCK_OFF_US;
	admin_finding(
		out, "clock", is_off ? ADMIN_WARNING : ADMIN_FINE,
		is_off ? str_format(arena,
				    "this machine's clock is %lld s %s the database's: check its "
				    "time service",
				    (long long)(llabs((long long)off_us) / US_PER_S),
				    off_us > 0 ? "behind" : "ahead of")
		       : STR("agrees with the database's"));
}

static void examine_disk(struct service *service, struct arena *arena, struct admin_findings *out)
{
	struct statvfs disk;
	if (statvfs(service->data, &disk) != 0) {
		admin_finding(out, "disk", ADMIN_ERROR,
			      str_format(arena, "the data directory %s cannot be examined",
					 service->data));
		return;
	}
	const uint64_t free_bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
	const struct str text = str_format(arena, "%llu MiB free in %s",
					   (unsigned long long)(free_bytes >> 20), service->data);
	if (!health_has_disk_room(service))
		admin_finding(out, "disk", ADMIN_ERROR,
			      str_format(arena, STR_FMT ": nothing is delivered", STR_ARG(text)));
	else
		admin_finding(out, "disk",
			      free_bytes < DISK_SHORT_BYTES ? ADMIN_WARNING : ADMIN_FINE, text);
}

static void examine_directory(struct service *service, struct arena *arena,
			      struct admin_findings *out)
{
	struct stat status;
	const bool is_open = stat(service->data, &status) == 0 && (status.st_mode & 077) != 0;
	admin_finding(
		out, "directory", is_open ? ADMIN_WARNING : ADMIN_FINE,
		is_open ? str_format(arena,
				     "other users can look into the data directory %s (mode %03o): "
				     "chmod 700",
				     service->data, (unsigned)(status.st_mode & 0777))
			: STR("the data directory is for this user alone"));
}

/* Those that have a credential or an account. */
static void examine_platforms(struct service *service, struct arena *arena,
			      struct admin_findings *out)
{
	struct platform_use use = {0};
	struct reach reach = {0};
	struct error err = {0};
	if (store_platform_use(service->store, &use, &err) != ERR_NONE) {
		admin_finding(out, "platform", ADMIN_ERROR, str_copy(arena, str_of(err.text)));
		return;
	}
	memcpy(reach.is_wanted, use.is_used, sizeof(reach.is_wanted));
	connector_reach(service->connector, arena, REACH_WAIT_MS, &reach);
	for (size_t id = 1; id <= PLATFORM_ID_MAX; id++) {
		const char *name = platform_id_name((enum platform_id)id);
		if (!reach.is_wanted[id])
			continue;
		if (reach.is_answered[id])
			admin_finding(out, "platform", ADMIN_FINE,
				      str_format(arena, "%s answers", name));
		else
			admin_finding(out, "platform", ADMIN_ERROR,
				      str_format(arena, "%s cannot be reached: " STR_FMT, name,
						 STR_ARG(reach.why[id])));
	}
}

static bool uses_platforms(const struct service *service)
{
	struct platform_use use = {0};
	struct error err = {0};
	bool is_any = false;
	if (store_platform_use(service->store, &use, &err) != ERR_NONE)
		return false;
	for (size_t id = 1; id <= PLATFORM_ID_MAX; id++)
		is_any = is_any || use.is_used[id];
	return is_any;
}

static void examine_address(struct service *service, struct arena *arena,
			    struct admin_findings *out)
{
	const struct str url = str_of(service->public_url);
	const bool is_plain = !str_has_prefix(url, STR("https://"));
	/* Nothing is registered at a platform yet, or the sandbox takes any address. */
	const bool is_early = service->mode == STORE_MODE_SANDBOX || !uses_platforms(service);
	admin_finding(
		out, "address", is_plain && !is_early ? ADMIN_WARNING : ADMIN_FINE,
		is_plain && !is_early
			? str_format(arena,
				     STR_FMT
				     " is not https: set public-url to the https address at which "
				     "browsers and platforms reach this service",
				     STR_ARG(url))
			: url);
}

/* We speak plain http: where the public URL is https, a proxy of the operator's stands in front. */
static void examine_proxy(struct service *service, struct arena *arena, struct admin_findings *out)
{
	const struct setting *trusted = &service->settings->values[SETTING_ID_trusted_proxy];
	const bool has_proxy = str_has_prefix(str_of(service->public_url), STR("https://"));
	const bool is_unnamed = has_proxy && trusted->list_count == 0;
	(void)arena;
	admin_finding(out, "proxy", is_unnamed ? ADMIN_WARNING : ADMIN_FINE,
		      is_unnamed
			      ? STR("public-url is https, so a reverse proxy is in front, and no "
				    "trusted-proxy is set: all clients share its address in "
				    "limits and logs. Give --trusted-proxy with the address that "
				    "it calls from")
		      : trusted->list_count > 0
			      ? STR("trusted proxies say who the client is")
			      : STR("no reverse proxy is trusted; who calls is the client"));
}

/* A year's notice is what platforms give; the doctor speaks 60 days before the end. */
static void examine_versions(struct service *service, struct arena *arena,
			     struct admin_findings *out)
{
	struct version_end ends[VERSION_ENDS_MAX];
	const int64_t now_us = clock_now_us(clock_system());
	const size_t count = version_ends(&service->platform_settings, ends);
	for (size_t i = 0; i < count; i++) {
		const struct str day =
			str_slice(timetext_format_instant(arena, ends[i].ends_at_us), 0, 10);
		const bool is_soon = version_end_is_near(&ends[i], now_us);
		admin_finding(out, "version", is_soon ? ADMIN_WARNING : ADMIN_FINE,
			      str_format(arena, "%s: version " STR_FMT " %s on " STR_FMT "%s%s",
					 ends[i].platforms, STR_ARG(ends[i].version),
					 ends[i].ends_at_us < now_us ? "ended" : "ends",
					 STR_ARG(day), is_soon ? "; set a newer one with --" : "",
					 is_soon ? ends[i].setting : ""));
	}
}

static void examine_fit(struct service *service, struct arena *arena, struct admin_findings *out)
{
	char path[JOBS_PATH_BYTES];
	(void)service;
	const bool is_there = jobs_fit_program(path);
	admin_finding(
		out, "fit", is_there ? ADMIN_FINE : ADMIN_WARNING,
		is_there ? str_format(arena, "pictures are re-encoded by %s", path)
			 : STR("posthorn-fit lies neither beside this program nor in "
			       "/usr/libexec/posthorn: no picture can be re-encoded, and those "
			       "that a platform does not take as they are fail"));
}

static void examine_film(struct service *service, struct arena *arena, struct admin_findings *out)
{
	const char *mode = settings_text(service->settings, SETTING_ID_fit_video);
	const char *program = film_job_program();
	if (strcmp(mode, "off") == 0)
		admin_finding(out, "fit_video", ADMIN_FINE,
			      STR("videos go out as they are: fit-video is off"));
	else if (program == NULL)
		admin_finding(
			out, "fit_video", ADMIN_ERROR,
			str_format(arena,
				   "fit-video is %s, and ffmpeg is neither in /usr/bin nor in "
				   "/usr/local/bin: videos that a platform does not take as "
				   "they are fail",
				   mode));
	else
		admin_finding(out, "fit_video", ADMIN_FINE,
			      str_format(arena, "videos are converted by %s: fit-video is %s",
					 program, mode));
}

void examine_service(void *context, struct arena *arena, struct admin_findings *out)
{
	static const examiner examiners[] = {examine_mode,  examine_key,       examine_clock,
					     examine_disk,  examine_directory, examine_address,
					     examine_proxy, examine_platforms, examine_versions,
					     examine_fit,   examine_film};
	for (size_t i = 0; i < COUNT_OF(examiners); i++)
		examiners[i](context, arena, out);
}
