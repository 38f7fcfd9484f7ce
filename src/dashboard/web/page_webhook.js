// SPDX-License-Identifier: Apache-2.0
// One webhook: its settings, a test, and the log of its deliveries with every attempt; resending one.
import {fill, h} from "./dom.js";
import * as api from "./api.js";
import {duration, plural, utc, when, whenFull} from "./format.js";
import {badge, button, card, confirm, empty, facts, notice, pageHead, showSecret, table, toast} from "./ui.js";
import {webhookForm, webhookWord} from "./page_webhooks.js";

const POLL_MS = 2500;
const LIMIT = 25;

const path = (context, ...words) => context.appPath("v1", "webhooks", context.params.webhook_id, ...words);

// ---- actions ----

async function test(context) {
	await api.post(path(context, "test"));
	toast("Test event queued; see the log below.");
}

async function rotate(context) {
	if (
		await confirm({
			title: "Create a new signing secret?",
			text: "The old secret stays valid for 24 hours, so that your server can switch over.",
			action: "Create a new secret",
		})
	) {
		const {data} = await api.post(path(context, "rotate"));
		await showSecret("New signing secret", "It cannot be shown again.", [["Signing secret", data.secret]]);
	}
}

async function remove(context) {
	if (await confirm({title: "Delete this webhook?", text: "It will no longer be called, and its log is deleted.", action: "Delete"})) {
		await api.remove(path(context));
		toast("Webhook deleted.");
		await context.go(context.here("webhooks"));
	}
}

async function set(context, enabled) {
	await api.patch(path(context), {enabled});
	toast(enabled ? "Webhook enabled." : "Webhook disabled.");
	await context.refresh();
}

async function resend(context, row) {
	await api.post(context.appPath("webhooks", context.params.webhook_id, "deliveries", String(row.id), "resend"));
	toast("The event is being resent.");
}

// ---- the log ----

function tries(row) {
	const list = row.tries ?? [];
	if (list.length === 0) {
		return h("span", {class: "soft"}, "none yet");
	}
	return h(
		"details",
		{class: "small"},
		h("summary", null, plural(list.length, "attempt", "attempts")),
		h(
			"ul",
			{class: "help"},
			list.map((one) =>
				h(
					"li",
					null,
					[
						one.at ? utc(one.at, {seconds: true}) : null,
						one.status ? `HTTP ${one.status}` : null,
						one.duration_ms === undefined ? null : duration(one.duration_ms),
						one.error ?? one.message ?? null,
					]
						.filter(Boolean)
						.join(" · ")
				)
			)
		)
	);
}

function logTable(context, rows) {
	const columns = [
		{
			label: "Event",
			lead: true,
			cell: (row) => [h("span", {class: "title keep"}, row.event), h("span", {class: "sub mono"}, row.event_id)],
		},
		{
			label: "State",
			tight: true,
			cell: (row) => [
				badge("webhook", row.state === "pending" && row.attempts > 0 ? "again" : row.state),
				row.next_attempt_at ? h("span", {class: "sub"}, "next ", when(row.next_attempt_at)) : null,
			],
		},
		{label: "Attempts", cell: tries},
		{label: "Created", tight: true, cell: (row) => when(row.created_at)},
		{
			label: "",
			name: "Actions",
			tight: true,
			cell: (row) =>
				button("Resend", () => resend(context, row), {
					slim: true,
					label: `Resend ${row.event} ${row.event_id}`,
					key: `resend-${row.id}`,
				}),
		},
	];
	return table({caption: "Deliveries", columns, rows});
}

function logCard(context, found, more) {
	return card(
		{
			title: "Deliveries",
			sub: "The last 30 days, newest first.",
			flush: true,
			footer: found.meta.has_more ? [button("Older", more, {slim: true})] : null,
		},
		found.data.length > 0
			? logTable(context, found.data)
			: empty(
					"webhooks",
					"No deliveries yet",
					"Send a test event to check that your server answers.",
					button("Send test event", () => test(context))
				)
	);
}

// ---- all of it ----

export async function page(context) {
	const load = (before) => api.get(path(context, "deliveries"), {limit: LIMIT, before}, context.signal);
	const [{data: webhook}, first] = await Promise.all([api.get(path(context), null, context.signal), load()]);
	const log = h("div");
	let shown = "";
	let isAtEnd = true;
	const draw = (found, isForced = false) => {
		const key = JSON.stringify(found);
		if (key === shown && !isForced) {
			return;
		}
		shown = key;
		fill(
			log,
			logCard(context, found, async () => {
				isAtEnd = false;
				draw(await load(found.data[found.data.length - 1].id));
			})
		);
	};
	draw(first);
	context.every(POLL_MS, async () => {
		if (isAtEnd && !log.querySelector("details[open]")) {
			draw(await load());
		}
	});
	const word = webhookWord(webhook);
	const edit = webhookForm(webhook, "Save", async (values) => {
		await api.patch(path(context), values);
		toast("Webhook saved.");
		await context.refresh();
	});
	return [
		pageHead({
			crumbs: [
				[context.app?.name ?? "App", context.here()],
				["Webhooks", context.here("webhooks")],
			],
			title: "Webhook",
			sub: webhook.url,
			state: badge("webhook", word),
			actions: [button("Send test event", () => test(context), {kind: "main"})],
		}),
		h(
			"div",
			{class: "stack"},
			word === "disabled"
				? notice(
						"bad",
						"This webhook is disabled",
						webhook.disabled_reason ? h("p", null, webhook.disabled_reason) : null,
						h(
							"div",
							{class: "row"},
							button("Enable", () => set(context, true), {slim: true})
						)
					)
				: null,
			word === "failing"
				? notice(
						"warn",
						"Calls to this webhook are failing",
						h("p", null, "Since ", whenFull(webhook.failing_since), ". It is disabled after 5 days of failures.")
					)
				: null,
			log,
			h(
				"div",
				{class: "split"},
				card({title: "Settings"}, edit),
				card(
					{title: "More"},
					h(
						"div",
						{class: "stack"},
						facts([
							["Created", whenFull(webhook.created_at)],
							["Changed", whenFull(webhook.updated_at)],
						]),
						h(
							"div",
							{class: "row"},
							button("New signing secret", () => rotate(context)),
							webhook.enabled ? button("Disable", () => set(context, false)) : null,
							button("Delete", () => remove(context), {kind: "danger"})
						)
					)
				)
			)
		),
	];
}
