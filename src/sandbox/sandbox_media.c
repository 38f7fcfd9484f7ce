/* SPDX-License-Identifier: Apache-2.0
 * Media, really fetched and really examined. Bytes that are small enough to show are kept, one file
 * per digest. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <curl/curl.h>
#include <sodium.h>

#include "arena.h"
#include "str.h"

#include "hex.h"
#include "sniff.h"
#include "url.h"

#include "sandbox_core.h"

/* hashing more than this takes long enough to release the lock */
#define LOOK_LOCKED_MAX_BYTES ((size_t)1 << 20)
#define MEDIA_PREFIX "media-"
#define PULL_MAX_BYTES (INT64_C(1) << 30)
#define PULL_TIMEOUT_MS 20000
#define PULL_REDIRECTS_MAX 3L

/* Bytes as they arrive: digest, first bytes for sniffing, and a file while it is small enough to
 * be shown. */
struct intake {
	crypto_hash_sha256_state hash;
	int64_t size_bytes;
	int64_t max_bytes;
	char *head; /* SNIFF_BYTES_WANTED */
	size_t head_len;
	int fd; /* -1 = not kept (any more) */
	char path[512];
	bool is_too_large;
};

static void intake_open(struct intake *intake, struct sandbox_call *call, int64_t max_bytes)
{
	*intake = (struct intake){.max_bytes = max_bytes, .fd = -1};
	crypto_hash_sha256_init(&intake->hash);
	intake->head = arena_alloc(call->arena, SNIFF_BYTES_WANTED);
	snprintf(intake->path, sizeof(intake->path), "%s/intake-XXXXXX", call->sandbox->directory);
	intake->fd = mkostemp(intake->path, O_CLOEXEC);
}

static void intake_drop_file(struct intake *intake)
{
	if (intake->fd < 0)
		return;
	close(intake->fd);
	unlink(intake->path);
	intake->fd = -1;
}

static bool intake_add(struct intake *intake, const char *bytes, size_t len)
{
	const size_t head_room = SNIFF_BYTES_WANTED - intake->head_len;
	intake->size_bytes += (int64_t)len;
	if (intake->size_bytes > intake->max_bytes) {
		intake->is_too_large = true;
		return false;
	}
	crypto_hash_sha256_update(&intake->hash, (const unsigned char *)bytes, len);
	const size_t head_take = len < head_room ? len : head_room;
	if (head_take > 0)
		memcpy(intake->head + intake->head_len, bytes, head_take);
	intake->head_len += head_take;
	if (intake->size_bytes > SANDBOX_MEDIA_KEPT_EACH_MAX_BYTES ||
	    (intake->fd >= 0 && !sandbox_write_all(intake->fd, bytes, len)))
		intake_drop_file(intake);
	return true;
}

static void kept_path(const struct sandbox *sandbox, const char *sha256, char out[512])
{
	snprintf(out, 512, "%s/" MEDIA_PREFIX "%s", sandbox->directory, sha256);
}

bool sandbox_media_is_kept(const struct sandbox *sandbox, const char *sha256)
{
	char path[512];
	kept_path(sandbox, sha256, path);
	return access(path, R_OK) == 0;
}

/* A quarter of a world's room at most. */
static int64_t kept_max_bytes(const struct sandbox *sandbox)
{
	const int64_t quarter = sandbox->world != NULL ? sandbox->world->bytes_max / 4 : INT64_MAX;
	return quarter < SANDBOX_MEDIA_KEPT_ALL_MAX_BYTES ? quarter
							  : SANDBOX_MEDIA_KEPT_ALL_MAX_BYTES;
}

/* Fills media_out and renames the file to its digest when there is room. Needs the lock. */
static void intake_finish(struct intake *intake, struct sandbox_call *call,
			  struct sandbox_media *media_out)
{
	struct sandbox *sandbox = call->sandbox;
	struct sandbox_media media = {.size_bytes = intake->size_bytes};
	unsigned char digest[crypto_hash_sha256_BYTES];
	crypto_hash_sha256_final(&intake->hash, digest);
	const struct str hex =
		hex_encode(call->arena, (struct str){(const char *)digest, sizeof(digest)});
	memcpy(media.sha256, hex.ptr, 64);
	media.sniff = sniff_media((struct str){intake->head, intake->head_len});
	*media_out = media;
	char path[512];
	kept_path(sandbox, media.sha256, path);
	if (intake->fd < 0 || access(path, F_OK) == 0 ||
	    sandbox->media_kept_bytes + media.size_bytes > kept_max_bytes(sandbox)) {
		intake_drop_file(intake);
		return;
	}
	close(intake->fd);
	intake->fd = -1;
	if (rename(intake->path, path) == 0)
		sandbox->media_kept_bytes += media.size_bytes;
}

void sandbox_media_look(struct sandbox_call *call, struct str bytes,
			struct sandbox_media *media_out)
{
	const bool is_big = bytes.len > LOOK_LOCKED_MAX_BYTES;
	struct intake intake;
	intake_open(&intake, call, INT64_MAX);
	struct sandbox_tape *tape = NULL;
	if (is_big)
		tape = sandbox_let_go(call->sandbox);
	for (size_t at = 0; at < bytes.len; at += 1 << 20) {
		const struct str piece = str_slice(bytes, at, at + (1 << 20));
		intake_add(&intake, piece.ptr, piece.len);
	}
	if (is_big)
		sandbox_take_again(call->sandbox, tape);
	intake_finish(&intake, call, media_out);
}

bool sandbox_media_look_fd(struct sandbox_call *call, int fd, int64_t size_bytes,
			   struct sandbox_media *media_out)
{
	char *piece = malloc(1 << 20);
	if (piece == NULL)
		return false;
	struct intake intake;
	intake_open(&intake, call, INT64_MAX);
	struct sandbox_tape *tape = sandbox_let_go(call->sandbox);
	int64_t at = 0;
	while (at < size_bytes) {
		const int64_t left = size_bytes - at;
		const ssize_t n = pread(fd, piece, left < 1 << 20 ? (size_t)left : 1 << 20, at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		intake_add(&intake, piece, (size_t)n);
		at += n;
	}
	sandbox_take_again(call->sandbox, tape);
	free(piece);
	intake_finish(&intake, call, media_out);
	return at == size_bytes;
}

/* ---- pulling ---- */

static size_t on_bytes(char *bytes, size_t one, size_t len, void *context)
{
	(void)one;
	return intake_add(context, bytes, len) ? len : 0;
}

static CURL *pull_handle(const struct sandbox_pull_config *config, const char *url,
			 struct intake *intake)
{
	CURL *curl = curl_easy_init();
	if (curl == NULL)
		return NULL;
	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, config->follow_redirects ? 1L : 0L);
	curl_easy_setopt(curl, CURLOPT_MAXREDIRS, PULL_REDIRECTS_MAX);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS,
			 (long)(config->timeout_ms > 0 ? config->timeout_ms : PULL_TIMEOUT_MS));
	if (config->user_agent != NULL)
		curl_easy_setopt(curl, CURLOPT_USERAGENT, config->user_agent);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_bytes);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, intake);
	return curl;
}

static enum sandbox_pull pull_outcome(CURLcode code, long status, const struct intake *intake)
{
	if (intake->is_too_large)
		return SANDBOX_PULL_TOO_LARGE;
	if (code == CURLE_OPERATION_TIMEDOUT)
		return SANDBOX_PULL_TIMEOUT;
	if (code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL)
		return SANDBOX_PULL_BAD_URL;
	if (code != CURLE_OK)
		return SANDBOX_PULL_UNREACHABLE;
	return status == 200 ? SANDBOX_PULL_OK : SANDBOX_PULL_STATUS;
}

/* A world's pulls go where the service's own fetches may go, and to the service itself. */
struct pull_way {
	const struct sandbox_world_port *port; /* NULL = anywhere */
	bool is_own;                           /* the service itself: no redirects from there */
};

static curl_socket_t on_open_socket(void *context, curlsocktype purpose,
				    struct curl_sockaddr *address)
{
	(void)purpose;
	const struct pull_way *way = context;
	if (!way->is_own && !way->port->allows_address(way->port->context, &address->addr))
		return CURL_SOCKET_BAD;
	return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static void guard_pull(CURL *curl, const struct pull_way *way)
{
	if (way->port == NULL)
		return;
	curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, on_open_socket);
	curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, way);
	if (way->is_own)
		curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
}

static enum sandbox_pull pull(const struct sandbox_pull_config *config, const char *url,
			      const struct pull_way *way, struct intake *intake, long *status_out)
{
	CURL *curl = pull_handle(config, url, intake);
	if (curl == NULL)
		return SANDBOX_PULL_UNREACHABLE;
	guard_pull(curl, way);
	const CURLcode code = curl_easy_perform(curl);
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, status_out);
	curl_easy_cleanup(curl);
	return pull_outcome(code, *status_out, intake);
}

/* False: the guard says no. */
static bool find_way(struct sandbox_call *call, struct str *url, struct pull_way *way)
{
	const struct sandbox_of_app *world = call->sandbox->world;
	*way = (struct pull_way){.port = world != NULL ? world->port : NULL};
	if (world == NULL)
		return true;
	const struct sandbox_home *home = call->sandbox->past->tape->home;
	const struct str given_out = str_concat(call->arena, home->media_url, STR("/media/"));
	way->is_own = str_has_prefix(*url, given_out);
	if (!way->is_own)
		return world->port->allows_url(world->port->context, call->arena, *url);
	*url = str_concat(call->arena, home->media_way,
			  str_slice(*url, home->media_url.len, url->len));
	return true;
}

static enum sandbox_pull pull_now(struct sandbox_call *call,
				  const struct sandbox_pull_config *config,
				  struct sandbox_media *media_out, int *status_out)
{
	struct str address = config->url;
	struct pull_way way;
	if (!find_way(call, &address, &way))
		return SANDBOX_PULL_UNREACHABLE;
	const char *url_z = str_z(call->arena, address);
	const int64_t max_bytes = config->max_bytes > 0 ? config->max_bytes : PULL_MAX_BYTES;
	struct intake intake;
	intake_open(&intake, call, max_bytes);
	struct sandbox_tape *tape = sandbox_let_go(call->sandbox);
	long status = 0;
	const enum sandbox_pull outcome = pull(config, url_z, &way, &intake, &status);
	sandbox_take_again(call->sandbox, tape);
	*status_out = (int)status;
	if (outcome == SANDBOX_PULL_OK)
		intake_finish(&intake, call, media_out);
	else
		intake_drop_file(&intake);
	return outcome;
}

/* As it came out when the call was made. */
static enum sandbox_pull pull_again(struct sandbox_tape *tape, struct sandbox_media *media_out,
				    int *status_out)
{
	if (tape->pull_next >= tape->pull_count)
		return SANDBOX_PULL_UNREACHABLE;
	const struct sandbox_tape_pull *made = &tape->pulls[tape->pull_next++];
	*media_out = made->media;
	*status_out = made->status;
	return made->outcome;
}

enum sandbox_pull sandbox_media_pull(struct sandbox_call *call,
				     const struct sandbox_pull_config *config,
				     struct sandbox_media *media_out, int *status_out)
{
	struct sandbox_tape *tape = call->sandbox->past != NULL ? call->sandbox->past->tape : NULL;
	struct sandbox_media media = {0};
	struct url url;
	int status = 0;
	enum sandbox_pull outcome = SANDBOX_PULL_BAD_URL;
	if (url_parse(call->arena, config->url, &url, NULL) == ERR_NONE)
		outcome = tape != NULL && tape->is_played ? pull_again(tape, &media, &status)
							  : pull_now(call, config, &media, &status);
	if (tape != NULL && !tape->is_played && outcome != SANDBOX_PULL_BAD_URL &&
	    tape->pull_count < SANDBOX_TAPE_PULLS_MAX)
		tape->pulls[tape->pull_count++] =
			(struct sandbox_tape_pull){outcome, status, media};
	if (status_out != NULL)
		*status_out = status;
	if (outcome == SANDBOX_PULL_OK)
		*media_out = media;
	return outcome;
}

/* ---- showing ---- */

static bool is_digest(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (!((s.ptr[i] >= '0' && s.ptr[i] <= '9') || (s.ptr[i] >= 'a' && s.ptr[i] <= 'f')))
			return false;
	}
	return s.len == 64;
}

static struct str read_kept(struct sandbox *sandbox, struct arena *arena, struct str sha256)
{
	char path[512];
	kept_path(sandbox, str_z(arena, sha256), path);
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return (struct str){0};
	struct stat st;
	if (fstat(fd, &st) != 0 || st.st_size > SANDBOX_MEDIA_KEPT_EACH_MAX_BYTES) {
		close(fd);
		return (struct str){0};
	}
	char *bytes = arena_alloc(arena, (size_t)st.st_size + 1);
	size_t len = 0;
	for (ssize_t n;
	     len < (size_t)st.st_size && (n = read(fd, bytes + len, (size_t)st.st_size - len)) > 0;)
		len += (size_t)n;
	close(fd);
	return (struct str){bytes, len};
}

struct str sandbox_media_bytes(struct sandbox_call *call, const struct sandbox_media *media)
{
	return read_kept(call->sandbox, call->arena, str_of(media->sha256));
}

void sandbox_media_answer(struct sandbox *sandbox, struct http_request *request,
			  struct http_response *response)
{
	const struct str sha256 = http_request_capture(request, "sha256");
	const struct str bytes =
		is_digest(sha256) ? read_kept(sandbox, request->arena, sha256) : (struct str){0};
	sandbox_html_headers(response);
	if (bytes.ptr == NULL) {
		buf_add_z(http_response_text(response, 404, "text/plain; charset=utf-8"),
			  "no media kept under this digest\n");
		return;
	}
	const struct sniff sniff = sniff_media(bytes);
	buf_add(http_response_text(response, 200, sniff.mime_type), bytes);
	http_response_header(response, "Cache-Control", STR("public, max-age=86400, immutable"));
}

void sandbox_media_clear(struct sandbox *sandbox)
{
	sandbox->media_kept_bytes = 0;
	sandbox_remove_files(sandbox->directory, MEDIA_PREFIX);
}

void sandbox_media_count(struct sandbox *sandbox)
{
	sandbox->media_kept_bytes = sandbox_files_bytes(sandbox->directory, MEDIA_PREFIX);
}
