/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes base/uuid.h against the form as it stands in RFC 9562, read letter by letter. */
#include "uuid.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_uuid(const char *text, size_t len)
{
	static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
	if (len != sizeof(form) - 1)
		return false;
	for (size_t i = 0; i < len; i++) {
		const bool is_digit =
			text[i] != '\0' && strchr("0123456789abcdef", text[i]) != NULL;
		if (form[i] == '-' ? text[i] != '-' : !is_digit)
			return false;
	}
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct str text = {(const char *)data, size};
	assert(uuid_is_valid(text) == is_uuid(text.ptr, text.len));
	return 0;
}
