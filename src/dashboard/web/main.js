// SPDX-License-Identifier: Apache-2.0
// Begins the dashboard: the session, the frame around every page, the table of pages. Each page is a module with page(context).
import {append, fill, h} from "./dom.js";
import * as api from "./api.js";
import {BASE, createRouter} from "./router.js";
import {announce, button, empty, failureBox, icon, linkButton, loading, toast} from "./ui.js";

// pattern, loader of its module. The first match wins.
const ROUTES = [
	["/setup", () => import("./page_setup.js")],
	["/invitation", () => import("./page_invitation.js")],
	["/sign-in", () => import("./page_sign_in.js")],
	["/login", () => import("./page_login.js")],
	["/", () => import("./page_overview.js")],
	["/find", () => import("./page_find.js")],
	["/posts", () => import("./page_posts.js")],
	["/calendar", () => import("./page_calendar.js")],
	["/usage", () => import("./page_usage.js")],
	["/apps", () => import("./page_apps.js")],
	["/apps/:client_id", () => import("./page_app.js")],
	["/apps/:client_id/settings", () => import("./page_settings.js")],
	["/apps/:client_id/sandbox", () => import("./page_sandbox.js")],
	["/apps/:client_id/keys", () => import("./page_keys.js")],
	["/apps/:client_id/credentials", () => import("./page_credentials.js")],
	["/apps/:client_id/credentials/:platform", () => import("./page_credential.js")],
	["/apps/:client_id/connected", () => import("./page_connected.js")],
	["/apps/:client_id/compose", () => import("./page_compose.js")],
	["/apps/:client_id/drafts", () => import("./page_drafts.js")],
	["/apps/:client_id/drafts/:draft_id", () => import("./page_draft.js")],
	["/apps/:client_id/media", () => import("./page_media.js")],
	["/apps/:client_id/accounts", () => import("./page_accounts.js")],
	["/apps/:client_id/accounts/:account_id", () => import("./page_account.js")],
	["/apps/:client_id/webhooks", () => import("./page_webhooks.js")],
	["/apps/:client_id/webhooks/:webhook_id", () => import("./page_webhook.js")],
	["/apps/:client_id/posts/:post_id", () => import("./page_post.js")],
	["/admins", () => import("./page_admins.js")],
	["/nodes", () => import("./page_nodes.js")],
	["/audit", () => import("./page_audit.js")],
	["/you", () => import("./page_you.js")],
];
const OPEN = new Set(["/setup", "/invitation", "/sign-in", "/login"]);

const everywhere = [
	["Overview", "/", "home"],
	["Posts", "/posts", "posts"],
	["Calendar", "/calendar", "calendar"],
	["Usage and quota", "/usage", "usage"],
	["Apps", "/apps", "apps"],
];
const ofApp = [
	["App overview", "", "app"],
	["Compose", "/compose", "compose"],
	["Drafts", "/drafts", "drafts"],
	["Library", "/media", "library"],
	["Accounts", "/accounts", "accounts"],
	["Platform credentials", "/credentials", "credentials"],
	["Keys", "/keys", "key"],
	["Webhooks", "/webhooks", "webhooks"],
	["App settings", "/settings", "settings"],
];
const ofTestApp = [["Sandbox", "/sandbox", "sandbox"]];
const ofRoot = [["Admins", "/admins", "admins"]];
const ofHouse = [
	["Nodes", "/nodes", "nodes"],
	["Audit trail", "/audit", "audit"],
	["Your account", "/you", "you"],
];

const shell = document.getElementById("shell");
const ALONE_MS = 10 * 60 * 1000;
const memory = {apps: [], appId: null, isSideOpen: false, isBegun: false, usedAt: Date.now()};
for (const kind of ["pointerdown", "keydown", "wheel"]) {
	document.addEventListener(
		kind,
		() => {
			memory.usedAt = Date.now();
		},
		{passive: true, capture: true}
	);
}

// ---- the frame ----

/** The app whose page it is, or null. */
function shownApp(path) {
	const app = memory.apps.find((one) => one.client_id === memory.appId);
	const prefix = `/apps/${encodeURIComponent(memory.appId ?? "")}`;
	return app && (path === prefix || path.startsWith(`${prefix}/`)) ? app : null;
}

/** Above every page of a test app: what it does stays in this service. */
function testStrip(session, app) {
	const feed = `${session.test_url}/?sandbox_app=${encodeURIComponent(app.client_id)}`;
	return h(
		"aside",
		{class: "sandbox-strip", "aria-label": "Test app"},
		h("span", null, "TEST APP", h("span", {class: "long"}, " – its platforms are the sandbox in this service; nothing leaves it")),
		session.test_url ? h("a", {href: feed, target: "_blank", rel: "noopener"}, "See the published posts") : null
	);
}

function sandboxStrip(session) {
	return h(
		"aside",
		{class: "sandbox-strip", "aria-label": "Sandbox mode"},
		h("span", null, "SANDBOX", h("span", {class: "long"}, " – nothing here reaches a real platform")),
		session.sandbox_url ? h("a", {href: session.sandbox_url, target: "_blank", rel: "noopener"}, "See the published posts") : null
	);
}

/** In sandbox mode the strip above every page says it. */
function modeBadge() {
	return h("span", {class: "badge plain", title: "Posts go to the real platforms."}, "LIVE");
}

function sideList(label, rows, prefix, path) {
	return [
		h("h2", null, label),
		h(
			"ul",
			null,
			rows.map(([text, tail, name]) => {
				const target = prefix + tail;
				const isHere = target === path || (tail.length > 1 && tail !== "/apps" && path.startsWith(`${target}/`));
				return h(
					"li",
					null,
					h("a", {href: BASE + (target === "/" ? "" : target), "aria-current": isHere ? "page" : null}, icon(name), text)
				);
			})
		),
	];
}

function appSwitch() {
	const choice = h(
		"select",
		{
			class: "input",
			id: "switch-app",
			value: memory.appId ?? "",
			onchange: () => router.go(`${BASE}/apps/${encodeURIComponent(choice.value)}`),
		},
		memory.apps.map((app) => h("option", {value: app.client_id, selected: app.client_id === memory.appId}, app.name))
	);
	return h("label", {class: "switch-app", for: "switch-app"}, h("span", null, "App"), choice);
}

function side(path) {
	const prefix = `/apps/${encodeURIComponent(memory.appId ?? "")}`;
	const isTest = memory.apps.find((one) => one.client_id === memory.appId)?.mode === "test";
	return h(
		"nav",
		{class: "side", id: "side", "aria-label": "Dashboard", hidden: !memory.isSideOpen},
		memory.apps.length > 0 ? appSwitch() : null,
		memory.appId ? sideList("This app", isTest ? [...ofApp, ...ofTestApp] : ofApp, prefix, path) : null,
		sideList("All apps", everywhere, "", path),
		sideList("Installation", api.session().admin?.role === "root" ? [...ofRoot, ...ofHouse] : ofHouse, "", path),
		h("ul", null, h("li", null, h("a", {href: "/docs", target: "_blank", rel: "noopener"}, icon("docs"), "API reference")))
	);
}

function top(session, isTest) {
	const toggle = h(
		"button",
		{
			type: "button",
			class: "button square side-toggle",
			"aria-label": "Menu",
			"aria-controls": "side",
			"aria-expanded": String(memory.isSideOpen),
		},
		icon("menu")
	);
	toggle.addEventListener("click", () => {
		memory.isSideOpen = !memory.isSideOpen;
		toggle.setAttribute("aria-expanded", String(memory.isSideOpen));
		document.getElementById("side").hidden = !memory.isSideOpen;
	});
	return h(
		"header",
		{class: "top"},
		toggle,
		h("a", {class: "brand", href: BASE}, h("span", {class: "horn", "aria-hidden": "true"}), "Posthorn"),
		isTest || session.sandbox ? null : modeBadge(),
		findField(),
		h("div", {class: "top-end"}, h("span", {class: "who"}, session.admin.email), button("Sign out", signOut, {slim: true, icon: "out"}))
	);
}

/** One field for anything; the key / leads to it. */
function findField() {
	const input = h("input", {
		class: "input",
		type: "search",
		id: "find",
		name: "q",
		"aria-label": "Find anything",
		placeholder: "Find a post, id, URL, account, user…",
		autocomplete: "off",
		spellcheck: "false",
		maxlength: 2048,
		value: location.pathname === `${BASE}/find` ? (new URLSearchParams(location.search).get("q") ?? "") : "",
	});
	const element = h("form", {class: "find", role: "search", action: `${BASE}/find`, method: "get"}, icon("search"), input);
	element.addEventListener("submit", (event) => {
		event.preventDefault();
		if (input.value.trim() !== "") {
			router.go(`${BASE}/find?${new URLSearchParams({q: input.value.trim()})}`);
		}
	});
	return element;
}

document.addEventListener("keydown", (event) => {
	const isTyping = event.target.closest?.("input, textarea, select, [contenteditable]");
	if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey && !document.querySelector("dialog[open]")) {
		const field = document.getElementById("find");
		if (field) {
			event.preventDefault();
			field.focus();
			field.select();
		}
	}
});

async function signOut() {
	await api.signOut();
	memory.apps = [];
	memory.appId = null;
	await router.go(`${BASE}/login`);
	toast("Signed out.");
}

/** Redraws the frame and returns the element for the page. */
function frame(path) {
	const session = api.session();
	const main = h("main", {id: "main", tabindex: "-1"});
	const app = session.signed_in ? shownApp(path) : null;
	const isTest = app?.mode === "test";
	const strip = isTest ? testStrip(session, app) : session.sandbox ? sandboxStrip(session) : null;
	document.body.classList.toggle("has-strip", strip !== null && session.signed_in);
	if (!session.signed_in) {
		main.className = "gate";
		const inner = h("div", null);
		fill(shell, strip, append(main, session.sandbox ? null : h("p", null, modeBadge()), inner));
		return inner;
	}
	fill(
		shell,
		h("a", {class: "skip", href: "#main"}, "Skip to the page"),
		strip,
		top(session, isTest),
		h(
			"div",
			{class: "frame"},
			side(path),
			h(
				"div",
				null,
				h("div", {class: "offline", id: "offline", role: "status", hidden: true}),
				main,
				h("footer", {class: "foot"}, `Posthorn ${session.version}`)
			)
		)
	);
	return main;
}

/** Shows whether the page can still be updated. */
function showOffline(isOffline) {
	const place = document.getElementById("offline");
	if (place && place.hidden === isOffline) {
		place.hidden = !isOffline;
		place.textContent = isOffline ? "The service is not responding. This page may be out of date; it keeps trying." : "";
	}
}

// ---- pages ----

async function loadApps(signal) {
	memory.apps = (await api.get("/apps", null, signal)).data;
	return memory.apps;
}

function chooseApp(clientId) {
	const kept = clientId ?? memory.appId ?? localStorage.getItem("posthorn-app");
	const known = memory.apps.find((app) => app.client_id === kept) ?? memory.apps[0];
	memory.appId = known?.client_id ?? null;
	if (memory.appId) {
		localStorage.setItem("posthorn-app", memory.appId);
	}
}

/** The context of a page: its parameters, the session, and work that ends with the page. */
function contextOf(route) {
	const context = {
		...route,
		session: api.session(),
		apps: memory.apps,
		app: memory.apps.find((app) => app.client_id === route.params.client_id) ?? null,
		appPath: (...words) => api.appPath(route.params.client_id, ...words),
		here: (...words) => `${BASE}${api.appPath(route.params.client_id, ...words)}`,
		base: BASE,
		go: router.go,
		refresh: () => router.run({isNew: false}),
		/** After an app has changed: the frame shows its name and state too. */
		async reloadApps() {
			await loadApps();
			document.getElementById("side")?.replaceWith(side(route.path));
		},
		/** Calls work every ms while the page is open and visible, one call at a time. Stops on an unused page, so that the session can end. */
		every(ms, work) {
			const tick = async () => {
				if (route.signal.aborted) {
					return;
				}
				if (!document.hidden && Date.now() - memory.usedAt < ALONE_MS) {
					await Promise.resolve(work()).then(
						() => showOffline(false),
						(failure) => showOffline(failure.status === 0)
					); // the next one may succeed
				}
				setTimeout(tick, ms);
			};
			setTimeout(tick, ms);
		},
	};
	return context;
}

function title(main) {
	const heading = main.querySelector("h1");
	document.title = heading ? `${heading.textContent} – Posthorn` : "Posthorn";
	return heading;
}

function present(main, content, route) {
	fill(main, content);
	const heading = title(main);
	if (route.isNew && memory.isBegun) {
		// on the first page the browser's own order is right
		window.scrollTo(0, route.scroll);
		(heading ?? main).focus({preventScroll: true});
		announce(document.title);
	}
	if (route.isNew && location.hash.length > 1) {
		document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView({block: "start"});
	}
	memory.isBegun = true;
}

/** Until then the service answers nothing but one's own account. */
function mustTurnFactorOn() {
	const session = api.session();
	return session.signed_in && session.second_factor_required && !session.admin.second_factor;
}

/** The path to redirect to when the page needs another sign-in state. Null: stay. */
function detour(route) {
	const session = api.session();
	if (!session.signed_in && !OPEN.has(route.path)) {
		const back = location.pathname + location.search;
		return `${BASE}/login${back === BASE || back === `${BASE}/` ? "" : `?next=${encodeURIComponent(back)}`}`;
	}
	if (mustTurnFactorOn() && route.path !== "/you") {
		return `${BASE}/you`;
	}
	return session.signed_in && OPEN.has(route.path) ? BASE : null;
}

async function show(load, route) {
	const elsewhere = detour(route);
	if (elsewhere) {
		await router.go(elsewhere, {replace: true});
		return;
	}
	if (route.isNew) {
		memory.isSideOpen = false;
	}
	let main = document.getElementById("main");
	try {
		if (api.session().signed_in && !mustTurnFactorOn() && (memory.apps.length === 0 || route.isNew)) {
			await loadApps(route.signal);
		}
		chooseApp(route.params.client_id);
		if (route.isNew || !main) {
			main = frame(route.path);
			fill(main, loading());
		}
		const content = load
			? await (await load()).page(contextOf(route))
			: [
					h("h1", {tabindex: "-1"}, "Page not found"),
					empty(
						"search",
						"There is no page at this URL",
						"Check the URL for typing errors.",
						linkButton("Go to the overview", BASE, {kind: "main"})
					),
				];
		if (!route.signal.aborted) {
			present(main, content, route);
		}
	} catch (failure) {
		if (route.signal.aborted || failure.name === "AbortError") {
			return;
		}
		if (!(failure instanceof api.ApiError)) {
			console.error(failure);
		}
		present(
			main ?? frame(route.path),
			[h("h1", {class: "unseen", tabindex: "-1"}, "This page could not be shown"), failureBox(failure, () => router.run())],
			route
		);
	}
}

const router = createRouter(ROUTES, show);

api.onSignedOut(() => {
	if (!OPEN.has(location.pathname.slice(BASE.length))) {
		memory.apps = [];
		toast("Your session has ended. Please sign in again.");
		router.run();
	}
});

async function start() {
	try {
		await api.loadSession();
	} catch (failure) {
		fill(shell, h("main", {class: "gate"}, h("div", null, failureBox(failure, start))));
		return;
	}
	await router.run();
}

start();
