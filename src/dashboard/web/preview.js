// SPDX-License-Identifier: Apache-2.0
// A post as each platform would show it, as far as can be told before: the text up to where it is folded or cut, pictures, a link's card,
// the comments below. Drawn by ourselves, without anything of the platforms'. Asks nobody.
import {h, image} from "./dom.js";
import {number} from "./format.js";
import {platformName} from "./words.js";
import {avatar, icon, mark} from "./ui.js";

// Characters that are shown before "more": about where each platform folds a long text.
const FOLDS = {instagram: 125, facebook: 477, linkedin: 210, youtube: 110, tiktok: 90, x: 280};
const TITLE_MAX = 100;
const ADDRESS = /https?:\/\/[^\s<>"]+/;
// What marks, names and addresses look like in a text.
const MARKED = /(https?:\/\/[^\s<>"]+|[#@][\p{L}\p{N}_.]+)/u;

/** A text with its addresses, tags and names in the colour of links. */
const marked = (text) => text.split(MARKED).map((part, index) => (index % 2 === 1 ? h("span", {class: "preview-mark"}, part) : part));

/** The text as far as it is shown, and behind what is too much. fits: the characters that the platform takes; null = all. */
function words(slug, part) {
	const letters = [...part.text];
	const fits = part.fits ?? letters.length;
	const fold = FOLDS[slug];
	if (letters.length > fits) {
		return h(
			"p",
			{class: "post-text"},
			marked(letters.slice(0, fits).join("")),
			h("span", {class: "preview-over", title: "Too much: this is not taken"}, letters.slice(fits).join(""))
		);
	}
	if (letters.length > fold + 20) {
		return h(
			"p",
			{class: "post-text"},
			marked(letters.slice(0, fold).join("").trimEnd()),
			"… ",
			h("span", {class: "soft"}, slug === "facebook" ? "See more" : "more")
		);
	}
	return part.text === "" ? null : h("p", {class: "post-text"}, marked(part.text));
}

function file(item, className = "") {
	const inside = item.thumb
		? image(item.thumb, item.alt_text || item.name)
		: h("span", {class: "preview-blank"}, icon(item.type === "video" ? "play" : "image"), h("span", {class: "break"}, item.name));
	const play = item.type === "video" ? h("span", {class: "preview-play"}, icon("play")) : null;
	return h("div", {class: `preview-file ${className}`}, inside, play);
}

/** Up to four in a grid, the rest counted. */
function grid(media) {
	if (media.length === 0) {
		return null;
	}
	const more = media.length - 4;
	return h(
		"div",
		{class: `preview-grid of-${Math.min(media.length, 4)}`},
		media.slice(0, 4).map((item, index) => [
			h("div", null, file(item), index === 3 && more > 0 ? h("span", {class: "preview-more"}, `+ ${more}`) : null),
		])
	);
}

/** One at a time, with its place among the others. */
function carousel(media) {
	return h(
		"div",
		{class: "preview-carousel"},
		file(media[0] ?? {type: "image", name: "No picture yet"}, "square"),
		media.length > 1 ? h("span", {class: "preview-count"}, `1/${media.length}`) : null,
		media.length > 1
			? h("span", {class: "preview-dots", "aria-hidden": "true"}, media.map((_, index) => h("i", {class: index === 0 ? "on" : null})))
			: null
	);
}

/** Where the platform makes a card of the first address: whose it is; title and picture are the page's own. */
function linkCard(part, link) {
	const address = link || ADDRESS.exec(part.text)?.[0];
	if (!address || part.media.length > 0) {
		return null;
	}
	let url = null;
	try {
		url = new URL(address);
	} catch {
		return null;
	}
	return h(
		"div",
		{class: "preview-link"},
		h("span", {class: "preview-blank"}, icon("link")),
		h("span", {class: "soft small"}, url.hostname),
		h("span", {class: "break"}, url.pathname === "/" ? url.hostname : url.pathname.slice(0, 60)),
		h("span", {class: "soft small"}, "The platform takes title and picture from this page.")
	);
}

const who = (account, below) =>
	h(
		"div",
		{class: "preview-who"},
		avatar(account),
		h("div", null, h("strong", {class: "break"}, account.name || account.username), h("span", {class: "soft small break"}, below))
	);

const handle = (account) => `@${account.username.replace(/^@/, "")}`;

const comments = (slug, account, parts) =>
	parts.slice(1).map((part) =>
		h(
			"div",
			{class: "preview-comment"},
			avatar(account),
			h("div", null, h("strong", null, account.name || account.username), " ", words(slug, part), grid(part.media))
		)
	);

// ---- each platform ----

const LOOKS = {
	x: (p) =>
		p.parts.map((part, index) =>
			h(
				"div",
				{class: `preview-tweet${index < p.parts.length - 1 ? " goes-on" : ""}`},
				avatar(p.account),
				h(
					"div",
					null,
					h(
						"p",
						null,
						h("strong", null, p.account.name || p.account.username),
						h("span", {class: "soft"}, ` ${handle(p.account)} · now`)
					),
					words("x", part),
					grid(part.media),
					linkCard(part)
				)
			)
		),
	facebook: (p) => [
		who(p.account, "Just now · Public"),
		words("facebook", p.parts[0]),
		grid(p.parts[0].media),
		linkCard(p.parts[0], p.options.link),
		comments("facebook", p.account, p.parts),
	],
	instagram: (p) => [
		who(p.account, p.type === "story" ? "Story · 24 hours" : ""),
		p.type === "story" ? h("div", {class: "preview-tall"}, carousel(p.parts[0].media)) : carousel(p.parts[0].media),
		p.type === "story"
			? null
			: h("div", {class: "preview-caption"}, h("strong", null, p.account.username), " ", words("instagram", p.parts[0])),
		comments("instagram", p.account, p.parts),
	],
	linkedin: (p) => [
		who(p.account, "now"),
		words("linkedin", p.parts[0]),
		grid(p.parts[0].media),
		linkCard(p.parts[0]),
		comments("linkedin", p.account, p.parts),
	],
	youtube: (p) => {
		const title = (p.options.title || p.parts[0].text.split("\n")[0]).trim();
		return [
			file(p.parts[0].media[0] ?? {type: "video", name: "No video yet"}, "wide"),
			h("p", {class: "preview-title"}, [...title].slice(0, TITLE_MAX).join("") || "(no title)"),
			who(p.account, p.options.privacyStatus ?? "Public"),
			words("youtube", p.parts[0]),
			comments("youtube", p.account, p.parts),
		];
	},
	tiktok: (p) => [
		h(
			"div",
			{class: "preview-tall"},
			p.parts[0].media.length > 1
				? carousel(p.parts[0].media)
				: file(p.parts[0].media[0] ?? {type: "video", name: "No video yet"}, "tall"),
			h("div", {class: "preview-over-picture"}, h("strong", null, handle(p.account)), words("tiktok", p.parts[0]))
		),
	],
};

/** "212 of 280"; too many in red. */
export function counter(part) {
	if (!part.max) {
		return null;
	}
	const isOver = part.length > part.max;
	const left = part.max - part.length;
	return h(
		"span",
		{class: `preview-counter${isOver ? " bad" : ""}`},
		isOver
			? `${number(-left)} too many (${number(part.length)} of ${number(part.max)})`
			: `${number(part.length)} of ${number(part.max)}`
	);
}

/**
 * {platform, account: {name, username}, parts: [{text, media: [{type, thumb, name, alt_text}], length, max, fits}], type, options,
 * problems: [sentence]}: the post on that platform.
 */
export function preview(p) {
	return h(
		"article",
		{class: `preview preview-${p.platform}`, "aria-label": `Preview on ${platformName(p.platform)}`},
		h("header", null, mark(p.platform), h("strong", null, platformName(p.platform)), counter(p.parts[0])),
		h("div", {class: "preview-body"}, LOOKS[p.platform](p)),
		p.problems.length > 0 ? h("ul", {class: "preview-problems"}, p.problems.map((text) => h("li", null, text))) : null
	);
}
