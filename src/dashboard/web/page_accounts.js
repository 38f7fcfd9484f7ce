// SPDX-License-Identifier: Apache-2.0
// The connected accounts of an app, and the state of their tokens.
import {h} from "./dom.js";
import * as api from "./api.js";
import {number, when} from "./format.js";
import {ACCOUNT_TYPES, PLATFORMS, PLATFORM_NAMES} from "./words.js";
import {badge, card, codeBlock, empty, field, linkButton, onSubmit, pageHead, platform, table} from "./ui.js";

const NAMES = ["platform", "status", "user_id"];

function address(context, query) {
	const pairs = new URLSearchParams(Object.entries(query).filter(([, value]) => value));
	return `${context.here("accounts")}${pairs.size > 0 ? `?${pairs}` : ""}`;
}

function filters(context) {
	const present = () => Object.fromEntries(NAMES.map((name) => [name, context.query[name]]));
	const now = (change) => context.go(address(context, {...present(), ...change}));
	const fields = [
		field({
			name: "platform",
			label: "Platform",
			kind: "select",
			value: context.query.platform ?? "",
			options: [["", "Any"], ...PLATFORMS.map((slug) => [slug, PLATFORM_NAMES[slug]])],
			onchange: (value) => now({platform: value}),
		}),
		field({
			name: "status",
			label: "State",
			kind: "select",
			value: context.query.status ?? "",
			onchange: (value) => now({status: value}),
			options: [
				["", "Any"],
				["active", "Active"],
				["expiring", "Expiring"],
				["reauth_required", "Reconnect needed"],
				["disconnected", "Disconnected"],
			],
		}),
		field({name: "user_id", label: "User", value: context.query.user_id, placeholder: "external user id"}),
	];
	const send = h("button", {class: "button", type: "submit"}, "Filter");
	const element = h(
		"form",
		{class: "filters", role: "search", "aria-label": "Filter accounts"},
		fields.map((one) => one.node),
		h(
			"div",
			{class: "row"},
			send,
			NAMES.some((name) => context.query[name]) ? linkButton("Clear", context.here("accounts"), {kind: "quiet"}) : null
		)
	);
	onSubmit(element, send, () => now({user_id: fields[2].value().trim()}));
	return element;
}

export function tokenWords(account) {
	if (account.status === "reauth_required" || account.status === "disconnected") {
		return account.last_error ?? "The user has to reconnect it.";
	}
	return account.expires_at ? ["Token expires ", when(account.expires_at)] : "Token has no known expiry";
}

function nothing(context) {
	return NAMES.some((name) => context.query[name])
		? empty(
				"search",
				"No matching accounts",
				"No results for these filters.",
				linkButton("Clear the filters", context.here("accounts"))
			)
		: empty(
				"accounts",
				"No accounts connected yet",
				"Your server requests a link and sends your user there. Or connect one of your own from a platform's credentials page.",
				linkButton("Platform credentials", context.here("credentials"), {kind: "main"})
			);
}

export async function page(context) {
	const query = {...Object.fromEntries(NAMES.map((name) => [name, context.query[name]])), page: context.query.page ?? 1, per_page: 25};
	const found = await api.get(context.appPath("v1", "accounts"), query, context.signal);
	const {current_page: current, last_page: last, total} = found.meta;
	const columns = [
		{
			label: "Account",
			lead: true,
			cell: (account) => [
				h(
					"a",
					{class: "title", href: context.here("accounts", account.id)},
					platform(account.platform ?? PLATFORMS[account.platform_id - 1], account.name || account.username)
				),
				h(
					"span",
					{class: "sub"},
					[account.username, ACCOUNT_TYPES[account.account_type] ?? account.account_type].filter(Boolean).join(" · ")
				),
			],
		},
		{label: "User", cell: (account) => account.app_user_id},
		{label: "State", tight: true, cell: (account) => badge("account", account.status)},
		{label: "Health", cell: (account) => h("span", {class: "soft"}, tokenWords(account))},
		{label: "Connected", tight: true, cell: (account) => when(account.created_at)},
	];
	const pages =
		last > 1
			? [
					current > 1
						? linkButton("Back", address(context, {...query, per_page: null, page: current - 1}), {slim: true, icon: "left"})
						: null,
					current < last
						? linkButton("Next", address(context, {...query, per_page: null, page: current + 1}), {slim: true, icon: "right"})
						: null,
					h("span", {class: "soft small"}, `Page ${current} of ${last}`),
				]
			: null;
	return [
		pageHead({
			crumbs: [
				["Apps", `${context.base}/apps`],
				[context.app?.name ?? "App", context.here()],
			],
			title: "Accounts",
			sub: total > 0 ? `${number(total)} connected by your users.` : null,
		}),
		filters(context),
		h(
			"div",
			{class: "stack"},
			card(
				{flush: true, footer: pages},
				found.data.length > 0 ? table({caption: "Accounts", columns, rows: found.data}) : nothing(context)
			),
			total === 0
				? codeBlock(
						"Request a link from your server",
						`curl -s -G '${context.session.public_url}/v1/oauth/facebook/connect' \\\n  -H "Authorization: Bearer $TOKEN" \\\n  --data-urlencode user_id=user-42 \\\n  --data-urlencode redirect_url=https://app.example.com/connected`
					)
				: null
		),
	];
}
