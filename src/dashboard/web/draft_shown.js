// SPDX-License-Identifier: Apache-2.0
// What a person who approves a draft looks at: it as each platform would show it, and what is different from what this browser showed last.
// A draft may be half written, so nothing in it is taken for granted. Reads what it kept, and nothing else.
import {h} from "./dom.js";
import {plural, utc, whenFull} from "./format.js";
import {preview} from "./preview.js";
import {platformName, TYPES} from "./words.js";
import {button, card, codeBlock, facts} from "./ui.js";

const DAYS_MAX = 30;
const VERSION = 1;
const PREFIX = "posthorn-draft:";

const textOf = (value) => (typeof value === "string" ? value : "");
const membersOf = (value) => (value && typeof value === "object" && !Array.isArray(value) ? Object.entries(value) : []);
const listOf = (value) => (Array.isArray(value) ? value.filter((one) => one && typeof one === "object") : []);

export const containersOf = (draft) =>
	listOf(draft.containers ?? [{type: draft.type, content: draft.content, media: draft.media}]).map((one) => ({
		type: textOf(one.type),
		text: textOf(one.content),
		media: listOf(one.media),
	}));

// ---- as each platform would show it ----

const nameOf = (item) => textOf(item.url).split(/[?#]/u)[0].split("/").at(-1) || textOf(item.media_id) || "a file";

const shown = (context, item) => ({
	type: item.type === "video" ? "video" : "image",
	name: nameOf(item),
	alt_text: textOf(item.alt_text),
	thumb:
		item.media_id && item.type !== "video" ? `/dashboard/api${context.appPath("v1", "media", String(item.media_id), "content")}` : null,
});

/** One of each platform that the draft goes to, by the first account there. */
export function previewsOf(context, draft, accounts) {
	const first = new Map(accounts.toReversed().map((account) => [account.platform, account]));
	const parts = containersOf(draft);
	return [...first.values()].toReversed().map((account) => {
		const own = membersOf(draft.overrides).find(([slug]) => slug === account.platform)?.[1];
		return preview({
			platform: account.platform,
			account,
			type: textOf(draft.type),
			options: Object.fromEntries(membersOf(draft.platforms?.[account.platform])),
			parts: (parts.length > 0 ? parts : [{text: "", media: []}]).map((part, index) => ({
				text: (index === 0 && textOf(own?.content)) || part.text,
				media: part.media.map((item) => shown(context, item)),
			})),
			problems: [],
		});
	});
}

// ---- what is different on one platform ----

const valueOf = (value) => (typeof value === "string" ? value : JSON.stringify(value));

/** What a platform gets instead, and its options, in words; what is neither is shown as it is. */
export function platformParts(draft) {
	const asIs = (title, value) => codeBlock(title, JSON.stringify(value, null, 2));
	const slugs = new Set([...membersOf(draft.overrides), ...membersOf(draft.platforms)].map(([slug]) => slug));
	return [...slugs].map((slug) => {
		const {content, ...rest} = Object.fromEntries(membersOf(draft.overrides?.[slug]));
		const options = membersOf(draft.platforms?.[slug]);
		return h(
			"div",
			null,
			h("h3", {class: "soft small"}, `On ${platformName(slug)}`),
			content === undefined ? null : h("p", {class: "post-text"}, valueOf(content)),
			Object.keys(rest).length > 0 ? asIs("Different there", rest) : null,
			options.length > 0 ? facts(options.map(([name, value]) => [name, valueOf(value)])) : null
		);
	});
}

// ---- what is different from what was shown last ----

/** [[what, value]]: everything of the draft that a person decides about. */
function linesOf(draft, names) {
	const parts = containersOf(draft);
	const files = (part) => part.media.map((item) => [nameOf(item), textOf(item.alt_text)].filter(Boolean).join(": ")).join("\n");
	return [
		...parts.flatMap((part, index) => [
			[index === 0 ? "Text" : `Comment ${index}`, part.text],
			[index === 0 ? "Files" : `Files of comment ${index}`, files(part)],
		]),
		["Goes to", names.join("\n")],
		["To be published", draft.scheduled_at ? utc(draft.scheduled_at) : "as soon as it is approved"],
		["Type", TYPES[draft.type] ?? textOf(draft.type)],
		...membersOf(draft.overrides).map(([slug, own]) => [`Instead on ${platformName(slug)}`, textOf(own?.content) || valueOf(own)]),
		...membersOf(draft.platforms).flatMap(([slug, options]) =>
			membersOf(options).map(([name, value]) => [`${platformName(slug)}: ${name}`, valueOf(value)])
		),
	].filter(([, value]) => value !== "");
}

const keyOf = (context, draft) => `${PREFIX}${context.session.admin.id}:${draft.id}`;

function read(key) {
	try {
		const kept = JSON.parse(localStorage.getItem(key) ?? "null");
		return kept?.version === VERSION && Array.isArray(kept.lines) ? kept : null;
	} catch {
		return null;
	}
}

/** A browser that keeps nothing shows no difference. */
function write(key, members) {
	try {
		localStorage.setItem(key, JSON.stringify({version: VERSION, ...members}));
	} catch {
		// full or forbidden
	}
}

function forgetOld() {
	const old = Date.now() - DAYS_MAX * 86400000;
	for (const key of Object.keys(localStorage).filter((name) => name.startsWith(PREFIX))) {
		if (!(read(key)?.at > old)) {
			localStorage.removeItem(key);
		}
	}
}

/** [[what, before, now]] */
function changesOf(before, now) {
	const was = new Map(before);
	const is = new Map(now);
	return [...new Set([...is.keys(), ...was.keys()])]
		.filter((what) => was.get(what) !== is.get(what))
		.map((what) => [what, was.get(what) ?? "", is.get(what) ?? ""]);
}

const changeLine = ([what, before, now]) =>
	h(
		"li",
		null,
		h("h3", {class: "soft small"}, what),
		before ? h("del", {class: "post-text"}, before) : null,
		now ? h("ins", {class: "post-text"}, now) : null
	);

/**
 * What somebody changed since this page showed the draft last; null when it is the same, or was never shown here. It stays until the person
 * has seen it. names: of the accounts.
 */
export function differenceCard(context, draft, names) {
	const key = keyOf(context, draft);
	const lines = linesOf(draft, names);
	const kept = read(key);
	forgetOld();
	const isSame = kept !== null && changesOf(kept.lines, lines).length === 0;
	const before = isSame ? (kept.before ?? null) : kept && {lines: kept.lines, at: kept.at};
	write(key, {at: isSame && before ? kept.at : Date.now(), lines, before});
	const changes = before ? changesOf(before.lines, lines) : [];
	if (changes.length === 0) {
		return null;
	}
	const place = card(
		{
			title: `${plural(changes.length, "change")} since you saw it`,
			actions: [
				button(
					"Seen",
					() => {
						write(key, {at: Date.now(), lines, before: null});
						place.remove();
					},
					{slim: true, key: "seen"}
				),
			],
		},
		h("p", {class: "small soft"}, "You saw it ", whenFull(new Date(before.at).toISOString()), "."),
		h("ul", {class: "changes"}, changes.map(changeLine))
	);
	return place;
}
