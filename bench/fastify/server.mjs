// SPDX-License-Identifier: Apache-2.0
// What accepting a post costs in Fastify and better-sqlite3, written as one usually would: the token is looked up by its hash, the body
// has a schema, the accounts are looked up, and the post with its deliveries is one durable transaction before the answer. No quotas, no
// rules of platforms, no counters, no lanes. `node server.mjs NODE_MODULES DATABASE TOKEN ACCOUNT...` prints its port.
import { createRequire } from "node:module";
import { createHash, randomUUID } from "node:crypto";

const [directory, file, token, ...accounts] = process.argv.slice(2);
const require = createRequire(`${directory}/`);
const fastify = require("fastify");
const Database = require("better-sqlite3");

const db = new Database(file);
db.pragma("journal_mode = WAL");
db.pragma("synchronous = FULL");
db.pragma("foreign_keys = ON");
db.pragma("cache_size = -32768");
db.pragma("wal_autocheckpoint = 4000");
db.exec(`
  CREATE TABLE apps (id TEXT PRIMARY KEY, token_hash TEXT NOT NULL UNIQUE) WITHOUT ROWID;
  CREATE TABLE accounts (id TEXT PRIMARY KEY, app_id TEXT NOT NULL REFERENCES apps (id), state TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE posts (id TEXT PRIMARY KEY, app_id TEXT NOT NULL REFERENCES apps (id), request_id TEXT NOT NULL, status TEXT NOT NULL,
    scheduled_at TEXT, created_at INTEGER NOT NULL, content TEXT NOT NULL, UNIQUE (app_id, request_id)) WITHOUT ROWID;
  CREATE INDEX posts_by_date ON posts (app_id, created_at);
  CREATE TABLE deliveries (id TEXT PRIMARY KEY, post_id TEXT NOT NULL REFERENCES posts (id), account_id TEXT NOT NULL
    REFERENCES accounts (id), state TEXT NOT NULL, due_at TEXT, UNIQUE (post_id, account_id)) WITHOUT ROWID;
  CREATE INDEX deliveries_by_account ON deliveries (account_id, due_at);`);

const hashOf = (text) => createHash("sha256").update(text).digest("hex");
db.prepare("INSERT INTO apps VALUES ('app', ?)").run(hashOf(token));
for (const id of accounts) db.prepare("INSERT INTO accounts VALUES (?, 'app', 'active')").run(id);

const findApp = db.prepare("SELECT id FROM apps WHERE token_hash = ?");
const findAccount = db.prepare("SELECT state FROM accounts WHERE id = ? AND app_id = ?");
const addPost = db.prepare("INSERT INTO posts VALUES (?, ?, ?, 'scheduled', ?, ?, ?)");
const addDelivery = db.prepare("INSERT INTO deliveries VALUES (?, ?, ?, 'pending', ?)");
const accept = db.transaction((post) => {
  addPost.run(post.id, post.app, post.request, post.due, Date.now(), JSON.stringify({ content: post.content }));
  for (const each of post.deliveries) addDelivery.run(each.id, post.id, each.account_id, post.due);
});

const server = fastify();
const schema = {
  body: {
    type: "object",
    required: ["account_ids", "content"],
    properties: {
      account_ids: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 50 },
      content: { type: "string", maxLength: 100000 },
      scheduled_at: { type: "string", format: "date-time" },
      request_id: { type: "string", maxLength: 128 },
    },
  },
};

server.post("/v1/posts/publish", { schema }, (request, reply) => {
  const bearer = /^Bearer (\S+)$/.exec(request.headers.authorization ?? "");
  const app = bearer && findApp.get(hashOf(bearer[1]));
  if (!app) return reply.code(401).send({ error: "UNAUTHORIZED" });
  const body = request.body;
  if (body.account_ids.some((id) => findAccount.get(id, app.id)?.state !== "active"))
    return reply.code(422).send({ error: "INVALID_ACCOUNT" });
  const post = {
    id: randomUUID(),
    app: app.id,
    request: body.request_id ?? randomUUID(),
    due: body.scheduled_at ?? null,
    content: body.content,
    deliveries: body.account_ids.map((id) => ({ id: randomUUID(), account_id: id, status: "scheduled" })),
  };
  accept(post);
  return reply.code(202).send({ message: "Post scheduled.", data: { post_id: post.id, platform_posts: post.deliveries } });
});

await server.listen({ host: "127.0.0.1", port: 0 });
console.log(server.server.address().port);
