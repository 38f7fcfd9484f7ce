/* SPDX-License-Identifier: Apache-2.0
 * See mcp_message.h. */
#include "mcp_message.h"

#include "arena.h"

#include "base64.h"
#include "json.h"

#define META_VERSION "io.modelcontextprotocol/protocolVersion"
#define META_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"
#define WORD_SHOWN_BYTES 64 /* of what the caller sent, in an error */

struct reading {
	struct arena *arena;
	const struct mcp_headers *headers;
	struct mcp_message *message;
};

static enum mcp_code refuse(struct reading *r, enum mcp_code code, struct str problem)
{
	r->message->problem = problem;
	return code;
}

static bool is_given(struct str header)
{
	return !str_is_empty(header);
}

/* ---- JSON-RPC ---- */

static enum mcp_code read_id(struct reading *r, const struct json *root)
{
	const struct json *id = json_get(root, "id");
	r->message->is_notification = id == NULL;
	if (id == NULL)
		return MCP_OK;
	if (!json_is(id, JSON_TYPE_STRING) && !json_is(id, JSON_TYPE_INT))
		return refuse(r, MCP_INVALID_REQUEST,
			      STR("The id must be a string or a whole number."));
	r->message->id = id;
	return MCP_OK;
}

static enum mcp_code read_shape(struct reading *r, const struct json *root)
{
	if (json_is(root, JSON_TYPE_ARRAY))
		return refuse(r, MCP_INVALID_REQUEST,
			      STR("Send one message in a request, not a list of them."));
	if (!json_is(root, JSON_TYPE_OBJECT))
		return refuse(r, MCP_INVALID_REQUEST, STR("A message is a JSON object."));
	const enum mcp_code code = read_id(r, root);
	if (code != MCP_OK)
		return code;
	if (!str_equal_z(json_get_string(root, "jsonrpc"), "2.0"))
		return refuse(r, MCP_INVALID_REQUEST, STR("The member jsonrpc must be \"2.0\"."));
	r->message->method = json_get_string(root, "method");
	if (str_is_empty(r->message->method))
		return refuse(r, MCP_INVALID_REQUEST,
			      STR("The message has no method. This server asks nothing of its "
				  "clients, so it takes no responses."));
	r->message->params = json_get(root, "params");
	if (r->message->params != NULL && !json_is(r->message->params, JSON_TYPE_OBJECT))
		return refuse(r, MCP_INVALID_PARAMS, STR("The params must be an object."));
	return MCP_OK;
}

/* ---- the revision ---- */

static enum mcp_code refuse_version(struct reading *r, struct str version)
{
	r->message->requested = version;
	return refuse(r, MCP_UNSUPPORTED_VERSION,
		      STR("Unsupported protocol version. The versions of this server "
			  "are " MCP_REVISION_MODERN " and " MCP_REVISION_LEGACY "."));
}

/* Without a version in the body: a client that has said initialize, or is about to. */
static enum mcp_code read_legacy(struct reading *r)
{
	const struct str version = r->headers->version;
	if (is_given(version) && str_equal_z(version, MCP_REVISION_MODERN) &&
	    !r->message->is_notification)
		return refuse(r, MCP_INVALID_PARAMS,
			      STR("A request of " MCP_REVISION_MODERN
				  " has its version in params._meta as " META_VERSION "."));
	if (is_given(version) && !str_equal_z(version, MCP_REVISION_LEGACY) &&
	    !str_equal_z(version, MCP_REVISION_MODERN))
		return refuse_version(r, version);
	return MCP_OK;
}

static enum mcp_code read_meta(struct reading *r, const struct json *meta)
{
	const struct json *version = json_get(meta, META_VERSION);
	if (!json_is(version, JSON_TYPE_STRING))
		return refuse(r, MCP_INVALID_PARAMS, STR(META_VERSION " must be a string."));
	if (str_equal_z(version->string, MCP_REVISION_LEGACY))
		return read_legacy(r);
	if (!str_equal_z(version->string, MCP_REVISION_MODERN))
		return refuse_version(r, version->string);
	r->message->is_modern = true;
	if (!json_is(json_get(meta, META_CAPABILITIES), JSON_TYPE_OBJECT))
		return refuse(r, MCP_INVALID_PARAMS,
			      STR("A request of " MCP_REVISION_MODERN
				  " has an object in params._meta as " META_CAPABILITIES "."));
	return MCP_OK;
}

static enum mcp_code read_revision(struct reading *r)
{
	const struct json *meta = json_get(r->message->params, "_meta");
	return json_get(meta, META_VERSION) != NULL ? read_meta(r, meta) : read_legacy(r);
}

/* ---- headers ---- */

/* A name that is no plain ASCII travels as =?base64?...?= */
static struct str plain_name(struct reading *r)
{
	struct str inner = r->headers->name;
	struct str plain = r->headers->name;
	if (str_has_suffix(inner, STR("?=")) && str_skip(&inner, STR("=?base64?"))) {
		inner.len -= 2;
		if (base64_decode(r->arena, inner, &plain))
			return plain;
	}
	return r->headers->name;
}

static enum mcp_code refuse_header(struct reading *r, const char *header, struct str value,
				   struct str body)
{
	value = str_slice(value, 0, WORD_SHOWN_BYTES);
	body = str_slice(body, 0, WORD_SHOWN_BYTES);
	return refuse(r, MCP_HEADER_MISMATCH,
		      str_format(r->arena,
				 "Header mismatch: %s is '" STR_FMT "' and the body has '" STR_FMT
				 "'.",
				 header, STR_ARG(value), STR_ARG(body)));
}

/* A header that contradicts the body could lead a proxy astray that decides by it. One that is
 * missing leads nobody (docs/agents.md). */
static enum mcp_code check_headers(struct reading *r)
{
	const struct mcp_message *message = r->message;
	const struct str name = json_get_string(message->params, "name");
	if (!message->is_modern)
		return MCP_OK;
	if (is_given(r->headers->version) && !str_equal_z(r->headers->version, MCP_REVISION_MODERN))
		return refuse_header(r, "MCP-Protocol-Version", r->headers->version,
				     STR(MCP_REVISION_MODERN));
	if (is_given(r->headers->method) && !str_equal(r->headers->method, message->method))
		return refuse_header(r, "Mcp-Method", r->headers->method, message->method);
	if (is_given(r->headers->name) && str_equal_z(message->method, "tools/call") &&
	    !str_equal(plain_name(r), name))
		return refuse_header(r, "Mcp-Name", r->headers->name, name);
	return MCP_OK;
}

enum mcp_code mcp_message_read(struct arena *arena, struct str text,
			       const struct mcp_headers *headers, struct mcp_message *message_out)
{
	struct reading r = {arena, headers, message_out};
	const struct json *root = NULL;
	struct error err = {0};
	*message_out = (struct mcp_message){0};
	if (json_parse(arena, text, NULL, &root, NULL, &err) != ERR_NONE)
		return refuse(
			&r, MCP_PARSE_ERROR,
			str_format(arena, "The body is not JSON that can be taken: %s.", err.text));
	enum mcp_code code = read_shape(&r, root);
	if (code == MCP_OK)
		code = read_revision(&r);
	return code == MCP_OK ? check_headers(&r) : code;
}
