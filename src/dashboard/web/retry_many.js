// SPDX-License-Identifier: Apache-2.0
// Retry of many: what would be retried is counted and shown first, and exactly that many are retried (expect).
import {h} from "./dom.js";
import * as api from "./api.js";
import {plural} from "./format.js";
import {button, notice, openDialog, toast} from "./ui.js";

const MONTH_MS = 30 * 86400000;
const UNKNOWN = "OUTCOME_UNKNOWN";

const retryPath = (clientId) => api.appPath(clientId, "v1", "posts", "retry");
/** The longest that the API looks back. */
export const monthAgo = () => new Date(Date.now() - MONTH_MS).toISOString().slice(0, 19) + "Z";

/** The filter of a list of posts as the API's: {account_ids, error_codes, since}. */
export function retryFilter({account_id: account, error, from}) {
	const earliest = monthAgo();
	const start = from ? `${from}T00:00:00Z` : earliest;
	return {
		...(account ? {account_ids: [account]} : {}),
		...(error ? {error_codes: [error]} : {}),
		...(error === UNKNOWN ? {republish: true} : {}),
		since: start > earliest ? start : earliest,
	};
}

function words(found, filter) {
	const what = `${plural(found.count, "platform post")} of ${plural(found.post_ids.length, "post")}`;
	const since = `Failed since ${filter.since.slice(0, 16).replace("T", " ")} UTC.`;
	return [
		h("p", null, `${what} will be retried${found.more ? ", the oldest first. There are more: repeat it afterwards." : "."}`),
		h("p", {class: "soft small"}, since, " Cancelled posts, and accounts that must be reconnected, are left alone."),
		filter.republish
			? notice(
					"bad",
					"They may already be published",
					h("p", null, "It is unknown whether the first attempts were published. Those that were will appear twice.")
				)
			: h("p", {class: "soft small"}, "Posts whose outcome is unknown are left alone. Parts that are published stay as they are."),
	];
}

/** Asks with the count, and retries. True when something was retried. */
export async function retryMany(clientId, filter, signal) {
	const {data: found} = await api.post(retryPath(clientId), {...filter, dry_run: true}, signal);
	if (found.count === 0) {
		toast("Nothing to retry: no failed post fits.");
		return false;
	}
	const isDone = await openDialog("Retry failed posts", (close) => {
		const go = async () => {
			try {
				const {data} = await api.post(retryPath(clientId), {...filter, expect: found.count});
				toast(`Retrying ${plural(data.count, "platform post")}.`);
				close(true);
			} catch (failure) {
				if (failure.code !== "COUNT_CHANGED") {
					throw failure;
				}
				toast("The number has changed meanwhile. Nothing was retried: look again.", "bad");
				close(false);
			}
		};
		return [
			words(found, filter),
			h(
				"div",
				{class: "actions"},
				button("Not now", () => close(false)),
				button(`Retry ${found.count}`, go, {kind: filter.republish ? "danger" : "main", key: "retry-many"})
			),
		];
	});
	return isDone === true;
}
