// SPDX-License-Identifier: Apache-2.0
// One post: its content, its outcome on each account and why, the timeline as picture and list, and the actions a person can take.
import {fill, h} from "./dom.js";
import * as api from "./api.js";
import {duration, fromLocal, plural, toLocal, utc, when, whenFull, zone} from "./format.js";
import {FINAL, platformName, postWord, stateOf, targetWord, VISIBILITIES} from "./words.js";
import {
	avatar,
	badge,
	button,
	card,
	confirm,
	copyButton,
	copyField,
	empty,
	facts,
	field,
	form,
	leave,
	linkButton,
	mark,
	notice,
	openDialog,
	outside,
	pageHead,
	platform,
	table,
	tag,
	toast,
} from "./ui.js";
import {drawTimeline, numbered} from "./timeline.js";

const POLL_MS = 1500;
const FRESH_MS = 60000;

// ---- what a person can do ----

async function cancelPost(context) {
	const isSure = await confirm({
		title: "Cancel this post?",
		text: "It will not be published. This cannot be undone.",
		action: "Cancel post",
	});
	if (isSure) {
		await api.remove(context.appPath("v1", "posts", context.params.post_id));
		toast("Post cancelled.");
		await context.refresh();
	}
}

async function reschedule(context, post) {
	const done = await openDialog("Reschedule", (close) => {
		const fields = [
			field({
				name: "scheduled_at",
				label: `Publish at (${zone()})`,
				kind: "datetime-local",
				required: true,
				value: toLocal(post.scheduled_at),
				parse: fromLocal,
				hint: `Currently scheduled for ${utc(post.scheduled_at)}.`,
			}),
		];
		return form({
			fields,
			submit: "Save",
			cancel: () => close(),
			onsubmit: async (values) => {
				await api.patch(context.appPath("v1", "posts", post.id), values);
				close(true);
			},
		});
	});
	if (done) {
		toast("Post rescheduled.");
		await context.refresh();
	}
}

async function retry(context, target, republish = false) {
	if (
		republish &&
		!(await confirm({
			title: "Publish again?",
			text: "It is unknown whether the first attempt was published. If it was, the post will appear twice.",
			action: "Publish again",
		}))
	) {
		return;
	}
	await api.post(context.appPath("v1", "posts", context.params.post_id, "retry"), {
		account_ids: [target.account_id],
		...(republish ? {republish: true} : {}),
	});
	toast("Retrying.");
	await context.refresh();
}

async function unpublish(context, target) {
	const isSure = await confirm({
		title: `Remove this post from ${platformName(target.platform)}?`,
		text: "It is deleted there, with its comments. This cannot be undone.",
		action: "Remove post",
	});
	if (isSure) {
		await api.post(context.appPath("v1", "posts", context.params.post_id, "unpublish"), {account_ids: [target.account_id]});
		toast("Removing.");
		await context.refresh();
	}
}

async function reconnect(context, target) {
	const begun = await api.post(context.appPath("accounts", target.account_id, "reconnect"));
	leave(begun.redirect_url);
}

/** Records what a person saw on the platform when no call could prove it. */
async function resolve(context, target) {
	const answer = await openDialog(`Did it appear on ${platformName(target.platform)}?`, (close) => {
		const url = field({name: "url", label: "Post URL", kind: "url", optional: true, placeholder: "https://"});
		const settle = async (body) => {
			await api.post(context.appPath("posts", context.params.post_id, "resolve"), {account_id: target.account_id, ...body});
			close(true);
		};
		return [
			h(
				"p",
				null,
				`Check ${target.handle} on ${platformName(target.platform)}. The service has checked too, without a conclusive result.`
			),
			form({
				fields: [url],
				submit: "Yes, it is there",
				onsubmit: ({url: address}) => settle({appeared: true, ...(address.trim() ? {url: address.trim()} : {})}),
			}),
			h("p", {class: "hint"}, "If it is not there, it is sent again."),
			h(
				"div",
				null,
				button("No, it is not there", () => settle({appeared: false}), {kind: "danger"})
			),
		];
	});
	if (answer) {
		toast("Outcome recorded.");
		await context.refresh();
	}
}

// ---- one account's share ----

const ACTIONS = {
	retry: (context, target) => [button("Retry", () => retry(context, target), {slim: true, key: `retry-${target.id}`})],
	wait: (context, target) => [button("Retry", () => retry(context, target), {slim: true, key: `retry-${target.id}`})],
	reconnect: (context, target) => [
		button("Reconnect the account", () => reconnect(context, target), {slim: true}),
		button("Retry", () => retry(context, target), {slim: true}),
	],
	edit: (context, target) => [
		linkButton("Edit as new post", context.here("compose") + `?post=${encodeURIComponent(context.params.post_id)}`, {slim: true}),
		button("Retry unchanged", () => retry(context, target), {slim: true}),
	],
	credentials: (context, target) => [
		linkButton("Platform credentials", context.here("credentials", target.platform), {slim: true}),
		button("Retry", () => retry(context, target), {slim: true}),
	],
	look: (context, target) =>
		target.error.code === "OUTCOME_UNKNOWN"
			? [
					button("Record the outcome", () => resolve(context, target), {slim: true, kind: "main"}),
					button("Publish again", () => retry(context, target, true), {slim: true}),
				]
			: ACTIONS.edit(context, target),
	none: () => [],
};

function errorBox(context, target, failures) {
	const isPartial = target.status === "published" && target.outcome === "partial";
	if (!target.error || (target.status === "published" && !isPartial)) {
		return null;
	}
	const row = failures.find((one) => one.code === target.error.code) ?? {sentence: target.error.message, advice: "", action: "none"};
	const isFinal = target.status === "failed" || isPartial;
	const tone = target.error.code === "CANCELLED" ? "" : isFinal && !isPartial ? "bad" : "warn";
	return notice(
		tone,
		isPartial ? `Published, but not everything: ${row.sentence}` : isFinal ? row.sentence : `Last attempt: ${row.sentence}`,
		target.error.message && target.error.message !== row.sentence ? h("p", null, target.error.message) : null,
		target.error.platform_message
			? [
					h(
						"p",
						{class: "small soft"},
						`${platformName(target.platform)} said${target.error.platform_code ? ` (${target.error.platform_code})` : ""}:`
					),
					h("p", {class: "quote"}, target.error.platform_message),
				]
			: null,
		isFinal && row.advice ? h("p", null, h("b", null, "What to do: "), row.advice) : null,
		h("p", {class: "small soft mono"}, target.error.code),
		isFinal ? h("div", {class: "row"}, (ACTIONS[row.action] ?? ACTIONS.none)(context, target)) : null
	);
}

const REMOVALS = {
	pending: ["", "Being removed"],
	removed: ["good", "Removed from the platform"],
	failed: ["bad", "Not removed"],
	unsupported: ["warn", "Cannot be removed from here"],
};

/** Whether a published post is taken back, or the button that does it. */
function removalBox(context, target) {
	const isOut = target.status === "published" || target.outcome === "partial";
	const again = button("Remove from the platform", () => unpublish(context, target), {slim: true, key: `unpublish-${target.id}`});
	if (!target.removal) {
		return isOut && target.platform !== "tiktok" ? h("div", {class: "row"}, again) : null;
	}
	const [tone, title] = REMOVALS[target.removal.status];
	return notice(
		tone,
		title,
		target.removal.removed_at ? h("p", null, whenFull(target.removal.removed_at)) : null,
		target.removal.error ? h("p", null, target.removal.error.message) : null,
		target.removal.error?.platform_message ? h("p", {class: "quote"}, target.removal.error.platform_message) : null,
		target.removal.status === "failed" ? h("div", {class: "row"}, again) : null
	);
}

const WAITING_TITLES = {
	schedule: "Scheduled",
	account_busy: "In line",
	platform_limit: "Waiting for a limit",
	app_limit: "Waiting: the app is refused",
	platform_down: "Waiting for the platform",
	retry: "Waiting to try again",
	checking: "Checking the outcome",
	held: "Held",
	media: "Working on the files",
};

/** Why nothing has happened yet, and when something will. */
function waitingBox(target) {
	const waiting = target.waiting;
	if (!waiting) {
		return null;
	}
	return notice(
		waiting.reason === "app_limit" || waiting.reason === "held" ? "warn" : "",
		WAITING_TITLES[waiting.reason] ?? "Waiting",
		h("p", null, waiting.message),
		waiting.ahead > 0 && waiting.reason !== "account_busy"
			? h("p", null, `${plural(waiting.ahead, "post")} of this account ${waiting.ahead === 1 ? "goes" : "go"} first.`)
			: null,
		waiting.until
			? h("p", null, waiting.reason === "checking" ? "Next probe: " : "Next attempt: ", when(waiting.until), ".")
			: null
	);
}

/** What is missing or different although the post is out. Refused parts are in the box of the error. */
function warningsBox(context, target) {
	const warnings = (target.warnings ?? []).filter((warning) => warning.code !== "part_refused");
	if (warnings.length === 0) {
		return null;
	}
	const canRetry = !target.error && warnings.some((warning) => warning.code === "thumbnail_refused");
	return notice(
		"warn",
		"Published, but not as asked for",
		warnings.map((warning) => h("p", null, warning.message)),
		canRetry ? h("div", {class: "row"}, button("Retry", () => retry(context, target), {slim: true, key: `retry-${target.id}`})) : null
	);
}

function partLines(target) {
	if ((target.parts ?? []).length < 2) {
		return null;
	}
	return h(
		"ul",
		{class: "lines"},
		target.parts.map((part, index) =>
			h(
				"li",
				null,
				h("span", {class: "grow"}, index === 0 ? "Post" : `Comment ${index}`),
				part.url ? outside(part.url, "Open") : null,
				badge("post", part.state)
			)
		)
	);
}

/** Who it is, by picture and name, and on which platform. */
function targetHead(context, target) {
	return h(
		"a",
		{class: "who-head", href: context.here("accounts", target.account_id)},
		h(
			"span",
			{class: "pictured"},
			avatar({name: target.name, username: target.handle, picture: api.pictureOf(context.params.client_id, target)}),
			mark(target.platform)
		),
		h(
			"span",
			null,
			h("strong", {class: "break"}, target.name),
			h(
				"span",
				{class: "soft small break"},
				[platformName(target.platform), target.name === target.handle ? null : target.handle].filter(Boolean).join(" · ")
			)
		)
	);
}

function targetCard(context, target, failures) {
	return h(
		"section",
		{class: "card", id: `target-${target.account_id}`, "aria-label": `${platformName(target.platform)}, ${target.name}`},
		h("header", null, targetHead(context, target), badge("post", targetWord(target))),
		h(
			"div",
			{class: "body stack tight"},
			waitingBox(target),
			errorBox(context, target, failures),
			warningsBox(context, target),
			facts([
				target.published_at ? ["Published", whenFull(target.published_at)] : null,
				target.url ? ["URL", outside(target.url)] : null,
				target.visibility ? ["Visible to", VISIBILITIES[target.visibility] ?? target.visibility] : null,
				target.platform_post_id ? ["Platform id", h("span", {class: "mono"}, target.platform_post_id)] : null,
				["Attempts", String(target.attempts)],
			]),
			removalBox(context, target),
			partLines(target)
		)
	);
}

// ---- what a customer may read ----

function targetStory(target, failures) {
	const name = `${platformName(target.platform)}, ${target.name}`;
	if (target.removal?.status === "removed") {
		return `${name}: was published, and removed again${target.removal.removed_at ? ` on ${utc(target.removal.removed_at)}` : ""}.`;
	}
	if (target.status === "published") {
		return `${name}: published on ${utc(target.published_at)}.${target.url ? ` ${target.url}` : ""}`;
	}
	if (target.status === "failed") {
		const row = failures.find((one) => one.code === target.error?.code);
		const said = target.error?.platform_message ? ` ${platformName(target.platform)} says: “${target.error.platform_message}”` : "";
		const isOurs = ["retry", "credentials", "wait"].includes(row?.action);
		const advice = isOurs || !row?.advice ? "" : ` What to do: ${row.advice}`;
		return `${name}: not published. ${row?.sentence ?? target.error?.message ?? ""}${said}${advice}`;
	}
	const until = target.waiting?.until ? ` Next: ${utc(target.waiting.until)}.` : "";
	return `${name}: not published yet. ${target.waiting?.message ?? "It is being published."}${until}`;
}

/** Plain text, without ids of ours but the one to come back with. */
function story(post, failures) {
	const text = post.containers[0]?.content?.trim() ?? "";
	const when = post.scheduled_at ? `scheduled for ${utc(post.scheduled_at)}` : `sent on ${utc(post.created_at)}`;
	return [
		`Your post${text ? ` “${[...text].length > 80 ? `${[...text].slice(0, 78).join("")}…` : text}”` : ""}, ${when}:`,
		"",
		...post.platform_posts.map((target) => `- ${targetStory(target, failures)}`),
		"",
		`Reference: ${post.id}`,
	].join("\n");
}

// ---- the webhooks' calls ----

function lastTry(call) {
	const last = (call.tries ?? []).at(-1);
	return last ? [last.status ? `HTTP ${last.status}` : null, last.error ?? last.message ?? null].filter(Boolean).join(" · ") : "";
}

function webhookCard(context, calls, targets) {
	const columns = [
		{
			label: "Event",
			lead: true,
			cell: (call) => {
				const target = targets.find((one) => one.account_id === call.account_id);
				return [
					h("span", {class: "title keep"}, call.event),
					h("span", {class: "sub"}, target ? `${platformName(target.platform)}, ${target.name}` : "the post as a whole"),
				];
			},
		},
		{
			label: "To",
			cell: (call) => h("a", {class: "break", href: context.here("webhooks", call.webhook_id)}, call.webhook_url),
		},
		{
			label: "State",
			tight: true,
			cell: (call) => [
				badge("webhook", call.state === "pending" && call.attempts > 0 ? "again" : call.state),
				h("span", {class: "sub"}, lastTry(call)),
			],
		},
		{label: "When", tight: true, cell: (call) => when(call.created_at)},
		{
			label: "",
			name: "Actions",
			tight: true,
			cell: (call) =>
				call.state === "pending"
					? null
					: button("Resend", () => resend(context, call), {
							slim: true,
							label: `Resend ${call.event} to ${call.webhook_url}`,
							key: `resend-${call.id}`,
						}),
		},
	];
	return calls.length === 0
		? null
		: card(
				{title: "Webhook calls", sub: "What your server was told about this post.", flush: true},
				table({caption: "Webhook calls", columns, rows: calls, key: (call) => String(call.id)})
			);
}

async function resend(context, call) {
	await api.post(context.appPath("webhooks", call.webhook_id, "deliveries", String(call.id), "resend"));
	toast("The event is being resent.");
}

// ---- the post ----

function mediaLine(item) {
	return h(
		"li",
		null,
		tag(item.type),
		" ",
		outside(item.url),
		item.alt_text ? h("span", {class: "soft"}, ` – “${item.alt_text}”`) : null
	);
}

function thread(containers) {
	return h(
		"ul",
		{class: "thread"},
		containers.map((container, index) =>
			h(
				"li",
				null,
				h("h3", {class: "soft small"}, index === 0 ? "Post" : `Comment ${index}`),
				h("p", {class: "post-text"}, container.content || "(no text)"),
				(container.media ?? []).length > 0 ? h("ul", {class: "help"}, container.media.map(mediaLine)) : null
			)
		)
	);
}

/** What a platform or account gets instead, where the post has overrides for it. */
function ownContent(post, target) {
	if (!post.overrides[target.platform] && !post.overrides[target.account_id]) {
		return null;
	}
	return h(
		"div",
		{class: "stack tight"},
		h("h3", {class: "soft small"}, "On ", platform(target.platform, target.handle)),
		thread(target.effective.containers)
	);
}

function contentCard(post) {
	return card(
		{title: "Content"},
		h("div", {class: "stack"}, thread(post.containers), post.platform_posts.map((target) => ownContent(post, target)))
	);
}

function factsCard(context, post) {
	return card(
		{title: "This post"},
		h(
			"div",
			{class: "stack"},
			facts([
				["User", post.external_user_id],
				["Created", whenFull(post.created_at)],
				post.scheduled_at ? ["Scheduled", whenFull(post.scheduled_at)] : null,
				["Mode", post.mode],
			]),
			copyField("Post id", post.id),
			copyField("Request id", post.request_id),
			copyField("Link for a ticket", `${location.origin}${context.here("posts", post.id)}`)
		)
	);
}

// ---- the timeline ----

function callTable(calls, targets) {
	const columns = [
		{
			label: "Call",
			lead: true,
			cell: (call) => [
				h("span", {class: "count"}, call.number),
				" ",
				h("span", {class: "mono"}, `${call.method} ${call.host_path}`),
				h("span", {class: "sub"}, call.stage),
				call.excerpt
					? h("details", {class: "small"}, h("summary", null, "Response"), h("p", {class: "quote"}, call.excerpt))
					: null,
			],
		},
		{
			label: "At",
			tight: true,
			cell: (call) => h("time", {datetime: call.at, title: utc(call.at, {seconds: true})}, call.at.slice(11, 19)),
		},
		targets.length > 1
			? {
					label: "Account",
					tight: true,
					cell: (call) => {
						const target = targets.find((one) => one.account_id === call.account_id);
						return target ? platform(target.platform, target.handle) : "–";
					},
				}
			: null,
		{
			label: "Response",
			tight: true,
			cell: (call) => [
				badge("verdict", call.verdict),
				h("span", {class: "sub"}, `${call.status ? `HTTP ${call.status} · ` : ""}${duration(call.duration_ms)}`),
			],
		},
		{label: "Then", cell: (call) => call.decision || null},
	].filter(Boolean);
	return table({caption: "Calls made for this post", columns, rows: calls, key: (call) => String(call.number)});
}

function timelineCard(post, calls) {
	const targets = post.platform_posts.map((target) => ({
		account_id: target.account_id,
		platform: target.platform,
		handle: target.name,
		word: targetWord(target),
	}));
	const holder = h("div");
	const choose = (number) => {
		holder.querySelectorAll(".marked").forEach((one) => one.classList.remove("marked"));
		holder.querySelector(`[data-call="${number}"]`)?.classList.add("marked");
		const row = holder.querySelector(`tr[data-row="${number}"]`);
		row?.classList.add("marked");
		row?.scrollIntoView({block: "nearest", behavior: "smooth"});
	};
	const picture = drawTimeline(targets, calls, {onChoose: choose, since: post.scheduled_at ?? post.created_at});
	const content = picture
		? [
				h("div", {class: "scroll timeline-picture", tabindex: "0", role: "group", "aria-label": "Timeline picture"}, picture),
				h(
					"ul",
					{class: "legend"},
					h("li", {class: "ok"}, "answered"),
					h("li", {class: "bad"}, "rejected or failed"),
					h("li", {class: "warn"}, "outcome unknown or response lost"),
					h("li", null, "dotted: waiting; boxed: a long wait, shortened; hatched: before the first call")
				),
				callTable(calls, targets),
			]
		: empty(
				"posts",
				"No calls yet",
				post.platform_posts.find((target) => target.waiting)?.waiting.message ?? "No call was needed."
			);
	return card(
		{
			title: "Timeline",
			sub: calls.length > 0 ? `${plural(calls.length, "call")} to the platforms, oldest first. Times are UTC.` : null,
			flush: true,
		},
		fill(holder, content)
	);
}

// ---- all of it ----

function actionsOf(context, post, failures) {
	const isOpen = post.state === "scheduled";
	return [
		copyButton(() => story(post, failures), "Copy for the customer", "Copy for the customer"),
		isOpen
			? linkButton("Edit", `${context.here("compose")}?edit=${encodeURIComponent(post.id)}`, {icon: "compose", key: "edit"})
			: null,
		isOpen ? button("Reschedule", () => reschedule(context, post), {icon: "calendar", key: "reschedule"}) : null,
		isOpen ? button("Cancel", () => cancelPost(context), {kind: "danger", key: "cancel"}) : null,
		linkButton("Copy to a new post", `${context.here("compose")}?post=${encodeURIComponent(post.id)}`, {key: "again"}),
	].filter(Boolean);
}

function headline(post) {
	const text = post.containers[0]?.content?.trim() ?? "";
	return text === "" ? "Post without text" : text.length > 90 ? `${text.slice(0, 88)}…` : text;
}

/** Each target with the account's name as people know it. */
function named(post, accounts) {
	const names = new Map(accounts.map((account) => [account.id, account.name || account.username]));
	const withName = (target) => ({...target, name: names.get(target.account_id) || target.handle});
	return {...post, platform_posts: post.platform_posts.map(withName)};
}

export async function page(context) {
	const {post_id: id} = context.params;
	const load = async () => {
		const [post, calls, beside] = await Promise.all([
			api.get(context.appPath("v1", "posts", id), null, context.signal),
			api.get(context.appPath("v1", "posts", id, "timeline"), null, context.signal),
			api.get(context.appPath("posts", id, "beside"), null, context.signal),
		]);
		return {post: named(post.data, beside.accounts), calls: numbered(calls.data), told: beside.webhook_calls};
	};
	const [{data: failures}, first] = await Promise.all([api.get("/failures", null, context.signal), load()]);
	const place = h("div", {class: "stack"});
	const head = h("div");
	let shown = "";
	let state = null;
	const draw = ({post, calls, told}) => {
		const key = JSON.stringify([post, calls, told]);
		if (key === shown) {
			return;
		}
		shown = key;
		if (state !== null && state !== post.state) {
			toast(`The post is now: ${stateOf("post", postWord(post))[0].toLowerCase()}.`);
		}
		state = post.state;
		fill(
			head,
			pageHead({
				crumbs: [["Posts", `${context.base}/posts?client_id=${encodeURIComponent(context.params.client_id)}`]],
				title: headline(post),
				state: badge("post", postWord(post)),
				actions: actionsOf(context, post, failures),
			})
		);
		fill(
			place,
			h(
				"div",
				{class: "columns"},
				post.platform_posts.map((target) => targetCard(context, target, failures))
			),
			timelineCard(post, calls),
			webhookCard(context, told, post.platform_posts),
			h("div", {class: "split"}, contentCard(post), factsCard(context, post))
		);
	};
	draw(first);
	let last = first;
	context.every(POLL_MS, async () => {
		const isRemoving = last.post.platform_posts.some((target) => target.removal?.status === "pending");
		const isTelling = last.told.some((call) => call.state === "pending");
		const isFresh = Date.now() - new Date(last.post.created_at).getTime() < FRESH_MS; // its events may be on their way
		if (isRemoving || isTelling || isFresh || !FINAL.has(last.post.state)) {
			last = await load();
			draw(last);
		}
	});
	return [head, place];
}
