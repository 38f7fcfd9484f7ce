// SPDX-License-Identifier: Apache-2.0
// The machines that share the database: who does what, and when each was last heard of.
import {h} from "./dom.js";
import * as api from "./api.js";
import {number, when} from "./format.js";
import {card, empty, pageHead, table, tag} from "./ui.js";

const ROLES = {all: "Serves and delivers", api: "Serves the API", worker: "Delivers"};

const columns = (answeredBy) => [
	{
		label: "Node",
		lead: true,
		cell: (node) => [
			h("span", {class: "title"}, node.name, " ", node.id === answeredBy ? tag("answers you") : null),
			h("span", {class: "sub"}, node.address ?? "no address"),
		],
	},
	{label: "Does", tight: true, cell: (node) => ROLES[node.role] ?? node.role},
	{label: "State", tight: true, cell: (node) => (node.alive ? tag("alive", "ok") : tag("not heard of", "bad"))},
	{label: "Last heard of", tight: true, cell: (node) => when(node.last_beat_at)},
	{label: "Accounts in hand", tight: true, cell: (node) => number(node.busy_accounts)},
	{label: "Version", tight: true, cell: (node) => node.version},
];

export async function page(context) {
	const nodes = await api.get("/nodes", null, context.signal);
	return [
		pageHead({title: "Nodes", sub: "The machines of this installation. What a node that died had in hand, the others take over."}),
		nodes.shared
			? card({flush: true}, table({caption: "Nodes", columns: columns(nodes.answered_by), rows: nodes.data}))
			: card(
					{},
					empty(
						"app",
						"One machine",
						"This service has its database to itself. Several machines can share a PostgreSQL database, so that one of them may fail; docs/postgres.md tells how."
					)
				),
	];
}
