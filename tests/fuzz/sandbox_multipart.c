/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes multipart/form-data from both ends: the sandbox's reader on any bytes, and on what
 * platform/multipart.h builds of any fields: it must read the very same fields back. */
#include "multipart.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

#include "platform.h"

#include "sandbox_multipart.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_within(struct str part, struct str whole)
{
	return part.len == 0 ||
	       (part.ptr >= whole.ptr && part.ptr + part.len <= whole.ptr + whole.len);
}

static void check_reader(struct arena *arena, struct str content_type, struct str body)
{
	struct sandbox_part *parts = NULL;
	size_t count = 0;
	if (!sandbox_multipart_parse(arena, content_type, body, &parts, &count))
		return;
	assert(count <= 64);
	for (size_t i = 0; i < count; i++)
		assert(is_within(parts[i].bytes, body));
}

static void check_round_trip(struct arena *arena, struct str first, struct str second)
{
	const struct env env = {.arena = arena, .access_token = STR("token")};
	struct step step = {0};
	struct multipart m;
	struct sandbox_part *parts = NULL;
	size_t count = 0;
	struct call *call = step_send(&step, CALL_PREPARE, "POST", STR("https://a.example/"));
	multipart_begin(&m, &env, first);
	multipart_field(&m, "first", first);
	multipart_bytes(&m, "second", "a.bin", "image/png", second);
	multipart_end(&m, call);
	/* Nobody can know the boundary but who knows the token; the fuzzer learns it. */
	if (str_find(first, m.boundary, 0) != SIZE_MAX ||
	    str_find(second, m.boundary, 0) != SIZE_MAX)
		return;
	assert(sandbox_multipart_parse(arena, call->headers[0].value, call->body, &parts, &count) &&
	       count == 2);
	assert(str_equal_z(parts[0].name, "first") && str_equal(parts[0].bytes, first));
	assert(str_equal_z(parts[1].filename, "a.bin") && str_equal(parts[1].bytes, second));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_new("fuzz", (size_t)32 << 20);
	struct str rest = {(const char *)data, size < 65536 ? size : 65536};
	struct str first = {0};
	if (rest.len > 0)
		str_take_field(&rest, '\x1e', &first);
	const struct str second = rest.ptr != NULL ? rest : STR("");
	check_reader(arena, first, second);
	check_reader(arena, STR("multipart/form-data; boundary=b"), second);
	check_round_trip(arena, first, second);
	arena_free(&arena);
	return 0;
}
