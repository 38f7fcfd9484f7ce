// SPDX-License-Identifier: Apache-2.0
// The connected accounts of an app, and the state of their tokens.
import {h} from "./dom.js";
import * as api from "./api.js";
import {number, when} from "./format.js";
import {ACCOUNT_TYPES, PLATFORMS, PLATFORM_NAMES} from "./words.js";
import {
	avatar,
	badge,
	button,
	card,
	codeBlock,
	empty,
	field,
	leave,
	linkButton,
	mark,
	onSubmit,
	openDialog,
	pageHead,
	table,
} from "./ui.js";
import {reconnect} from "./page_account.js";

const NAMES = ["platform", "status", "user_id"];
const ATTENTION_MAX = 10;

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
	if (account.ends_at) {
		return ["Its user has to reconnect it ", when(account.ends_at)];
	}
	return account.expires_at ? ["Renewed by itself, next before ", when(account.expires_at)] : "Needs nothing";
}

const platformOf = (account) => account.platform ?? PLATFORMS[account.platform_id - 1];

/** An account by picture and name. */
function whoIs(context, account) {
	return h(
		"a",
		{class: "who-head", href: context.here("accounts", account.id)},
		h(
			"span",
			{class: "pictured"},
			avatar({...account, picture: api.pictureOf(context.params.client_id, account)}),
			mark(platformOf(account))
		),
		h(
			"span",
			null,
			h("strong", {class: "title break"}, account.name || account.username),
			h(
				"span",
				{class: "soft small break"},
				[PLATFORM_NAMES[platformOf(account)], account.username, ACCOUNT_TYPES[account.account_type] ?? account.account_type]
					.filter(Boolean)
					.join(" · ")
			)
		)
	);
}

// ---- what a person has to do ----

/** Connects one of one's own: at each platform that has credentials. */
async function connectOne(context) {
	const guides = (await api.get(context.appPath("platforms"), null, context.signal)).data;
	await openDialog("Connect an account", () => {
		const begin = async (guide) => {
			const begun = await api.post(context.appPath("credentials", guide.platform, "connect"));
			leave(begun.redirect_url);
		};
		const line = (guide) =>
			h(
				"li",
				null,
				mark(guide.platform),
				h("span", {class: "grow"}, guide.name),
				guide.credential
					? button("Connect", () => begin(guide), {slim: true, kind: "main", label: `Connect ${guide.name}`})
					: linkButton("Enter credentials first", context.here("credentials", guide.platform), {slim: true})
			);
		return [
			h(
				"p",
				{class: "soft small"},
				"You sign in at the platform, and come back here. Your server connects your users' accounts in the same way."
			),
			h("ul", {class: "lines"}, guides.map(line)),
		];
	});
}

function attentionLine(context, account) {
	const isDead = account.status === "reauth_required";
	return h(
		"li",
		null,
		h("div", {class: "grow"}, whoIs(context, account)),
		h("div", {class: "grow small tale"}, tokenWords(account), h("span", {class: "soft"}, ` · ${account.app_user_id}`)),
		badge("account", account.status),
		button("Reconnect", () => reconnect(context, account), {
			slim: true,
			kind: isDead ? "main" : "",
			label: `Reconnect ${account.name || account.username}`,
		})
	);
}

function attentionCard(context, title, found) {
	return found === null || found.data.length === 0
		? null
		: card(
				{
					title: `${title} (${number(found.meta.total)})`,
					flush: true,
					footer:
						found.meta.total > found.data.length
							? linkButton("All of them", address(context, {status: found.data[0].status}), {slim: true})
							: null,
				},
				h("ul", {class: "lines"}, found.data.map((account) => attentionLine(context, account)))
			);
}

const whenNext = (account) => account.ends_at ?? account.expires_at ?? "9999";

/** Those of the first page without filters: what needs a person before what runs by itself. */
async function attention(context) {
	if (NAMES.some((name) => context.query[name]) || (context.query.page ?? "1") !== "1") {
		return [null, null];
	}
	const [dead, ending] = await Promise.all(
		["reauth_required", "expiring"].map((status) =>
			api.get(context.appPath("v1", "accounts"), {status, per_page: ATTENTION_MAX}, context.signal)
		)
	);
	ending.data.sort((a, b) => whenNext(a).localeCompare(whenNext(b)));
	return [attentionCard(context, "To be reconnected", dead), attentionCard(context, "Ending soon", ending)];
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
				"Your server requests a link and sends your user there. Or connect one of your own.",
				button("Connect an account", () => connectOne(context), {kind: "main", icon: "link"})
			);
}

export async function page(context) {
	if (context.query.connect && context.isNew) {
		setTimeout(() => connectOne(context).catch(() => {}), 0);
	}
	const query = {...Object.fromEntries(NAMES.map((name) => [name, context.query[name]])), page: context.query.page ?? 1, per_page: 25};
	const [found, [dead, ending]] = await Promise.all([
		api.get(context.appPath("v1", "accounts"), query, context.signal),
		attention(context),
	]);
	const {current_page: current, last_page: last, total} = found.meta;
	const columns = [
		{
			label: "Account",
			lead: true,
			cell: (account) => whoIs(context, account),
		},
		{label: "User", cell: (account) => h("span", {class: "keep"}, account.app_user_id)},
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
			sub: total > 0 ? `${number(total)} connected.` : null,
			actions: total > 0 ? [button("Connect an account", () => connectOne(context), {kind: "main", icon: "link"})] : [],
		}),
		filters(context),
		h(
			"div",
			{class: "stack"},
			dead,
			ending,
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
