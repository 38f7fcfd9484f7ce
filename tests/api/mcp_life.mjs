// SPDX-License-Identifier: Apache-2.0
// The protocol's official TypeScript SDK as the client of a running service: the life of a post, in the words of test_mcp_sdk.py.
// node mcp_life.mjs SDK_DIRECTORY http|stdio legacy|modern < JSON {url, token, binary, steps: [{tool, arguments}]}
// Prints JSON {version, server, tools, results}. Waiting and judging are the test's.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [, , directory, transportName, era] = process.argv;
const at = (name) => import(pathToFileURL(`${directory}/node_modules/@modelcontextprotocol/client/dist/${name}.mjs`));
const { Client, StreamableHTTPClientTransport } = await at("index");
const { StdioClientTransport } = await at("stdio");
const { url, token, binary, environment, steps } = JSON.parse(readFileSync(0, "utf8"));

const transport = transportName === "http"
	? new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } })
	: new StdioClientTransport({ command: binary, args: ["mcp", "--url", url], env: { ...environment, POSTHORN_TOKEN: token } });
const mode = era === "modern" ? { pin: "2026-07-28" } : "legacy";
const client = new Client({ name: "posthorn-tests", version: "1" }, { versionNegotiation: { mode } });

await client.connect(transport);
const { tools } = await client.listTools();
const results = [];
for (const step of steps) {
	results.push(await client.callTool({ name: step.tool, arguments: step.arguments }));
}
console.log(JSON.stringify({ version: client.getNegotiatedProtocolVersion(), server: client.getServerVersion(), tools, results }));
await client.close();
