/* SPDX-License-Identifier: Apache-2.0
 * See totp.h. */
#include "totp.h"

#include <string.h>

#include <sodium.h>

#include "arena.h"

#define SHA1_BYTES 20
#define BLOCK_BYTES 64
#define LENGTH_AT 56
#define MESSAGE_BYTES 8
#define CODES 1000000

/* ---- SHA-1 (FIPS 180-4 6.1) ---- */

static uint32_t rotated(uint32_t value, unsigned bits)
{
	return value << bits | value >> (32 - bits);
}

static void sha1_block(uint32_t h[5], const uint8_t block[BLOCK_BYTES])
{
	static const uint32_t k[] = {0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xCA62C1D6};
	uint32_t w[80];
	uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
	for (size_t t = 0; t < 16; t++)
		w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
		       (uint32_t)block[4 * t + 2] << 8 | block[4 * t + 3];
	for (size_t t = 16; t < 80; t++)
		w[t] = rotated(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
	for (size_t t = 0; t < 80; t++) {
		const uint32_t choice = (b & c) | (~b & d);
		const uint32_t parity = b ^ c ^ d;
		const uint32_t majority = (b & c) | (b & d) | (c & d);
		const uint32_t f[] = {choice, parity, majority, parity};
		const uint32_t next = rotated(a, 5) + f[t / 20] + e + k[t / 20] + w[t];
		e = d;
		d = c;
		c = rotated(b, 30);
		b = a;
		a = next;
	}
	h[0] += a;
	h[1] += b;
	h[2] += c;
	h[3] += d;
	h[4] += e;
	sodium_memzero(w, sizeof(w));
}

/* Of one block and a tail that fits beside its padding into another. */
static void sha1(const uint8_t head[BLOCK_BYTES], const uint8_t *tail, size_t tail_bytes,
		 uint8_t out[SHA1_BYTES])
{
	uint32_t h[5] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
	uint8_t last[BLOCK_BYTES] = {0};
	const size_t bits = (BLOCK_BYTES + tail_bytes) * 8;
	sha1_block(h, head);
	memcpy(last, tail, tail_bytes);
	last[tail_bytes] = 0x80;
	last[LENGTH_AT + 6] = (uint8_t)(bits >> 8);
	last[LENGTH_AT + 7] = (uint8_t)bits;
	sha1_block(h, last);
	for (size_t i = 0; i < SHA1_BYTES; i++)
		out[i] = (uint8_t)(h[i / 4] >> (24 - 8 * (i % 4)));
}

/* RFC 2104. The secret is no longer than a block. */
static void hmac_sha1(struct str secret, const uint8_t message[MESSAGE_BYTES],
		      uint8_t out[SHA1_BYTES])
{
	uint8_t inner[BLOCK_BYTES], outer[BLOCK_BYTES];
	for (size_t i = 0; i < BLOCK_BYTES; i++) {
		const uint8_t byte = i < secret.len ? (uint8_t)secret.ptr[i] : 0;
		inner[i] = byte ^ 0x36;
		outer[i] = byte ^ 0x5C;
	}
	sha1(inner, message, MESSAGE_BYTES, out);
	sha1(outer, out, SHA1_BYTES, out);
	sodium_memzero(inner, sizeof(inner));
	sodium_memzero(outer, sizeof(outer));
}

/* ---- codes ---- */

uint32_t totp_code(struct str secret, int64_t step)
{
	uint8_t message[MESSAGE_BYTES], mac[SHA1_BYTES];
	for (size_t i = 0; i < MESSAGE_BYTES; i++)
		message[i] = (uint8_t)((uint64_t)step >> (56 - 8 * i));
	hmac_sha1(str_slice(secret, 0, BLOCK_BYTES), message, mac);
	const uint8_t *at = mac + (mac[SHA1_BYTES - 1] & 0x0F); /* RFC 4226 5.3 */
	const uint32_t number = (uint32_t)(at[0] & 0x7F) << 24 | (uint32_t)at[1] << 16 |
				(uint32_t)at[2] << 8 | at[3];
	sodium_memzero(mac, sizeof(mac));
	return number % CODES;
}

/* All steps are looked at, whichever fits. */
bool totp_check(struct str secret, struct str text, int64_t now_us, int64_t last_step,
		int64_t *step_out)
{
	const int64_t now = now_us / TOTP_STEP_US;
	uint64_t given = 0;
	bool is_found = false;
	struct str rest = text;
	if (text.len != TOTP_DIGITS || !str_take_u64(&rest, TOTP_DIGITS, &given) ||
	    !str_is_empty(rest))
		return false;
	for (int64_t step = now - 1; step <= now + 1; step++) {
		const bool is_it = totp_code(secret, step) == given && step > last_step;
		*step_out = is_it ? step : *step_out;
		is_found = is_found || is_it;
	}
	return is_found;
}

struct str totp_secret_text(struct arena *arena, struct str secret)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
	const size_t count = (secret.len * 8 + 4) / 5;
	char *text = arena_alloc(arena, count + 1);
	for (size_t i = 0; i < count; i++) {
		const size_t bit = i * 5;
		const unsigned high = (uint8_t)secret.ptr[bit / 8];
		const unsigned low =
			bit / 8 + 1 < secret.len ? (uint8_t)secret.ptr[bit / 8 + 1] : 0;
		text[i] = letters[(high << 8 | low) >> (11 - bit % 8) & 0x1F];
	}
	text[count] = '\0';
	return (struct str){text, count};
}
