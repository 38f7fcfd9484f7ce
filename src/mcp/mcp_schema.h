/* SPDX-License-Identifier: Apache-2.0
 * The JSON Schema (2020-12) of a tool's arguments, closed at every level, from the tables that the
 * API reads and judges by: limits, types of posts, platforms and their options. Pure. */
#pragma once

struct json_writer;
struct mcp_tool;

/* Writes one object: the tool's inputSchema. */
void mcp_schema_write(struct json_writer *w, const struct mcp_tool *tool);
