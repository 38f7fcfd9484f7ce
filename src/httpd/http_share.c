/* SPDX-License-Identifier: Apache-2.0
 * See http_share.h. A hash table with chains; keys are texts, cut to their network for IPv6. */
#include "http_share.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define SLOTS 4096

struct http_shares {
	pthread_mutex_t lock;
	size_t count;
	struct http_share *slots[SLOTS];
};

struct str http_address_text(const struct sockaddr *address,
			     char text_out[static HTTP_ADDRESS_TEXT_BYTES])
{
	const void *any = address; /* as the family says */
	text_out[0] = '\0';
	if (address != NULL && address->sa_family == AF_INET)
		inet_ntop(AF_INET, &((const struct sockaddr_in *)any)->sin_addr, text_out,
			  HTTP_ADDRESS_TEXT_BYTES);
	else if (address != NULL && address->sa_family == AF_INET6)
		inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)any)->sin6_addr, text_out,
			  HTTP_ADDRESS_TEXT_BYTES);
	struct str text = str_of(text_out);
	str_skip(&text, STR("::ffff:"));
	return text;
}

struct http_shares *http_shares_new(void)
{
	struct http_shares *shares = calloc(1, sizeof(*shares));
	if (shares != NULL)
		pthread_mutex_init(&shares->lock, NULL);
	return shares;
}

void http_shares_free(struct http_shares **shares)
{
	if (*shares == NULL)
		return;
	pthread_mutex_destroy(&(*shares)->lock);
	free(*shares);
	*shares = NULL;
}

/* What cannot be read as IPv6 is its own key. */
static void key_of(struct str address, char key_out[static HTTP_ADDRESS_TEXT_BYTES])
{
	const size_t len =
		address.len < HTTP_ADDRESS_TEXT_BYTES ? address.len : HTTP_ADDRESS_TEXT_BYTES - 1;
	struct in6_addr network;
	memcpy(key_out, address.ptr != NULL ? address.ptr : "", len);
	key_out[len] = '\0';
	if (inet_pton(AF_INET6, key_out, &network) != 1)
		return;
	memset(&network.s6_addr[8], 0, 8);
	inet_ntop(AF_INET6, &network, key_out, HTTP_ADDRESS_TEXT_BYTES);
}

/* FNV-1a. The table is small and its chains are short whoever chooses the keys: there are no more
 * of them than connections. */
static unsigned slot_of(const char *key)
{
	uint32_t hash = 2166136261U;
	for (; *key != '\0'; key++)
		hash = (hash ^ (unsigned char)*key) * 16777619U;
	return hash % SLOTS;
}

static struct http_share *share_new(struct http_shares *shares, unsigned slot, const char *key)
{
	struct http_share *share = calloc(1, sizeof(*share));
	if (share == NULL)
		return NULL;
	memcpy(share->key, key, strlen(key) + 1);
	share->slot = slot;
	share->next = shares->slots[slot];
	shares->slots[slot] = share;
	shares->count++;
	return share;
}

/* Lock held. NULL when there is none. */
static struct http_share *find(const struct http_shares *shares, unsigned slot, const char *key)
{
	struct http_share *share = shares->slots[slot];
	while (share != NULL && strcmp(share->key, key) != 0)
		share = share->next;
	return share;
}

struct http_share *http_share_find(struct http_shares *shares, struct str address)
{
	char key[HTTP_ADDRESS_TEXT_BYTES];
	key_of(address, key);
	pthread_mutex_lock(&shares->lock);
	struct http_share *share = find(shares, slot_of(key), key);
	pthread_mutex_unlock(&shares->lock);
	return share;
}

struct http_share *http_share_take(struct http_shares *shares, struct str address)
{
	char key[HTTP_ADDRESS_TEXT_BYTES];
	key_of(address, key);
	const unsigned slot = slot_of(key);
	pthread_mutex_lock(&shares->lock);
	struct http_share *share = find(shares, slot, key);
	if (share == NULL)
		share = share_new(shares, slot, key);
	if (share != NULL)
		share->holders++;
	pthread_mutex_unlock(&shares->lock);
	return share;
}

void http_share_drop(struct http_shares *shares, struct http_share **share)
{
	struct http_share *dropped = *share;
	*share = NULL;
	if (dropped == NULL)
		return;
	pthread_mutex_lock(&shares->lock);
	const bool is_last = --dropped->holders == 0;
	if (is_last) {
		struct http_share **place = &shares->slots[dropped->slot];
		while (*place != dropped)
			place = &(*place)->next;
		*place = dropped->next;
		shares->count--;
	}
	pthread_mutex_unlock(&shares->lock);
	if (is_last)
		free(dropped);
}

size_t http_shares_count(struct http_shares *shares)
{
	pthread_mutex_lock(&shares->lock);
	const size_t count = shares->count;
	pthread_mutex_unlock(&shares->lock);
	return count;
}
