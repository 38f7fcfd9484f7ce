// SPDX-License-Identifier: Apache-2.0
// Loaded before a client (node --import): whatever it asks of https://HOST/PATH goes to SANDBOX/HOST/PATH, as the service's calls do.
import http from "node:http";
import https from "node:https";
import { syncBuiltinESMExports } from "node:module";

const sandbox = new URL(process.env.POSTHORN_SANDBOX);
const plainFetch = globalThis.fetch;

function moved(url) {
  const real = new URL(url);
  return real.protocol === "https:" ? new URL(`/${real.host}${real.pathname}${real.search}`, sandbox) : real;
}

globalThis.fetch = (input, init) =>
  input instanceof Request ? plainFetch(new Request(moved(input.url), input), init) : plainFetch(moved(input), init);

function withoutHost(headers) {
  return Object.fromEntries(Object.entries(headers ?? {}).filter(([name]) => name.toLowerCase() !== "host"));
}

function request(...given) {
  const answer = given.find((one) => typeof one === "function");
  const [first, second] = given.filter((one) => typeof one !== "function");
  const isUrl = typeof first === "string" || first instanceof URL;
  const options = isUrl ? (second ?? {}) : first;
  const url = isUrl ? new URL(first) : new URL(`https://${options.hostname ?? options.host}${options.path ?? "/"}`);
  const to = moved(url);
  return http.request(
    {
      method: options.method,
      headers: withoutHost(options.headers),
      auth: options.auth,
      hostname: to.hostname,
      port: to.port,
      path: to.pathname + to.search,
    },
    answer,
  );
}

https.request = request;
https.get = (...given) => {
  const made = request(...given);
  made.end();
  return made;
};
syncBuiltinESMExports();
