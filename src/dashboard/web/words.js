// SPDX-License-Identifier: Apache-2.0
// The API's words as people read them, each with its tone. Tables only.

export const PLATFORMS = ["instagram", "facebook", "x", "linkedin", "youtube", "tiktok"];
export const PLATFORM_NAMES = {
	instagram: "Instagram",
	facebook: "Facebook",
	x: "X",
	linkedin: "LinkedIn",
	youtube: "YouTube",
	tiktok: "TikTok",
};
export const platformName = (slug) => PLATFORM_NAMES[slug] ?? String(slug);

// word: [shown, tone, is alive]
export const STATES = {
	app: {draft: ["Draft", "calm"], active: ["Live", "ok"], suspended: ["Suspended", "bad"]},
	credential: {pending: ["Not verified", "warn"], verified: ["Verified", "ok"], failed: ["Rejected", "bad"], none: ["Not set", "calm"]},
	post: {
		pending: ["Pending", "busy", true],
		scheduled: ["Scheduled", "calm"],
		processing: ["Publishing", "busy", true],
		retrying: ["Retrying", "warn", true],
		published: ["Published", "ok"],
		failed: ["Failed", "bad"],
		cancelled: ["Cancelled", "calm"],
		partial: ["Partly published", "warn"],
	},
	draft: {open: ["Awaiting approval", "busy"], incomplete: ["Incomplete", "warn"], rejected: ["Rejected", "bad"]},
	account: {
		active: ["Active", "ok"],
		expiring: ["Expiring", "warn"],
		reauth_required: ["Reconnect", "bad"],
		disconnected: ["Disconnected", "calm"],
	},
	webhook: {
		pending: ["In progress", "busy", true],
		again: ["Retrying", "warn", true],
		succeeded: ["Delivered", "ok"],
		failed: ["Failed", "bad"],
		enabled: ["Enabled", "ok"],
		disabled: ["Disabled", "bad"],
		failing: ["Failing", "warn"],
	},
	verdict: {
		ok: ["Answered", "ok"],
		done: ["Done", "ok"],
		refused: ["Rejected", "bad"],
		error: ["Platform error", "bad"],
		never_sent: ["Never sent", "warn"],
		lost: ["Response lost", "warn"],
		in_doubt: ["Outcome unknown", "warn"],
		proven: ["Found", "ok"],
		absent: ["Not found", "warn"],
		unproven: ["Not conclusive", "warn"],
	},
};

export const stateOf = (kind, word) => STATES[kind]?.[word] ?? [String(word ?? "unknown").replaceAll("_", " "), "calm"];

export const FINAL = new Set(["published", "failed"]);
export const isUnderWay = (post) => !FINAL.has(post.state) && post.state !== "scheduled";

/** The word for a post as a whole; more precise than its status. */
export function postWord(post) {
	const targets = post.platform_posts ?? [];
	if (post.state === "failed" && targets.length > 0 && targets.every((target) => target.error?.code === "CANCELLED")) {
		return "cancelled";
	}
	if (FINAL.has(post.state) && post.outcome === "partial") {
		return "partial";
	}
	if (post.state === "failed" && targets.some((target) => target.status === "published")) {
		return "partial";
	}
	return post.state ?? post.status;
}

export const targetWord = (target) =>
	target.error?.code === "CANCELLED" && target.status === "failed"
		? "cancelled"
		: target.status === "published" && target.outcome === "partial"
			? "partial"
			: (target.state ?? target.status);

export const VISIBILITIES = {
	public: "Everyone",
	unlisted: "Everyone with the link",
	followers: "Followers",
	private: "Only the account itself",
	draft: "Nobody: a draft to publish on the platform",
};
export const TYPES = {post: "Post", video: "Video", story: "Story", carousel: "Carousel", article: "Article"};
export const ACCOUNT_TYPES = {
	personal: "Personal",
	page: "Page",
	business: "Business",
	creator: "Creator",
	organization: "Organization",
	channel: "Channel",
};

/** For fields of a new password; the service has the rules. */
export const PASSWORD_HINT = "At least 12 characters, and not what many people use. A few words of your own are good.";
