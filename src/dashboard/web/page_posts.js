// SPDX-License-Identifier: Apache-2.0
// The posts of the admin's apps: filtered by the URL's query, page by page, updated while posts are in progress.
import {fill, h} from "./dom.js";
import * as api from "./api.js";
import {number, plural, when} from "./format.js";
import {PLATFORMS, PLATFORM_NAMES, TYPES, isUnderWay, postWord, targetWord} from "./words.js";
import {pictured, thumb} from "./thumbs.js";
import {retryFilter, retryMany} from "./retry_many.js";
import {badge, button, card, empty, field, linkButton, mark, onSubmit, pageHead, table} from "./ui.js";

const POLL_MS = 3000;
const PAGE = 25;
const MARKS_MAX = 6;
const NAMES = ["client_id", "status", "platform", "user", "from", "to", "text", "error", "account_id"];

function address(context, query) {
	const pairs = new URLSearchParams(Object.entries(query).filter(([, value]) => value));
	return `${context.base}/posts${pairs.size > 0 ? `?${pairs}` : ""}`;
}

function filters(context, failures) {
	const now = (change) =>
		context.go(address(context, {...Object.fromEntries(NAMES.map((name) => [name, context.query[name]])), ...change}));
	const select = (name, label, options) =>
		field({name, label, kind: "select", value: context.query[name] ?? "", options, onchange: (value) => now({[name]: value})});
	const fields = [
		context.apps.length > 1
			? select("client_id", "App", [["", "All apps"], ...context.apps.map((app) => [app.client_id, app.name])])
			: null,
		select("status", "Status", [
			["", "Any"],
			["scheduled", "Scheduled"],
			["pending", "In progress"],
			["published", "Published"],
			["failed", "Failed"],
		]),
		select("platform", "Platform", [["", "Any"], ...PLATFORMS.map((slug) => [slug, PLATFORM_NAMES[slug]])]),
		select("error", "Failed because", [["", "Any reason"], ...failures.map((row) => [row.code, row.code])]),
		field({name: "from", label: "From (UTC)", kind: "date", value: context.query.from, onchange: (value) => now({from: value})}),
		field({name: "to", label: "To (UTC)", kind: "date", value: context.query.to, onchange: (value) => now({to: value})}),
		field({name: "user", label: "User", value: context.query.user, placeholder: "external user id"}),
		field({name: "text", label: "Text", kind: "search", value: context.query.text, placeholder: "words of the post"}),
	].filter(Boolean);
	const send = h("button", {class: "button", type: "submit"}, "Filter");
	const element = h(
		"form",
		{class: "filters", role: "search", "aria-label": "Filter posts"},
		fields.map((one) => one.node),
		h(
			"div",
			{class: "row"},
			send,
			NAMES.some((name) => context.query[name]) ? linkButton("Clear", `${context.base}/posts`, {kind: "quiet"}) : null
		)
	);
	onSubmit(element, send, () => now(Object.fromEntries(fields.map((one) => [one.name, one.value().trim()]))));
	return element;
}

export const postAddress = (context, post) => `${context.base}${api.appPath(post.client_id, "posts", post.id)}`;

function reasons(post) {
	const codes = [
		...new Set(
			post.platform_posts
				.map((target) => (target.status === "failed" || target.state === "retrying" ? target.error?.code : null))
				.filter(Boolean)
		),
	];
	return codes.length > 0 ? h("span", {class: "sub mono"}, codes.join(", ")) : null;
}

export function postTable(context, posts, {withApp = false, note = () => null} = {}) {
	const columns = [
		{
			label: "Post",
			lead: true,
			cell: (post) =>
				pictured(
					post.thumbnail ? thumb(post.client_id, post.thumbnail) : null,
					h("a", {class: "title clip", href: postAddress(context, post)}, post.text || "(no text)"),
					h(
						"span",
						{class: "sub"},
						[
							TYPES[post.type] ?? post.type,
							post.media_count > 0 ? plural(post.media_count, "file") : null,
							post.container_count > 1 ? plural(post.container_count - 1, "comment") : null,
							post.external_user_id ? `for ${post.external_user_id}` : null,
						]
							.filter(Boolean)
							.join(" · ")
					),
					note(post) ? h("span", {class: "sub"}, note(post)) : null
				),
		},
		withApp ? {label: "App", cell: (post) => post.app_name} : null,
		{
			label: "Accounts",
			cell: (post) =>
				h(
					"span",
					{class: "marks"},
					post.platform_posts
						.slice(0, MARKS_MAX)
						.map((target) =>
							h(
								"span",
								{class: "platform", title: `${target.handle}: ${targetWord(target)}`},
								mark(target.platform),
								h("span", {class: "unseen"}, PLATFORM_NAMES[target.platform])
							)
						),
					post.platform_posts.length > MARKS_MAX
						? h("span", {class: "count"}, `+ ${post.platform_posts.length - MARKS_MAX}`)
						: null
				),
		},
		{label: "Status", cell: (post) => [badge("post", postWord(post)), reasons(post)]},
		{
			label: "When",
			tight: true,
			cell: (post) =>
				post.scheduled_at
					? [when(post.scheduled_at), h("span", {class: "sub"}, "scheduled")]
					: [when(post.created_at), h("span", {class: "sub"}, "created")],
		},
	].filter(Boolean);
	return table({caption: "Posts", columns, rows: posts, key: (post) => post.id});
}

function nothing(context) {
	const isFiltered = NAMES.some((name) => context.query[name]);
	if (isFiltered) {
		return empty(
			"search",
			"No matching posts",
			"No results for these filters.",
			linkButton("Clear the filters", `${context.base}/posts`)
		);
	}
	const app = context.apps[0];
	return empty(
		"posts",
		"No posts yet",
		app ? "Publish through the API, or write one here." : "Create an app first.",
		app
			? linkButton("Compose", `${context.base}${api.appPath(app.client_id, "compose")}`, {kind: "main"})
			: linkButton("Go to apps", `${context.base}/apps`, {kind: "main"})
	);
}

/** Words are found a moment after a post is accepted, and later where many posts came at once or an older version took them. */
export function wordsWaiting(found) {
	const count = found.words_waiting ?? 0;
	return count > 0
		? h(
				"p",
				{class: "soft small"},
				`${plural(count, "post is", "posts are")} not searched for words yet. Their words are being read; look again in a while.`
			)
		: null;
}

/** Where failed posts are listed by what a retry goes by too: all of them, of one app, counted first. */
function retryButton(context, app) {
	const {status, error} = context.query;
	const isNarrower = ["platform", "user", "to", "text"].some((name) => context.query[name]);
	if (!app || (status !== "failed" && !error) || error === "CANCELLED" || isNarrower) {
		return null;
	}
	const go = async () => {
		if (await retryMany(app.client_id, retryFilter(context.query), context.signal)) {
			await context.refresh();
		}
	};
	return button(context.apps.length > 1 ? `Retry all of ${app.name}…` : "Retry all…", go, {key: "retry-all"});
}

export async function page(context) {
	const query = {...Object.fromEntries(NAMES.map((name) => [name, context.query[name]])), after: context.query.after, limit: PAGE};
	const load = () => api.get("/posts", query, context.signal);
	// the pages before this one, so that one can go back to them: their cursors, the first of which is empty
	const before = context.query.after ? (context.query.back ?? "").split("~") : [];
	const filter = {...query, limit: null};
	const onward = (after) => ({...filter, after, back: context.query.after ? [...before, context.query.after].join("~") : ""});
	const backward = () => ({...filter, after: before.at(-1), back: before.slice(0, -1).join("~")});
	const whichOnes = (count, total) =>
		count > 0
			? h(
					"span",
					{class: "soft small"},
					`Posts ${number(before.length * PAGE + 1)} to ${number(before.length * PAGE + count)}`,
					total === null ? "" : ` of ${number(total)}`
				)
			: null;
	const [failures, first] = await Promise.all([api.get("/failures", null, context.signal), load()]);
	const place = h("div");
	let shown = "";
	const draw = (found) => {
		const key = JSON.stringify(found);
		if (key === shown) {
			return;
		}
		shown = key;
		const next = found.next
			? linkButton(found.is_partial ? "Search further back" : "Older", address(context, {...onward(found.next)}), {
					slim: true,
					after: "right",
					key: "next",
				})
			: null;
		fill(place, [
			wordsWaiting(found),
			card(
				{
					flush: true,
					title: found.total > 0 ? plural(found.total, "post") : undefined,
					footer:
						next || context.query.after
							? [
									context.query.after
										? linkButton("Newest", address(context, {...query, limit: null, after: null}), {
												slim: true,
												key: "newest",
											})
										: null,
									context.query.after
										? linkButton("Newer", address(context, backward()), {slim: true, icon: "left", key: "newer"})
										: null,
									next,
									whichOnes(found.data.length, found.total),
									found.is_partial
										? h("span", {class: "soft small"}, "The search reached its limit before the page was full.")
										: null,
								]
							: null,
				},
				found.data.length > 0 ? postTable(context, found.data, {withApp: context.apps.length > 1}) : nothing(context)
			),
		]);
	};
	draw(first);
	let last = first;
	context.every(POLL_MS, async () => {
		const isFirstPage = !context.query.after;
		if (isFirstPage || last.data.some(isUnderWay)) {
			last = await load();
			draw(last);
		}
	});
	const app = context.apps.find((one) => one.client_id === context.query.client_id) ?? context.apps[0];
	return [
		pageHead({
			title: "Posts",
			sub: "Newest first. Posts in progress are updated automatically.",
			actions: [
				retryButton(context, app),
				linkButton("Calendar", `${context.base}/calendar`, {icon: "calendar"}),
				app
					? linkButton("Compose", `${context.base}${api.appPath(app.client_id, "compose")}`, {kind: "main", icon: "compose"})
					: null,
			].filter(Boolean),
		}),
		filters(context, failures.data),
		place,
	];
}
