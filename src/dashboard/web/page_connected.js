// SPDX-License-Identifier: Apache-2.0
// The page that a connection begun in the dashboard returns to. The service's answer counts, not the URL.
import {h} from "./dom.js";
import * as api from "./api.js";
import {platformName} from "./words.js";
import {badge, card, linkButton, notice, pageHead, platform} from "./ui.js";
import {broughtBack} from "./page_account.js";

const POLL_MS = 1000;
const POLLS_MAX = 60;

const REASONS = {
	access_denied: "The connection was declined on the platform's page.",
	expired: "It took longer than 15 minutes. Please start again.",
	exchange_failed:
		"The platform rejected the authorization code. Usually the client secret or the redirect URI differs from what is registered.",
	missing_permissions: "Not all permissions needed for publishing were granted. Start again and leave all boxes checked.",
	no_accounts: "There is no account to publish to: for example, no Page or no business account.",
	platform_error: "The platform answered with an error.",
	quota_exceeded: "The app has as many connected accounts as its quota allows. Disconnect some, or ask the operator for a larger quota.",
};

async function outcome(context) {
	for (let i = 0; ; i++) {
		const found = await api.post(context.appPath("connections", context.query.connection_id ?? "", "outcome"), {}, context.signal);
		if (found.status !== "pending" || i === POLLS_MAX || context.signal.aborted) {
			return found;
		}
		await new Promise((resolve) => setTimeout(resolve, POLL_MS));
	}
}

/** What waited for this connection, where it was one made again. */
const waiting = async (context, found) =>
	(await Promise.all(found.accounts.map((account) => broughtBack(context, {status: "active", ...account})))).filter(Boolean);

async function succeeded(context, found) {
	const back = await waiting(context, found);
	const list = card(
		{
			title: "Connected",
			actions: [badge("account", "active")],
			flush: true,
			footer: [
				linkButton("Publish a post", context.here("compose"), {kind: "main"}),
				linkButton("All accounts", context.here("accounts")),
				linkButton("Connect another", `${context.here("accounts")}?connect=1`),
			],
		},
		h(
			"ul",
			{class: "lines"},
			found.accounts.map((account) =>
				h(
					"li",
					null,
					h("div", {class: "grow"}, platform(account.platform, account.name || account.username)),
					h("span", {class: "soft"}, account.username),
					linkButton("Open", context.here("accounts", account.id), {slim: true})
				)
			)
		)
	);
	return h("div", {class: "stack"}, back, list);
}

function failed(context, found) {
	return card(
		{},
		h(
			"div",
			{class: "stack"},
			notice(
				"bad",
				REASONS[found.error] ?? "The connection failed.",
				found.error_description ? h("p", {class: "quote"}, found.error_description) : null
			),
			h(
				"div",
				{class: "row"},
				linkButton(`Back to ${platformName(found.platform)}`, context.here("credentials", found.platform), {kind: "main"})
			)
		)
	);
}

export async function page(context) {
	const found = await outcome(context);
	await context.reloadApps(); // the first connection may have verified the credential, and brought the app live
	const content = {
		success: () => succeeded(context, found),
		failed: () => failed(context, found),
		pending: () =>
			card(
				{},
				notice(
					"busy",
					"Waiting for the platform",
					h("p", null, "The connection is still in progress. Reload this page in a moment.")
				)
			),
	}[found.status];
	return [
		pageHead({
			crumbs: [
				[context.app?.name ?? "App", context.here()],
				["Accounts", context.here("accounts")],
			],
			title:
				found.status === "success" ? `${platformName(found.platform)} is connected` : `Connecting ${platformName(found.platform)}`,
		}),
		await content(),
	];
}
