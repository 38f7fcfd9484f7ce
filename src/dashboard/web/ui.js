// SPDX-License-Identifier: Apache-2.0
// The components of pages: heads, cards, tables, badges, fields and forms, dialogs, toasts, empty and error states.
// Each returns an element. Knows no page and no route of the API.
import {append, fill, h, image, s, safeAddress} from "./dom.js";
import {ApiError} from "./api.js";
import {platformName, stateOf} from "./words.js";

// ---- icons: strokes on a 16 by 16 ground ----

const ICONS = {
	sandbox: "M2.5 6.5h11v7h-11z M2.5 9.5h11 M5 6.5V3 M8 6.5V2 M11 6.5V4",
	home: "M2.5 7.5 8 3l5.5 4.5V13a.5.5 0 0 1-.5.5H3a.5.5 0 0 1-.5-.5z M6.5 13.5v-4h3v4",
	posts: "M3 3.5h10 M3 8h10 M3 12.5h6",
	calendar: "M2.5 4.5A1 1 0 0 1 3.5 3.5h9a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1z M2.5 6.8h11 M5.5 2v3 M10.5 2v3",
	usage: "M3 13.5V9 M6.4 13.5V5 M9.7 13.5V7.5 M13 13.5V2.5",
	apps: "M2.5 2.5h4.6v4.6H2.5z M8.9 2.5h4.6v4.6H8.9z M2.5 8.9h4.6v4.6H2.5z M8.9 8.9h4.6v4.6H8.9z",
	admins: "M8 7.6a2.6 2.6 0 1 0 0-5.2 2.6 2.6 0 0 0 0 5.2z M3 13.6c.4-2.6 2.4-4 5-4s4.6 1.4 5 4",
	compose: "M3 13l.6-2.8L11 2.8 13.2 5l-7.4 7.4z M9.6 4.2l2.2 2.2",
	accounts:
		"M5.8 7.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4z M1.8 13c.3-2.2 1.9-3.4 4-3.4s3.7 1.2 4 3.4 M10.6 3.2a2 2 0 0 1 0 3.8 M11.8 9.8c1.4.4 2.2 1.5 2.4 3.2",
	webhooks: "M4 6.5a4 4 0 1 1 6.5 3 M5.5 4.8l-1.5 2-2-1.5 M12 9.5a4 4 0 0 1-7.8 1.3 M2.2 9.5l2 1.3",
	key: "M10.4 8.8a3.2 3.2 0 1 0-3-2.1L2.6 11.5v2h2.2l.6-1.3h1.3v-1.4l1.5-1.5c.6-.3 1.2-.5 2.2-.5z M11.2 4.9v0",
	settings: "M2.5 4.5h6 M11.5 4.5h2 M10 3v3 M2.5 11.5h2 M7.5 11.5h6 M6 10v3",
	app: "M2.5 4a1.5 1.5 0 0 1 1.5-1.5h8A1.5 1.5 0 0 1 13.5 4v8a1.5 1.5 0 0 1-1.5 1.5H4A1.5 1.5 0 0 1 2.5 12z M5 6l2 2-2 2 M8.5 10.5h3",
	docs: "M3.5 2.5h6l3 3v8h-9z M9.5 2.5v3h3 M5.8 8.5h4.4 M5.8 11h4.4",
	copy: "M5.5 5.5v-3h8v8h-3 M2.5 5.5h8v8h-8z",
	menu: "M2.5 4h11 M2.5 8h11 M2.5 12h11",
	close: "M4 4l8 8 M12 4l-8 8",
	plus: "M8 3v10 M3 8h10",
	out: "M6.5 2.5h-3v11h3 M7 8h6.5 M11 5.3 13.7 8 11 10.7",
	check: "M3 8.5 6.5 12 13 4.5",
	search: "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9z M10.4 10.4 13.5 13.5",
	link: "M9 3h4v4 M13 3 7.5 8.5 M11.5 9.5v3.5h-9V4h3.5",
	left: "M10 3 5 8l5 5",
	right: "M6 3l5 5-5 5",
	image: "M2.5 3.5h11v9h-11z M2.5 10.5l3-3 2.5 2.5 2-2 3.5 3.5 M10.5 6.2v0",
	play: "M5 3.5v9l7-4.5z",
	drafts: "M3.5 2.5h9v11h-9z M5.8 5.5h4.4 M5.8 8h4.4 M5.8 10.5h2.4",
	library: "M2.5 4.5h11v8.5h-11z M4 2.5h8 M2.5 11l3-3 2.5 2.5 2-2 3.5 3",
	credentials: "M8 2.2 13 4v4c0 3-2 5-5 5.8C5 13 3 11 3 8V4z M5.8 7.8 7.4 9.4 10.4 6.2",
	nodes: "M2.5 3h11v4h-11z M2.5 9h11v4h-11z M5 5v0 M5 11v0",
	audit: "M8 13.5a5.5 5.5 0 1 0-5.3-4 M2.2 6.5l.5 3 3-.6 M8 5v3.2l2 1.3",
	you:
		"M8 8a2.4 2.4 0 1 0 0-4.8A2.4 2.4 0 0 0 8 8z M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12z M4.2 12.6c.6-1.9 2-2.8 3.8-2.8s3.2.9 3.8 2.8",
};

export function icon(name) {
	return s("svg", {class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true", focusable: "false"}, s("path", {d: ICONS[name]}));
}

// ---- small things ----

export function badge(kind, word, title) {
	const [shown, tone, isLive] = stateOf(kind, word);
	return h("span", {class: `badge ${tone}${isLive ? " live" : ""}`, title}, shown);
}

export const tag = (text, tone = "calm") => h("span", {class: `badge plain ${tone}`}, text);

// Drawn by ourselves, to be told apart at a glance: nothing of the platforms' own.
const MARKS = {
	instagram: "M5.4 2.8h5.2a2.6 2.6 0 0 1 2.6 2.6v5.2a2.6 2.6 0 0 1-2.6 2.6H5.4a2.6 2.6 0 0 1-2.6-2.6V5.4a2.6 2.6 0 0 1 2.6-2.6z "
		+ "M8 10.4a2.4 2.4 0 1 0 0-4.8 2.4 2.4 0 0 0 0 4.8z M11.1 4.9v0",
	facebook: "M11.2 3.1c-2.2-.6-3.5.4-3.5 2.5v7.6 M5.2 7.9h5.2",
	x: "M3.6 3.2l8.8 9.6 M12.4 3.2l-8.8 9.6",
	linkedin: "M4 7v5.8 M4 3.8v0 M7.4 12.8V7 M7.4 9.6c0-3.4 5-3.6 5 .2v3",
	youtube: "M5.8 4.2v7.6L12 8z",
	tiktok: "M8.8 2.8v7.5a2.5 2.5 0 1 1-2.5-2.5 M8.8 2.8c.3 2.2 1.8 3.5 3.8 3.6",
};

export function mark(platform) {
	const path = MARKS[platform];
	return h(
		"span",
		{class: `mark ${path ? platform : ""}`, title: platformName(platform), "aria-hidden": "true"},
		path ? s("svg", {viewBox: "0 0 16 16", focusable: "false"}, s("path", {d: path})) : "?"
	);
}

/** The platform's mark and its name, or what is given in its place (a handle). */
export function platform(slug, text) {
	return h(
		"span",
		{class: "platform"},
		mark(slug),
		h("span", {class: "break"}, text ?? platformName(slug), text ? h("span", {class: "unseen"}, ` on ${platformName(slug)}`) : null)
	);
}

const WORD_STARTS = /[\p{L}\p{N}]/u;

const PICTURE_AGAIN_MS = 2500; // the service fetches it when it is first asked for

/** Over the letters, once it is there; without one they stay. */
function showPicture(place, address, isLast) {
	const picture = image(address, "");
	picture.addEventListener("error", () => {
		picture.remove();
		if (!isLast) {
			setTimeout(() => place.isConnected && showPicture(place, address, true), PICTURE_AGAIN_MS);
		}
	});
	place.append(picture);
}

/** An account's picture (api.pictureOf), above the first letters of its name on a ground that stays the same. */
export function avatar({name, username, picture}) {
	const words = (name || username || "?").split(/[\s._-]+/).filter((word) => WORD_STARTS.test(word));
	const letters = words.slice(0, 2).map((word) => [...word].find((letter) => WORD_STARTS.test(letter)).toUpperCase());
	const ground = [...(name || username || "")].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 8, 0);
	const place = h("span", {class: `avatar ground-${ground}`, "aria-hidden": "true"}, letters.join("") || "?");
	if (picture) {
		showPicture(place, picture, false);
	}
	return place;
}

/** A link that looks like a button: kind is "", "main", "danger" or "quiet". */
export function linkButton(text, address, {kind = "", icon: name, after, slim = false, blank = false, key} = {}) {
	return h(
		"a",
		{
			class: `button ${kind}${slim ? " slim" : ""}`,
			href: address,
			target: blank && "_blank",
			rel: blank && "noopener noreferrer",
			"data-key": key,
		},
		name ? icon(name) : null,
		text,
		after ? icon(after) : null
	);
}

/** An external URL as a link in a new tab; as text when it is not a safe URL. */
export function outside(address, text) {
	const link = h("a", {href: address, target: "_blank", rel: "noopener noreferrer nofollow", class: "break"}, text ?? address);
	return link.hasAttribute("href") ? link : h("span", {class: "break"}, text ?? address);
}

/** Leaves the dashboard for an external page, such as a platform's consent page. */
export function leave(address) {
	const safe = safeAddress(address);
	if (safe === null) {
		throw new Error("The service named an address that cannot be opened.");
	}
	location.assign(safe);
}

/** A button whose work may take time: marked busy meanwhile; a failure becomes a toast. */
export function button(text, work, {kind = "", icon: name, slim = false, type = "button", label, key} = {}) {
	const element = h(
		"button",
		{
			class: `button ${kind}${slim ? " slim" : ""}${text === "" ? " square" : ""}`,
			type,
			"aria-label": label,
			title: text === "" ? label : null,
			"data-key": key,
		},
		name ? icon(name) : null,
		text
	);
	element.addEventListener("click", async (event) => {
		if (work === undefined) {
			return;
		}
		event.preventDefault();
		await busy(element, () => work(event));
	});
	return element;
}

/** Does the work with the element marked busy; nothing while it is busy already. A failure becomes a toast. */
export async function busy(element, work) {
	if (element.getAttribute("aria-busy") === "true") {
		return undefined;
	}
	element.setAttribute("aria-busy", "true");
	try {
		return await work();
	} catch (failure) {
		if (failure.name !== "AbortError") {
			toast(failure.message, "bad");
		}
		return undefined;
	} finally {
		element.removeAttribute("aria-busy");
	}
}

/** The work of a form, for every form: once for a double click. send is its submit button. */
export function onSubmit(element, send, work) {
	element.addEventListener("submit", (event) => {
		event.preventDefault();
		busy(send, work);
	});
}

// ---- messages ----

export function announce(text, isUrgent = false) {
	const place = document.getElementById(isUrgent ? "urgent" : "polite");
	place.textContent = "";
	setTimeout(() => {
		place.textContent = text;
	}, 50);
}

const TOAST_MS = 6000;

export function toast(text, tone = "") {
	const place = document.getElementById("toasts");
	const element = h(
		"div",
		{class: `toast ${tone}`},
		h("span", null, text),
		h("button", {type: "button", "aria-label": "Close message", onclick: () => element.remove()}, "✕")
	);
	while (place.children.length > 3) {
		place.firstChild.remove();
	}
	place.append(element);
	announce(text, tone === "bad");
	setTimeout(() => element.remove(), tone === "bad" ? 3 * TOAST_MS : TOAST_MS);
}

export function notice(tone, title, ...content) {
	return h("div", {class: `notice ${tone}`, role: tone === "bad" ? "alert" : null}, h("div", null, h("strong", null, title), content));
}

export function loading(text = "Loading…") {
	return h("div", {class: "loading", role: "status"}, h("span", {class: "spinner", "aria-hidden": "true"}), text);
}

/** An empty state: why there is nothing yet, and what to do next. */
export function empty(name, title, text, ...actions) {
	return h(
		"div",
		{class: "empty"},
		icon(name),
		h("h2", null, title),
		h("p", null, text),
		actions.length > 0 ? h("div", {class: "row"}, actions) : null
	);
}

const ADVICE = {
	404: "It does not exist, or it belongs to another admin.",
	429: "Too many requests in a short time. Wait a moment, then try again.",
	503: "The service is busy. Try again in a moment.",
	0: "Check that it is running and reachable from here, then try again.",
};

export function failureBox(failure, again) {
	const details =
		failure instanceof ApiError
			? [ADVICE[failure.status] ?? null, failure.requestId ? `Request ${failure.requestId}` : null].filter(Boolean)
			: [];
	return h(
		"div",
		{class: "card"},
		h(
			"div",
			{class: "body"},
			notice(
				"bad",
				failure.status === 404 ? "Not found" : "This could not be loaded",
				h("p", null, failure.message),
				details.map((text) => h("p", {class: "small soft"}, text))
			),
			again ? h("p", null, button("Retry", again)) : null
		)
	);
}

// ---- frames ----

/** The head of a page: {crumbs: [[text, path]], title, state, sub, actions}. */
export function pageHead({crumbs = [], title, state, sub, actions = []}) {
	return h(
		"header",
		{class: "head"},
		h(
			"div",
			{class: "head-text"},
			crumbs.length > 0
				? h(
						"div",
						{class: "crumb"},
						crumbs.map(([text, path], index) => [index > 0 ? " / " : null, h("a", {href: path}, text)])
					)
				: null,
			h("div", {class: "title"}, h("h1", {tabindex: "-1"}, title), state),
			sub ? h("p", {class: "sub"}, sub) : null
		),
		actions.length > 0 ? h("div", {class: "row"}, actions) : null
	);
}

/** card({title, lead, sub, actions, flush, footer}, ...content); lead stands before the title. */
export function card({title, lead, sub, actions = [], flush = false, footer, tone = "", id} = {}, ...content) {
	return h(
		"section",
		{class: `card ${tone}`, id},
		title ? h("header", null, lead, h("h2", null, title), actions, sub ? h("p", null, sub) : null) : null,
		h("div", {class: flush ? "body flush" : "body"}, content),
		footer ? h("footer", null, footer) : null
	);
}

/** [[name, value], ...] as a list of facts; rows that are null are left out. */
export function facts(rows) {
	return h(
		"dl",
		{class: "facts"},
		rows
			.filter(Boolean)
			.map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value ?? h("span", {class: "soft"}, "–"))))
	);
}

/** columns: [{label, cell(row), end, tight, lead}], a cell of null is nothing, which a phone leaves out; dense keeps it a table on a phone. */
export function table({caption, columns, rows, dense = false, mark: marked, key}) {
	const head = h(
		"tr",
		null,
		columns.map((column) =>
			h(
				"th",
				{scope: "col", class: column.end ? "end" : null},
				column.label || h("span", {class: "unseen"}, column.name ?? "Actions")
			)
		)
	);
	const cell = (column, row) => {
		const content = column.cell(row);
		const words = [column.end ? "end" : "", column.tight ? "tight" : "", column.lead ? "lead" : "", content === null ? "nil" : ""];
		return h("td", {"data-label": column.label ?? "", class: words.filter(Boolean).join(" ") || null}, h("div", null, content ?? "–"));
	};
	const body = rows.map((row) =>
		h(
			"tr",
			{class: marked?.(row) ? "marked" : null, "data-row": key?.(row)},
			columns.map((column) => cell(column, row))
		)
	);
	return h(
		"div",
		{class: dense ? "scroll" : null, tabindex: dense ? "0" : null, role: dense ? "group" : null, "aria-label": dense ? caption : null},
		h(
			"table",
			{class: `table${dense ? " dense" : ""}`},
			h("caption", {class: "unseen"}, caption),
			h("thead", null, head),
			h("tbody", null, body)
		)
	);
}

export function tabs(label, items) {
	return h(
		"nav",
		{class: "tabs", "aria-label": label},
		items.map(([text, path, isHere]) => h("a", {href: path, "aria-current": isHere ? "page" : null}, text))
	);
}

// ---- copying ----

async function copyText(text) {
	if (navigator.clipboard && window.isSecureContext) {
		await navigator.clipboard.writeText(text);
		return true;
	}
	const area = h("textarea", {class: "unseen", readonly: true, value: text});
	(document.querySelector("dialog[open]") ?? document.body).append(area);
	area.select();
	const isDone = document.execCommand("copy"); // the only way on plain http
	area.remove();
	return isDone;
}

export function copyButton(text, label = "Copy", words = "Copy") {
	const shown = h("span", null, words);
	const element = h("button", {type: "button", class: "button slim", "aria-label": label}, icon("copy"), shown);
	element.addEventListener("click", async () => {
		const isDone = await copyText(typeof text === "function" ? text() : text).catch(() => false);
		shown.textContent = isDone ? "Copied" : "Press Ctrl+C";
		announce(isDone ? "Copied" : "Could not copy: select the text and copy it manually");
		element.focus();
		setTimeout(() => {
			shown.textContent = words;
		}, 1800);
	});
	return element;
}

export function copyField(label, text, hint) {
	return h(
		"div",
		{class: "field"},
		h("span", {class: "label"}, label),
		h("div", {class: "copyable"}, h("code", {"data-value": label}, text), copyButton(text, `Copy ${label}`)),
		hint ? h("p", {class: "hint"}, hint) : null
	);
}

export function codeBlock(title, text) {
	const code = h("code", null, text);
	return h(
		"figure",
		{class: "code"},
		h(
			"figcaption",
			null,
			title,
			copyButton(() => code.textContent, `Copy ${title}`)
		),
		h("pre", {tabindex: "0", "aria-label": title}, code)
	);
}

// ---- fields and forms ----

let fieldCount = 0;

/**
 * A labelled control: {name, label, kind: text|password|email|url|textarea|select|datetime-local|date|month|search|number, value, hint, options: [[value, text]],
 * required, optional, mono, placeholder, autocomplete, parse(text)}. Returns {node, name, control, value(), problem(text)}.
 */
export function field(spec) {
	const id = `field-${++fieldCount}`;
	const {kind = "text"} = spec;
	const common = {
		id,
		name: spec.name,
		class: `input${spec.mono ? " mono" : ""}`,
		required: spec.required,
		placeholder: spec.placeholder,
		autocomplete: spec.autocomplete ?? "off",
		maxlength: spec.max,
		"aria-describedby": `${id}-hint ${id}-problem`,
		spellcheck: spec.mono ? "false" : null,
		value: spec.value ?? "",
		minlength: spec.min,
		rows: spec.rows,
	};
	const control =
		kind === "select"
			? h(
					"select",
					common,
					spec.options.map(([value, text]) => h("option", {value, selected: value === spec.value}, text))
				)
			: kind === "textarea"
				? h("textarea", common)
				: h("input", {...common, type: kind});
	if (spec.onchange) {
		control.addEventListener(kind === "select" || kind === "date" ? "change" : "input", () => spec.onchange(control.value));
	}
	const problemText = h("p", {class: "problem", id: `${id}-problem`});
	const node = h(
		"div",
		{class: "field"},
		h(
			"label",
			{for: id, class: spec.hideLabel ? "unseen" : null},
			spec.label,
			spec.optional ? h("span", {class: "need"}, " (optional)") : null
		),
		control,
		problemText,
		spec.hint ? h("p", {class: "hint", id: `${id}-hint`}, spec.hint) : h("span", {id: `${id}-hint`, hidden: true})
	);
	const problem = (text) => {
		problemText.textContent = text ?? "";
		control.toggleAttribute("aria-invalid", false);
		if (text) {
			control.setAttribute("aria-invalid", "true");
		}
	};
	control.addEventListener("input", () => problem(null));
	return {
		node,
		name: spec.name,
		label: spec.label,
		control,
		problem,
		value: () => (spec.parse ? spec.parse(control.value) : control.value),
	};
}

/** What a field with one value a line holds: its lines, without empty ones. */
export const lines = (text) =>
	text
		.split("\n")
		.map((line) => line.trim())
		.filter((line) => line !== "");

export function checkbox({name, label, hint, checked = false, value, onchange}) {
	const control = h("input", {type: "checkbox", name, checked, value: value ?? "on"});
	if (onchange) {
		control.addEventListener("change", () => onchange(control.checked));
	}
	const node = h("label", {class: "check"}, control, h("span", null, label, hint ? h("small", null, hint) : null));
	return {node, name, label, control, problem: () => {}, value: () => control.checked};
}

/** The field that an error path belongs to: "redirect_urls.3" to redirect_urls. */
const fieldOf = (fields, path) => fields.find((one) => one.name === path || path.startsWith(`${one.name}.`));

function showProblems(fields, summary, failure) {
	const rest = [];
	let first = null;
	for (const [path, messages] of Object.entries(failure.errors ?? {})) {
		const one = fieldOf(fields, path);
		one?.problem(messages.join(" "));
		first = first ?? one;
		if (!one) {
			rest.push(`${path}: ${messages.join(" ")}`);
		}
	}
	if (!first) {
		fill(
			summary,
			notice(
				"bad",
				failure.message,
				rest.filter((text) => !text.includes(failure.message)).map((text) => h("p", null, text)),
				failure.requestId ? h("p", {class: "small soft"}, `Request ${failure.requestId}`) : null
			)
		);
	} else if (rest.length > 0) {
		fill(
			summary,
			notice(
				"bad",
				"Please check these entries",
				rest.map((text) => h("p", null, text))
			)
		);
	}
	announce(failure.message, true);
	(first?.control ?? summary.querySelector(".notice"))?.focus?.();
}

/** Required fields that are empty. */
function emptyOnes(fields) {
	const errors = {};
	for (const one of fields) {
		if (one.control.required && one.control.value.trim() === "") {
			errors[one.name] = [`${one.label} is required.`];
		}
	}
	return errors;
}

/**
 * form({fields, layout, submit, kind, onsubmit(values), cancel}): a form that shows problems at their fields. layout replaces the plain list
 * of fields.
 */
export function form({fields, layout, submit, onsubmit, cancel, kind = "main", note}) {
	const summary = h("div");
	const send = h("button", {class: `button ${kind}`, type: "submit"}, submit);
	const element = h(
		"form",
		{class: "form", novalidate: true, method: "post"},
		summary,
		layout ?? fields.map((one) => one.node),
		note,
		h("div", {class: "row"}, send, cancel ? button("Cancel", cancel) : null)
	);
	onSubmit(element, send, async () => {
		fill(summary);
		fields.forEach((one) => one.problem(null));
		const errors = emptyOnes(fields);
		if (Object.keys(errors).length > 0) {
			showProblems(fields, summary, {errors, message: Object.values(errors)[0][0]});
			return;
		}
		try {
			await onsubmit(Object.fromEntries(fields.map((one) => [one.name, one.value()])));
		} catch (failure) {
			if (failure.name !== "AbortError") {
				showProblems(fields, summary, failure);
			}
		}
	});
	return element;
}

// ---- dialogs ----

/** Opens a dialog; build(close) makes its content. Resolves with the argument of close, null when closed otherwise. */
export function openDialog(title, build, {mustAct = false} = {}) {
	return new Promise((resolve) => {
		const before = document.activeElement;
		let result = null;
		const id = `dialog-${++fieldCount}`;
		const element = h("dialog", {"aria-labelledby": id});
		const close = (value = null) => {
			result = value;
			element.close();
		};
		append(
			element,
			h(
				"header",
				null,
				h("h2", {id}, title),
				mustAct ? null : button("", () => close(), {kind: "quiet", icon: "close", label: "Close"})
			),
			h("div", {class: "body"}, build(close))
		);
		element.addEventListener("cancel", (event) => {
			if (mustAct) {
				event.preventDefault();
			}
		});
		element.addEventListener("close", () => {
			element.remove();
			if (before?.isConnected) {
				before.focus();
			}
			resolve(result);
		});
		document.body.append(element);
		element.showModal();
		element.querySelector(".body input:not([type=hidden]), .body textarea, .body select")?.focus();
	});
}

/** True when the person confirmed. */
export async function confirm({title, text, action, danger = true}) {
	const answer = await openDialog(title, (close) => [
		[text].flat().map((line) => (typeof line === "string" ? h("p", null, line) : line)),
		h(
			"div",
			{class: "actions"},
			button("Keep it", () => close(false)),
			button(action, () => close(true), {kind: danger ? "danger" : "main"})
		),
	]);
	return answer === true;
}

/** Shows a secret once. */
export function showSecret(title, text, pairs) {
	return openDialog(
		title,
		(close) => [
			notice("warn", "Shown only once", h("p", null, text)),
			pairs.map(([label, value]) => copyField(label, value)),
			h(
				"div",
				{class: "actions"},
				button("I have saved it", () => close(true), {kind: "main"})
			),
		],
		{mustAct: true}
	);
}
