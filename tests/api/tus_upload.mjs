// SPDX-License-Identifier: Apache-2.0
// Uploads a file with the official client of tus, as its users write it. Run as
//   node tus_upload.mjs DIRECTORY_WITH_NODE_MODULES
// with {"endpoint", "file", "token" (or null), "chunk", "cuts"} on standard input: so many times a request in the middle is broken off.
// Prints {"media_id", "url", "tries"}.
import fs from "node:fs";
import net from "node:net";
import { createRequire } from "node:module";

const require = createRequire(`${process.argv[2]}/`);
const tus = require("tus-js-client");
const task = JSON.parse(fs.readFileSync(0, "utf8"));
let cuts = task.cuts;
let tries = 0;

// A way to the service that breaks connections in the middle of a body.
const target = new URL(task.endpoint);
const proxy = net.createServer((near) => {
  const far = net.connect(Number(target.port), target.hostname);
  let seen = 0;
  near.on("data", (piece) => {
    seen += piece.length;
    if (cuts > 0 && seen > task.chunk / 2) {
      cuts -= 1;
      near.destroy();
      far.end();
      return;
    }
    if (!far.write(piece)) {
      near.pause();
      far.once("drain", () => near.resume());
    }
  });
  far.on("data", (piece) => near.write(piece));
  for (const [one, other] of [[near, far], [far, near]]) {
    one.on("close", () => other.destroy());
    one.on("error", () => other.destroy());
  }
});
await new Promise((listening) => proxy.listen(0, "127.0.0.1", listening));

function through(url) {
  return url.replace(`${target.hostname}:${target.port}`, `127.0.0.1:${proxy.address().port}`);
}

let mediaId = null;
const upload = new tus.Upload(fs.createReadStream(task.file), {
  endpoint: through(task.endpoint),
  chunkSize: task.chunk,
  uploadSize: fs.statSync(task.file).size,
  retryDelays: [0, 100, 500, 1000, 3000],
  metadata: { filename: "film.mp4" },
  headers: { Host: `${target.hostname}:${target.port}`, ...(task.token ? { Authorization: `Bearer ${task.token}` } : {}) },
  onBeforeRequest(request) {
    tries += 1;
    request._url = through(request.getURL());
  },
  onAfterResponse(request, response) {
    mediaId = response.getHeader("Posthorn-Media-Id") ?? mediaId;
  },
  onError(error) {
    process.stderr.write(`${error}\n`);
    process.exit(1);
  },
  onSuccess() {
    process.stdout.write(JSON.stringify({ media_id: mediaId, url: upload.url, tries }));
    proxy.close();
    process.exit(0);
  },
});
upload.start();
