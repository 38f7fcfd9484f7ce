// SPDX-License-Identifier: Apache-2.0
// The audit trail: who did what, from where, and what it changed. Filtered by the URL's query, page by page.
import {h} from "./dom.js";
import * as api from "./api.js";
import {number, when} from "./format.js";
import {card, empty, field, linkButton, onSubmit, pageHead, table, tag} from "./ui.js";

const NAMES = ["action", "actor", "client_id", "since"];
const OUTCOMES = {
	done: ["done", "ok"],
	refused: ["refused", "warn"],
	failed: ["failed", "bad"],
	begun: ["end not known", "bad"],
};

function address(context, query) {
	const pairs = new URLSearchParams(Object.entries(query).filter(([, value]) => value));
	return `${context.base}/audit${pairs.size > 0 ? `?${pairs}` : ""}`;
}

const chosen = (context) => Object.fromEntries(NAMES.map((name) => [name, context.query[name]]));

function filters(context, actions) {
	const now = (change) => context.go(address(context, {...chosen(context), ...change}));
	const select = (name, label, options) =>
		field({name, label, kind: "select", value: context.query[name] ?? "", options, onchange: (value) => now({[name]: value})});
	const fields = [
		select("action", "Action", [["", "Any"], ...actions.map((action) => [action, action])]),
		select("client_id", "App", [["", "All"], ...context.apps.map((app) => [app.client_id, app.name])]),
		field({name: "since", label: "Since (UTC)", kind: "date", value: context.query.since, onchange: (value) => now({since: value})}),
		field({name: "actor", label: "Who", value: context.query.actor, placeholder: "email or cli:user"}),
	];
	const send = h("button", {class: "button", type: "submit"}, "Filter");
	const element = h(
		"form",
		{class: "filters", role: "search", "aria-label": "Filter the audit trail"},
		fields.map((one) => one.node),
		h(
			"div",
			{class: "row"},
			send,
			NAMES.some((name) => context.query[name]) ? linkButton("Clear", `${context.base}/audit`, {kind: "quiet"}) : null
		)
	);
	onSubmit(element, send, () => now(Object.fromEntries(fields.map((one) => [one.name, one.value().trim()]))));
	return element;
}

function value(label, json) {
	return json === null ? null : h("span", {class: "sub mono"}, `${label}: ${JSON.stringify(json)}`);
}

const columns = [
	{label: "When", tight: true, cell: (row) => when(row.time)},
	{
		label: "Who",
		tight: true,
		cell: (row) => [
			h("span", {class: "title"}, row.actor ?? "nobody signed in"),
			h("span", {class: "sub"}, row.source ?? "many addresses"),
		],
	},
	{
		label: "What",
		lead: true,
		cell: (row) => [
			h("span", {class: "title"}, row.action, row.times > 1 ? ` (${number(row.times)} times)` : null),
			row.object ? h("span", {class: "sub mono"}, row.object) : null,
			value("before", row.before),
			value("after", row.after),
		],
	},
	{label: "Outcome", tight: true, cell: (row) => tag(...OUTCOMES[row.outcome])},
];

export async function page(context) {
	const query = {...chosen(context), before: context.query.before, limit: 50};
	const found = await api.get("/audit", query, context.signal);
	const moves = [
		context.query.before ? linkButton("Newest", address(context, chosen(context)), {slim: true, key: "newest"}) : null,
		found.next ? linkButton("Older", address(context, {...chosen(context), before: found.next}), {slim: true, key: "next"}) : null,
	].filter(Boolean);
	const file = new URLSearchParams(Object.entries({...query, limit: 500}).filter(([, one]) => one));
	return [
		pageHead({
			title: "Audit trail",
			sub: "What was done to your apps and to this installation, newest first.",
			actions: [
				h("a", {class: "button", href: `${context.base}/api/audit?${file}`, download: "audit.json"}, "Download as JSON"),
			],
		}),
		filters(context, found.actions),
		card(
			{flush: true, footer: moves.length > 0 ? moves : null},
			found.data.length > 0
				? table({caption: "Audit trail", columns, rows: found.data, key: (row) => row.id})
				: empty("search", "Nothing recorded", "No rows for these filters.")
		),
	];
}
