// SPDX-License-Identifier: Apache-2.0
// An app's webhooks, and making one.
import {h} from "./dom.js";
import * as api from "./api.js";
import {when} from "./format.js";
import {badge, button, card, checkbox, empty, field, form, linkButton, openDialog, pageHead, showSecret, table} from "./ui.js";

export const EVENTS = [
	["post.publish.succeeded", "A post has become visible on one account."],
	["post.publish.failed", "A post could not be published to one account."],
	["post.completed", "A post is finished on all its accounts."],
	["connection.completed", "A connection has succeeded or failed."],
	["account.reauth_required", "A user has to reconnect an account."],
	["user.erased", "All that was stored about a user is erased."],
	["account.expiring", "An account ends in 14 or 3 days unless its user reconnects it."],
	["draft.created", "A draft waits for a person to publish it."],
	["draft.rejected", "A person rejected a draft, with a reason."],
	["post.removed", "A published post is gone from the platform, because it was asked for."],
	["post.removal_failed", "A published post could not be taken back."],
	["post.media_problem", "A file of a scheduled post will not do as it is."],
	["post.id_found", "The platform has told the id of a post that was published before."],
];

export const webhookWord = (webhook) => (!webhook.enabled ? "disabled" : webhook.failing_since ? "failing" : "enabled");

/** Address and events as fields; webhook null: a new one. */
export function webhookForm(webhook, submit, onsubmit, cancel) {
	const url = field({
		name: "url",
		label: "URL",
		kind: "url",
		required: true,
		value: webhook?.url,
		placeholder: "https://app.example.com/hooks/posthorn",
		hint: "Called with POST. It must answer with 2xx within 10 seconds.",
	});
	const boxes = EVENTS.map(([name, text]) =>
		checkbox({name, value: name, label: h("code", null, name), hint: text, checked: webhook ? webhook.events.includes(name) : true})
	);
	return form({
		fields: [url],
		submit,
		cancel,
		layout: [
			url.node,
			h(
				"fieldset",
				null,
				h("legend", null, "Events"),
				h(
					"div",
					{class: "stack tight"},
					boxes.map((box) => box.node)
				)
			),
		],
		onsubmit: (values) => onsubmit({url: values.url.trim(), events: boxes.filter((box) => box.value()).map((box) => box.name)}),
	});
}

async function create(context) {
	const made = await openDialog("Create a webhook", (close) =>
		webhookForm(
			null,
			"Create webhook",
			async (values) => close((await api.post(context.appPath("v1", "webhooks"), values)).data),
			() => close()
		)
	);
	if (made) {
		await showSecret("Webhook secret", "Your server uses it to verify the signature of every call. It cannot be shown again.", [
			["Signing secret", made.secret],
		]);
		await context.go(context.here("webhooks", made.id));
	}
}

export async function page(context) {
	const webhooks = (await api.get(context.appPath("v1", "webhooks"), null, context.signal)).data;
	const make = () => button("Create webhook", () => create(context), {kind: "main", icon: "plus"});
	const columns = [
		{
			label: "URL",
			lead: true,
			cell: (webhook) => [
				h("a", {class: "title break", href: context.here("webhooks", webhook.id)}, webhook.url),
				h("span", {class: "sub"}, webhook.events.join(", ")),
			],
		},
		{
			label: "State",
			tight: true,
			cell: (webhook) => [
				badge("webhook", webhookWord(webhook)),
				webhook.failing_since ? h("span", {class: "sub"}, "since ", when(webhook.failing_since)) : null,
			],
		},
		{label: "Created", tight: true, cell: (webhook) => when(webhook.created_at)},
	];
	return [
		pageHead({
			crumbs: [
				["Apps", `${context.base}/apps`],
				[context.app?.name ?? "App", context.here()],
			],
			title: "Webhooks",
			sub: "Your server is called when something happens, instead of polling. At most 10 webhooks.",
			actions: webhooks.length > 0 ? [make()] : [],
		}),
		card(
			{flush: true},
			webhooks.length > 0
				? table({caption: "Webhooks", columns, rows: webhooks})
				: empty(
						"webhooks",
						"No webhooks yet",
						"Create one with a URL on your server. Calls are signed as described by Standard Webhooks and retried for a day.",
						make(),
						linkButton("How to verify a call", "/docs#hooks", {blank: true})
					)
		),
	];
}
