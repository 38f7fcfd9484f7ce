// SPDX-License-Identifier: Apache-2.0
// The life of a post through orval: its client on fetch, and its zod schemas over what was answered. Each @ts-expect-error says what
// must not compile.
import * as sdk from "./generated/orval/client";
import type { Event, PostDetails, PublishRequest, XOptions } from "./generated/orval/client";
import * as zod from "./generated/orval/zod";
import { given, done } from "./given";

function told(event: Event): string | undefined {
	switch (event.type) {
	case "post.publish.succeeded":
		return event.data?.platform_post.url ?? undefined;
	case "account.expiring":
		return event.data?.ends_at ?? undefined;
	default:
		// @ts-expect-error nobody knows here what data is
		return event.data?.platform_post.url;
	}
}

async function main(): Promise<void> {
	const options = { headers: { Authorization: `Bearer ${given.token}` } };
	const refused = await sdk.publishPost({ account_ids: ["nobody"], content: given.text }, options);
	const error = refused.status === 422 ? refused.data : undefined;

	// @ts-expect-error a name that is none
	const typo: PublishRequest = { account_ids: [given.account], schedule_at: "2027-01-01T00:00:00Z" };
	// @ts-expect-error X has no such audience
	const audience: XOptions = { reply_settings: "nobody" };

	const accepted = await sdk.publishPost({
		account_ids: [given.account], content: given.text, request_id: given.request_id,
		platforms: { x: { reply_settings: "following" }, youtube: { privacyStatus: "private" }, tiktok: null },
	}, options);
	if (accepted.status !== 202)
		throw new Error(accepted.data.message);
	const post_id = accepted.data.data.post_id;

	let post: PostDetails;
	do {
		const read = await sdk.getPost(post_id, options);
		if (read.status !== 200)
			throw new Error(`${read.status}`);
		zod.getPostResponse.parse(read.data);
		post = read.data.data;
	} while (await given.more(post.status));
	const out = post.platform_posts[0];

	const listed = await sdk.listPosts({ "account_ids[]": [given.account], per_page: 1 }, options);
	const first = await sdk.listEvents({ limit: 1 }, options);
	if (listed.status !== 200 || first.status !== 200)
		throw new Error(`${listed.status} ${first.status}`);
	const rest = await sdk.listEvents({ after: first.data.meta.next_cursor, limit: 100 }, options);
	if (rest.status !== 200)
		throw new Error(`${rest.status}`);
	zod.listPostsResponse.parse(listed.data);
	zod.listEventsResponse.parse(rest.data);
	done({
		refused: error?.error, reason: error?.details?.accounts?.[0]?.reason, typo: Object.keys(typo), audience: audience.reply_settings,
		status: post.status, url: out?.url, part: out?.parts[0]?.state, code: out?.error?.code, handle: out?.handle,
		listed: listed.data.data[0]?.platform_posts[0]?.url,
		told: rest.data.data.filter((event) => event.type === "post.publish.succeeded").map(told),
		kinds: rest.data.data.map((event) => event.type),
	});
}

main();
