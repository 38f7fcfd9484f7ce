// SPDX-License-Identifier: Apache-2.0
// Maps paths to pages by a table, follows links inside the dashboard without reloading it, and aborts the work of the previous page.
// Draws nothing itself.

export const BASE = "/dashboard";

function compile(pattern) {
	const names = [];
	const source = pattern.replace(/:([a-z_]+)/g, (_, name) => {
		names.push(name);
		return "([^/]+)";
	});
	return {names, expression: new RegExp(`^${source}/?$`)};
}

/** routes: [[pattern, load, ...]]; show(route, context) draws. */
export function createRouter(routes, show) {
	const table = routes.map(([pattern, load]) => ({...compile(pattern), load}));
	let life = new AbortController();

	function find(path) {
		for (const row of table) {
			const found = row.expression.exec(path);
			if (found) {
				return {
					load: row.load,
					params: Object.fromEntries(row.names.map((name, index) => [name, decodeURIComponent(found[index + 1])])),
				};
			}
		}
		return null;
	}

	async function run({isNew = true, scroll = 0} = {}) {
		life.abort();
		life = new AbortController();
		const path = location.pathname.startsWith(BASE) ? location.pathname.slice(BASE.length) || "/" : "/";
		const route = find(path);
		await show(route?.load ?? null, {
			params: route?.params ?? {},
			query: Object.fromEntries(new URLSearchParams(location.search)),
			path,
			signal: life.signal,
			isNew,
			scroll,
		});
	}

	history.scrollRestoration = "manual";

	function go(address, {replace = false} = {}) {
		if (!replace) {
			history.replaceState({...history.state, scroll: window.scrollY}, "");
		}
		history[replace ? "replaceState" : "pushState"](null, "", address);
		return run();
	}

	document.addEventListener("click", (event) => {
		const link = event.target.closest?.("a[href]");
		if (
			!link ||
			event.defaultPrevented ||
			event.button !== 0 ||
			event.metaKey ||
			event.ctrlKey ||
			event.shiftKey ||
			event.altKey ||
			link.target
		) {
			return;
		}
		const url = new URL(link.href, location.href);
		const isOurs =
			url.origin === location.origin &&
			(url.pathname === BASE || url.pathname.startsWith(`${BASE}/`)) &&
			!url.pathname.startsWith(`${BASE}/api/`);
		if (!isOurs || (url.hash && url.pathname === location.pathname && url.search === location.search)) {
			return;
		}
		event.preventDefault();
		go(url.pathname + url.search + url.hash);
	});
	window.addEventListener("popstate", (event) => run({scroll: event.state?.scroll ?? 0}));
	return {run, go};
}
