// SPDX-License-Identifier: Apache-2.0
// An app's settings: name, redirect list, choices; quotas; a new secret, suspension, handing over.
import {h} from "./dom.js";
import * as api from "./api.js";
import {number} from "./format.js";
import {badge, button, card, confirm, copyField, facts, field, form, lines, notice, openDialog, pageHead, showSecret, toast} from "./ui.js";
import {goLive} from "./page_app.js";
import {size} from "./upload.js";

function settingsForm(context, app) {
	const fields = [
		field({name: "name", label: "Name", required: true, max: 200, value: app.name}),
		field({
			name: "redirect_urls",
			label: "Allowed redirect URLs",
			kind: "textarea",
			mono: true,
			rows: 4,
			value: app.redirect_urls.join("\n"),
			placeholder: "https://app.example.com/connected",
			hint: "Where your users may be redirected after connecting: full URLs or origins, one " +
				"per line. Empty allows any http or https URL; a list is safer.",
			parse: lines,
		}),
		field({
			name: "on_unknown",
			label: "When the outcome of a post is unknown",
			kind: "select",
			value: app.on_unknown,
			options: [
				["hold", "Hold it for a person to decide (never publishes twice)"],
				["retry_once", "Retry once (may publish twice)"],
			],
			hint: "After a lost response, the platform is checked first. This setting applies when that is not conclusive.",
		}),
		field({
			name: "connect_confirmation",
			label: "Confirm connections",
			kind: "select",
			value: app.connect_confirmation,
			options: [
				["on", "On (recommended): your server confirms each connection"],
				["off", "Off: accounts are usable at once"],
			],
			hint: "On protects against connection links passed on to someone else: the redirect " +
				"carries a confirmation token that your server sends back.",
		}),
		field({
			name: "tiktok_privacy",
			label: "TikTok posts without privacy_level",
			kind: "select",
			value: app.tiktok_privacy,
			options: [
				["most_open", "The most open level that the creator may use"],
				["self_only", "Only the creator sees them (SELF_ONLY)"],
				["refuse", "Refused: your users choose the level"],
			],
			hint: "TikTok's rules want the person who posts to choose who sees the post.",
		}),
		field({
			name: "max_lateness",
			label: "Longest delay in seconds",
			value: app.max_lateness === null ? "" : String(app.max_lateness),
			hint: "A post that cannot begin this long after its time fails with EXPIRED instead of " +
				"going out late. From 60 to 2592000; empty: no limit.",
			parse: (text) => (text.trim() === "" ? null : Number(text)),
		}),
	];
	const send = async (values) => {
		await api.patch(context.appPath(), values);
		await context.reloadApps();
		toast("Settings saved.");
		await context.refresh();
	};
	return card(
		{title: "Settings"},
		h(
			"div",
			{class: "stack"},
			app.redirect_urls.length === 0
				? notice(
						"warn",
						"Any redirect URL is allowed",
						h("p", null, "Enter the URLs of your product below, so that nobody can redirect your users elsewhere.")
					)
				: null,
			form({fields, submit: "Save settings", onsubmit: send})
		)
	);
}

const QUOTAS = [
	["pending_posts", "Unfinished posts"],
	["accounts", "Connected accounts"],
	["post_bytes", "Bytes of stored posts"],
	["media_bytes", "Bytes of media files"],
	["media_files", "Media files"],
	["webhook_backlog", "Waiting webhook calls"],
];

/** How much of a quota is used, bytes as people read them. */
function useInWords(name, {limit, used}) {
	const words = name.endsWith("_bytes") ? size : number;
	return `${words(used)} of ${limit === 0 ? "any number" : words(limit)} used`;
}

// What is typed is sent as it is unless it is a whole number: the service says what is wrong.
function quotaOf(text) {
	const typed = text.trim();
	if (typed === "") {
		return null;
	}
	return /^\d+$/.test(typed) ? Number(typed) : typed;
}

function quotasCard(context, quotas) {
	const fields = QUOTAS.map(([name, label]) => {
		const {own} = quotas[name];
		return field({
			name,
			label,
			value: own === null ? "" : String(own),
			placeholder: "the service's",
			hint: `${useInWords(name, quotas[name])}.`,
			parse: quotaOf,
		});
	});
	const send = async (values) => {
		await api.patch(context.appPath("quotas"), values);
		toast("Quotas saved.");
		await context.refresh();
	};
	if (context.session.admin.role !== "root") {
		const shown = QUOTAS.map(([name, label]) => [label, useInWords(name, quotas[name])]);
		return card({title: "Quotas"}, h("p", {class: "soft"}, "What the app may have at most. A root admin changes it."), facts(shown));
	}
	return card(
		{title: "Quotas"},
		h("p", {class: "soft"}, "What the app may have at most. Empty: as the service is set; 0: no limit."),
		form({fields, submit: "Save quotas", onsubmit: send})
	);
}

async function rotate(context, app) {
	const isSure = await confirm({
		title: "Create a new client secret?",
		action: "Create a new secret",
		text: [
			"The current secret and the app's access token stop working immediately.",
			"Your server needs the new secret to get a token again. Accepted posts are still published.",
		],
	});
	if (isSure) {
		const made = await api.post(context.appPath("rotate-secret"));
		await showSecret("New client secret", "It cannot be shown again. Copy it to your server's settings now.", [
			["Client id", made.client_id],
			["Client secret", made.client_secret],
		]);
		toast("The old secret and its token no longer work.");
	}
	return app;
}

async function change(context, verb, said) {
	await api.post(context.appPath(verb));
	await context.reloadApps();
	toast(said);
	await context.refresh();
}

async function suspend(context, app) {
	const isSure = await confirm({
		title: `Suspend ${app.name}?`,
		action: "Suspend",
		text: "All its API calls are rejected until you activate it again. Scheduled posts wait.",
	});
	if (isSure) {
		await change(context, "suspend", `${app.name} is suspended.`);
	}
}

function stateCard(context, app) {
	const lines = {
		draft: [
			"Draft: the token endpoint answers app_not_live. It goes live automatically with the first verified platform credential.",
			button("Go live", () => goLive(context, app), {kind: "main"}),
		],
		active: [
			app.mode === "test"
				? "Active: your server can get tokens and publish, in the sandbox alone."
				: "Live: your server can get tokens and publish.",
			button("Suspend", () => suspend(context, app), {kind: "danger"}),
		],
		suspended: [
			"Suspended: every call is answered app_not_active.",
			button("Activate", () => change(context, "activate", `${app.name} is live again.`), {kind: "main"}),
		],
	};
	const [text, action] = lines[app.state] ?? lines.draft;
	return card({title: "State", actions: [badge("app", app.state)]}, h("p", {class: "soft"}, text), action);
}

function handOver(context, app) {
	const fields = [
		field({
			name: "owner",
			label: "New owner",
			kind: "email",
			required: true,
			hint: "The email address of another admin. You will no longer see the app.",
		}),
	];
	return card(
		{title: "Transfer ownership"},
		form({
			fields,
			submit: "Transfer",
			kind: "danger",
			onsubmit: async ({owner}) => {
				if (
					!(await confirm({
						title: `Transfer ${app.name}?`,
						text: `${owner.trim()} becomes its owner. You will no longer see it.`,
						action: "Transfer",
					}))
				) {
					return;
				}
				await api.patch(context.appPath(), {owner: owner.trim()});
				toast(`${app.name} now belongs to ${owner.trim()}.`);
				await context.go(`${context.base}/apps`);
			},
		})
	);
}

async function remove(context, app) {
	const isDone = await openDialog(`Delete ${app.name}?`, (close) =>
		form({
			fields: [field({name: "name", label: "Type the app's name", required: true, max: 200})],
			submit: "Delete for good",
			kind: "danger",
			note: h("p", {class: "hint"}, "This cannot be undone."),
			cancel: () => close(),
			onsubmit: async ({name}) => {
				await api.remove(`${context.appPath()}?name=${encodeURIComponent(name)}`);
				close(true);
			},
		})
	);
	if (isDone) {
		toast(`${app.name} is deleted.`);
		await context.go(`${context.base}/apps`);
	}
}

function removeCard(context, app) {
	return card(
		{title: "Delete the app"},
		h(
			"p",
			{class: "soft"},
			"What is scheduled is cancelled, its accounts are disconnected, its token and keys end. Its contents are erased later."
		),
		button("Delete the app", () => remove(context, app), {kind: "danger"})
	);
}

export async function page(context) {
	const app = await api.get(context.appPath(), null, context.signal);
	const {quotas} = await api.get(context.appPath("quotas"), null, context.signal);
	return [
		pageHead({
			crumbs: [
				["Apps", `${context.base}/apps`],
				[app.name, context.here()],
			],
			title: "App settings",
		}),
		h(
			"div",
			{class: "split"},
			settingsForm(context, app),
			h(
				"div",
				{class: "stack"},
				stateCard(context, app),
				card(
					{title: "Client secret"},
					h(
						"div",
						{class: "stack"},
						copyField("Client id", app.client_id),
						h(
							"p",
							{class: "soft"},
							"Only a hash of the secret is stored. Create a new one if it is lost or may be known to others."
						),
						h(
							"div",
							null,
							button("Create a new secret", () => rotate(context, app), {kind: "danger"})
						)
					)
				),
				quotasCard(context, quotas),
				handOver(context, app),
				removeCard(context, app)
			)
		),
	];
}
