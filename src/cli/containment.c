/* SPDX-License-Identifier: Apache-2.0
 * See containment.h. A path that is not there at the start is not reachable later: a file that is
 * replaced by another one of its name is a new file, so where programs replace files the directory
 * is listed, unless it holds secrets of others (/etc). */
#include "containment.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"
#include "count_of.h"
#include "log.h"

#include "form.h"

#include "s3.h"

#include "settings.h"

#define PATHS_MAX 128
#define SQLITE_SCHEME "sqlite:"

struct paths {
	struct contain_path of[PATHS_MAX];
	size_t count;
};

/* Names, certificates, times, and the libraries and modules that the C library loads on demand. */
static const char *const of_the_system[] = {
	"/etc/resolv.conf",
	"/etc/hosts",
	"/etc/host.conf",
	"/etc/nsswitch.conf",
	"/etc/gai.conf",
	"/etc/services",
	"/etc/protocols",
	"/etc/localtime",
	"/etc/ld.so.cache",
	"/etc/passwd",
	"/etc/group",
	"/etc/krb5.conf",
	"/etc/ssl/certs",
	"/etc/ssl/openssl.cnf",
	"/etc/ssl/cert.pem",
	"/etc/pki/tls",
	"/etc/pki/ca-trust",
	"/etc/ca-certificates",
	"/etc/gnutls",
	"/etc/crypto-policies",
	"/etc/postgresql-common",
	"/run/systemd/resolve",
	"/run/resolvconf",
	"/run/NetworkManager",
	"/usr/share/ca-certificates",
	"/usr/local/share/ca-certificates",
	"/usr/share/zoneinfo",
	"/usr/share/dict",
	"/usr/share/locale",
	"/usr/lib",
	"/usr/lib64",
	"/usr/local/lib",
	"/lib",
	"/lib64",
	"/proc",
	"/sys/devices/system/cpu",
	"/dev/random",
	"/dev/urandom",
};

/* Environment variables that name files for libpq, OpenSSL, libcurl and the C library. */
static const char *const of_the_environment[] = {
	"PGPASSFILE",     "PGSERVICEFILE", "PGSYSCONFDIR", "PGSSLCERT",     "PGSSLKEY",
	"PGSSLROOTCERT",  "PGSSLCRL",      "PGSSLCRLDIR",  "SSL_CERT_FILE", "SSL_CERT_DIR",
	"CURL_CA_BUNDLE", "OPENSSL_CONF",  "TZDIR",        "KRB5_CONFIG",
};

/* libpq looks for these in the home directory. */
static const char *const of_the_home[] = {".pgpass", ".pg_service.conf", ".postgresql"};

/* Parameters of a database URL that name files. */
static const char *const of_the_url[] = {"passfile",    "sslcert", "sslkey",
					 "sslrootcert", "sslcrl",  "sslcrldir"};

static void add(struct paths *paths, const char *path, enum contain_access access)
{
	if (path != NULL && path[0] != '\0' && paths->count < PATHS_MAX)
		paths->of[paths->count++] = (struct contain_path){path, access};
}

/* SQLite makes files beside the database. */
static const char *directory_of(struct arena *arena, const char *file)
{
	const char *slash = strrchr(file, '/');
	if (slash == NULL)
		return ".";
	const size_t length = slash == file ? 1 : (size_t)(slash - file);
	return str_z(arena, (struct str){file, length});
}

static void add_database(struct paths *paths, const struct settings *settings)
{
	const char *url = settings_text(settings, SETTING_ID_database);
	if (str_has_prefix(str_of(url), STR(SQLITE_SCHEME))) {
		add(paths, directory_of(settings->arena, url + strlen(SQLITE_SCHEME)),
		    CONTAIN_WRITE);
		return;
	}
	const char *query = strchr(url, '?');
	struct form form = {0};
	if (query != NULL)
		form_parse(settings->arena, str_of(query + 1), 0, &form, NULL);
	for (size_t i = 0; i < COUNT_OF(of_the_url); i++) {
		const struct str *value = form_find(&form, of_the_url[i]);
		if (value != NULL)
			add(paths, str_z(settings->arena, *value), CONTAIN_READ);
	}
	const char *home = getenv("HOME");
	for (size_t i = 0; url[0] != '\0' && home != NULL && i < COUNT_OF(of_the_home); i++)
		add(paths,
		    str_z(settings->arena,
			  str_format(settings->arena, "%s/%s", home, of_the_home[i])),
		    CONTAIN_READ);
}

/* It is read again on SIGHUP, and editors replace the file: the directory is listed. */
static void add_config(struct paths *paths, const struct settings *settings)
{
	const char *config = settings_text(settings, SETTING_ID_config);
	const char *directory = config[0] != '\0' ? directory_of(settings->arena, config) : "";
	const bool is_own = directory[0] != '\0' && strcmp(directory, "/etc") != 0 &&
			    strcmp(directory, "/") != 0 && strcmp(directory, ".") != 0;
	add(paths, is_own ? directory : config, CONTAIN_READ);
}

static void add_settings(struct paths *paths, const struct settings *settings)
{
	const struct setting *old = &settings->values[SETTING_ID_old_master_key_file];
	const char *media_store = settings_text(settings, SETTING_ID_media_store);
	add(paths, settings_text(settings, SETTING_ID_data), CONTAIN_WRITE);
	if (!str_has_prefix(str_of(media_store), STR(S3_SCHEME)))
		add(paths, media_store, CONTAIN_WRITE);
	add_config(paths, settings);
	const char *key = settings_text(settings, SETTING_ID_master_key_file);
	/* The first start makes it. */
	if (key[0] != '\0' && access(key, F_OK) != 0)
		add(paths, directory_of(settings->arena, key), CONTAIN_WRITE);
	add(paths, key, CONTAIN_READ);
	add(paths, settings_text(settings, SETTING_ID_media_store_key_file), CONTAIN_READ);
	for (size_t i = 0; i < old->list_count; i++)
		add(paths, old->list[i], CONTAIN_READ);
	add_database(paths, settings);
}

static void collect(struct paths *paths, const struct settings *settings)
{
	add_settings(paths, settings);
	for (size_t i = 0; i < COUNT_OF(of_the_system); i++)
		add(paths, of_the_system[i], CONTAIN_READ);
	for (size_t i = 0; i < COUNT_OF(of_the_environment); i++)
		add(paths, getenv(of_the_environment[i]), CONTAIN_READ);
	add(paths, "/dev/null", CONTAIN_WRITE);
}

/* Whatever the log's level: a wrong --data is easily given, and shows by this. */
void containment_say_made(const struct log *log, const char *event, const char *what,
			  const char *path)
{
	char whole[PATH_MAX];
	const char *shown = realpath(path, whole) != NULL ? whole : path;
	struct log loud = *log;
	loud.level = LOG_INFO;
	if (log->format == LOG_FORMAT_TEXT)
		fprintf(stderr, "posthorn: %s: %s\n", what, shown);
	else
		LOG(&loud, INFO, event, log_str("path", str_of(shown)));
}

enum err_kind containment_make_data(const struct settings *settings, const struct log *log,
				    struct error *err)
{
	const char *path = settings_text(settings, SETTING_ID_data);
	struct stat status;
	const bool is_new = mkdir(path, 0700) == 0;
	if (!is_new && errno != EEXIST) {
		const int native = errno;
		return error_set_native(err, ERR_INVALID, native,
					"cannot make the data directory %s: %s", path,
					strerror(native));
	}
	if (is_new)
		containment_say_made(log, "data_directory_made", "made a new data directory", path);
	if (stat(path, &status) != 0 || (status.st_mode & 077) == 0)
		return ERR_NONE; /* what is wrong with it is told by who writes there */
	if (chmod(path, status.st_mode & 0700) == 0)
		LOG(log, WARN, "data_directory_tightened", log_str("path", str_of(path)),
		    log_str("meaning", STR("others could enter it; now only its owner can")));
	else
		LOG(log, WARN, "data_directory_is_open", log_str("path", str_of(path)),
		    log_str("error", str_of(strerror(errno))),
		    log_str("meaning", STR("others can enter it: chmod 0700 it")));
	return ERR_NONE;
}

enum err_kind containment_enter(const struct settings *settings, const struct log *log,
				const struct contain_path *more, size_t more_count,
				struct error *err)
{
	struct paths paths = {.count = 0};
	int version = 0;
	if (geteuid() == 0)
		LOG(log, WARN, "running_as_root",
		    log_str("meaning", STR("a fault in the service would own this machine: start "
					   "it as a user of its own")));
	if (!CONTAIN_IS_BUILT) {
		LOG(log, INFO, "not_contained", log_str("why", STR("a build with sanitizers")));
		return ERR_NONE;
	}
	collect(&paths, settings);
	for (size_t i = 0; i < more_count; i++)
		add(&paths, more[i].path, more[i].access);
	const enum err_kind kind = contain_files(paths.of, paths.count, &version, err);
	if (kind != ERR_NONE)
		return kind;
	const bool is_filtered = contain_calls(CONTAIN_SERVICE);
	if (version == 0 || !is_filtered)
		LOG(log, WARN, "containment_is_partial",
		    log_str("files", version == 0 ? STR("this kernel has no Landlock, or it is "
							"off: every file of the user can be "
							"reached")
						  : STR("contained")),
		    log_str("calls", is_filtered ? STR("contained")
						 : STR("this kernel has no seccomp filters: "
						       "programs can be started")));
	else
		LOG(log, INFO, "contained", log_int("landlock", version));
	return ERR_NONE;
}
