/* SPDX-License-Identifier: Apache-2.0
 * A browser for the tests of the way back: one GET of an address of this machine. */
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Opens "http://127.0.0.1:PORT/..." and gives the whole answer in out; its status, or 0. */
static inline int visit(const char *url, char *out, size_t size)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	char request[2048];
	size_t length = 0;
	ssize_t count;
	const char *path = strchr(url + strlen("http://"), '/');
	address.sin_port = htons((uint16_t)atoi(strrchr(url, ':') + 1));
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0)
		return 0;
	const int made =
		snprintf(request, sizeof(request),
			 "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n", path);
	if (write(fd, request, (size_t)made) != made)
		return 0;
	while (length + 1 < size && (count = read(fd, out + length, size - length - 1)) > 0)
		length += (size_t)count;
	out[length] = '\0';
	close(fd);
	return length > 12 ? atoi(out + 9) : 0;
}
