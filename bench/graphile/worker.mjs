// SPDX-License-Identifier: Apache-2.0
// What a delivery costs in graphile-worker, a queue of jobs in PostgreSQL, written as its manual advises for speed: a local queue, jobs
// completed in batches. A job is one POST of a text; no intent is written before the call and nothing about it after, so one that is
// killed in between is sent again.
// `node worker.mjs NODE_MODULES DATABASE TARGET COUNT kept|fresh`: makes the jobs, says "ready", waits for a line, does them, and says how
// long it took and what of its own CPU.
import { createRequire } from "node:module";
import { once } from "node:events";
import http from "node:http";

const [directory, database, target, countText, connections] = process.argv.slice(2);
const require = createRequire(`${directory}/`);
const { run, makeWorkerUtils } = require("graphile-worker");

const count = Number(countText);
const AT_ONCE = 64;
const CHUNK = 1000;
const agent = new http.Agent({ keepAlive: connections === "kept", maxSockets: AT_ONCE });
const headers = { "Content-Type": "application/json", Authorization: "Bearer access-token-of-the-account" };

function post(payload) {
	return new Promise((resolve, reject) => {
		const request = http.request(`${target}/2/tweets`, { method: "POST", agent, headers }, (response) => {
			response.resume();
			response.on("end", () => (response.statusCode < 300 ? resolve() : reject(new Error(`status ${response.statusCode}`))));
		});
		request.on("error", reject);
		request.end(JSON.stringify(payload));
	});
}

async function addJobs() {
	const utils = await makeWorkerUtils({ connectionString: database });
	await utils.migrate();
	for (let first = 0; first < count; first += CHUNK) {
		const jobs = Array.from({ length: Math.min(CHUNK, count - first) }, (_, i) => ({
			identifier: "deliver",
			payload: { text: `A post of the length that people write, with a thought and a second one. ${first + i}` },
		}));
		await utils.addJobs(jobs);
	}
	await utils.release();
}

let done = 0;
let finish;
const finished = new Promise((resolve) => (finish = resolve));

await addJobs();
console.log("ready");
await once(process.stdin, "data");
const before = process.cpuUsage();
const begin = performance.now();
const runner = await run({
	connectionString: database,
	noHandleSignals: true,
	logger: new (require("graphile-worker").Logger)(() => () => {}),
	taskList: {
		deliver: async (payload) => {
			await post(payload);
			if (++done === count) finish();
		},
	},
	preset: {
		worker: { concurrentJobs: AT_ONCE, maxPoolSize: 10, localQueue: { size: 500 }, completeJobBatchDelay: 5, failJobBatchDelay: 5 },
	},
});
await finished;
const tookS = (performance.now() - begin) / 1000;
const { user, system } = process.cpuUsage(before);
console.log(JSON.stringify({ took_s: tookS, cpu_s: (user + system) / 1e6 }));
await runner.stop();
process.exit(0);
