// SPDX-License-Identifier: Apache-2.0
// The search of the reference's pages, the languages of its calls, copy buttons, and the address of this installation in the examples.
// The pages read as well without it: each call is there with curl.
"use strict";

const HERE = document.currentScript.src;
const HITS_MAX = 12;

for (const code of document.querySelectorAll("pre.sh code")) {
	code.textContent = code.textContent.replace("http://127.0.0.1:8080", location.origin);
}

for (const button of document.querySelectorAll("button.copy")) {
	button.hidden = !navigator.clipboard;
	button.addEventListener("click", async () => {
		await navigator.clipboard.writeText(button.closest("figure").querySelector("code").textContent);
		button.textContent = "Copied";
		setTimeout(() => { button.textContent = "Copy"; }, 1500);
	});
}

function element(name, className, text) {
	const made = document.createElement(name);
	made.className = className;
	made.textContent = text;
	return made;
}

// ---- languages: tabs on each call, one choice for all, which is kept. The texts come when another one than curl is first chosen ----

const LANGUAGES = {curl: "curl", typescript: "TypeScript", python: "Python", go: "Go", cli: "CLI"};
const KEPT = "posthorn.language";
const TURNS = {ArrowRight: (at, count) => (at + 1) % count, ArrowLeft: (at, count) => (at + count - 1) % count, Home: () => 0,
	End: (at, count) => count - 1};
let samples = null;
let wanted = "curl";

/** What is kept; null where the browser keeps nothing. */
function kept() {
	try {
		return localStorage.getItem(KEPT);
	} catch {
		return null;
	}
}

function keep(language) {
	try {
		localStorage.setItem(KEPT, language);
	} catch {
		// It holds for this page then.
	}
}

function tabOf(panel, language) {
	const tab = element("button", "", LANGUAGES[language]);
	tab.type = "button";
	tab.id = `${panel.id}-${language}`;
	tab.dataset.language = language;
	tab.setAttribute("role", "tab");
	tab.setAttribute("aria-controls", panel.id);
	tab.addEventListener("click", () => pick(tab));
	return tab;
}

/** A call's parts, and tabs in place of the word above it. */
function callOf(figure) {
	const [name, number] = figure.dataset.call.split(" ");
	const panel = figure.querySelector("pre");
	const code = panel.querySelector("code");
	panel.id = `call-${name}-${number}`;
	panel.setAttribute("role", "tabpanel");
	const tabs = ["curl", ...figure.dataset.in.split(" ")].map((language) => tabOf(panel, language));
	const list = element("span", "tabs", "");
	list.setAttribute("role", "tablist");
	list.setAttribute("aria-label", "Language");
	list.append(...tabs);
	list.addEventListener("keydown", (event) => {
		if (TURNS[event.key]) {
			event.preventDefault();
			const next = tabs[TURNS[event.key](tabs.indexOf(event.target), tabs.length)];
			next.focus();
			pick(next);
		}
	});
	figure.querySelector(".in").replaceWith(list);
	return {name, number, panel, code, tabs, curl: code.textContent};
}

/** The language, or curl where the call has no sample in it. */
function show(call, language) {
	const text = language === "curl" ? null : samples[call.name][call.number][language];
	call.code.textContent = text ?? call.curl;
	for (const tab of call.tabs) {
		const isShown = tab.dataset.language === (text ? language : "curl");
		tab.setAttribute("aria-selected", String(isShown));
		tab.tabIndex = isShown ? 0 : -1;
		if (isShown) {
			call.panel.setAttribute("aria-labelledby", tab.id);
		}
	}
}

/** Shows all calls in the language, unless another one was chosen meanwhile. */
async function speak(language) {
	wanted = language;
	if (language !== "curl") {
		samples ??= await (await fetch(new URL("samples.json", HERE))).json();
	}
	if (wanted === language) {
		calls.forEach((call) => show(call, language));
	}
}

async function pick(tab) {
	const before = tab.getBoundingClientRect().top;
	try {
		await speak(tab.dataset.language);
	} catch {
		document.getElementById(tab.getAttribute("aria-controls")).querySelector("code").textContent =
			`${tab.textContent} could not be loaded. Choose it again.`;
		return;
	}
	keep(tab.dataset.language);
	window.scrollBy(0, tab.getBoundingClientRect().top - before); // what is above may be longer now
}

const calls = [...document.querySelectorAll("figure[data-call]")].map(callOf);
calls.forEach((call) => show(call, "curl"));
if (calls.length > 0 && Object.hasOwn(LANGUAGES, kept() ?? "curl")) {
	speak(kept() ?? "curl").catch(() => {}); // curl stays
}

const links = new Map();
for (const link of document.querySelectorAll("nav.side a[href^='#']")) {
	links.set(link.getAttribute("href").slice(1), link);
}
const watcher = new IntersectionObserver((entries) => {
	for (const entry of entries) {
		const link = links.get(entry.target.id);
		if (link && entry.isIntersecting) {
			document.querySelector("nav.side a.here")?.classList.remove("here");
			link.classList.add("here");
		}
	}
}, {rootMargin: "-10% 0px -80% 0px"});
for (const article of document.querySelectorAll("article[id]")) {
	watcher.observe(article);
}

// ---- search: an index that is fetched when somebody begins, and a list that the arrow keys walk ----

const field = document.getElementById("search");
const list = document.getElementById("hits");
const found = document.getElementById("found");
let rows = null;
let chosen = -1;

function score(row, words) {
	const [title, kind, , text] = row.map((part) => part.toLowerCase());
	let sum = 0;
	for (const word of words) {
		if (title === word) {
			sum += 100;
		} else if (title.startsWith(word)) {
			sum += 40;
		} else if (title.includes(word)) {
			sum += 20;
		} else if (kind.includes(word)) {
			sum += 8;
		} else if (text.includes(word)) {
			sum += 3;
		} else {
			return 0;
		}
	}
	return sum;
}

/** The words of a question that say nothing stand in no title, so that they must not be found. */
function wordsOf(text) {
	const idle = new Set(["a", "an", "the", "how", "to", "in", "is", "of", "what", "may", "be", "why", "did", "my", "with", "do", "i"]);
	const words = text.toLowerCase().split(/[^a-z0-9_.-]+/).filter(Boolean);
	const telling = words.filter((word) => !idle.has(word));
	return telling.length > 0 ? telling : words;
}

function close() {
	list.hidden = true;
	chosen = -1;
	field.setAttribute("aria-expanded", "false");
	field.removeAttribute("aria-activedescendant");
}

function hit([title, kind, where, text], number) {
	const item = element("li", "hit", "");
	item.id = `hit-${number}`;
	item.setAttribute("role", "option");
	item.setAttribute("aria-selected", "false");
	item.dataset.where = new URL(where, HERE).href;
	item.append(element("b", "", title), " ", element("small", "", kind), element("span", "", text));
	item.addEventListener("mousedown", (event) => {
		event.preventDefault();
		go(item);
	});
	return item;
}

function go(item) {
	close();
	field.value = "";
	field.blur();
	location.href = item.dataset.where;
}

function choose(number) {
	const items = [...list.children];
	if (items.length === 0) {
		return;
	}
	items[chosen]?.setAttribute("aria-selected", "false");
	chosen = (number + items.length) % items.length;
	items[chosen].setAttribute("aria-selected", "true");
	items[chosen].scrollIntoView({block: "nearest"});
	field.setAttribute("aria-activedescendant", items[chosen].id);
}

async function look() {
	rows ??= await (await fetch(new URL("search.json", HERE))).json();
	const words = wordsOf(field.value); // as they are by now
	if (words.length === 0) {
		found.textContent = "";
		close();
		return;
	}
	const best = rows.map((row, at) => [score(row, words), at]).filter(([sum]) => sum > 0).sort((a, b) => b[0] - a[0] || a[1] - b[1]);
	list.replaceChildren(...best.slice(0, HITS_MAX).map(([, at], number) => hit(rows[at], number)));
	found.textContent = best.length === 0 ? "Nothing found" : `${best.length} found`;
	chosen = -1;
	list.hidden = best.length === 0;
	field.setAttribute("aria-expanded", String(best.length > 0));
	if (best.length > 0) {
		choose(0);
	}
}

const KEYS = {
	ArrowDown: () => choose(chosen + 1),
	ArrowUp: () => choose(chosen - 1),
	Enter: () => list.children[chosen] && go(list.children[chosen]),
	Escape: () => {
		field.value = "";
		close();
	},
};

field.parentElement.hidden = false;
field.addEventListener("input", look);
field.addEventListener("blur", close);
field.addEventListener("keydown", (event) => {
	if (KEYS[event.key]) {
		event.preventDefault();
		KEYS[event.key]();
	}
});
document.addEventListener("keydown", (event) => {
	if (event.key === "/" && !event.ctrlKey && !event.metaKey && document.activeElement?.tagName !== "INPUT") {
		event.preventDefault();
		field.focus();
	}
});
