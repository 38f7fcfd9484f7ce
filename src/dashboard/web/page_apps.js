// SPDX-License-Identifier: Apache-2.0
// The admin's apps, and making one.
import {h} from "./dom.js";
import * as api from "./api.js";
import {when} from "./format.js";
import {badge, button, card, empty, field, form, lines, openDialog, pageHead, showSecret, table} from "./ui.js";

async function create(context) {
	const made = await openDialog("Create an app", (close) => {
		const fields = [
			field({name: "name", label: "Name", required: true, max: 200, hint: "The name of your product. Your users do not see it."}),
			...(api.session().test_url
				? [
						field({
							name: "test",
							label: "Platforms",
							kind: "select",
							value: "live",
							options: [
								["live", "The real platforms"],
								["test", "Test app: the sandbox in this service, nothing leaves it"],
							],
							hint: "Chosen once. A test app is complete at once: its credentials are there and verified.",
						}),
					]
				: []),
			field({
				name: "redirect_urls",
				label: "Allowed redirect URLs",
				kind: "textarea",
				mono: true,
				rows: 2,
				placeholder: "https://app.example.com/connected",
				hint: "Where your users return to after connecting: exact URLs are safest, one per line. Empty allows any for now.",
				parse: lines,
			}),
			field({
				name: "connect_confirmation",
				label: "Confirm connections",
				kind: "select",
				value: "on",
				options: [
					["on", "On (recommended): your server confirms each connection"],
					["off", "Off: accounts are usable at once"],
				],
				hint: "On protects your users when somebody passes a connection link on to them. The API guide shows the call.",
			}),
		];
		return form({
			fields,
			submit: "Create app",
			cancel: () => close(),
			onsubmit: async ({test, ...values}) =>
				close(await api.post("/apps", {...values, name: values.name.trim(), ...(test === "test" ? {test: true} : {})})),
		});
	});
	if (made) {
		await showSecret(
			"Your app's credentials",
			"The client secret cannot be shown again. Copy both to your server's settings now; a lost secret can be replaced in the app's settings.",
			[
				["Client id", made.client_id],
				["Client secret", made.client_secret],
			]
		);
		await context.go(`${context.base}${api.appPath(made.client_id)}`);
	}
}

export async function page(context) {
	const apps = context.apps;
	const make = () => button("Create app", () => create(context), {kind: "main", icon: "plus"});
	const columns = [
		{
			label: "Name",
			lead: true,
			cell: (app) => [
				h("a", {class: "title", href: `${context.base}${api.appPath(app.client_id)}`}, app.name),
				h("span", {class: "sub mono"}, app.client_id),
			],
		},
		{
			label: "State",
			tight: true,
			cell: (app) => [badge("app", app.state), app.mode === "test" ? h("span", {class: "badge plain"}, "TEST") : null],
		},
		{
			label: "Redirect list",
			cell: (app) =>
				app.redirect_urls.length > 0 ? `${app.redirect_urls.length} allowed` : h("span", {class: "soft"}, "any URL"),
		},
		{label: "Created", tight: true, cell: (app) => when(app.created_at)},
	];
	return [
		pageHead({
			title: "Apps",
			sub: "Each app is one of your products, with its own credentials, accounts, posts and webhooks.",
			actions: apps.length > 0 ? [make()] : [],
		}),
		card(
			{flush: true},
			apps.length > 0
				? table({caption: "Apps", columns, rows: apps})
				: empty(
						"apps",
						"No apps yet",
						"Create one to get a client id and secret for the API. Then enter the credentials of the platforms you publish to.",
						make()
					)
		),
	];
}
