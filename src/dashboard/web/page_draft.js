// SPDX-License-Identifier: Apache-2.0
// One draft: what it would publish, where, what is wrong with it; publishing exactly what is shown (If-Match), rejecting, deleting.
import {h} from "./dom.js";
import * as api from "./api.js";
import {utc, whenFull} from "./format.js";
import {PLATFORMS, platformName, TYPES} from "./words.js";
import {containersOf, differenceCard, platformParts, previewsOf} from "./draft_shown.js";
import {
	badge,
	button,
	card,
	confirm,
	copyField,
	facts,
	field,
	form,
	linkButton,
	notice,
	openDialog,
	outside,
	pageHead,
	platform,
	tag,
	toast,
} from "./ui.js";
import {draftText, draftWord} from "./page_drafts.js";

const ACCOUNTS_SHOWN = 20;

const path = (context, ...tail) => context.appPath("v1", "drafts", context.params.draft_id, ...tail);

// ---- what a person can do ----

/** Somebody else changed or published it meanwhile: what happened, and the page as it is now. True: it was that. */
async function metMeanwhile(context, failure) {
	if (failure.status === 412) {
		toast("Somebody changed this draft since you opened it. Look at it again.", "bad");
		await context.refresh();
		return true;
	}
	if (failure.code === "DUPLICATE_REQUEST" && failure.details.post_id) {
		toast("This draft was published already.");
		await context.go(context.here("posts", failure.details.post_id));
		return true;
	}
	if (failure.status === 404) {
		toast("This draft is gone: somebody published or deleted it.", "bad");
		await context.go(context.here("drafts"));
		return true;
	}
	return false;
}

async function attempt(context, work) {
	try {
		await work();
	} catch (failure) {
		if (failure.name === "AbortError" || !(await metMeanwhile(context, failure))) {
			throw failure;
		}
	}
}

async function publish(context, draft, etag) {
	const isSure = await confirm({
		title: "Publish this draft?",
		text: draft.scheduled_at
			? `It is scheduled for ${utc(draft.scheduled_at)}, as it is shown here.`
			: "It is published now, as it is shown here. This cannot be undone.",
		action: draft.scheduled_at ? "Schedule it" : "Publish it",
		danger: false,
	});
	if (!isSure) {
		return;
	}
	await attempt(context, async () => {
		const {data} = await api.post(path(context, "publish"), {}, undefined, etag);
		toast(data.status === "scheduled" ? `Scheduled for ${utc(data.scheduled_at)}.` : "Accepted for publishing.");
		await context.go(context.here("posts", data.post_id));
	});
}

async function reject(context, etag) {
	const done = await openDialog("Reject this draft", (close) => {
		const fields = [
			field({
				name: "reason",
				label: "Why",
				kind: "textarea",
				rows: 3,
				required: true,
				hint: "Whoever wrote it reads this. It stays a draft.",
			}),
		];
		return form({
			fields,
			submit: "Reject",
			kind: "danger",
			cancel: () => close(),
			onsubmit: async (values) => {
				let isRejected = false;
				await attempt(context, async () => {
					await api.post(path(context, "reject"), values, undefined, etag);
					isRejected = true;
				});
				close(isRejected);
			},
		});
	});
	if (done) {
		toast("Draft rejected.");
		await context.refresh();
	}
}

async function remove(context, etag) {
	const isSure = await confirm({title: "Delete this draft?", text: "Its text is gone then.", action: "Delete draft"});
	if (isSure) {
		await attempt(context, async () => {
			await api.remove(path(context), undefined, etag);
			toast("Draft deleted.");
			await context.go(context.here("drafts"));
		});
	}
}

// ---- what it is ----

function mediaLine(item) {
	return h(
		"li",
		null,
		item.type ? tag(item.type) : null,
		" ",
		item.url ? outside(item.url) : h("span", {class: "mono"}, item.media_id ?? "(no file)"),
		item.alt_text ? h("span", {class: "soft"}, ` – “${item.alt_text}”`) : null
	);
}

function contentCard(draft) {
	return card(
		{title: "Content"},
		h(
			"div",
			{class: "stack"},
			h(
				"ul",
				{class: "thread"},
				containersOf(draft).map((container, index) =>
					h(
						"li",
						null,
						h(
							"h3",
							{class: "soft small"},
							index === 0 ? "Post" : `Comment ${index}`,
							container.type ? [" ", tag(TYPES[container.type] ?? container.type)] : null
						),
						h("p", {class: "post-text"}, container.text || "(no text)"),
						container.media.length > 0 ? h("ul", {class: "help"}, container.media.map(mediaLine)) : null
					)
				)
			),
			platformParts(draft)
		)
	);
}

function problemsCard(draft) {
	const line = (one) => h("li", null, one.message, " ", h("span", {class: "soft mono small"}, one.field));
	const warnings = draft.warnings ?? [];
	return [
		draft.problems.length > 0
			? notice("bad", "It cannot be published like this", h("ul", {class: "help"}, draft.problems.map(line)))
			: null,
		warnings.length > 0 ? notice("warn", "Warnings", h("ul", {class: "help"}, warnings.map(line))) : null,
	];
}

function reviewBox(draft) {
	return draft.review.state === "rejected"
		? notice(
				"warn",
				draft.review.by ? `Rejected by ${draft.review.by}` : "Rejected",
				h("p", {class: "quote"}, draft.review.reason),
				h("p", {class: "small soft"}, whenFull(draft.review.at)),
				h("p", null, "A change of the draft begins the review again.")
			)
		: null;
}

/** [{id, account}]: those that it goes to, as far as they are known; and how many more there are. */
async function readAccounts(context, draft) {
	const ids = Array.isArray(draft.account_ids) ? draft.account_ids : [];
	const found = await Promise.allSettled(
		ids.slice(0, ACCOUNTS_SHOWN).map((id) => api.get(context.appPath("v1", "accounts", id), null, context.signal))
	);
	const withPlatform = (account) => ({
		...account,
		platform: account.platform ?? PLATFORMS[account.platform_id - 1],
		picture: api.pictureOf(context.params.client_id, account),
	});
	return {
		rows: found.map((one, index) => ({id: ids[index], account: one.status === "fulfilled" ? withPlatform(one.value.data) : null})),
		more: Math.max(0, ids.length - ACCOUNTS_SHOWN),
	};
}

const accountName = ({id, account}) =>
	account ? `${account.name || account.username} (${platformName(account.platform)})` : String(id);

function accountLines(context, {rows, more}) {
	const lines = rows.map(({id, account}) =>
		account
			? h(
					"li",
					null,
					h(
						"a",
						{class: "grow", href: context.here("accounts", account.id), title: platformName(account.platform)},
						platform(account.platform, account.name || account.username)
					),
					badge("account", account.status)
				)
			: h("li", null, h("span", {class: "grow mono small"}, String(id)), tag("unknown", "bad"))
	);
	return [...lines, more > 0 ? h("li", {class: "soft"}, `and ${more} more`) : null];
}

function factsCard(draft, accounts, lines) {
	return card(
		{title: "This draft", actions: [badge("draft", draftWord(draft))]},
		h(
			"div",
			{class: "stack"},
			facts([
				["Written by", draft.created_by],
				["Created", whenFull(draft.created_at)],
				draft.updated_at ? ["Changed", whenFull(draft.updated_at)] : null,
				["To be published", draft.scheduled_at ? whenFull(draft.scheduled_at) : "as soon as it is approved"],
			]),
			h("h3", {class: "soft small"}, "Goes to"),
			accounts.rows.length > 0 ? h("ul", {class: "lines"}, lines) : h("p", {class: "soft"}, "No account is chosen yet."),
			copyField("Draft id", draft.id)
		)
	);
}

export async function page(context) {
	const {body, etag} = await api.getTagged(path(context), context.signal);
	const draft = body.data;
	const accounts = await readAccounts(context, draft);
	const previews = previewsOf(context, draft, accounts.rows.map((row) => row.account).filter(Boolean));
	const text = draftText(draft).trim();
	const isReady = draft.problems.length === 0;
	return [
		pageHead({
			crumbs: [
				[context.app?.name ?? "App", context.here()],
				["Drafts", context.here("drafts")],
			],
			title: text === "" ? "Draft without text" : text.length > 90 ? `${text.slice(0, 88)}…` : text,
			state: [badge("draft", draftWord(draft))],
			actions: [
				isReady ? button("Publish", () => publish(context, draft, etag), {kind: "main", key: "publish"}) : null,
				linkButton("Edit", `${context.here("compose")}?draft=${encodeURIComponent(draft.id)}`, {icon: "compose", key: "edit"}),
				button("Reject", () => reject(context, etag), {key: "reject"}),
				button("Delete", () => remove(context, etag), {kind: "danger", key: "delete"}),
			].filter(Boolean),
		}),
		h(
			"div",
			{class: "stack"},
			reviewBox(draft),
			differenceCard(context, draft, accounts.rows.map(accountName)),
			problemsCard(draft),
			h("div", {class: "split"}, contentCard(draft), factsCard(draft, accounts, accountLines(context, accounts))),
			previews.length > 0
				? h(
						"section",
						{"aria-label": "Preview"},
						h("h2", {class: "previews-head"}, "As it will look"),
						h("div", {class: "previews"}, previews)
					)
				: null
		),
	];
}
