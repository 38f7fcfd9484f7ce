// SPDX-License-Identifier: Apache-2.0
// The machines that share the database: the role of each, and when it was last seen.
import {h} from "./dom.js";
import * as api from "./api.js";
import {number, when} from "./format.js";
import {card, empty, pageHead, table, tag} from "./ui.js";

const ROLES = {all: "API and deliveries", api: "API only", worker: "Deliveries only"};

const columns = (answeredBy) => [
	{
		label: "Node",
		lead: true,
		cell: (node) => [
			h("span", {class: "title"}, node.name, " ", node.id === answeredBy ? tag("answers you") : null),
			h("span", {class: "sub"}, node.address ?? "no address"),
		],
	},
	{label: "Role", tight: true, cell: (node) => ROLES[node.role] ?? node.role},
	{label: "State", tight: true, cell: (node) => (node.alive ? tag("alive", "ok") : tag("not responding", "bad"))},
	{label: "Last seen", tight: true, cell: (node) => when(node.last_beat_at)},
	{label: "Accounts in progress", tight: true, cell: (node) => number(node.busy_accounts)},
	{label: "Version", tight: true, cell: (node) => node.version},
];

export async function page(context) {
	const nodes = await api.get("/nodes", null, context.signal);
	return [
		pageHead({title: "Nodes", sub: "The machines of this installation. When a node dies, the others take over its work."}),
		nodes.shared
			? card({flush: true}, table({caption: "Nodes", columns: columns(nodes.answered_by), rows: nodes.data}))
			: card(
					{},
					empty(
						"app",
						"One machine",
						"Only this machine uses the database. Several machines can share a PostgreSQL database, so that one of them may fail; see docs/postgres.md."
					)
				),
	];
}
