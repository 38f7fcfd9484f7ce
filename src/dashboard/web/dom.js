// SPDX-License-Identifier: Apache-2.0
// Creates elements. The only way in which the dashboard puts anything on a page: outside data becomes text nodes and plain attributes,
// never markup, so no text can run. Knows nothing of pages.

const SVG = "http://www.w3.org/2000/svg";
const TAGS = new Set(
	(
		"a abbr article aside b br button caption code col colgroup dd del details dialog div dl dt em fieldset figcaption figure footer form h1 h2 h3 header i " +
		"input ins label legend li main nav ol optgroup option p pre section select small span strong summary table tbody td textarea tfoot th thead time tr ul"
	).split(" ")
);
const SVG_TAGS = new Set("svg g path line rect circle polyline polygon text title desc tspan".split(" "));
const ADDRESSES = new Set(["href", "src", "action", "formaction"]);
const PROPERTIES = new Set(["value", "checked", "selected", "disabled", "multiple", "indeterminate"]);

/** The address when a click on it is harmless (our own path, or http and https), else null. */
export function safeAddress(address) {
	const text = String(address);
	if (text.startsWith("/") && !text.startsWith("//") && !text.startsWith("/\\")) {
		return text;
	}
	try {
		const url = new URL(text);
		return url.protocol === "https:" || url.protocol === "http:" ? url.href : null;
	} catch {
		return text.startsWith("#") ? text : null;
	}
}

function setAttribute(element, name, value) {
	if (value === null || value === undefined || value === false) {
		return;
	}
	if (name.startsWith("on")) {
		if (typeof value !== "function") {
			throw new TypeError(`${name} must be a function`);
		}
		element.addEventListener(name.slice(2), value);
	} else if (name === "vars") {
		for (const [variable, text] of Object.entries(value)) {
			element.style.setProperty(`--${variable}`, String(text));
		}
	} else if (name === "style" || name === "srcdoc") {
		throw new TypeError(`${name} is not for us`);
	} else if (ADDRESSES.has(name)) {
		const safe = safeAddress(value);
		if (safe !== null) {
			element.setAttribute(name, safe);
		}
	} else if (PROPERTIES.has(name) && name in element) {
		element[name] = value;
	} else {
		element.setAttribute(name, value === true ? "" : String(value));
	}
}

/** Appends children: nodes as they are, lists one by one, null and false not at all, everything else as text. */
export function append(element, ...children) {
	for (const child of children.flat(Infinity)) {
		if (child instanceof Node) {
			element.appendChild(child);
		} else if (child !== null && child !== undefined && child !== false && child !== true) {
			element.appendChild(document.createTextNode(String(child)));
		}
	}
	return element;
}

function make(element, attributes, children) {
	const late = [];
	for (const [name, value] of Object.entries(attributes ?? {})) {
		if (name === "value") {
			late.push([name, value]); // a select needs its options first
		} else {
			setAttribute(element, name, value);
		}
	}
	append(element, children);
	for (const [name, value] of late) {
		setAttribute(element, name, value);
	}
	return element;
}

/** h("p", {class: "soft"}, "text", node, [more]): an HTML element. `on…` are listeners, `vars` custom properties. */
export function h(tag, attributes, ...children) {
	if (!TAGS.has(tag)) {
		throw new TypeError(`${tag} is not made here`);
	}
	return make(document.createElement(tag), attributes, children);
}

// What the policy of the page lets a picture be: drawn here, or served by this service.
const PICTURE = /^(data:image\/(png|jpeg|webp|gif);base64,[A-Za-z0-9+/=]+$|\/dashboard\/)/;

/** A picture; what is no picture of ours becomes its words. */
export function image(source, words, className = "") {
	if (!PICTURE.test(source)) {
		return make(document.createElement("span"), {class: className}, [words]);
	}
	const element = document.createElement("img");
	element.alt = words ?? "";
	element.className = className;
	element.decoding = "async";
	element.src = source;
	return element;
}

/** s("rect", {x: 0}): the same for SVG. */
export function s(tag, attributes, ...children) {
	if (!SVG_TAGS.has(tag)) {
		throw new TypeError(`${tag} is not made here`);
	}
	return make(document.createElementNS(SVG, tag), attributes, children);
}

/** Puts content into the place of what an element holds. Where the focus was inside, it goes to the same thing of the new content. */
export function fill(element, ...content) {
	const active = element.contains(document.activeElement) ? document.activeElement : null;
	const key = active?.id || active?.dataset?.key || active?.getAttribute?.("href");
	element.replaceChildren();
	append(element, content);
	if (key) {
		[...element.querySelectorAll("a[href], button, input, select, textarea, [data-key]")]
			.find((one) => one.id === key || one.dataset.key === key || one.getAttribute("href") === key)
			?.focus({preventScroll: true});
	}
	return element;
}
