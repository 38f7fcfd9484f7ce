/* SPDX-License-Identifier: Apache-2.0
 * Sign-in by a proxy's header: reads its settings, which are there together or not at all, and the
 * secret that the proxy sends. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "arena.h"

#include "cidr.h"

#include "service_private.h"

#define SECRET_MIN_BYTES 32
#define SECRET_MAX_BYTES 1024

static bool is_header_name(struct str name)
{
	for (size_t i = 0; i < name.len; i++) {
		const char c = name.ptr[i];
		const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
		if (!is_letter && !(c >= '0' && c <= '9') && c != '-')
			return false;
	}
	return name.len > 0;
}

static enum err_kind read_ranges(const struct service *service, struct cidr **out, size_t *count,
				 struct error *err)
{
	const struct setting *ranges = &service->settings->values[SETTING_ID_sign_in_proxy];
	enum err_kind kind = ERR_NONE;
	*out = ARENA_ARRAY(service->arena, struct cidr, SETTING_LIST_MAX);
	*count = ranges->list_count;
	for (size_t i = 0; i < ranges->list_count && kind == ERR_NONE; i++)
		kind = cidr_parse(ranges->list[i], &(*out)[i], err);
	return kind == ERR_NONE ? kind : error_add(err, "sign-in-proxy");
}

/* Without the line end that editors add. */
static enum err_kind read_secret(const struct service *service, const char *path, struct str *out,
				 struct error *err)
{
	char *text = arena_alloc(service->arena, SECRET_MAX_BYTES + 1);
	struct stat about;
	FILE *file = fopen(path, "re");
	if (file == NULL || fstat(fileno(file), &about) != 0) {
		const int native = errno;
		if (file != NULL)
			fclose(file);
		return error_set_native(err, ERR_INVALID, native,
					"sign-in-secret-file: cannot read %s: %s", path,
					strerror(native));
	}
	*out = (struct str){text, fread(text, 1, SECRET_MAX_BYTES + 1, file)};
	fclose(file);
	if ((about.st_mode & S_IRWXO) != 0)
		return error_set(err, ERR_INVALID,
				 "sign-in-secret-file: everybody may read or write %s: chmod 640 "
				 "or 600 it",
				 path);
	const bool fits = out->len <= SECRET_MAX_BYTES;
	*out = str_trim(*out);
	if (!fits || out->len < SECRET_MIN_BYTES || str_has_control(*out))
		return error_set(err, ERR_INVALID,
				 "sign-in-secret-file: %s must hold one line of 32 to 1,024 "
				 "characters",
				 path);
	return ERR_NONE;
}

enum err_kind sign_in_open(struct service *service, struct error *err)
{
	const struct settings *settings = service->settings;
	const struct str header = str_of(settings_text(settings, SETTING_ID_sign_in_header));
	const struct str secret_header =
		str_of(settings_text(settings, SETTING_ID_sign_in_secret_header));
	const char *path = settings_text(settings, SETTING_ID_sign_in_secret_file);
	const size_t range_count = settings->values[SETTING_ID_sign_in_proxy].list_count;
	struct cidr *ranges = NULL;
	if (str_is_empty(header) && range_count == 0 && path[0] == '\0')
		return ERR_NONE;
	if (str_is_empty(header) || range_count == 0 || path[0] == '\0')
		return error_set(err, ERR_INVALID,
				 "sign-in-header, sign-in-proxy and sign-in-secret-file belong "
				 "together: give all three or none");
	if (!is_header_name(header) || !is_header_name(secret_header) ||
	    str_equal_nocase(header, secret_header))
		return error_set(err, ERR_INVALID,
				 "sign-in-header and sign-in-secret-header must be names of two "
				 "headers: letters, digits and hyphens");
	struct admin_proxy_sign_in proxy = {.header = header, .secret_header = secret_header};
	enum err_kind kind = read_ranges(service, &ranges, &proxy.address_count, err);
	proxy.addresses = ranges;
	if (kind == ERR_NONE)
		kind = read_secret(service, path, &proxy.secret, err);
	service->proxy_sign_in = proxy;
	service->has_proxy_sign_in = kind == ERR_NONE;
	return kind;
}
