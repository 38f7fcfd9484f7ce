// SPDX-License-Identifier: Apache-2.0
// An app's keys: bearer tokens with scopes, made and revoked.
import {h} from "./dom.js";
import * as api from "./api.js";
import {when} from "./format.js";
import {
	button,
	card,
	checkbox,
	confirm,
	empty,
	field,
	form,
	linkButton,
	openDialog,
	pageHead,
	showSecret,
	table,
	tag,
	toast,
} from "./ui.js";

const SCOPES = [
	["read", "Read everything except people's data, and validate posts."],
	["drafts", "Create, change, delete and reject drafts."],
	["publish", "Publish, change, cancel and retry posts, and publish drafts."],
	["remove", "Take published posts back."],
	["accounts", "Connect, check and disconnect accounts."],
	["media", "Upload, link and delete media, and validate posts with a look at their files."],
	["webhooks", "Create, change, test and delete webhooks."],
	["people", "Read and erase what is stored about a user."],
];

const DAY_S = 86400;
const LIVES = [
	["", "Never"],
	[String(7 * DAY_S), "In 7 days"],
	[String(30 * DAY_S), "In 30 days"],
	[String(90 * DAY_S), "In 90 days"],
	[String(365 * DAY_S), "In a year"],
];

function keyForm(onsubmit, cancel) {
	const name = field({name: "name", label: "Name", required: true, max: 100, hint: "Who uses it: a server, an agent, a workflow."});
	const life = field({
		name: "expires_in",
		label: "Expires",
		kind: "select",
		options: LIVES,
		value: "",
		parse: (text) => (text === "" ? null : Number(text)),
	});
	const boxes = SCOPES.map(([scope, text]) =>
		checkbox({name: scope, value: scope, label: h("code", null, scope), hint: text, checked: scope === "read"})
	);
	return form({
		fields: [name, life],
		submit: "Create key",
		cancel,
		layout: [
			name.node,
			life.node,
			h(
				"fieldset",
				null,
				h("legend", null, "Scopes"),
				h(
					"div",
					{class: "stack tight"},
					boxes.map((box) => box.node)
				)
			),
		],
		onsubmit: (values) =>
			onsubmit({
				name: values.name.trim(),
				expires_in: values.expires_in,
				scopes: boxes.filter((box) => box.value()).map((box) => box.name),
			}),
	});
}

async function create(context) {
	const made = await openDialog("Create a key", (close) =>
		keyForm(
			async (values) => close(await api.post(context.appPath("keys"), values)),
			() => close()
		)
	);
	if (made) {
		await showSecret("New key", "Send it as Authorization: Bearer KEY. It cannot be shown again.", [["Key", made.key]]);
		await context.refresh();
	}
}

async function revoke(context, key) {
	if (
		await confirm({
			title: `Revoke ${key.name}?`,
			action: "Revoke",
			text: ["Calls with this key are refused immediately. Accepted posts are still published."],
		})
	) {
		await api.remove(context.appPath("keys", key.id));
		toast(`${key.name} is revoked.`);
		await context.refresh();
	}
}

const hasEnded = (key) => key.expires_at !== null && Date.parse(key.expires_at) <= Date.now();

export async function page(context) {
	const keys = (await api.get(context.appPath("keys"), null, context.signal)).data;
	const isDraft = context.app?.state === "draft";
	const make = () => button("Create key", () => create(context), {kind: "main", icon: "plus"});
	const columns = [
		{
			label: "Name",
			lead: true,
			cell: (key) => [h("span", {class: "title break"}, key.name), h("span", {class: "sub"}, key.scopes.join(", "))],
		},
		{label: "Last use", tight: true, cell: (key) => when(key.last_used_at, "never")},
		{label: "Expires", tight: true, cell: (key) => (hasEnded(key) ? tag("expired", "warn") : when(key.expires_at, "never"))},
		{label: "Created", tight: true, cell: (key) => when(key.created_at)},
		{
			label: "",
			name: "Actions",
			tight: true,
			cell: (key) => button("Revoke", () => revoke(context, key), {slim: true, kind: "danger", label: `Revoke ${key.name}`}),
		},
	];
	return [
		pageHead({
			crumbs: [
				["Apps", `${context.base}/apps`],
				[context.app?.name ?? "App", context.here()],
			],
			title: "Keys",
			sub: "Bearer tokens beside the app's access token, each with its own scopes. A new token or client secret leaves them alone.",
			actions: keys.length > 0 ? [make()] : [],
		}),
		card(
			{flush: true},
			keys.length > 0
				? table({caption: "Keys", columns, rows: keys})
				: isDraft
					? empty("key", "No keys yet", "The app is a draft. Take it live first.", linkButton("App overview", context.here()))
					: empty("key", "No keys yet", "Create one for each server, agent or workflow that calls the API for this app.", make())
		),
	];
}
