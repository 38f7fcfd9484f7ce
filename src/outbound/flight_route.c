/* SPDX-License-Identifier: Apache-2.0
 * The way of a hop: direct, or by the operator's proxy. Behind a proxy the guard would see only the
 * proxy's address. So a call that it judges (a webhook) looks its name up first: libcurl resolves
 * it as ever and asks for sockets, gets none, and every address that it asked for was judged. Then
 * the proxy is asked for a tunnel to that address, and not for the name, which may have another by
 * then; TLS and Host still have the name. */
#include "flight_private.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#include "arena.h"

/* Files are fetched directly: only the guard's own connections are safe for addresses of strangers
 * that may be large. The sandbox of the test apps is a socket of this machine. */
static bool goes_by_proxy(const struct flight *flight)
{
	return flight->env->egress_proxy != NULL && flight->pool != TRANSFER_MEDIA &&
	       !(flight->pool == TRANSFER_PLATFORM && flight->request.reach == TRANSFER_TEST);
}

static void pin_address(struct flight *flight)
{
	const bool is_v6 = strchr(flight->address, ':') != NULL;
	const struct str entry =
		str_format(flight->arena, is_v6 ? "::[%s]:" : "::%s:", flight->address);
	curl_slist_free_all(flight->address_list);
	flight->address_list = curl_slist_append(NULL, str_z(flight->arena, entry));
	curl_easy_setopt(flight->easy, CURLOPT_CONNECT_TO, flight->address_list);
}

void flight_route(struct flight *flight)
{
	CURL *easy = flight->easy;
	const bool is_judged = flight->pool != TRANSFER_PLATFORM;
	const bool by_proxy = goes_by_proxy(flight);
	flight->is_looking_up = by_proxy && is_judged && flight->address[0] == '\0';
	flight->is_by_proxy = by_proxy && !flight->is_looking_up;
	/* "" = none, whatever the environment says */
	curl_easy_setopt(easy, CURLOPT_PROXY, flight->is_by_proxy ? flight->env->egress_proxy : "");
	if (!flight->is_by_proxy)
		return;
	curl_easy_setopt(easy, CURLOPT_NOPROXY, "");
	/* http too: what a proxy repeats or answers by itself would be no word of the platform */
	curl_easy_setopt(easy, CURLOPT_HTTPPROXYTUNNEL, 1L);
	curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	if (is_judged)
		pin_address(flight);
}

void flight_lookup_note(struct flight *flight, const struct sockaddr *address)
{
	const void *ip =
		address->sa_family == AF_INET
			? (const void *)&((const struct sockaddr_in *)(const void *)address)
				  ->sin_addr
			: (const void *)&((const struct sockaddr_in6 *)(const void *)address)
				  ->sin6_addr;
	const bool is_known = address->sa_family == AF_INET || address->sa_family == AF_INET6;
	if (is_known && flight->address[0] == '\0')
		inet_ntop(address->sa_family, ip, flight->address, sizeof(flight->address));
}

/* That no connection could be made is what was wanted. */
bool flight_lookup_end(struct flight *flight, CURLcode code)
{
	const bool is_found =
		!flight->is_refused && flight->address[0] != '\0' && code == CURLE_COULDNT_CONNECT;
	return is_found || flight_judge(flight, code == CURLE_OK ? CURLE_COULDNT_CONNECT : code);
}
