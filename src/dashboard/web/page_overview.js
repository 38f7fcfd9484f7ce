// SPDX-License-Identifier: Apache-2.0
// The overview of all apps of the admin: what was published and what failed, why, how late; problems that need a person.
import {fill, h} from "./dom.js";
import * as api from "./api.js";
import {duration, number, plural, utc, when} from "./format.js";
import {platformName} from "./words.js";
import {badge, button, card, empty, linkButton, notice, pageHead, platform, table, tabs} from "./ui.js";
import {days, lateness, shares, spark, throughput} from "./plot.js";
import {resume} from "./page_app.js";
import {postTable} from "./page_posts.js";
import {webhookWord} from "./page_webhooks.js";

const POLL_MS = 10000;
const ACCOUNTS_EVERY_MS = 60000;
const APPS_ASKED_MAX = 10;
const SPANS = [
	[24, "24 hours"],
	[72, "3 days"],
	[168, "7 days"],
];
const ACCOUNTS_PER_APP = 10;

// ---- what needs a person ----

function alarmLines(context, alarms) {
	const held = alarms.held ?? {};
	return [
		alarms.ready === false
			? notice("bad", "The service is not ready", h("p", null, alarms.reason ?? "Run posthorn doctor for details."))
			: null,
		(held.held ?? 0) + (held.asking ?? 0) > 0
			? notice(
					"warn",
					`${plural(held.held + held.asking, "post")} held since a backup was restored`,
					h(
						"p",
						null,
						`${number(held.asking)} are still being resolved with the platforms; ` +
							`${number(held.held)} wait for the operator: posthorn hold show, release, fail.`
					)
				)
			: null,
		(alarms.pauses ?? []).map((pause) =>
			notice(
				"warn",
				"Paused",
				h("p", null, [
					pause.platform ?? "all platforms",
					pause.app ? `app ${pause.app}` : "all apps",
					pause.account ? `account ${pause.account}` : "all accounts",
				].join(", ") + ": nothing new begins, posts wait."),
				h("p", {class: "small soft"}, `By ${pause.actor}, since `, when(pause.paused_at)),
				pause.app || context.session.admin.role === "root"
					? h("div", {class: "row"}, button("Resume", () => resume(context, pause), {slim: true}))
					: h("p", {class: "small soft"}, "The operator ends it: posthorn resume.")
			)
		),
		(alarms.waiting ?? []).map((wait) =>
			notice(
				wait.reason === "app_limit" ? "warn" : "info",
				`${platformName(wait.platform)}: ${plural(wait.accounts, "account")} waiting`,
				h("p", null, wait.message),
				h("p", {class: "small soft"}, "The oldest post has waited since ", when(wait.since), ". Nothing is lost.")
			)
		),
		alarms.data.map((alarm) =>
			notice(
				"bad",
				alarm.name,
				h("p", null, alarm.message),
				h("p", {class: "small soft"}, `Raised ${plural(alarm.times, "time")}, last `, when(alarm.last_at))
			)
		),
	];
}

async function readAlarms(context) {
	const [alarms, pauses] = await Promise.all([
		api.get("/alarms", null, context.signal),
		api.get("/pauses", null, context.signal),
	]);
	return {...alarms, pauses: pauses.data};
}

async function troubledAccounts(context) {
	const lists = await Promise.all(
		context.apps.slice(0, APPS_ASKED_MAX).flatMap((app) =>
			["reauth_required", "expiring"].map(async (status) => {
				const found = await api.get(
					api.appPath(app.client_id, "v1", "accounts"),
					{status, per_page: ACCOUNTS_PER_APP},
					context.signal
				);
				return found.data.map((account) => ({...account, client_id: app.client_id, app_name: app.name}));
			})
		)
	);
	return lists.flat();
}

function accountsCard(context, accounts) {
	return card(
		{title: "Accounts that need attention", flush: true},
		accounts.length > 0
			? h(
					"ul",
					{class: "lines"},
					accounts
						.slice(0, 12)
						.map((account) =>
							h(
								"li",
								null,
								h(
									"a",
									{class: "grow", href: `${context.base}${api.appPath(account.client_id, "accounts", account.id)}`},
									platform(account.platform, account.name || account.username)
								),
								h("span", {class: "soft small"}, account.app_user_id),
								badge("account", account.status)
							)
						)
				)
			: h("div", {class: "empty"}, h("p", null, "All tokens are valid."))
	);
}

// ---- figures ----

function tile(label, value, note, href, tone = "") {
	const content = [
		h("span", {class: "label"}, label),
		h("span", {class: "value"}, value),
		note ? h("span", {class: "note"}, note) : null,
	];
	return href ? h("a", {class: `tile ${tone}`, href}, content) : h("div", {class: `tile ${tone}`}, content);
}

function tiles(context, figures, query) {
	const posts = (status) => `${context.base}/posts?${new URLSearchParams({...query, status})}`;
	const done = figures.per_hour.reduce((sum, row) => sum + row.published, 0);
	const failed = figures.per_hour.reduce((sum, row) => sum + row.failed, 0);
	const late = figures.lateness_ms;
	return h(
		"div",
		{class: "columns narrow"},
		tile(
			"Published",
			number(done),
			done + failed > 0
				? `${((100 * done) / (done + failed)).toFixed(failed === 0 ? 0 : 1)} % of ${number(done + failed)}`
				: "nothing in this period",
			posts("published")
		),
		tile("Failed", number(failed), "platform posts", posts("failed"), failed > 0 ? "bad" : ""),
		tile(
			"Visible after",
			late.count > 0 ? duration(late.p50) : "–",
			late.count > 0 ? `99 of 100 within ${duration(late.p99)}` : "no data yet"
		),
		tile("In progress", number(figures.posts.pending), "posts now", posts("pending")),
		tile("Scheduled", number(figures.posts.scheduled), "posts waiting", posts("scheduled"))
	);
}

// ---- each platform, and what is told onwards ----

/** The rows of all apps as one of each platform. */
function byPlatform(rows) {
	const found = new Map();
	for (const row of rows) {
		const sum = found.get(row.platform) ?? {platform: row.platform, published: 0, failed: 0, limits: []};
		sum.published += row.published_24h;
		sum.failed += row.failed_24h;
		sum.limits.push(...row.limits.filter((limit) => limit.limit > 0));
		found.set(row.platform, sum);
	}
	return [...found.values()].filter((row) => row.published + row.failed > 0);
}

function nearestLimit(limits) {
	const [nearest] = limits.toSorted((a, b) => b.used / b.limit - a.used / a.limit);
	if (!nearest || nearest.used === 0) {
		return null;
	}
	const share = Math.min(1, nearest.used / nearest.limit);
	return [
		h(
			"span",
			{class: "small"},
			`${number(nearest.used)} of ${number(nearest.limit)} ${nearest.what}${nearest.handle ? ` (${nearest.handle})` : ""}`
		),
		h("div", {class: "meter"}, h("span", {class: share > 0.9 ? "bad" : share > 0.7 ? "warn" : "", vars: {share}})),
	];
}

function platformsCard(context, usage, query) {
	const rows = byPlatform(usage.data);
	const columns = [
		{
			label: "Platform",
			lead: true,
			tight: true,
			cell: (row) =>
				h("a", {href: `${context.base}/posts?${new URLSearchParams({...query, platform: row.platform})}`}, platform(row.platform)),
		},
		{label: "Published", end: true, tight: true, cell: (row) => number(row.published)},
		{
			label: "Failed",
			end: true,
			tight: true,
			cell: (row) => (row.failed > 0 ? h("span", {class: "bad-word"}, number(row.failed)) : "0"),
		},
		{label: "Nearest limit", cell: (row) => nearestLimit(row.limits)},
	];
	return card(
		{title: "Platforms, last 24 hours", flush: true, footer: linkButton("Usage and quota", `${context.base}/usage`, {slim: true})},
		rows.length > 0
			? table({caption: "Platforms", columns, rows})
			: h("div", {class: "empty"}, h("p", null, "Nothing was published in the last 24 hours."))
	);
}

async function readWebhooks(context) {
	const lists = await Promise.all(
		context.apps.slice(0, APPS_ASKED_MAX).map(async (app) => {
			const found = await api.get(api.appPath(app.client_id, "v1", "webhooks"), null, context.signal);
			return found.data.map((webhook) => ({...webhook, client_id: app.client_id}));
		})
	);
	return lists.flat();
}

function webhooksCard(context, webhooks) {
	const isBad = (webhook) => webhookWord(webhook) !== "enabled";
	const sorted = webhooks.toSorted((a, b) => isBad(b) - isBad(a)).slice(0, 6);
	return card(
		{title: "Webhooks", flush: true},
		sorted.length > 0
			? h(
					"ul",
					{class: "lines"},
					sorted.map((webhook) =>
						h(
							"li",
							null,
							h(
								"a",
								{class: "grow", href: `${context.base}${api.appPath(webhook.client_id, "webhooks", webhook.id)}`},
								webhook.url
							),
							webhook.failing_since ? h("span", {class: "soft small"}, "since ", when(webhook.failing_since)) : null,
							badge("webhook", webhookWord(webhook))
						)
					)
				)
			: h("div", {class: "empty"}, h("p", null, "No server is told of anything yet."))
	);
}

function failureRows(context, figures, query) {
	return figures.failures.map((row) => ({
		label: row.sentence ?? row.code,
		count: row.count,
		href: `${context.base}/posts?${new URLSearchParams({...query, error: row.code})}`,
		note: `${row.code} · ${Object.entries(row.platforms ?? {})
			.map(([slug, count]) => `${platformName(slug)} ${number(count)}`)
			.join(", ")}`,
	}));
}

// ---- over time ----

const timeColumn = {label: "Hour", lead: true, tight: true, cell: (row) => utc(row.hour)};
const countColumn = (label, name) => ({label, end: true, tight: true, cell: (row) => number(row[name])});
const timesColumn = (label, name) => ({label, end: true, tight: true, cell: (row) => duration(row[name])});
const HOUR_COLUMNS = [timeColumn, countColumn("Published", "published"), countColumn("Failed", "failed")];
const LATENESS_COLUMNS = [
	timeColumn,
	timesColumn("Half within", "p50"),
	timesColumn("99 of 100 within", "p99"),
	countColumn("Posts", "count"),
];
const DAY_COLUMNS = [
	{label: "Day", lead: true, tight: true, cell: (row) => utc(row.hour).split(" ").slice(0, 2).join(" ")},
	countColumn("Published", "published"),
	countColumn("Failed", "failed"),
	countColumn("Waiting", "waiting"),
];

const opened = new Set(); // the page is drawn again with new figures

/** The figures of a picture, for who cannot see it or wants to copy them; the newest first. */
function asTable(caption, rows, columns) {
	if (rows.length === 0) {
		return null;
	}
	const note = (event) => (event.target.open ? opened.add(caption) : opened.delete(caption));
	return h(
		"details",
		{class: "figures", open: opened.has(caption), ontoggle: note},
		h("summary", {"data-key": caption}, "As a table"),
		table({caption, dense: true, columns, rows: rows.toReversed()})
	);
}

/** Every platform on the same scale. */
function hoursOfPlatforms(figures) {
	const rows = figures.per_platform.map((one) => ({
		platform: one.platform,
		hours: figures.per_hour.map(({hour}, index) => ({hour, published: one.published[index], failed: one.failed[index]})),
	}));
	const top = Math.max(...rows.flatMap((row) => row.hours.map((one) => one.published + one.failed)), 1);
	const sum = (row, name) => row.hours.reduce((total, one) => total + one[name], 0);
	const line = (row) =>
		h(
			"li",
			null,
			platform(row.platform),
			spark(row.hours, top, platformName(row.platform)),
			h(
				"span",
				{class: "small"},
				`${number(sum(row, "published"))} published`,
				sum(row, "failed") > 0 ? [", ", h("span", {class: "bad-word"}, `${number(sum(row, "failed"))} failed`)] : null
			)
		);
	return card(
		{title: "By platform, by hour"},
		rows.length > 0
			? h("ul", {class: "sparks"}, rows.map(line))
			: h("div", {class: "empty"}, h("p", null, "Nothing was published or failed in this period.")),
		asTable(
			"Published and failed by platform and hour",
			rows.flatMap((row) =>
				row.hours.filter((one) => one.published + one.failed > 0).map((one) => ({...one, platform: row.platform}))
			),
			[timeColumn, {label: "Platform", tight: true, cell: (row) => platformName(row.platform)}, ...HOUR_COLUMNS.slice(1)]
		)
	);
}

function daysCard(figures) {
	const rows = figures.per_day.map((row) => ({
		hour: row.day,
		published: row.published,
		failed: row.failed,
		waiting: row.scheduled + row.pending,
	}));
	return card({title: "Posts of the last 30 days"}, days(rows), asTable("Posts of the last 30 days", rows, DAY_COLUMNS));
}

function draw(context, data, query) {
	const {figures, alarms, accounts, latest, usage, webhooks} = data;
	return [
		alarmLines(context, alarms),
		tiles(context, figures, query),
		h(
			"div",
			{class: "columns"},
			card(
				{title: "Published and failed, by hour"},
				throughput(figures.per_hour),
				asTable("Published and failed, by hour", figures.per_hour, HOUR_COLUMNS)
			),
			card(
				{title: "How late posts become visible"},
				lateness(figures.lateness_per_hour, figures.lateness_ms),
				asTable(
					"How late posts become visible, by hour",
					figures.lateness_per_hour.filter((row) => row.count > 0),
					LATENESS_COLUMNS
				)
			)
		),
		h("div", {class: "columns"}, hoursOfPlatforms(figures), daysCard(figures)),
		h(
			"div",
			{class: "columns"},
			card(
				{title: "Why posts failed"},
				figures.failures.length > 0
					? shares(failureRows(context, figures, query))
					: h("div", {class: "empty"}, h("p", null, "Nothing failed in this period."))
			),
			accountsCard(context, accounts)
		),
		h("div", {class: "columns"}, platformsCard(context, usage, query), webhooksCard(context, webhooks)),
		card(
			{
				title: "Latest posts",
				flush: true,
				footer: latest.data.length > 0 ? [linkButton("All posts", `${context.base}/posts`, {slim: true})] : null,
			},
			latest.data.length > 0
				? postTable(context, latest.data, {withApp: context.apps.length > 1})
				: empty("posts", "No posts yet", "Published posts appear here.")
		),
	];
}

function welcome(context) {
	return card(
		{},
		empty(
			"apps",
			"Welcome to Posthorn",
			"Start by creating an app. Then enter your platform credentials, connect an account, and publish.",
			linkButton("Create your first app", `${context.base}/apps`, {kind: "main"})
		)
	);
}

export async function page(context) {
	if (context.apps.length === 0) {
		return [
			pageHead({title: "Overview"}),
			h("div", {class: "stack"}, alarmLines(context, await readAlarms(context)), welcome(context)),
		];
	}
	const hours = Number(context.query.hours ?? 24);
	const clientId = context.query.client_id;
	const query = clientId ? {client_id: clientId} : {};
	let accounts = await troubledAccounts(context);
	const load = async () => {
		const [figures, alarms, latest, usage, webhooks] = await Promise.all([
			api.get("/overview", {hours, ...query}, context.signal),
			readAlarms(context),
			api.get("/posts", {limit: 5, ...query}, context.signal),
			api.get("/usage", query, context.signal),
			readWebhooks(context),
		]);
		return {figures, alarms, accounts, latest, usage, webhooks};
	};
	const place = h("div", {class: "stack"});
	let shown = "";
	const show = (data) => {
		const key = JSON.stringify(data);
		if (key !== shown) {
			shown = key;
			fill(place, draw(context, data, query));
		}
	};
	show(await load());
	context.every(POLL_MS, async () => show(await load()));
	context.every(ACCOUNTS_EVERY_MS, async () => {
		accounts = await troubledAccounts(context);
	});
	return [
		pageHead({
			title: "Overview",
			sub:
				context.apps.length > 1
					? `All ${context.apps.length} of your apps. Times are UTC.`
					: `${context.apps[0].name}. Times are UTC.`,
		}),
		tabs(
			"Period",
			SPANS.map(([span, text]) => [text, `${context.base}?${new URLSearchParams({hours: span, ...query})}`, span === hours])
		),
		place,
	];
}
