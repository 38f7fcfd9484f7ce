// SPDX-License-Identifier: Apache-2.0
// One connected account: its token's health, a check at the platform, reconnecting, disconnecting, its latest posts.
import {fill, h} from "./dom.js";
import * as api from "./api.js";
import {whenFull} from "./format.js";
import {ACCOUNT_TYPES, PLATFORMS, platformName} from "./words.js";
import {avatar, badge, button, card, confirm, copyField, empty, facts, leave, linkButton, mark, notice, pageHead, toast} from "./ui.js";
import {postTable} from "./page_posts.js";
import {monthAgo, retryMany} from "./retry_many.js";

async function check(context, account, place) {
	const {data} = await api.post(context.appPath("v1", "accounts", account.id, "check"));
	const name = platformName(account.platform);
	const words =
		data.ok === true
			? ["ok", `${name} accepts the token`]
			: data.ok === false
				? ["bad", `${name} rejects the token`]
				: ["warn", `${name} could not be reached`];
	fill(place, notice(words[0], words[1], data.message ? h("p", {class: "quote"}, data.message) : null));
	toast(`${words[1]}.`, words[0] === "bad" ? "bad" : "");
}

export async function reconnect(context, account) {
	const begun = await api.post(context.appPath("accounts", account.id, "reconnect"));
	leave(begun.redirect_url);
}

async function disconnect(context, account) {
	const isSure = await confirm({
		title: `Disconnect ${account.username}?`,
		action: "Disconnect",
		text: [
			"Its tokens are revoked at the platform where possible, and deleted here.",
			"Posts scheduled for it fail. The user can reconnect it.",
		],
	});
	if (isSure) {
		await api.remove(context.appPath("v1", "accounts", account.id));
		toast("Account disconnected.");
		await context.refresh();
	}
}

function healthCard(context, account) {
	const place = h("div");
	const isDead = account.status === "reauth_required";
	const isGone = account.status === "disconnected";
	return card(
		{title: "Token", actions: [badge("account", account.status)]},
		h(
			"div",
			{class: "stack"},
			isDead
				? notice(
						"bad",
						"The user has to reconnect it",
						account.last_error ? h("p", {class: "quote"}, account.last_error) : null
					)
				: null,
			facts([
				["Expires", whenFull(account.expires_at, "unknown")],
				["Must be reconnected by", whenFull(account.ends_at, "no end known")],
				["Last refreshed", whenFull(account.last_refresh_at, "never")],
				["Scopes", (account.scopes ?? []).length > 0 ? h("span", {class: "mono"}, account.scopes.join(" ")) : null],
				["Last error", account.last_error ?? "none"],
				account.confirmed === false ? ["Confirmed", "not yet: your server has to confirm the connection"] : null,
			]),
			place,
			h(
				"div",
				{class: "row"},
				isGone ? null : button("Check now", () => check(context, account, place), {icon: "check"}),
				button("Reconnect", () => reconnect(context, account), {icon: "link", kind: isDead ? "main" : ""}),
				isGone ? null : button("Disconnect", () => disconnect(context, account), {kind: "danger"})
			),
			h(
				"p",
				{class: "hint"},
				"Reconnect opens the platform's page in this browser, for the same user; sign in there with the same account."
			)
		)
	);
}

/** What failed because the account had to be connected again, once it is. */
export async function broughtBack(context, account) {
	if (!["active", "expiring"].includes(account.status)) {
		return null;
	}
	const error = "ACCOUNT_REAUTH_REQUIRED";
	const {client_id: clientId} = context.params;
	const failed = await api.get("/posts", {client_id: clientId, account_id: account.id, error, limit: 1}, context.signal);
	if (failed.data.length === 0) {
		return null;
	}
	const filter = {account_ids: [account.id], error_codes: [error], since: monthAgo()};
	const go = async () => {
		if (await retryMany(clientId, filter, context.signal)) {
			await context.refresh();
		}
	};
	return notice(
		"warn",
		"Posts failed while it had to be reconnected",
		h("p", null, "It is connected again, so they can be published now."),
		h("div", null, button("Retry them…", go, {slim: true, key: "retry-back"}))
	);
}

export async function page(context) {
	const id = context.params.account_id;
	const [{data: account}, posts] = await Promise.all([
		api.get(context.appPath("v1", "accounts", id), null, context.signal),
		api.get("/posts", {client_id: context.params.client_id, account_id: id, limit: 5}, context.signal),
	]);
	account.platform ??= PLATFORMS[account.platform_id - 1];
	const back = await broughtBack(context, account);
	return [
		pageHead({
			crumbs: [
				[context.app?.name ?? "App", context.here()],
				["Accounts", context.here("accounts")],
			],
			title: account.name || account.username,
			state: [
				h(
					"span",
					{class: "pictured"},
					avatar({...account, picture: api.pictureOf(context.params.client_id, account)}),
					mark(account.platform)
				),
				badge("account", account.status),
			],
			actions: ["active", "expiring"].includes(account.status)
				? [linkButton("Publish to it", `${context.here("compose")}?account=${encodeURIComponent(id)}`, {icon: "compose"})]
				: [],
		}),
		h(
			"div",
			{class: "stack"},
			back,
			h(
				"div",
				{class: "split"},
				healthCard(context, account),
				card(
					{title: "Account"},
					h(
						"div",
						{class: "stack"},
						facts([
							["Platform", platformName(account.platform)],
							["Username", account.username],
							["Type", ACCOUNT_TYPES[account.account_type] ?? account.account_type],
							["Your user", account.app_user_id],
							["Email", account.email],
							["Platform id", h("span", {class: "mono"}, account.platform_account_id)],
							["Connected", whenFull(account.created_at)],
						]),
						copyField("Account id", account.id)
					)
				)
			),
			card(
				{
					title: "Latest posts",
					flush: true,
					footer:
						posts.data.length > 0
							? [
									linkButton(
										"All posts",
										`${context.base}/posts?client_id=${encodeURIComponent(context.params.client_id)}&account_id=${encodeURIComponent(id)}`,
										{slim: true}
									),
								]
							: null,
				},
				posts.data.length > 0
					? postTable(context, posts.data)
					: empty("posts", "No posts yet", "Posts to this account appear here.")
			)
		),
	];
}
