// SPDX-License-Identifier: Apache-2.0
// The life of a post through @hey-api/openapi-ts, with its client on fetch. Each @ts-expect-error says what must not compile.
import * as sdk from "./generated/hey/sdk.gen";
import { client } from "./generated/hey/client.gen";
import type { Event, PostDetails, PublishRequest, XOptions } from "./generated/hey/types.gen";
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
	client.setConfig({ baseUrl: `${given.url}/v1`, auth: given.token });

	const refused = await sdk.publishPost({ body: { account_ids: ["nobody"], content: given.text } });
	const reason: string | undefined = refused.error?.details?.accounts?.[0]?.reason;

	// @ts-expect-error a name that is none
	const typo: PublishRequest = { account_ids: [given.account], schedule_at: "2027-01-01T00:00:00Z" };
	// @ts-expect-error X has no such audience
	const audience: XOptions = { reply_settings: "nobody" };

	const accepted = await sdk.publishPost({
		body: { account_ids: [given.account], content: given.text, request_id: given.request_id,
			platforms: { x: { reply_settings: "following" }, youtube: { privacyStatus: "private" }, tiktok: null } },
	});
	if (!accepted.data)
		throw new Error(accepted.error.message);
	const post_id = accepted.data.data.post_id;

	let post: PostDetails;
	do {
		const read = await sdk.getPost({ path: { post_id }, throwOnError: true });
		post = read.data.data;
	} while (await given.more(post.status));
	const out = post.platform_posts[0];

	const listed = await sdk.listPosts({ query: { "account_ids[]": [given.account], per_page: 1 } });
	const first = await sdk.listEvents({ query: { limit: 1 } });
	const rest = await sdk.listEvents({ query: { after: first.data?.meta.next_cursor, limit: 100 } });
	done({
		refused: refused.error?.error, reason, typo: Object.keys(typo), audience: audience.reply_settings,
		status: post.status, url: out?.url, part: out?.parts[0]?.state, code: out?.error?.code, handle: out?.handle,
		listed: listed.data?.data[0]?.platform_posts[0]?.url,
		told: rest.data?.data.filter((event) => event.type === "post.publish.succeeded").map(told),
		kinds: rest.data?.data.map((event) => event.type),
	});
}

main();
