// SPDX-License-Identifier: Apache-2.0
// An app's settings: name, redirect list, choices; a new secret, suspension, handing over.
import {h} from "./dom.js";
import * as api from "./api.js";
import {badge, button, card, confirm, copyField, field, form, notice, pageHead, showSecret, toast} from "./ui.js";
import {goLive} from "./page_app.js";

function settingsForm(context, app) {
	const fields = [
		field({name: "name", label: "Name", required: true, max: 200, value: app.name}),
		field({
			name: "redirect_urls",
			label: "Allowed redirect addresses",
			kind: "textarea",
			mono: true,
			rows: 4,
			value: app.redirect_urls.join("\n"),
			placeholder: "https://app.example.com/connected",
			hint: "Where your users may be sent back to after connecting: whole addresses or origins, one a line. Empty allows any http or https address; a list is safer.",
			parse: (text) =>
				text
					.split("\n")
					.map((line) => line.trim())
					.filter((line) => line !== ""),
		}),
		field({
			name: "on_unknown",
			label: "When nobody can tell whether a post was published",
			kind: "select",
			value: app.on_unknown,
			options: [
				["hold", "Hold it for a person to decide (never twice)"],
				["retry_once", "Try once more (may publish twice)"],
			],
			hint: "A call whose answer was lost is looked up at the platform first. This is about what even that does not prove.",
		}),
		field({
			name: "connect_confirmation",
			label: "Confirm connections",
			kind: "select",
			value: app.connect_confirmation,
			options: [
				["off", "Off: accounts are usable at once"],
				["on", "On: your server confirms each connection"],
			],
			hint: "On protects against connection links that were passed on to somebody else: the redirect carries a confirmation token that your server sends back.",
		}),
	];
	const send = async (values) => {
		await api.patch(context.appPath(), values);
		await context.reloadApps();
		toast("The settings are stored.");
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
						"Any redirect address is allowed",
						h("p", null, "Enter the addresses of your product below, so that nobody can have your users sent elsewhere.")
					)
				: null,
			form({fields, submit: "Store settings", onsubmit: send})
		)
	);
}

async function rotate(context, app) {
	const isSure = await confirm({
		title: "Make a new client secret?",
		action: "Make a new secret",
		text: [
			"The present secret and the app's access token stop working at once.",
			"Your server needs the new secret before it can get a token again. Posts that were accepted are published all the same.",
		],
	});
	if (isSure) {
		const made = await api.post(context.appPath("rotate-secret"));
		await showSecret("The new client secret", "It cannot be shown again. Put it into your server's settings now.", [
			["Client id", made.client_id],
			["Client secret", made.client_secret],
		]);
		toast("The old secret and its token are dead.");
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
		text: "All its API calls are refused until you activate it again. What is scheduled waits.",
	});
	if (isSure) {
		await change(context, "suspend", `${app.name} is suspended.`);
	}
}

function stateCard(context, app) {
	const lines = {
		draft: [
			"A draft: the token endpoint answers app_not_live. It goes live by itself with the first verified platform credential.",
			button("Go live", () => goLive(context, app), {kind: "main"}),
		],
		active: ["Live: your server can get tokens and publish.", button("Suspend", () => suspend(context, app), {kind: "danger"})],
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
			hint: "The e-mail of another admin. You do not see the app any more afterwards.",
		}),
	];
	return card(
		{title: "Hand over"},
		form({
			fields,
			submit: "Hand over",
			kind: "danger",
			onsubmit: async ({owner}) => {
				if (
					!(await confirm({
						title: `Hand ${app.name} over?`,
						text: `${owner.trim()} becomes its owner. You do not see it any more.`,
						action: "Hand over",
					}))
				) {
					return;
				}
				await api.patch(context.appPath(), {owner: owner.trim()});
				toast(`${app.name} belongs to ${owner.trim()} now.`);
				await context.go(`${context.base}/apps`);
			},
		})
	);
}

export async function page(context) {
	const app = await api.get(context.appPath(), null, context.signal);
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
							"The secret is stored as a hash only. Make a new one when it is lost or may be known to others."
						),
						h(
							"div",
							null,
							button("Make a new secret", () => rotate(context, app), {kind: "danger"})
						)
					)
				),
				handOver(context, app)
			)
		),
	];
}
