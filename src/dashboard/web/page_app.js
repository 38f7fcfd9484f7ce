// SPDX-License-Identifier: Apache-2.0
// An app's first page: the steps until it publishes, and its state.
import {h} from "./dom.js";
import * as api from "./api.js";
import {number, when} from "./format.js";
import {PLATFORMS, PLATFORM_NAMES, platformName} from "./words.js";
import {badge, button, card, codeBlock, copyField, facts, field, form, linkButton, mark, notice, pageHead, toast} from "./ui.js";

export async function goLive(context, app) {
	await api.post(api.appPath(app.client_id, "go-live"));
	toast(`${app.name} is live.`);
	await context.reloadApps();
	await context.refresh();
}

function step(isDone, title, text, action) {
	return h(
		"li",
		{class: isDone ? "done" : null},
		h(
			"div",
			{class: "row apart"},
			h(
				"div",
				{class: "grow"},
				h("h3", null, title, isDone ? h("span", {class: "unseen"}, " – done") : null),
				h("p", {class: "soft small"}, text)
			),
			action
		)
	);
}

function steps(context, app, accountTotal, postTotal) {
	const verified = app.credentials.filter((one) => one.state === "verified").length;
	const set = app.credentials.length;
	return card(
		{title: "Steps to the first post"},
		h(
			"ol",
			{class: "steps"},
			step(
				verified > 0,
				"Enter platform credentials",
				verified > 0
					? `${verified} of ${PLATFORMS.length} platforms verified.`
					: set > 0
						? `${set} entered, none verified yet.`
						: "You own the OAuth apps on the platforms; enter their ids and secrets, and verify them.",
				linkButton("Platform credentials", context.here("credentials"), {slim: true})
			),
			step(
				app.state === "active",
				"Go live",
				{
					draft: "Happens automatically with the first verified credential. Until then, the token endpoint answers app_not_live.",
					active: "Your server can get tokens and publish.",
					suspended: "The app is suspended: its calls are rejected.",
				}[app.state],
				app.state === "draft" ? button("Go live", () => goLive(context, app), {slim: true, kind: verified > 0 ? "main" : ""}) : null
			),
			step(
				accountTotal > 0,
				"Connect an account",
				accountTotal > 0
					? `${number(accountTotal)} connected.`
					: "With the connect call of the API, or with your own test connection from the credentials page.",
				linkButton("Accounts", context.here("accounts"), {slim: true})
			),
			step(
				postTotal > 0,
				"Publish",
				postTotal > 0 ? "Done; see the posts." : "Try it here first; the page also shows the call for your server.",
				linkButton("Compose", context.here("compose"), {slim: true})
			)
		)
	);
}

function credentialLine(context, app) {
	return h(
		"ul",
		{class: "lines"},
		PLATFORMS.map((slug) => {
			const found = app.credentials.find((one) => one.platform === slug);
			return h(
				"li",
				null,
				mark(slug),
				h("a", {class: "grow", href: context.here("credentials", slug)}, platformName(slug)),
				badge("credential", found?.state ?? "none")
			);
		})
	);
}

// ---- pauses ----

/** Ends one pause of an app, by its own words. */
export async function resume(context, pause) {
	await api.post("/pauses/resume", {platform: pause.platform, app: pause.app, account: pause.account});
	toast("Resumed.");
	await context.refresh();
}

function pauseLine(context, pause) {
	const what = pause.platform ? platformName(pause.platform) : "All platforms";
	return h(
		"li",
		null,
		h(
			"span",
			{class: "grow"},
			pause.account ? `${what}, account ${pause.account}` : what,
			h("span", {class: "soft small"}, `, by ${pause.actor}, since `, when(pause.paused_at))
		),
		button("Resume", () => resume(context, pause), {slim: true, key: `resume-${pause.platform ?? "all"}-${pause.account ?? ""}`})
	);
}

function pausesCard(context, app, pauses) {
	const platform = field({
		name: "platform",
		label: "Platform",
		kind: "select",
		options: [["", "All platforms"], ...PLATFORMS.map((slug) => [slug, PLATFORM_NAMES[slug]])],
	});
	return card(
		{title: "Pause"},
		h(
			"div",
			{class: "stack tight"},
			h(
				"p",
				{class: "soft small"},
				"Nothing new begins while it lasts. Posts are accepted and wait; what has begun goes on to its end."
			),
			pauses.length > 0 ? h("ul", {class: "lines"}, pauses.map((pause) => pauseLine(context, pause))) : null,
			form({
				fields: [platform],
				submit: "Pause",
				kind: "",
				onsubmit: async (values) => {
					await api.post("/pauses", {app: app.client_id, ...(values.platform ? {platform: values.platform} : {})});
					toast("Paused.");
					await context.refresh();
				},
			})
		)
	);
}

export async function page(context) {
	const [app, accounts, posts, pauses] = await Promise.all([
		api.get(context.appPath(), null, context.signal),
		api.get(context.appPath("v1", "accounts"), {per_page: 1}, context.signal),
		api.get(context.appPath("v1", "posts"), {per_page: 1}, context.signal),
		api.get("/pauses", null, context.signal),
	]);
	const paused = pauses.data.filter((pause) => pause.app === app.client_id);
	const address = context.session.public_url;
	return [
		pageHead({
			crumbs: [["Apps", `${context.base}/apps`]],
			title: app.name,
			state: badge("app", app.state),
			actions: [linkButton("Settings", context.here("settings"), {icon: "settings"})],
		}),
		h(
			"div",
			{class: "stack"},
			app.state === "suspended"
				? notice(
						"bad",
						"This app is suspended",
						h("p", null, "Its calls are answered app_not_active, and none of its posts are published."),
						h(
							"div",
							{class: "row"},
							button(
								"Activate",
								async () => {
									await api.post(context.appPath("activate"));
									await context.reloadApps();
									await context.refresh();
								},
								{slim: true}
							)
						)
					)
				: null,
			h(
				"div",
				{class: "split"},
				h(
					"div",
					{class: "stack"},
					steps(context, app, accounts.meta.total, posts.meta.total),
					codeBlock(
						"Get a token from your server",
						`curl -s '${address}/v1/oauth/token' \\\n  -u '${app.client_id}:CLIENT_SECRET' \\\n  -d grant_type=client_credentials`
					)
				),
				h(
					"div",
					{class: "stack"},
					card({title: "Platforms", flush: true}, credentialLine(context, app)),
					card(
						{title: "This app"},
						h(
							"div",
							{class: "stack"},
							copyField("Client id", app.client_id),
							copyField("API URL", `${address}/v1`),
							facts([
								["Owner", app.owner],
								["Accounts", number(accounts.meta.total)],
								[
									"Posts",
									h(
										"a",
										{href: `${context.base}/posts?client_id=${encodeURIComponent(app.client_id)}`},
										number(posts.meta.total)
									),
								],
								["Unknown outcomes", app.on_unknown === "hold" ? "held for a person" : "tried once more"],
								["Longest delay", app.max_lateness === null ? "no limit" : `${number(app.max_lateness)} s`],
							])
						)
					),
					pausesCard(context, app, paused)
				)
			)
		),
	];
}
