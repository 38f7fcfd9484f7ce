// SPDX-License-Identifier: Apache-2.0
// A month of posts: scheduled ones, and the outcome of those whose time has passed. Days are UTC.
import {h} from "./dom.js";
import * as api from "./api.js";
import {day, monthName, number, plural} from "./format.js";
import {badge, card, empty, field, linkButton, mark, pageHead} from "./ui.js";
import {postWord, stateOf} from "./words.js";
import {letGo, takenAlong} from "./calendar_move.js";
import {postAddress} from "./page_posts.js";

const SHOWN_A_DAY = 3;
const LIST_LIMIT = 100;
const MARKS_MAX = 3;
const KIND_WORDS = {scheduled: "scheduled", pending: "in progress", published: "published", failed: "failed"};
const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const KINDS = [
	["scheduled", "calm"],
	["pending", "busy"],
	["published", "ok"],
	["failed", "bad"],
];

const two = (value) => String(value).padStart(2, "0");
const monthText = (year, month) => `${year}-${two(month)}`;

function shift(text, by) {
	const [year, month] = text.split("-").map(Number);
	const date = new Date(Date.UTC(year, month - 1 + by, 1));
	return monthText(date.getUTCFullYear(), date.getUTCMonth() + 1);
}

/** Weeks of 7 dates, Monday first; null where the day is another month's. */
function weeks(days) {
	const lead = (new Date(`${days[0].date}T00:00:00Z`).getUTCDay() + 6) % 7;
	const cells = [...Array(lead).fill(null), ...days];
	while (cells.length % 7 !== 0) {
		cells.push(null);
	}
	return Array.from({length: cells.length / 7}, (_, index) => cells.slice(index * 7, index * 7 + 7));
}

const timeOf = (post) => post.scheduled_at ?? post.created_at;
const dateOf = (post) => timeOf(post).slice(0, 10);

function cell(context, one, posts, today, query) {
	if (!one) {
		return h("td", {class: "other none"});
	}
	const total = KINDS.reduce((sum, [kind]) => sum + one[kind], 0);
	const isWhole = posts.length === total; // else the newest alone are here: a choice by chance, so only the numbers are shown
	const listed = isWhole ? posts.toSorted((a, b) => timeOf(a).localeCompare(timeOf(b))).slice(0, SHOWN_A_DAY) : [];
	const listOf = (more) => `${context.base}/posts?${new URLSearchParams({...query, from: one.date, to: one.date, ...more})}`;
	const rest = isWhole ? total - listed.length : 0;
	return h(
		"td",
		{
			class: [one.date === today ? "today" : "", total === 0 ? "none" : ""].join(" ").trim() || null,
			...(one.date < today ? {} : letGo(context, one.date)),
		},
		h(
			"span",
			{class: "date"},
			h("span", {class: "unseen weekday"}, `${WEEKDAYS[(new Date(`${one.date}T00:00:00Z`).getUTCDay() + 6) % 7].slice(0, 3)} `),
			h("time", {datetime: one.date}, String(Number(one.date.slice(8)))),
			h("span", {class: "unseen"}, ` ${day(one.date)}, ${plural(total, "post")}`)
		),
		h(
			"ul",
			null,
			listed.map((post) => {
				const [word, tone] = stateOf("post", postWord(post));
				return h(
					"li",
					null,
					h(
						"a",
						{class: tone, href: postAddress(context, post), title: `${word}: ${post.text}`, ...takenAlong(post)},
						timeOf(post).slice(11, 16),
						" ",
						[...new Set(post.platform_posts.map((target) => target.platform))].slice(0, MARKS_MAX).map(mark),
						" ",
						post.text || "(no text)"
					)
				);
			}),
			rest > 0 ? h("li", null, h("a", {href: listOf({})}, `and ${number(rest)} more`)) : null,
			isWhole
				? null
				: KINDS.filter(([kind]) => one[kind] > 0).map(([kind, tone]) =>
						h("li", null, h("a", {class: tone, href: listOf({status: kind})}, `${number(one[kind])} ${KIND_WORDS[kind]}`))
					)
		)
	);
}

function legend() {
	return h(
		"ul",
		{class: "legend"},
		h("li", null, "scheduled"),
		h("li", {class: "busy"}, "in progress"),
		h("li", {class: "ok"}, "published"),
		h("li", {class: "bad"}, "failed")
	);
}

function nextUp(context, posts) {
	return card(
		{title: "Upcoming", flush: true},
		posts.length > 0
			? h(
					"ul",
					{class: "lines"},
					posts.map((post) =>
						h(
							"li",
							null,
							h("span", {class: "soft small"}, post.scheduled_at.slice(0, 16).replace("T", " "), " UTC"),
							h("a", {class: "grow clip one", href: postAddress(context, post)}, post.text || "(no text)"),
							h(
								"span",
								{class: "marks"},
								post.platform_posts.map((target) => mark(target.platform))
							),
							badge("post", postWord(post))
						)
					)
				)
			: empty(
					"calendar",
					"Nothing scheduled",
					"Posts that you publish with a time appear here.",
					linkButton("Posts", `${context.base}/posts`)
				)
	);
}

export async function page(context) {
	const today = new Date().toISOString().slice(0, 10);
	const month = /^\d{4}-\d\d$/.test(context.query.month ?? "") ? context.query.month : today.slice(0, 7);
	const query = context.query.client_id ? {client_id: context.query.client_id} : {};
	const [year, monthNumber] = month.split("-").map(Number);
	const found = await api.get("/calendar", {month, ...query}, context.signal);
	const lastDay = found.days[found.days.length - 1].date;
	const [posts, scheduled] = await Promise.all([
		api.get("/posts", {from: found.days[0].date, to: lastDay, limit: LIST_LIMIT, ...query}, context.signal),
		api.get("/posts", {status: "scheduled", limit: LIST_LIMIT, ...query}, context.signal),
	]);
	const byDay = Map.groupBy
		? Map.groupBy(posts.data, dateOf)
		: posts.data.reduce((map, post) => map.set(dateOf(post), [...(map.get(dateOf(post)) ?? []), post]), new Map());
	const at = (text) => `${context.base}/calendar?${new URLSearchParams({...query, month: text})}`;
	const soonest = scheduled.data.toSorted((a, b) => a.scheduled_at.localeCompare(b.scheduled_at)).slice(0, 8);
	return [
		pageHead({
			title: monthName(year, monthNumber),
			sub: "Scheduled and published posts. Drag a scheduled one to move it to another day. Days and times are UTC.",
			actions: [
				linkButton("Earlier", at(shift(month, -1)), {icon: "left", key: "earlier"}),
				linkButton("Today", at(today.slice(0, 7)), {key: "today"}),
				linkButton("Later", at(shift(month, 1)), {after: "right", key: "later"}),
			],
		}),
		h(
			"div",
			{class: "stack"},
			context.apps.length > 1
				? h(
						"div",
						{class: "filters"},
						field({
							name: "client_id",
							label: "App",
							kind: "select",
							value: context.query.client_id ?? "",
							options: [["", "All apps"], ...context.apps.map((app) => [app.client_id, app.name])],
							onchange: (value) =>
								context.go(
									`${context.base}/calendar?${new URLSearchParams({month, ...(value ? {client_id: value} : {})})}`
								),
						}).node
					)
				: null,
			card(
				{flush: true, footer: legend()},
				h(
					"table",
					{class: "month"},
					h("caption", {class: "unseen"}, `Posts in ${monthName(year, monthNumber)}`),
					h(
						"thead",
						null,
						h(
							"tr",
							null,
							WEEKDAYS.map((name) => h("th", {scope: "col"}, h("abbr", {title: name}, name.slice(0, 3))))
						)
					),
					h(
						"tbody",
						null,
						weeks(found.days).map((week) =>
							h(
								"tr",
								null,
								week.map((one) => cell(context, one, (one && byDay.get(one.date)) ?? [], today, query))
							)
						)
					)
				)
			),
			nextUp(context, soonest)
		),
	];
}
