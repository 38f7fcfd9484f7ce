// SPDX-License-Identifier: Apache-2.0
// The app's drafts: what awaits approval, what was rejected and why, who wrote it.
import {h} from "./dom.js";
import * as api from "./api.js";
import {number, plural, when} from "./format.js";
import {pictured, thumb} from "./thumbs.js";
import {badge, card, empty, linkButton, pageHead, table, tabs, tag} from "./ui.js";

const PER_PAGE = 50;

/** A draft is like a post or like publish's body: its first text, whichever it has. */
export const draftText = (draft) => draft.containers?.[0]?.content ?? draft.content ?? "";

/** The id of its first file, if that is an uploaded picture; a draft's files stay. */
function pictureOf(draft) {
	const [file] = (draft.containers?.[0] ?? draft).media ?? [];
	return file?.type !== "video" ? file?.media_id : null;
}

/** What a person can do with it next, as one word of words.js. */
export const draftWord = (draft) =>
	draft.review.state === "rejected" ? "rejected" : draft.problems.length > 0 ? "incomplete" : "open";

function draftTable(context, drafts) {
	const columns = [
		{
			label: "Draft",
			lead: true,
			cell: (draft) =>
				pictured(
					pictureOf(draft) ? thumb(context.params.client_id, pictureOf(draft)) : null,
					h("a", {class: "title clip", href: context.here("drafts", draft.id)}, draftText(draft).trim() || "(no text)"),
					h(
						"span",
						{class: "sub"},
						[
							draft.created_by ? `by ${draft.created_by}` : null,
							plural((draft.account_ids ?? []).length, "account"),
							draft.scheduled_at ? `for ${draft.scheduled_at.slice(0, 16).replace("T", " ")} UTC` : null,
						]
							.filter(Boolean)
							.join(" · ")
					)
				),
		},
		{
			label: "Review",
			cell: (draft) => [
				badge("draft", draftWord(draft)),
				draft.review.reason ? h("span", {class: "sub"}, draft.review.reason) : null,
			],
		},
		{
			label: "Problems",
			cell: (draft) => (draft.problems.length > 0 ? tag(number(draft.problems.length), "warn") : "none"),
		},
		{label: "Changed", tight: true, cell: (draft) => when(draft.updated_at ?? draft.created_at)},
	];
	return table({caption: "Drafts", columns, rows: drafts, key: (draft) => draft.id});
}

function nothing(context, isAll) {
	return isAll
		? empty(
				"posts",
				"No drafts",
				"Programs and people with the scope “drafts” write them; a person publishes them here.",
				linkButton("Write one", context.here("compose"), {kind: "main"})
			)
		: empty("search", "Nothing here", "No draft of this page is in that state.");
}

export async function page(context) {
	const current = Math.max(1, Number.parseInt(context.query.page ?? "1", 10) || 1);
	const {data, meta} = await api.get(context.appPath("v1", "drafts"), {page: current, per_page: PER_PAGE}, context.signal);
	const state = context.query.state ?? "";
	const shown = data.filter((draft) => state === "" || draftWord(draft) === state);
	const address = (change) => {
		const pairs = new URLSearchParams(
			Object.entries({state, page: current > 1 ? String(current) : "", ...change}).filter(([, value]) => value)
		);
		return `${context.here("drafts")}${pairs.size > 0 ? `?${pairs}` : ""}`;
	};
	const count = (word) => data.filter((draft) => draftWord(draft) === word).length;
	const words = [
		["", `All (${data.length})`],
		["open", `Awaiting approval (${count("open")})`],
		["incomplete", `Incomplete (${count("incomplete")})`],
		["rejected", `Rejected (${count("rejected")})`],
	];
	return [
		pageHead({
			crumbs: [[context.app?.name ?? "App", context.here()]],
			title: "Drafts",
			sub: "Newest first. Nothing of a draft is published until a person publishes it.",
			actions: [linkButton("New draft", context.here("compose"), {kind: "main", icon: "compose"})],
		}),
		tabs(
			"Drafts by state",
			words.map(([word, text]) => [text, address({state: word}), word === state])
		),
		card(
			{
				flush: true,
				title: shown.length > 0 ? plural(state === "" ? meta.total : shown.length, "draft") : undefined,
				footer:
					meta.last_page > 1
						? [
								current > 1 ? linkButton("Newer", address({page: String(current - 1)}), {slim: true, key: "newer"}) : null,
								current < meta.last_page
									? linkButton("Older", address({page: String(current + 1)}), {slim: true, key: "older"})
									: null,
								h("span", {class: "soft small"}, `Page ${current} of ${meta.last_page}, ${plural(meta.total, "draft")}`),
							]
						: null,
			},
			shown.length > 0 ? draftTable(context, shown) : nothing(context, data.length === 0)
		),
	];
}
