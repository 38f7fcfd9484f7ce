// SPDX-License-Identifier: Apache-2.0
// What n8n is to its nodes, as far as ours use it: `node n8n_host.mjs DIRECTORY`, where the built package is. Each line of standard input
// is {"scenario", "credentials", "parameters", ...}; for each it prints {"result"} or {"error"}.
import { createRequire } from "node:module";
import readline from "node:readline";

const require = createRequire(`${process.argv[2]}/`);
const { n8n } = require("./package.json");
const load = (path) => Object.values(require(`./${path}`))[0];
const [Credential] = n8n.credentials.map(load);
const [Posthorn, PosthornTrigger] = n8n.nodes.map(load);
const { authenticate } = new Credential();

let task;
let statusSent = null;
const staticData = {};

function parameter(name, fallback) {
	const found = name.split(".").reduce((at, key) => at?.[key], task.parameters);
	if (found === undefined && fallback === undefined) {
		throw new Error(`the form has no value for ${name}`);
	}
	return found ?? fallback;
}

const filled = (text) => text.replace(/^=/, "").replace(/\{\{\$credentials\.(\w+)\}\}/g, (_, name) => task.credentials[name]);

async function request(type, options) {
	const authorization = Object.fromEntries(Object.entries(authenticate.properties.headers).map(([name, text]) => [name, filled(text)]));
	const query = new URLSearchParams(Object.entries(options.qs ?? {}).map(([name, value]) => [name, String(value)]));
	const answer = await fetch(`${options.url}?${query}`, {
		method: options.method,
		headers: { ...authorization, Accept: "application/json", ...(options.body ? { "Content-Type": "application/json" } : {}) },
		body: options.body ? JSON.stringify(options.body) : undefined,
	});
	const text = await answer.text();
	const isJson = (answer.headers.get("content-type") ?? "").startsWith("application/json");
	return { statusCode: answer.status, headers: Object.fromEntries(answer.headers), body: isJson ? JSON.parse(text) : text };
}

const shared = {
	getCredentials: async () => task.credentials,
	getNode: () => ({ id: "6c1b0d3e-0000-4000-8000-000000000001", name: "Posthorn", type: "posthorn", typeVersion: 1, parameters: {} }),
	helpers: { httpRequestWithAuthentication: request },
};
const executing = {
	...shared,
	getInputData: () => task.items.map((json) => ({ json })),
	getNodeParameter: (name, index, fallback) => parameter(name, fallback),
	getExecutionId: () => String(task.execution),
	getInstanceId: () => "5f0e".repeat(16),
	evaluateExpression: (text) => (text.includes("$runIndex") ? task.run : undefined),
	continueOnFail: () => task.continueOnFail === true,
};
const hooked = {
	...shared,
	getNodeParameter: (name, fallback) => parameter(name, fallback),
	getNodeWebhookUrl: () => task.url,
	getWorkflowStaticData: () => staticData,
};
const called = {
	getWorkflowStaticData: () => staticData,
	getRequestObject: () => ({ rawBody: Buffer.from(task.body, "base64") }),
	getHeaderData: () => task.headers,
	getResponseObject: () => ({
		status(code) {
			statusSent = code;
			return this;
		},
		send() {},
	}),
};

const hooks = new PosthornTrigger().webhookMethods.default;
const scenarios = {
	execute: async () => (await new Posthorn().execute.call(executing))[0].map(({ json }) => json),
	accounts: () => new Posthorn().methods.loadOptions.getAccounts.call(shared),
	exists: () => hooks.checkExists.call(hooked),
	create: async () => ((await hooks.create.call(hooked)) ? staticData : null),
	delete: () => hooks.delete.call(hooked),
	webhook: async () => {
		statusSent = null;
		const { workflowData } = await new PosthornTrigger().webhook.call(called);
		return { events: (workflowData ?? [[]])[0].map(({ json }) => json), status: statusSent };
	},
};

for await (const line of readline.createInterface({ input: process.stdin })) {
	task = JSON.parse(line);
	try {
		console.log(JSON.stringify({ result: (await scenarios[task.scenario]()) ?? null }));
	} catch (error) {
		console.log(JSON.stringify({ error: { message: error.message, description: error.description } }));
	}
}
