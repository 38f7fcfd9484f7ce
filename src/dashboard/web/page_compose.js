// SPDX-License-Identifier: Apache-2.0
// Try it: write, validate and publish a post, or keep it as a draft, beside the equivalent call for a server.
// With ?draft=ID it changes a draft.
import {fill, h} from "./dom.js";
import * as api from "./api.js";
import {fromLocal, number, plural, toLocal, utc, zone} from "./format.js";
import {PLATFORMS, TYPES} from "./words.js";
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
import {uploadFile} from "./upload.js";

const ACCOUNTS_MAX = 100;
const ACCOUNTS_MANY = 16;
const CONTAINERS_MAX = 10;
const MEDIA_KINDS = [
	["image", "Image"],
	["video", "Video"],
];

// ---- the parts of a post ----

/** Chosen here, a file is uploaded at once; the row names it by its id from then on. */
function fileField(context, row) {
	const file = field({name: "file", label: "Or upload a file", kind: "file", optional: true});
	file.control.addEventListener("change", async () => {
		const chosen = file.control.files[0];
		if (!chosen) {
			return;
		}
		file.control.disabled = true;
		announce("Uploading.");
		try {
			const uploaded = await uploadFile(context, chosen);
			row.url.control.value = uploaded.id;
			row.url.problem(null);
			row.type.control.value = uploaded.type;
			row.url.control.dispatchEvent(new Event("input", {bubbles: true}));
			announce("The file is uploaded.");
		} catch (failure) {
			file.problem(failure.message);
			announce(failure.message, true);
		}
		file.control.disabled = false;
	});
	return file.node;
}

const isMediaId = (text) => text.startsWith("med_");

function mediaRow(context, onGone, item = {}) {
	const url = field({
		name: "url",
		label: "File URL, or id of an uploaded file",
		value: item.url ?? item.media_id,
		placeholder: "https://cdn.example.com/picture.jpg",
		mono: true,
	});
	const type = field({name: "type", label: "Type", kind: "select", options: MEDIA_KINDS, value: item.type ?? "image"});
	const alt = field({name: "alt_text", label: "Alt text", optional: true, value: item.alt_text ?? ""});
	const thumbnail = field({
		name: "thumbnail_url",
		label: "Preview image URL",
		kind: "url",
		optional: true,
		value: item.thumbnail_url ?? "",
		mono: true,
	});
	const length = field({name: "duration", label: "Duration in seconds", kind: "number", optional: true, value: item.duration ?? ""});
	const more = h(
		"details",
		{open: Boolean(item.thumbnail_url || item.duration)},
		h("summary", null, "For videos"),
		h("div", {class: "pair form"}, thumbnail.node, length.node)
	);
	const node = h(
		"div",
		{class: "card"},
		h(
			"div",
			{class: "body stack tight"},
			h("div", {class: "pair form"}, url.node, type.node),
			fileField(context, {url, type}),
			alt.node,
			more,
			h(
				"div",
				null,
				button("Remove file", () => onGone(), {slim: true, kind: "quiet"})
			)
		)
	);
	const optional = () => ({
		...(alt.value().trim() ? {alt_text: alt.value().trim()} : {}),
		...(thumbnail.value().trim() ? {thumbnail_url: thumbnail.value().trim()} : {}),
		...(length.value() ? {duration: Number(length.value())} : {}),
		...Object.fromEntries(["mime_type", "fit"].filter((name) => item[name]).map((name) => [name, item[name]])),
	});
	const named = (text) => (isMediaId(text) ? {media_id: text} : {type: type.value(), url: text});
	return {node, url, value: () => ({...named(url.value().trim()), ...optional()})};
}

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
		hint: index === 0 ? "The text of the post." : "Published as a comment on the post; on X, as a reply in a thread.",
	});
	const length = h("span", {class: "soft small"});
	const count = () => {
		length.textContent = plural([...text.control.value].length, "character");
	};
	text.control.addEventListener("input", count);
	count();
	const addMedia = (item) => {
		const row = mediaRow(context, () => {
			media.splice(media.indexOf(row), 1);
			row.node.remove();
			onChange();
		}, item);
		media.push(row);
		list.append(row.node);
		row.node.addEventListener("input", onChange);
		return row;
	};
	(content.media ?? []).forEach(addMedia);
	const node = h(
		"div",
		{class: "stack tight"},
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
	return {
		node,
		text,
		media,
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
	const options = draft.options.value();
	const overrides = draft.overrides.value();
	return {...body, ...(options ? {platforms: options} : {}), ...(overrides ? {overrides} : {})};
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

const curlOf = (context, body) =>
	`curl -s '${context.session.public_url}/v1/posts/publish' \\\n  -H "Authorization: Bearer $TOKEN" \\\n  -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`;

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

/** Problems at their fields where there is one; the rest as a list. */
function showRefusal(draft, failure) {
	const rest = [];
	let first = null;
	for (const [path, messages] of Object.entries(failure.errors ?? {})) {
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
			failure.message,
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
	announce(failure.message, true);
	first?.control.focus();
}

async function ask(draft, work) {
	draft.containers.forEach((one) => {
		one.text.problem(null);
		one.media.forEach((row) => row.url.problem(null));
	});
	draft.when.problem(null);
	for (const one of [draft.options, draft.overrides]) {
		one.problem(null);
		if (!one.isGood()) {
			one.problem("This is not a valid JSON object.");
			one.control.focus();
			return;
		}
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
	return h(
		"fieldset",
		null,
		h("legend", null, "Publish to"),
		h(
			"div",
			{class: "stack tight"},
			findAccount(context, draft),
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

/** A field whose text is a JSON object, or nothing. */
function jsonField(what) {
	const one = field({optional: true, kind: "textarea", mono: true, rows: 3, ...what});
	const read = () => {
		try {
			const value = JSON.parse(one.control.value);
			return value !== null && typeof value === "object" && !Array.isArray(value) ? value : undefined;
		} catch {
			return undefined;
		}
	};
	return {
		...one,
		value: () => (one.control.value.trim() === "" ? null : (read() ?? null)),
		isGood: () => one.control.value.trim() === "" || read() !== undefined,
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
		value: draft.from?.created_by === undefined ? "" : (draft.from.type ?? ""),
		options: [["", "Automatic, by platform and files"], ...Object.entries(TYPES)],
		onchange: changed,
	});
	draft.when = field({
		name: "scheduled_at",
		label: `Publish at (${zone()})`,
		optional: true,
		kind: "datetime-local",
		value: draft.kept?.scheduled_at ? toLocal(draft.kept.scheduled_at) : "",
		onchange: changed,
		parse: (text) => (text ? fromLocal(text) : null),
		hint: "Leave empty to publish now.",
	});
	const options = draft.kept?.platforms ?? {};
	draft.options = jsonField({
		name: "platforms",
		label: "Platform options",
		value: Object.keys(options).length > 0 ? JSON.stringify(options, null, 2) : "",
		placeholder: '{"youtube": {"title": "…", "privacyStatus": "unlisted"}}',
		onchange: changed,
		hint: "JSON with one object per platform. The API reference lists the options.",
	});
	const overrides = draft.from?.overrides ?? {};
	draft.overrides = jsonField({
		name: "overrides",
		label: "Different content",
		value: Object.keys(overrides).length > 0 ? JSON.stringify(overrides, null, 2) : "",
		placeholder: '{"x": {"content": "A shorter text"}}',
		onchange: changed,
		hint: "JSON with one object per platform or account id: content, media, containers, type, options.",
	});
	const choice = accountChoice(context, draft, changed);
	redraw();
	const publish = async (body) => {
		const post = await accepted(context, draft, body);
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
		toast("Draft saved.");
		await context.go(context.here("drafts", data.id));
	};
	const send = h("button", {class: "button main", type: "submit"}, draft.kept ? "Save draft" : "Publish");
	const element = h(
		"form",
		{class: "form", novalidate: true, method: "post"},
		choice,
		parts,
		h("div", null, more),
		h("div", {class: "pair"}, draft.type.node, draft.when.node),
		draft.options.node,
		draft.overrides.node,
		h(
			"div",
			{class: "row"},
			send,
			button("Validate", () => ask(draft, validate), {icon: "check"}),
			draft.kept
				? linkButton("Back to the draft", context.here("drafts", draft.kept.id), {kind: "quiet"})
				: button("Save as draft", () => ask(draft, keep), {key: "keep"})
		)
	);
	onSubmit(element, send, () => ask(draft, draft.kept ? keep : publish));
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

/** {from, kept, etag}: what the form begins with: nothing, a copy of a post, or a draft. */
async function beginning(context) {
	const {draft, post} = context.query;
	if (draft) {
		const {body, etag} = await api.getTagged(context.appPath("v1", "drafts", draft), context.signal);
		return {from: postOfDraft(body.data), kept: body.data, etag};
	}
	return {from: post ? (await api.get(context.appPath("v1", "posts", post), null, context.signal)).data : undefined};
}

export async function page(context) {
	const [active, expiring, begun] = await Promise.all([
		...["active", "expiring"].map((status) =>
			api.get(context.appPath("v1", "accounts"), {status, per_page: ACCOUNTS_MAX, user_id: context.query.user}, context.signal)
		),
		beginning(context),
	]);
	const listed = [...active.data, ...expiring.data];
	const meant = [context.query.account, ...(begun.from?.platform_posts ?? []).map((target) => target.account_id)].filter(
		(id) => id && !listed.some((account) => account.id === id)
	);
	const accounts = [...listed, ...(await accountsNamed(context, meant))].sort(
		(a, b) => PLATFORMS.indexOf(a.platform) - PLATFORMS.indexOf(b.platform) || a.username.localeCompare(b.username)
	);
	const head = pageHead({
		crumbs: [
			["Apps", `${context.base}/apps`],
			[context.app?.name ?? "App", context.here()],
		],
		title: begun.kept ? "Edit a draft" : "Try it",
		sub: begun.kept
			? "It stays a draft until a person publishes it from its page."
			: "Write a post, validate it, publish it or keep it as a draft. The equivalent API call for your server is shown beside it.",
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
					"Connect one of your own from a platform's credentials page, or let your server connect your users.",
					linkButton("Platform credentials", context.here("credentials"), {kind: "main"})
				)
			),
		];
	}
	const draft = {
		accounts,
		total: active.meta.total + expiring.meta.total,
		containers: [],
		requestId: newRequestId(),
		answer: h("div", {"aria-live": "polite"}),
		...begun,
	};
	const call = h("div");
	const changed = () => {
		if (draft.boxes && draft.when) {
			fill(call, codeBlock("The same call from your server", curlOf(context, bodyOf(draft))));
		}
	};
	const write = writeCard(context, draft, changed);
	changed();
	return [
		head,
		h(
			"div",
			{class: "stack"},
			notLive(context),
			h("div", {class: "split"}, write, h("div", {class: "stack follow"}, draft.answer, call))
		),
	];
}
