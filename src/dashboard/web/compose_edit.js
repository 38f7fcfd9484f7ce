// SPDX-License-Identifier: Apache-2.0
// Changing a post that waits: what of the form is a change, saving it only over what was read (If-Match), and what somebody else changed
// meanwhile, in words. What was typed stays in the form, whatever the answer is.
import {fill, h} from "./dom.js";
import * as api from "./api.js";
import {plural, utc} from "./format.js";
import {platformName} from "./words.js";
import {announce, button, notice, toast} from "./ui.js";
import {forgetKept, keepForNew} from "./compose_keep.js";

const TEXT_SHOWN = 200;

const path = (context, id) => context.appPath("v1", "posts", id);
const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);
const given = (members) => Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined));

// ---- a post as the form takes it ----

/** The options of each platform, as its first account has them. */
const optionsOf = (post) =>
	Object.fromEntries(
		post.platform_posts
			.toReversed()
			.map((target) => [target.platform, target.effective?.options ?? {}])
			.filter(([, options]) => Object.keys(options).length > 0)
	);

export function formOf(post) {
	return {
		...post,
		type: "",
		platforms: optionsOf(post),
		containers: post.containers.map((one) => ({...one, media: (one.media ?? []).map(given)})),
	};
}

/** {etag, post}: as it is now. */
export async function readPost(context, id, signal) {
	const {body, etag} = await api.getTagged(path(context, id), signal);
	return {etag, post: body.data};
}

/** Its accounts, also those that nobody could publish to today. */
export async function accountsOf(context, post) {
	const found = await Promise.allSettled(
		post.platform_posts.map((target) => api.get(context.appPath("v1", "accounts", target.account_id), null, context.signal))
	);
	return found.map((one, index) => {
		const target = post.platform_posts[index];
		return one.status === "fulfilled"
			? one.value.data
			: {id: target.account_id, platform: target.platform, name: target.handle, username: target.handle};
	});
}

// ---- what is a change ----

/** Every member that a change may have, out of the request that the form would be. */
function membersOf(edited, body) {
	const {account_ids: _, ...rest} = body;
	const isThread = edited.post.mode === "advanced" || rest.containers !== undefined;
	const {content, media, containers, ...others} = rest;
	const parts = isThread ? {containers: containers ?? [{content, media: media ?? []}]} : {content, media: media ?? []};
	return {...parts, platforms: {}, overrides: {}, ...others};
}

/** What the form says now and did not say when it was opened. */
export function changesOf(edited, body) {
	const before = edited.begun ?? {};
	return Object.fromEntries(Object.entries(membersOf(edited, body)).filter(([name, value]) => !isSame(value, before[name])));
}

/** The form has just been made of the post. */
export function noteBegin(edited, body) {
	edited.begun = membersOf(edited, body);
}

// ---- what somebody else changed ----

const shortened = (text) => ([...text].length > TEXT_SHOWN ? `${[...text].slice(0, TEXT_SHOWN).join("")}…` : text);

function textChanges(was, now) {
	const count = Math.max(was.containers.length, now.containers.length);
	const nameOf = (index) => (index === 0 ? "The text" : `Comment ${index}`);
	return Array.from({length: count}, (_, index) => [was.containers[index], now.containers[index], nameOf(index)])
		.filter(([before, after]) => before?.content !== after?.content)
		.map(([before, after, name]) => {
			if (!after) {
				return `${name} was taken away.`;
			}
			return `${name} ${before ? "is now" : "was added"}: “${shortened(after.content)}”`;
		});
}

function fileChanges(was, now) {
	const files = (post) => post.containers.map((one) => one.media ?? []);
	const count = files(now).flat().length;
	return isSame(files(was), files(now)) ? [] : [`The files or their descriptions are other ones: now ${plural(count, "file")}.`];
}

function timeChanges(was, now) {
	return was.scheduled_at === now.scheduled_at
		? []
		: [
				now.scheduled_at
					? `It is scheduled for ${utc(now.scheduled_at)}, before it was ${utc(was.scheduled_at)}.`
					: "It has no time any more.",
			];
}

function platformChanges(was, now) {
	const slugs = [...new Set(now.platform_posts.map((target) => target.platform))];
	return [
		...slugs
			.filter((slug) => !isSame(optionsOf(was)[slug], optionsOf(now)[slug]))
			.map((slug) => `The options of ${platformName(slug)} are other ones.`),
		...(isSame(was.overrides, now.overrides) ? [] : ["What one platform or account gets instead is different."]),
	];
}

/** Sentences; at least one. */
export function differences(was, now) {
	const found = [...textChanges(was, now), ...fileChanges(was, now), ...timeChanges(was, now), ...platformChanges(was, now)];
	return found.length > 0 ? found : ["Something that this page does not show was changed."];
}

// ---- saving ----

function showConflict(context, draft, now, saveOver) {
	const {edited} = draft;
	const found = differences(edited.post, now.post);
	fill(
		draft.answer,
		notice(
			"warn",
			"Somebody changed this post while you were writing",
			h("ul", {class: "help"}, found.map((one) => h("li", null, one))),
			h(
				"p",
				null,
				"Nothing of yours was saved yet, and it is still in the form. ",
				"Saving it now writes over what you have changed too, and leaves the rest."
			),
			h(
				"div",
				{class: "row"},
				button("Save mine over it", saveOver, {slim: true, kind: "main", key: "save-over"}),
				button("Take theirs", () => takeTheirs(context, draft), {slim: true, key: "take-theirs"})
			)
		)
	);
	announce("Somebody changed this post while you were writing.", true);
	draft.answer.querySelector("button")?.focus();
}

function takeTheirs(context, draft) {
	draft.isDone = true;
	forgetKept(context);
	return context.refresh();
}

/** It goes out, or is out: what was typed can be another post. */
function showTooLate(context, draft, failure, body) {
	const asNew = async () => {
		draft.isDone = true;
		keepForNew(context, body);
		forgetKept(context);
		await context.go(context.here("compose"));
	};
	fill(
		draft.answer,
		notice(
			"bad",
			"It is too late to change this post",
			h("p", null, failure.message),
			h("p", null, "What you wrote is still here."),
			h(
				"div",
				{class: "row"},
				button("Make it a new post", asNew, {slim: true, key: "as-new"}),
				h("a", {class: "button slim", href: context.here("posts", draft.edited.post.id)}, "See the post")
			)
		)
	);
	announce("It is too late to change this post.", true);
}

/** Saves what was changed, over what was read and nothing else. Throws what the fields are to say. */
export async function saveChanges(context, draft, body) {
	const {edited} = draft;
	const back = async (said) => {
		draft.isDone = true;
		forgetKept(context);
		toast(said);
		await context.go(context.here("posts", edited.post.id));
	};
	const changes = changesOf(edited, body);
	if (!body.scheduled_at) {
		draft.when.problem("Say when. To publish it now, choose the present time.");
		draft.when.control.focus();
		return;
	}
	if (Object.keys(changes).length === 0) {
		await back("Nothing was changed.");
		return;
	}
	try {
		await api.patch(path(context, edited.post.id), changes, undefined, edited.etag);
	} catch (failure) {
		if (failure.status === 412) {
			const now = await readPost(context, edited.post.id);
			showConflict(context, draft, now, async () => {
				Object.assign(edited, now);
				await draft.submit();
			});
			return;
		}
		if (failure.code === "TOO_LATE") {
			showTooLate(context, draft, failure, body);
			return;
		}
		throw failure;
	}
	await back("Changes saved.");
}
