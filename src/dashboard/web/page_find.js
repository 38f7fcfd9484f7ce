// SPDX-License-Identifier: Apache-2.0
// Find: what a person has in hand, in one field. A single post that it names is opened at once, so that /dashboard/find?q=ID is an address
// for tickets and log lines.
import {h} from "./dom.js";
import * as api from "./api.js";
import {badge, card, empty, linkButton, pageHead, platform, table} from "./ui.js";
import {postAddress, postTable, wordsWaiting} from "./page_posts.js";

const TEXT_LIMIT = 10;

export const findAddress = (context, text) => `${context.base}/find?${new URLSearchParams({q: text})}`;

const MATCHED = {
	post_id: "its id",
	delivery_id: "the id of a platform post",
	request_id: "its request_id",
	http_request_id: "the HTTP request or trace that published it",
	platform_id: "the platform's id",
	url: "the platform's URL",
};

const OTHERS = {
	draft: ["Draft", (context, one) => api.appPath(one.client_id, "drafts", one.id)],
	media: ["Uploaded file", (context, one) => api.appPath(one.client_id, "media")],
	webhook: ["Webhook", (context, one) => api.appPath(one.client_id, "webhooks", one.id)],
};

const accountAddress = (context, account) => `${context.base}${api.appPath(account.client_id, "accounts", account.id)}`;

/** Where the one thing is that was named by its id; null when several fit. */
function only(context, found) {
	const count = found.posts.length + found.accounts.length + found.others.length;
	if (count !== 1) {
		return null;
	}
	const [post] = found.posts;
	if (post) {
		return postAddress(context, post.post) + (post.account_id ? `#target-${post.account_id}` : "");
	}
	const [account] = found.accounts;
	if (account) {
		return account.id === context.query.q.trim() ? accountAddress(context, account) : null;
	}
	const [other] = found.others;
	return `${context.base}${OTHERS[other.kind][1](context, other)}`;
}

function postsCard(context, found) {
	const why = new Map(found.map((one) => [one.post.id, `Found by ${MATCHED[one.matched] ?? one.matched}`]));
	return card(
		{title: "Posts", flush: true},
		postTable(
			context,
			found.map((one) => one.post),
			{withApp: context.apps.length > 1, note: (post) => why.get(post.id)}
		)
	);
}

function accountsCard(context, accounts) {
	const columns = [
		{
			label: "Account",
			lead: true,
			cell: (account) => [
				h(
					"a",
					{class: "title", href: accountAddress(context, account)},
					platform(account.platform, account.name || account.username)
				),
				account.name ? h("span", {class: "sub"}, account.username) : null,
			],
		},
		context.apps.length > 1 ? {label: "App", cell: (account) => account.app_name} : null,
		{
			label: "User",
			cell: (account) =>
				h(
					"a",
					{href: `${context.base}/posts?${new URLSearchParams({client_id: account.client_id, user: account.app_user_id})}`},
					account.app_user_id
				),
		},
		{label: "State", tight: true, cell: (account) => badge("account", account.status)},
		{
			label: "",
			name: "Posts",
			tight: true,
			cell: (account) =>
				linkButton(
					"Its posts",
					`${context.base}/posts?${new URLSearchParams({client_id: account.client_id, account_id: account.id})}`,
					{slim: true}
				),
		},
	].filter(Boolean);
	return card({title: "Accounts", flush: true}, table({caption: "Accounts", columns, rows: accounts, key: (account) => account.id}));
}

function othersCard(context, others) {
	return card(
		{title: "Also", flush: true},
		h(
			"ul",
			{class: "lines"},
			others.map((one) => {
				const [word, address] = OTHERS[one.kind] ?? [one.kind, () => ""];
				return h(
					"li",
					null,
					h("a", {class: "grow", href: `${context.base}${address(context, one)}`}, word),
					h("span", {class: "mono small"}, one.id)
				);
			})
		)
	);
}

function textCard(context, listed, text) {
	const more = `${context.base}/posts?${new URLSearchParams({text})}`;
	return card(
		{
			title: "With this text",
			flush: true,
			footer: listed.next ? linkButton("All of them", more, {slim: true}) : null,
		},
		postTable(context, listed.data, {withApp: context.apps.length > 1})
	);
}

const HINT =
	"A post id, the id of a platform post or of a request out of the log, a request_id, the platform's id or URL of a post, an account, " +
	"a user id of yours, or words of the text.";

export async function page(context) {
	const text = (context.query.q ?? "").trim();
	const head = pageHead({title: text === "" ? "Find" : `Find “${text.length > 60 ? `${text.slice(0, 58)}…` : text}”`, sub: HINT});
	if (text === "") {
		return [head, empty("search", "Nothing to look for yet", "Type into the field at the top; the key / leads there.")];
	}
	const [found, listed] = await Promise.all([
		api.get("/find", {q: text}, context.signal),
		[...text].length <= 200 ? api.get("/posts", {text, limit: TEXT_LIMIT}, context.signal) : {data: []},
	]);
	const place = only(context, found);
	if (place !== null && listed.data.length === 0) {
		await context.go(place, {replace: true});
		return [];
	}
	const cards = [
		found.posts.length > 0 ? postsCard(context, found.posts) : null,
		found.accounts.length > 0 ? accountsCard(context, found.accounts) : null,
		found.others.length > 0 ? othersCard(context, found.others) : null,
		listed.data.length > 0 ? textCard(context, listed, text) : null,
	].filter(Boolean);
	return [
		head,
		wordsWaiting(listed),
		cards.length > 0
			? h("div", {class: "stack"}, cards)
			: card(
					{},
					empty(
						"search",
						"Nothing has this",
						"No id, address, account, user or text of your apps fits. All words have to be in the text; the last may go on.",
						linkButton("All posts", `${context.base}/posts`)
					)
				),
	];
}
