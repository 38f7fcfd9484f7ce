// SPDX-License-Identifier: Apache-2.0
// Compose: write, look at it as each platform shows it, validate and publish a post, or keep it as a draft, beside the equivalent call for
// a server. What is written is kept in this browser until then. With ?draft=ID it changes a draft, with ?edit=ID a post that waits.
import {fill, h} from "./dom.js";
import * as api from "./api.js";
import {ago, fromLocal, number, plural, toLocal, utc, zone} from "./format.js";
import {PLATFORMS, platformName, TYPES} from "./words.js";
import {
	announce,
	button,
	card,
	checkbox,
	codeBlock,
	empty,
	field,
	linkButton,
	notice,
	onSubmit,
	pageHead,
	platform,
	tag,
	toast,
} from "./ui.js";
import {forgetKept, keep as keepHere, keepEdit, readKept} from "./compose_keep.js";
import {mediaRow, takeFiles} from "./compose_media.js";
import {platformTabs} from "./compose_options.js";
import {counter, preview} from "./preview.js";

const ACCOUNTS_MAX = 100;
const ACCOUNTS_MANY = 16;
const CONTAINERS_MAX = 10;
const KEEP_MS = 300;
const LOOK_MS = 500;

// ---- the parts of a post ----

/** The text with its files: the post, or a comment of it. */
function container(context, index, onChange, onGone, content = {}) {
	const media = [];
	const list = h("div", {class: "stack tight"});
	const text = field({
		name: `containers.${index}.content`,
		label: index === 0 ? "Text" : `Comment ${index}`,
		kind: "textarea",
		value: content.content ?? "",
		rows: index === 0 ? 6 : 3,
		onchange: onChange,
		hint: index === 0 ? "Drop files here, or paste a picture." : "Published as a comment on the post; on X, as a reply in a thread.",
	});
	const length = h("div", {class: "counters", "aria-live": "off"});
	const addMedia = (item) => {
		const row = mediaRow(context, {
			item,
			changed: onChange,
			onGone: () => {
				media.splice(media.indexOf(row), 1);
				row.node.remove();
				onChange();
			},
		});
		media.push(row);
		list.append(row.node);
		return row;
	};
	(content.media ?? []).forEach(addMedia);
	const node = h(
		"div",
		{class: "stack tight drop-zone"},
		text.node,
		h(
			"div",
			{class: "row apart"},
			length,
			h(
				"div",
				{class: "row"},
				button(
					"Add a file",
					() => {
						addMedia().url.control.focus();
						onChange();
					},
					{slim: true, icon: "plus"}
				),
				index > 0 ? button("Remove comment", onGone, {slim: true, kind: "quiet"}) : null
			)
		),
		list
	);
	takeFiles(node, (files) => {
		files.forEach((file) => addMedia({name: file.name}).take(file));
		onChange();
	});
	return {
		node,
		text,
		media,
		length,
		value: () => ({content: text.value(), ...(media.length > 0 ? {media: media.map((row) => row.value())} : {})}),
	};
}

// ---- the form as a request ----

function bodyOf(draft) {
	const containers = draft.containers.map((one) => one.value());
	const type = draft.type.value();
	const body = {account_ids: draft.boxes.filter((box) => box.value()).map((box) => box.name)};
	if (containers.length > 1) {
		body.containers = containers;
		if (type) {
			body.containers[0].type = type;
		}
	} else {
		Object.assign(body, type ? {type} : {}, containers[0]);
	}
	if (draft.when.value()) {
		body.scheduled_at = draft.when.value();
	}
	const options = draft.tabs.platforms();
	const overrides = draft.tabs.overrides();
	const isAny = (members) => Object.keys(members).length > 0;
	return {...body, ...(isAny(options) ? {platforms: options} : {}), ...(isAny(overrides) ? {overrides} : {})};
}

/** What a draft holds: a member that is empty here is taken away (null). */
const DRAFT_MEMBERS = ["account_ids", "content", "type", "media", "containers", "platforms", "overrides", "scheduled_at"];
const draftOf = (body) => Object.fromEntries(DRAFT_MEMBERS.map((name) => [name, body[name] ?? null]));

/** A draft as the form takes a post. */
function postOfDraft(draft) {
	const first = {type: draft.type, content: draft.content ?? "", media: draft.media ?? []};
	const containers = draft.containers?.length > 0 ? draft.containers : [first];
	return {
		...draft,
		containers,
		type: containers[0]?.type ?? draft.type,
		platform_posts: (draft.account_ids ?? []).map((id) => ({account_id: id})),
	};
}

const curlTo = (context, method, path, body) =>
	`curl -s${method === "POST" ? "" : ` -X ${method}`} '${context.session.public_url}/v1/posts/${path}' \\\n  -H "Authorization: Bearer $TOKEN" \\\n  -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`;

const curlOf = (context, draft, body) =>
	draft.edited
		? curlTo(context, "PATCH", draft.edited.post.id, draft.edited.tools.changesOf(draft.edited, body))
		: curlTo(context, "POST", "publish", body);

// ---- the service's verdict ----

function violationLine(one) {
	return h(
		"li",
		null,
		one.message,
		" ",
		h(
			"span",
			{class: "soft mono small"},
			one.field ?? "",
			one.limit !== undefined && one.limit !== null ? ` · ${one.actual ?? "?"} of ${one.limit}` : ""
		)
	);
}

function planTable(plan) {
	return h(
		"details",
		{class: "small"},
		h("summary", null, `${plural(plan.length, "call")} would be made`),
		h(
			"ol",
			{class: "help"},
			plan.map((call) =>
				h(
					"li",
					null,
					h("span", {class: "mono"}, `${call.method} ${call.host_path}`),
					" ",
					call.publishes ? tag("publishes", "ok") : null,
					h("span", {class: "soft"}, ` ${call.summary}`)
				)
			)
		)
	);
}

function verdictCard(draft, found) {
	const nameOf = (id) => draft.accounts.find((account) => account.id === id);
	return card(
		{title: found.ok ? "Ready to publish" : "Cannot be published like this", flush: true},
		h(
			"ul",
			{class: "lines"},
			found.accounts.map((one) => {
				const account = nameOf(one.account_id);
				return h(
					"li",
					null,
					h(
						"div",
						{class: "grow stack tight"},
						h(
							"div",
							{class: "row"},
							account ? platform(account.platform, account.name || account.username) : one.account_id,
							one.type ? tag(TYPES[one.type] ?? one.type) : null,
							tag(one.ok ? "OK" : "not OK", one.ok ? "ok" : "bad")
						),
						one.violations.length > 0 ? h("ul", {class: "help"}, one.violations.map(violationLine)) : null,
						one.plan.length > 0 ? planTable(one.plan) : null
					)
				);
			})
		),
		(found.warnings ?? []).length > 0
			? h(
					"div",
					{class: "body"},
					notice(
						"warn",
						"Warnings",
						h(
							"ul",
							{class: "help"},
							found.warnings.map((warning) =>
								h("li", null, warning.message, " ", h("span", {class: "soft mono small"}, warning.field))
							)
						)
					)
				)
			: null
	);
}

/** Where a person left something out, in the words of this page. */
const LEFT_OUT = {account_ids: "Choose at least one account.", content: "Write something or add a file."};

function leftOut(draft, path) {
	const isNothing = {
		account_ids: () => !draft.boxes.some((box) => box.value()),
		content: () => draft.containers.every((one) => one.text.value().trim() === "" && one.media.length === 0),
	}[path];
	return isNothing?.() ? LEFT_OUT[path] : null;
}

/** Problems at their fields where there is one; the rest as a list. */
function showRefusal(draft, failure) {
	const rest = [];
	let first = null;
	const missing = [...new Set(["account_ids", "content"].map((path) => leftOut(draft, path)).filter(Boolean))];
	for (const [path, messages] of Object.entries(missing.length > 0 ? {} : (failure.errors ?? {}))) {
		const [, index, tail] = /^containers\.(\d+)\.(.*)$/.exec(path) ?? [null, "0", path];
		const file = /^media\.(\d+)/.exec(tail);
		const part = draft.containers[Number(index)];
		const one = file ? part?.media[Number(file[1])]?.url : {content: part?.text, scheduled_at: draft.when, type: draft.type}[tail];
		one?.problem(messages.join(" "));
		first = first ?? one;
		if (!one) {
			rest.push(`${path}: ${messages.join(" ")}`);
		}
	}
	const accounts = (failure.details?.accounts ?? []).map((one) => {
		const known = draft.accounts.find((account) => account.id === one.id);
		return `${known?.username ?? one.id}: ${String(one.reason).replaceAll("_", " ")}`;
	});
	fill(
		draft.answer,
		notice(
			"bad",
			missing.length > 0 ? missing.join(" ") : failure.message,
			[...rest, ...accounts].length > 0
				? h(
						"ul",
						{class: "help"},
						[...rest, ...accounts].map((text) => h("li", null, text))
					)
				: null,
			failure.code ? h("p", {class: "small soft mono"}, failure.code) : null
		)
	);
	announce(missing.length > 0 ? missing.join(" ") : failure.message, true);
	const place = missing.includes(LEFT_OUT.account_ids) ? draft.boxes[0] : missing.length > 0 ? draft.containers[0].text : first;
	place?.control.focus();
}

async function ask(draft, work) {
	draft.containers.forEach((one) => {
		one.text.problem(null);
		one.media.forEach((row) => row.url.problem(null));
	});
	draft.when.problem(null);
	if (draft.containers.some((one) => one.media.some((row) => row.isBusy()))) {
		toast("A file is still being uploaded. Wait until it is there.", "bad");
		return;
	}
	try {
		await work(bodyOf(draft));
	} catch (failure) {
		if (failure.name === "AbortError") {
			return;
		}
		showRefusal(draft, failure);
	}
}

// ---- publishing ----

/**
 * One request id for a draft, until it was accepted: when an answer was lost, the next press finds the post that the first one made.
 * Browsers offer randomUUID on safe origins only.
 */
const newRequestId = () =>
	crypto.randomUUID?.() ?? Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** {id, said} of the post that the draft became, by this press or by one before whose answer was lost. */
async function accepted(context, draft, body) {
	const text = JSON.stringify(body);
	const before = draft.sent;
	draft.sent = text;
	try {
		const {data} = await api.post(context.appPath("v1", "posts", "publish"), {...body, request_id: draft.requestId});
		const said = data.status === "scheduled" ? `Scheduled for ${utc(data.scheduled_at)}.` : "Accepted for publishing.";
		return {id: data.post_id, said};
	} catch (failure) {
		if (failure.code !== "DUPLICATE_REQUEST" || !failure.details.post_id) {
			throw failure;
		}
		const said = before === text
			? "This post was already accepted."
			: "This post was already accepted, as it was before your last changes.";
		return {id: failure.details.post_id, said};
	}
}

// ---- all of it ----

function accountChoice(context, draft, changed) {
	const chosen = new Set([context.query.account, ...(draft.from?.platform_posts ?? []).map((target) => target.account_id)]);
	draft.boxes = draft.accounts.map((account) =>
		checkbox({
			name: account.id,
			value: account.id,
			label: platform(account.platform, account.name || account.username),
			hint: [account.username !== account.name ? account.username : null, account.app_user_id].filter(Boolean).join(" · "),
			checked: chosen.has(account.id),
			onchange: changed,
		})
	);
	draft.boxes.forEach((box) => {
		box.control.disabled = Boolean(draft.edited);
	});
	return h(
		"fieldset",
		null,
		h("legend", null, draft.edited ? "Goes to (this cannot be changed)" : "Publish to"),
		h(
			"div",
			{class: "stack tight"},
			draft.edited ? null : findAccount(context, draft),
			h(
				"div",
				{class: "choices"},
				draft.boxes.map((box) => box.node)
			)
		)
	);
}

/** With many accounts: a field that filters them by text; Enter loads the accounts of that user. */
function findAccount(context, draft) {
	if (draft.accounts.length < ACCOUNTS_MANY && draft.total <= draft.accounts.length && !context.query.user) {
		return null;
	}
	const hint =
		draft.total > draft.accounts.length
			? `${number(draft.accounts.length)} of ${number(draft.total)} accounts are listed. ` +
				"Press Enter to list all accounts of one user by your user id."
			: null;
	const find = field({
		name: "find",
		label: "Find an account",
		kind: "search",
		value: context.query.user ?? "",
		hint,
		onchange: (text) => {
			for (const box of draft.boxes) {
				box.node.hidden = !box.value() && !box.node.textContent.toLowerCase().includes(text.trim().toLowerCase());
			}
		},
	});
	find.control.addEventListener("keydown", (event) => {
		if (event.key === "Enter") {
			event.preventDefault();
			context.go(
				`${context.here("compose")}?${new URLSearchParams(find.control.value.trim() ? {user: find.control.value.trim()} : {})}`
			);
		}
	});
	return find.node;
}

// ---- what it will look like ----

/** The accounts that it goes to, as the API has them. */
const chosenAccounts = (draft) => {
	const ids = new Set(draft.boxes.filter((box) => box.value()).map((box) => box.name));
	return draft.accounts.filter((account) => ids.has(account.id));
};

/** One of each platform, the first that is chosen. */
const onePerPlatform = (accounts) =>
	[...new Map(accounts.toReversed().map((account) => [account.platform, account])).values()].toReversed();

/** The texts that a platform gets: its own one first, where it has one. */
const textsOf = (draft, slug) => draft.containers.map((one, index) => (index === 0 && draft.tabs.textOf(slug)) || one.text.value());

function previewOf(draft, account, found) {
	const slug = account.platform;
	const counts = found.counts[slug] ?? [];
	const body = bodyOf(draft);
	const judged = (found.verdict?.accounts ?? []).filter((one) => one.account_id === account.id);
	const texts = textsOf(draft, slug);
	return preview({
		platform: slug,
		account,
		type: judged[0]?.type ?? body.type ?? "",
		options: body.platforms?.[slug] ?? {},
		parts: draft.containers.map((one, index) => ({
			text: texts[index],
			media: one.media.map((row) => row.shown()),
			...(counts[index]?.text === texts[index] ? counts[index] : {}),
		})),
		problems: judged.flatMap((one) => one.violations.map((violation) => violation.message)),
	});
}

function drawPreviews(draft) {
	const accounts = chosenAccounts(draft);
	const shown = onePerPlatform(accounts);
	draft.tabs.show(new Set(accounts.map((account) => account.platform)));
	draft.containers.forEach((one, index) =>
		fill(
			one.length,
			shown.length === 0
				? h("span", {class: "soft small"}, plural([...one.text.value()].length, "character"))
				: shown.map((account) => {
						const count = draft.found.counts[account.platform]?.[index];
						return count ? h("span", {class: "small"}, `${platformName(account.platform)} `, counter(count)) : null;
					})
		)
	);
	fill(
		draft.previews,
		shown.length > 0
			? shown.map((account) => previewOf(draft, account, draft.found))
			: empty("accounts", "No account chosen yet", "Choose who it goes to: this is where it is shown as each platform would show it.")
	);
	fill(draft.says, whoAndWhen(draft, accounts));
}

/** Said once, beside the button that does it. */
function whoAndWhen(draft, accounts) {
	if (accounts.length === 0) {
		return "Choose at least one account.";
	}
	const names = accounts.slice(0, 4).map((account) => `${account.name || account.username} (${platformName(account.platform)})`);
	const more = accounts.length > 4 ? ` and ${plural(accounts.length - 4, "other account")}` : "";
	const when = draft.when.value() ? `on ${utc(draft.when.value())}` : "now";
	const where = draft.isTest ? "In the sandbox alone, nothing leaves this service" : "For real, for everybody to see";
	return [h("strong", null, where), `: to ${names.join(", ")}${more}, ${when}.`];
}

/** Counts as the platforms count, and what they would say, for what is written now. Silent when it fails: the buttons tell. */
async function lookAt(context, draft) {
	const accounts = chosenAccounts(draft);
	const slugs = onePerPlatform(accounts).map((account) => account.platform);
	const variants = new Map(slugs.map((slug) => [JSON.stringify(textsOf(draft, slug)), textsOf(draft, slug)]));
	const body = bodyOf(draft);
	const isWorthIt = accounts.length > 0 && (body.content?.trim() || body.media?.length || body.containers);
	const [verdict, ...counted] = await Promise.all([
		isWorthIt ? api.post(context.appPath("v1", "posts", "validate"), body, context.signal).catch(() => null) : null,
		...[...variants].map(([key, texts]) => api.post("/count", {texts}, context.signal).then((counts) => [key, texts, counts])),
	]);
	const counts = {};
	for (const slug of slugs) {
		const [, texts, found] = counted.find(([key]) => key === JSON.stringify(textsOf(draft, slug))) ?? [null, [], {}];
		counts[slug] = (found[slug] ?? []).map((row, index) => ({...row, text: texts[index]}));
	}
	draft.found = {counts, verdict: verdict?.data ?? null};
	drawPreviews(draft);
}

function keepWritten(context, draft) {
	const body = bodyOf(draft);
	if (!draft.edited) {
		keepHere(context, body, draft.requestId);
	} else if (Object.keys(draft.edited.tools.changesOf(draft.edited, body)).length > 0) {
		keepEdit(context, body, draft.edited);
	} else {
		forgetKept(context);
	}
}

/** After every change: what it looks like, kept here, and asked about once the hands rest. */
function watcher(context, draft) {
	const timers = {};
	const later = (name, ms, work) => {
		clearTimeout(timers[name]);
		timers[name] = setTimeout(() => {
			if (!context.signal.aborted && !draft.isDone) {
				Promise.resolve(work()).catch(() => {});
			}
		}, ms);
	};
	return () => {
		if (!draft.boxes || !draft.tabs || !draft.when) {
			return;
		}
		drawPreviews(draft);
		const body = bodyOf(draft);
		fill(draft.call, codeBlock("The same call from your server", curlOf(context, draft, body)));
		if (!draft.kept) {
			later("keep", KEEP_MS, () => keepWritten(context, draft));
		}
		later("look", LOOK_MS, () => lookAt(context, draft));
	};
}

function writeCard(context, draft, changed) {
	const parts = h("div", {class: "stack"});
	const redraw = () => {
		fill(
			parts,
			draft.containers.map((one) => one.node)
		);
		more.hidden = draft.containers.length >= CONTAINERS_MAX;
		changed();
	};
	const add = (content) => {
		const one = container(
			context,
			draft.containers.length,
			changed,
			() => {
				draft.containers.splice(draft.containers.indexOf(one), 1);
				redraw();
			},
			content
		);
		draft.containers.push(one);
		return one;
	};
	const more = button(
		"Add a comment",
		() => {
			const one = add({});
			redraw();
			one.text.control.focus();
		},
		{slim: true, icon: "plus"}
	);
	(draft.from?.containers ?? [{}]).forEach(add);
	draft.type = field({
		name: "type",
		label: "Type",
		kind: "select",
		value: draft.from?.created_by === undefined && !draft.restored ? "" : (draft.from.type ?? ""),
		options: [["", draft.edited ? "As it is" : "Automatic, by platform and files"], ...Object.entries(TYPES)],
		onchange: changed,
	});
	const begunAt = draft.kept?.scheduled_at ?? draft.restored?.body.scheduled_at ?? draft.edited?.post.scheduled_at;
	const noTime = draft.edited ? "To publish it now, choose the present time." : "Leave empty to publish now.";
	draft.when = field({
		name: "scheduled_at",
		label: `Publish at (${zone()})`,
		optional: !draft.edited,
		kind: "datetime-local",
		value: begunAt ? toLocal(begunAt) : "",
		onchange: () => {
			sayUtc();
			changed();
		},
		parse: (text) => (text ? fromLocal(text) : null),
		hint: noTime,
	});
	const sayUtc = () => {
		const instant = draft.when.value();
		draft.when.node.querySelector(".hint").textContent = instant ? `${utc(instant)}, ${ago(instant)}` : noTime;
	};
	sayUtc();
	draft.tabs = platformTabs(
		draft.rules,
		{platforms: draft.kept?.platforms ?? draft.from?.platforms, overrides: draft.from?.overrides},
		changed
	);
	const choice = accountChoice(context, draft, changed);
	redraw();
	const publish = async (body) => {
		const post = await accepted(context, draft, body);
		draft.isDone = true;
		forgetKept(context);
		toast(post.said);
		await context.go(context.here("posts", post.id));
	};
	const validate = async (body) => {
		const {data} = await api.post(context.appPath("v1", "posts", "validate"), body);
		fill(draft.answer, verdictCard(draft, data));
		announce(data.ok ? "Ready to publish." : "Cannot be published like this.");
	};
	const keep = async (body) => {
		const {data} = draft.kept
			? await api.patch(context.appPath("v1", "drafts", draft.kept.id), draftOf(body), undefined, draft.etag)
			: await api.post(context.appPath("v1", "drafts"), body);
		draft.isDone = true;
		if (!draft.kept) {
			forgetKept(context);
		}
		toast("Draft saved.");
		await context.go(context.here("drafts", data.id));
	};
	const save = (body) => draft.edited.tools.saveChanges(context, draft, body);
	const word = draft.edited ? "Save changes" : draft.kept ? "Save draft" : "Publish";
	const send = h("button", {class: "button main", type: "submit"}, word);
	const element = h(
		"form",
		{class: "form", novalidate: true, method: "post"},
		choice,
		parts,
		h("div", null, more),
		h("div", {class: "pair"}, draft.type.node, draft.when.node),
		draft.tabs.node,
		draft.kept ? null : h("p", {class: "hint", id: "who-and-when"}, draft.says),
		h(
			"div",
			{class: "row"},
			send,
			button("Validate", () => ask(draft, validate), {icon: "check"}),
			draft.edited
				? linkButton("Back to the post", context.here("posts", draft.edited.post.id), {kind: "quiet"})
				: draft.kept
					? linkButton("Back to the draft", context.here("drafts", draft.kept.id), {kind: "quiet"})
					: button("Save as draft", () => ask(draft, keep), {key: "keep"})
		)
	);
	draft.submit = () => ask(draft, draft.edited ? save : draft.kept ? keep : publish);
	onSubmit(element, send, draft.submit);
	return card({title: "Write"}, element);
}

function notLive(context) {
	const words = {
		draft: ["The app is a draft", "You can validate posts. Publishing is rejected until the app is live."],
		suspended: ["The app is suspended", "Publishing is rejected until it is activated."],
	}[context.app?.state];
	return words
		? notice("warn", words[0], h("p", null, words[1]), h("div", null, linkButton("Go to the app", context.here(), {slim: true})))
		: null;
}

/** Accounts named by the URL or a draft that are not in the list; without those that cannot be published to. */
async function accountsNamed(context, ids) {
	const found = await Promise.allSettled(
		ids.slice(0, ACCOUNTS_MAX).map((id) => api.get(context.appPath("v1", "accounts", id), null, context.signal))
	);
	return found
		.filter((one) => one.status === "fulfilled")
		.map((one) => one.value.data)
		.filter((account) => ["active", "expiring"].includes(account.status));
}

/** A post that waits, and what was typed about it before, which is a change of the post as it was then. */
async function beginningOfEdit(context) {
	const tools = await import("./compose_edit.js"); // only who edits needs it
	const edited = {...(await tools.readPost(context, context.query.edit, context.signal)), tools};
	const restored = readKept(context);
	const accounts = await tools.accountsOf(context, edited.post);
	if (!restored?.post) {
		return {accounts, edited, now: edited.post, from: tools.formOf(edited.post)};
	}
	const {post, etag, begun, body} = restored;
	const written = postOfDraft({type: "", platforms: {}, overrides: {}, ...body});
	return {accounts, edited: {post, etag, begun, tools}, now: edited.post, restored, from: {...tools.formOf(post), ...written}};
}

/** {from, kept, etag}: what the form begins with: nothing, a copy of a post, or a draft. */
async function beginning(context) {
	const {draft, post} = context.query;
	if (draft) {
		const {body, etag} = await api.getTagged(context.appPath("v1", "drafts", draft), context.signal);
		return {from: postOfDraft(body.data), kept: body.data, etag};
	}
	if (post) {
		return {from: (await api.get(context.appPath("v1", "posts", post), null, context.signal)).data};
	}
	const restored = context.query.account || context.query.user ? null : readKept(context);
	return restored ? {restored, from: postOfDraft(restored.body)} : {from: undefined};
}

/** What was not finished the last time. */
function restoredNotice(context, draft) {
	if (!draft.restored) {
		return null;
	}
	const afresh = () => {
		draft.isDone = true;
		forgetKept(context);
		return context.refresh();
	};
	return notice(
		"",
		`Kept from ${ago(new Date(draft.restored.at).toISOString())}`,
		h(
			"p",
			null,
			draft.edited ? "You had not saved these changes. " : "You had not published it. ",
			"Files of this computer that were not uploaded have to be chosen again."
		),
		h("div", {class: "row"}, button("Start afresh", afresh, {slim: true}))
	);
}

/** The page of one post's changes. */
async function editPage(context) {
	const [begun, rules] = await Promise.all([
		beginningOfEdit(context),
		api.get(context.appPath("v1", "platforms"), null, context.signal),
	]);
	const {now} = begun;
	const crumbs = [
		[context.app?.name ?? "App", context.here()],
		["The post", context.here("posts", now.id)],
	];
	if (now.state !== "scheduled" && !begun.restored) {
		return [
			pageHead({crumbs, title: "Edit a post"}),
			notice(
				"warn",
				"This post cannot be changed any more",
				h("p", null, "It is being published, or that has ended. Nothing is lost: you can make a new post of it."),
				h("div", {class: "row"}, linkButton("Copy to a new post", `${context.here("compose")}?post=${encodeURIComponent(now.id)}`))
			),
		];
	}
	const draft = newDraft(begun, rules, begun.accounts, begun.accounts.length);
	const sub = "It is scheduled. What you change is saved before it goes out, or not at all.";
	const head = pageHead({crumbs, title: "Edit a post", sub});
	return drawPage(context, draft, head);
}

/** All that the form of one post has. */
function newDraft(begun, rules, accounts, total) {
	return {
		accounts,
		total,
		containers: [],
		requestId: newRequestId(),
		answer: h("div", {"aria-live": "polite"}),
		previews: h("div", {class: "previews"}),
		says: h("span", null),
		call: h("div"),
		rules: rules.data,
		isTest: rules.meta.mode !== "live",
		found: {counts: {}, verdict: null},
		...begun,
	};
}

export async function page(context) {
	if (context.query.edit) {
		return editPage(context);
	}
	const [active, expiring, begun, rules] = await Promise.all([
		...["active", "expiring"].map((status) =>
			api.get(context.appPath("v1", "accounts"), {status, per_page: ACCOUNTS_MAX, user_id: context.query.user}, context.signal)
		),
		beginning(context),
		api.get(context.appPath("v1", "platforms"), null, context.signal),
	]);
	const listed = [...active.data, ...expiring.data];
	const meant = [context.query.account, ...(begun.from?.platform_posts ?? []).map((target) => target.account_id)].filter(
		(id) => id && !listed.some((account) => account.id === id)
	);
	const accounts = [...listed, ...(await accountsNamed(context, meant))].sort(
		(a, b) => PLATFORMS.indexOf(a.platform) - PLATFORMS.indexOf(b.platform) || a.username.localeCompare(b.username)
	);
	for (const account of accounts) {
		account.picture = api.pictureOf(context.params.client_id, account);
	}
	const head = pageHead({
		crumbs: [
			["Apps", `${context.base}/apps`],
			[context.app?.name ?? "App", context.here()],
		],
		title: begun.kept ? "Edit a draft" : "Compose",
		sub: begun.kept
			? "It stays a draft until a person publishes it from its page."
			: "Write a post, see it as each platform shows it, publish it or keep it as a draft.",
	});
	if (accounts.length === 0 && context.query.user) {
		return [
			head,
			card(
				{},
				empty(
					"search",
					"No accounts for this user",
					`No user with the id “${context.query.user}” has connected an account.`,
					linkButton("All accounts", context.here("compose"))
				)
			),
		];
	}
	if (accounts.length === 0) {
		return [
			head,
			card(
				{},
				empty(
					"accounts",
					"No account to publish to",
					"Connect one of your own, or let your server connect your users.",
					linkButton("Connect an account", context.here("accounts"), {kind: "main"})
				)
			),
		];
	}
	return drawPage(context, newDraft(begun, rules, accounts, active.meta.total + expiring.meta.total), head);
}

/** The page around the form. */
function drawPage(context, draft, head) {
	if (draft.restored?.requestId) {
		draft.requestId = draft.restored.requestId;
	}
	const changed = watcher(context, draft);
	const write = writeCard(context, draft, changed);
	if (draft.edited && !draft.edited.begun) {
		draft.edited.tools.noteBegin(draft.edited, bodyOf(draft));
	}
	changed();
	return [
		head,
		h(
			"div",
			{class: "stack"},
			notLive(context),
			restoredNotice(context, draft),
			h(
				"div",
				{class: "split"},
				write,
				h(
					"div",
					{class: "stack"},
					draft.answer,
					draft.previews,
					h("details", null, h("summary", null, "For developers: the same call"), draft.call)
				)
			)
		),
	];
}
