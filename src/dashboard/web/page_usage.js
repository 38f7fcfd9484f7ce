// SPDX-License-Identifier: Apache-2.0
// Posts published in the last day, and what the platforms' limits still allow.
import {h} from "./dom.js";
import * as api from "./api.js";
import {duration, number} from "./format.js";
import {platformName} from "./words.js";
import {card, empty, linkButton, mark, notice, pageHead, table, tag} from "./ui.js";
import {meter} from "./plot.js";

function limitTable(context, row) {
	const columns = [
		{
			label: "Limit",
			lead: true,
			cell: (limit) => [
				h("span", {class: "title"}, limit.what.charAt(0).toUpperCase() + limit.what.slice(1)),
				limit.note ? h("span", {class: "sub"}, limit.note) : null,
			],
		},
		{
			label: "For",
			tight: true,
			cell: (limit) =>
				limit.account_id
					? h(
							"a",
							{href: `${context.base}${api.appPath(row.client_id, "accounts", limit.account_id)}`},
							limit.handle || limit.scope
						)
					: limit.scope === "app"
						? "the whole app"
						: `each ${limit.scope}`,
		},
		{label: "Window", tight: true, cell: (limit) => (limit.window_s ? duration(limit.window_s * 1000) : "–")},
		{
			label: "Used",
			tight: true,
			cell: (limit) => [
				`${number(limit.used)}${limit.limit === null ? "" : ` of ${number(limit.limit)}`}`,
				limit.limit === null ? null : meter(limit.used, limit.limit, `${number(limit.used)} of ${number(limit.limit)} used`),
			],
		},
		{
			label: "Left",
			tight: true,
			cell: (limit) => (limit.left === null ? h("span", {class: "soft"}, "unknown") : h("b", null, number(limit.left))),
		},
	];
	return table({caption: `Limits of ${platformName(row.platform)}`, columns, rows: row.limits});
}

function platformCard(context, row) {
	return card(
		{
			title: row.name,
			lead: mark(row.platform),
			flush: true,
			actions: [
				tag(`${number(row.published_24h)} published in 24 h`, row.published_24h > 0 ? "ok" : "calm"),
				row.failed_24h > 0 ? tag(`${number(row.failed_24h)} failed`, "bad") : null,
			],
		},
		row.limits.length > 0
			? limitTable(context, row)
			: h("div", {class: "empty"}, h("p", null, "The platform publishes no limit that can be counted here."))
	);
}

export async function page(context) {
	if (context.apps.length === 0) {
		return [
			pageHead({title: "Usage and quota"}),
			card(
				{},
				empty(
					"usage",
					"No usage yet",
					"Create an app first.",
					linkButton("Go to apps", `${context.base}/apps`, {kind: "main"})
				)
			),
		];
	}
	const {data, is_partial: isPartial} = await api.get("/usage", {client_id: context.query.client_id}, context.signal);
	const byApp = new Map();
	for (const row of data) {
		byApp.set(row.client_id, [...(byApp.get(row.client_id) ?? []), row]);
	}
	return [
		pageHead({
			title: "Usage and quota",
			sub: "Counts posts that this service published. Other programs that use the same account also count "
				+ "against the platform's limits.",
		}),
		h(
			"div",
			{class: "stack loose"},
			isPartial ? notice("warn", "These figures are incomplete", h("p", null, "Only the newest posts were counted.")) : null,
			data.length > 0
				? [...byApp.values()].map((rows) =>
						h(
							"div",
							{class: "stack"},
							context.apps.length > 1 ? h("h2", null, rows[0].app_name) : null,
							rows.map((row) => platformCard(context, row))
						)
					)
				: card({}, empty("usage", "No usage yet", "Limits appear once a platform has credentials or accounts."))
		),
	];
}
