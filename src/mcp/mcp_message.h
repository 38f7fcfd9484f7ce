/* SPDX-License-Identifier: Apache-2.0
 * One message of the protocol: JSON-RPC 2.0, and the revision of the protocol that it is in. What
 * the two revisions write is cited in docs/agents.md. Pure. */
#pragma once

#include <stdbool.h>

#include "str.h"

struct arena;
struct json;

#define MCP_REVISION_MODERN "2026-07-28" /* every request carries its version */
#define MCP_REVISION_LEGACY "2025-11-25" /* begins with initialize */

/* The codes of JSON-RPC, and those that the protocol adds. */
enum mcp_code {
	MCP_OK = 0,
	MCP_PARSE_ERROR = -32700,
	MCP_INVALID_REQUEST = -32600,
	MCP_METHOD_NOT_FOUND = -32601,
	MCP_INVALID_PARAMS = -32602,
	MCP_INTERNAL_ERROR = -32603,
	MCP_HEADER_MISMATCH = -32020,
	MCP_UNSUPPORTED_VERSION = -32022
};

/* What the headers say beside the body; empty = not given. */
struct mcp_headers {
	struct str version; /* MCP-Protocol-Version */
	struct str method;  /* Mcp-Method */
	struct str name;    /* Mcp-Name, as sent */
};

struct mcp_message {
	bool is_notification; /* wants no answer */
	bool is_modern;       /* MCP_REVISION_MODERN, else MCP_REVISION_LEGACY */
	const struct json
		*id; /* a string or an integer; NULL = it cannot be read, or there is none */
	struct str method;
	const struct json *params; /* an object, or NULL */
	struct str requested;      /* of MCP_UNSUPPORTED_VERSION: the version that was asked for */
	struct str problem;        /* a sentence, with a code */
};

/* Reads text. Returns MCP_OK with the message, or the code of the error to answer with, and
 * message_out->problem; the id is set where it could be read. Views live in arena and text. */
enum mcp_code mcp_message_read(struct arena *arena, struct str text,
			       const struct mcp_headers *headers, struct mcp_message *message_out);
