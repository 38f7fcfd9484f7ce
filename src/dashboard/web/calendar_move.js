// SPDX-License-Identifier: Apache-2.0
// A scheduled post is dragged to another day of the calendar: it keeps its time of day, and is moved only if it still is what the page
// shows (If-Match). Without a mouse its page has "Reschedule".
import * as api from "./api.js";
import {utc} from "./format.js";
import {toast} from "./ui.js";

const TYPE = "application/x-posthorn-post";

/** For the post's element: it can be taken along. Nothing for a post whose time cannot change. */
export const takenAlong = (post) =>
	post.status === "scheduled"
		? {
				draggable: "true",
				ondragstart: (event) => {
					event.dataTransfer.effectAllowed = "move";
					event.dataTransfer.setData(TYPE, JSON.stringify({client_id: post.client_id, id: post.id, at: post.scheduled_at}));
				},
			}
		: {};

const changed = (context) => {
	toast("Somebody changed this post since the page was loaded. Look at it again.", "bad");
	return context.refresh();
};

async function move(context, taken, when) {
	const path = api.appPath(taken.client_id, "v1", "posts", taken.id);
	const {body, etag} = await api.getTagged(path, context.signal);
	if (body.data.scheduled_at !== taken.at) {
		await changed(context);
		return;
	}
	try {
		await api.patch(path, {scheduled_at: when}, undefined, etag);
	} catch (failure) {
		if (failure.status !== 412) {
			throw failure;
		}
		await changed(context);
		return;
	}
	toast(`Moved to ${utc(when)}.`);
	await context.refresh();
}

async function drop(context, event, date) {
	const taken = JSON.parse(event.dataTransfer.getData(TYPE));
	const when = `${date}${taken.at.slice(10)}`;
	if (when === taken.at) {
		return;
	}
	if (Date.parse(when) <= Date.now()) {
		toast("That time is over: choose a later day.", "bad");
		return;
	}
	try {
		await move(context, taken, when);
	} catch (failure) {
		if (failure.name !== "AbortError") {
			toast(failure.message, "bad");
		}
	}
}

/** For a day's element: what is taken along can be let go there. */
export const letGo = (context, date) => ({
	ondragover: (event) => {
		if (event.dataTransfer.types.includes(TYPE)) {
			event.preventDefault();
			event.currentTarget.classList.add("over");
		}
	},
	ondragleave: (event) => event.currentTarget.classList.remove("over"),
	ondrop: (event) => {
		event.preventDefault();
		event.currentTarget.classList.remove("over");
		return drop(context, event, date);
	},
});
