// SPDX-License-Identifier: Apache-2.0
// What a post has on one platform alone: another text, and the platform's options as fields, from the rules table (v1/platforms).
// A list has one item a line; where items or a value have parts, they are written "name: value, name: value".
import {fill, h} from "./dom.js";
import {platformName} from "./words.js";
import {field, mark} from "./ui.js";

const PART = /^\s*([A-Za-z_][\w.]*)\s*:\s*(.*?)\s*$/;

// ---- values as words, and back ----

function scalar(text) {
	if (/^-?\d+(\.\d+)?$/.test(text)) {
		return Number(text);
	}
	return text === "true" ? true : text === "false" ? false : text;
}

/** "a: 1, b.c: x" as {a: 1, b: {c: "x"}}; null when it is not of that form. */
function partsOf(text, separator) {
	const found = {};
	for (const piece of text.split(separator).filter((one) => one.trim() !== "")) {
		const part = PART.exec(piece);
		if (!part) {
			return null;
		}
		const path = part[1].split(".");
		let place = found;
		for (const name of path.slice(0, -1)) {
			place[name] = typeof place[name] === "object" ? place[name] : {};
			place = place[name];
		}
		place[path.at(-1)] = scalar(part[2]);
	}
	return found;
}

function flat(value, prefix = "") {
	return Object.entries(value).flatMap(([name, one]) =>
		one !== null && typeof one === "object" ? flat(one, `${prefix}${name}.`) : [`${prefix}${name}: ${one}`]
	);
}

const lineOf = (item) => (item !== null && typeof item === "object" ? flat(item).join(", ") : String(item));
const linesOf = (text) => text.split("\n").map((line) => line.trim()).filter((line) => line !== "");

/** type of the rules table: [value to text, text to value]. */
const KINDS = {
	string: [String, (text) => text],
	integer: [String, (text) => Number(text)],
	boolean: [String, (text) => text === "true"],
	array: [
		(value) => (Array.isArray(value) ? value.map(lineOf).join("\n") : lineOf(value)),
		(text) => linesOf(text).map((line) => partsOf(line, ",") ?? line),
	],
	object: [(value) => flat(value).join("\n"), (text) => partsOf(text, "\n") ?? text],
};

function controlOf(rule) {
	if (rule.values) {
		return {kind: "select", options: [["", "As usual"], ...rule.values.map((value) => [value, value])]};
	}
	return {
		boolean: {kind: "select", options: [["", "As usual"], ["true", "Yes"], ["false", "No"]]},
		integer: {kind: "number"},
		array: {kind: "textarea", rows: 2, placeholder: "one a line"},
		object: {kind: "textarea", rows: 2, placeholder: "name: value, one a line"},
	}[rule.type] ?? {kind: "text"};
}

/** One option as a field; an untouched one keeps what it was given, however it is written. */
function optionField(slug, rule, value, changed) {
	const [show, read] = KINDS[rule.type] ?? KINDS.string;
	const shown = value === undefined ? "" : show(value);
	const one = field({
		name: `${slug}.${rule.name}`,
		label: rule.name.replace(/_/g, " ").replace(/([a-z])([A-Z])/g, "$1 $2").replace(/^./, (first) => first.toUpperCase()),
		value: shown,
		optional: true,
		onchange: changed,
		hint: rule.summary,
		...controlOf(rule),
	});
	return {
		...one,
		member: () => {
			const text = one.control.value;
			return text.trim() === "" ? [] : [[rule.name, text === shown ? value : read(text)]];
		},
	};
}

// ---- one platform ----

function panel(rules, {options, override}, changed) {
	const known = rules.options.map((rule) => optionField(rules.slug, rule, options[rule.name], changed));
	const unknown = Object.fromEntries(Object.entries(options).filter(([name]) => !rules.options.some((rule) => rule.name === name)));
	const text = field({
		name: `${rules.slug}.content`,
		label: `Text on ${rules.name} alone`,
		optional: true,
		kind: "textarea",
		rows: 4,
		value: override.content ?? "",
		onchange: changed,
		hint: "Empty: the text of all.",
	});
	const isSet = Object.keys(options).length > 0;
	const node = h(
		"div",
		{class: "form", role: "tabpanel", id: `panel-${rules.slug}`, "aria-labelledby": `tab-${rules.slug}`},
		text.node,
		known.length > 0
			? h(
					"details",
					{open: isSet},
					h("summary", null, `Options of ${rules.name}`),
					h("div", {class: "pair form"}, known.map((one) => one.node))
				)
			: null
	);
	return {
		node,
		text,
		options: () => Object.fromEntries([...Object.entries(unknown), ...known.flatMap((one) => one.member())]),
		override: () => {
			const {content, ...rest} = override;
			return text.value() === "" ? rest : {...rest, content: text.value()};
		},
	};
}

/**
 * Tabs of the platforms that the post goes to. begin: {platforms, overrides} as in a request; changed() after every change. Returns {node,
 * show(slugs), platforms(), overrides(), textOf(slug)}.
 */
export function platformTabs(rules, begin, changed) {
	const kept = Object.fromEntries(Object.entries(begin.overrides ?? {}).filter(([name]) => !rules.some((one) => one.slug === name)));
	const panels = new Map(
		rules.map((one) => [
			one.slug,
			panel(one, {options: begin.platforms?.[one.slug] ?? {}, override: begin.overrides?.[one.slug] ?? {}}, changed),
		])
	);
	const list = h("div", {class: "tabs", role: "tablist", "aria-label": "Different on one platform"});
	const place = h("div");
	const node = h("fieldset", {hidden: true}, h("legend", null, "Different on one platform"), list, place);
	let slugs = [];
	let chosen = null;
	const choose = (slug, isFocused = false) => {
		chosen = chosen === slug && !isFocused ? null : slug;
		draw();
		if (isFocused) {
			document.getElementById(`tab-${slug}`)?.focus();
		}
	};
	const draw = () => {
		fill(
			list,
			slugs.map((slug, index) =>
				h(
					"button",
					{
						type: "button",
						role: "tab",
						class: "tab",
						id: `tab-${slug}`,
						"aria-selected": String(slug === chosen),
						"aria-controls": slug === chosen ? `panel-${slug}` : null,
						tabindex: slug === (chosen ?? slugs[0]) ? "0" : "-1",
						onclick: () => choose(slug),
						onkeydown: (event) => {
							const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
							if (step) {
								choose(slugs[(index + step + slugs.length) % slugs.length], true);
							}
						},
					},
					mark(slug),
					platformName(slug)
				)
			)
		);
		fill(place, chosen ? panels.get(chosen).node : null);
	};
	return {
		node,
		show: (wanted) => {
			const before = slugs.join();
			slugs = rules.map((one) => one.slug).filter((slug) => wanted.has(slug));
			node.hidden = slugs.length === 0;
			if (slugs.join() === before) {
				return; // somebody may be typing in it
			}
			chosen = slugs.includes(chosen) ? chosen : null;
			draw();
		},
		/** Options also of platforms that are not chosen now: a tick more brings them back. */
		platforms: () =>
			Object.fromEntries(
				[...panels].map(([slug, one]) => [slug, one.options()]).filter(([, options]) => Object.keys(options).length > 0)
			),
		overrides: () => ({
			...kept,
			...Object.fromEntries(
				[...panels].map(([slug, one]) => [slug, one.override()]).filter(([, override]) => Object.keys(override).length > 0)
			),
		}),
		textOf: (slug) => panels.get(slug)?.text.value() ?? "",
	};
}
