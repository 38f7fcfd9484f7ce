/* SPDX-License-Identifier: Apache-2.0
 * The listening socket. */
#include "http_listen.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "str.h"

#define BACKLOG 1024
#define HOST_MAX_BYTES 255

struct host_port {
	char host[HOST_MAX_BYTES + 1]; /* without brackets */
	char port[6];
	bool is_ipv6;
};

static bool copy_z(struct str s, char *out, size_t size_bytes)
{
	if (str_is_empty(s) || s.len >= size_bytes || str_find_char(s, '\0', 0) != SIZE_MAX)
		return false;
	memcpy(out, s.ptr, s.len);
	out[s.len] = '\0';
	return true;
}

/* The last colon parts host and port; an IPv6 address stands in brackets. */
static bool address_parse(struct str text, struct host_port *out)
{
	size_t colon = SIZE_MAX;
	for (size_t at = str_find_char(text, ':', 0); at != SIZE_MAX;
	     at = str_find_char(text, ':', at + 1))
		colon = at;
	if (colon == SIZE_MAX)
		return false;
	struct str host = str_slice(text, 0, colon);
	const struct str port = str_slice(text, colon + 1, text.len);
	uint64_t number = 0;
	out->is_ipv6 = str_has_prefix(host, STR("[")) && str_has_suffix(host, STR("]"));
	if (out->is_ipv6)
		host = str_slice(host, 1, host.len - 1);
	else if (str_find_char(host, ':', 0) != SIZE_MAX)
		return false;
	return str_parse_u64(port, &number) && number <= UINT16_MAX &&
	       copy_z(port, out->port, sizeof(out->port)) &&
	       copy_z(host, out->host, sizeof(out->host));
}

static enum err_kind bind_failed(int fd, const char *what, int native, struct error *err)
{
	if (fd >= 0)
		close(fd);
	return error_set_native(err, ERR_TEMPORARY, native, "cannot listen on %.150s: %s", what,
				strerror(native));
}

static enum err_kind socket_listen(int family, const struct sockaddr *address,
				   socklen_t address_len, const char *what, int *fd_out,
				   struct error *err)
{
	const int on = 1;
	const int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return bind_failed(fd, what, errno, err);
	if (family != AF_UNIX && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0)
		return bind_failed(fd, what, errno, err);
	if (family == AF_UNIX &&
	    fchmod(fd, 0600) != 0) /* before bind: the file never has another mode */
		return bind_failed(fd, what, errno, err);
	if (bind(fd, address, address_len) != 0 || listen(fd, BACKLOG) != 0)
		return bind_failed(fd, what, errno, err);
	*fd_out = fd;
	return ERR_NONE;
}

static uint16_t port_in_use(int fd)
{
	struct sockaddr_storage address = {0};
	socklen_t len = sizeof(address);
	if (getsockname(fd, (struct sockaddr *)&address, &len) != 0)
		return 0;
	if (address.ss_family == AF_INET6)
		return ntohs(((const struct sockaddr_in6 *)(const void *)&address)->sin6_port);
	return ntohs(((const struct sockaddr_in *)(const void *)&address)->sin_port);
}

enum err_kind http_listen_tcp(const char *address, struct listening *listening_out,
			      struct error *err)
{
	struct host_port parts;
	struct addrinfo *found = NULL;
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
	int fd = -1;
	if (!address_parse(str_of(address), &parts))
		return error_set(err, ERR_INVALID, "%.150s is not HOST:PORT", address);
	if (getaddrinfo(parts.host, parts.port, &hints, &found) != 0 || found == NULL)
		return error_set(err, ERR_INVALID, "%.150s: not an address of this machine",
				 address);
	const enum err_kind kind = socket_listen(found->ai_family, found->ai_addr,
						 found->ai_addrlen, address, &fd, err);
	freeaddrinfo(found);
	if (kind != ERR_NONE)
		return kind;
	struct listening listening = {.fd = fd, .port = port_in_use(fd)};
	snprintf(listening.base_url, sizeof(listening.base_url),
		 parts.is_ipv6 ? "http://[%s]:%u" : "http://%s:%u", parts.host,
		 (unsigned)listening.port);
	*listening_out = listening;
	return ERR_NONE;
}

bool http_listen_address(int fd, char *out, size_t size_bytes)
{
	struct sockaddr_storage address = {0};
	socklen_t len = sizeof(address);
	char host[INET6_ADDRSTRLEN] = "";
	if (getsockname(fd, (struct sockaddr *)&address, &len) != 0 ||
	    (address.ss_family != AF_INET && address.ss_family != AF_INET6) ||
	    getnameinfo((struct sockaddr *)&address, len, host, sizeof(host), NULL, 0,
			NI_NUMERICHOST) != 0)
		return false;
	const int length = snprintf(out, size_bytes, strchr(host, ':') ? "[%s]:%u" : "%s:%u", host,
				    (unsigned)port_in_use(fd));
	return length > 0 && (size_t)length < size_bytes;
}

enum err_kind http_listen_adopt(int fd, struct listening *listening_out, struct error *err)
{
	struct listening listening = {.fd = fd, .port = port_in_use(fd)};
	char address[HOST_MAX_BYTES + 1];
	int accepts = 0;
	socklen_t len = sizeof(accepts);
	if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &len) != 0 || accepts == 0 ||
	    !http_listen_address(fd, address, sizeof(address)))
		return error_set(err, ERR_INVALID,
				 "the socket that was handed over (descriptor %d) is no listening "
				 "TCP socket",
				 fd);
	if (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0 || fcntl(fd, F_SETFL, O_NONBLOCK) != 0)
		return bind_failed(-1, address, errno, err);
	snprintf(listening.base_url, sizeof(listening.base_url), "http://%s", address);
	*listening_out = listening;
	return ERR_NONE;
}

enum err_kind http_listen_unix(const char *path, struct listening *listening_out, struct error *err)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct stat existing;
	int fd = -1;
	if (!copy_z(str_of(path), address.sun_path, sizeof(address.sun_path)))
		return error_set(err, ERR_INVALID, "a socket path must have 1 to %zu bytes",
				 sizeof(address.sun_path) - 1);
	if (lstat(path, &existing) == 0) {
		if (!S_ISSOCK(existing.st_mode))
			return error_set(err, ERR_INVALID, "%.150s exists and is not a socket",
					 path);
		unlink(path);
	}
	const enum err_kind kind = socket_listen(AF_UNIX, (const struct sockaddr *)&address,
						 sizeof(address), path, &fd, err);
	if (kind != ERR_NONE)
		return kind;
	*listening_out = (struct listening){.fd = fd};
	return ERR_NONE;
}
