// SPDX-License-Identifier: Apache-2.0
// The life of a post through openapi-typescript and openapi-fetch. Each mark "@ts-expect-error" says what must not compile.
import createClient from "openapi-fetch";
import type { components, paths, webhooks } from "./generated/schema";
import { given, done } from "./given";

type Event = components["schemas"]["Event"];
type Received = webhooks["event"]["post"]["requestBody"]["content"]["application/json"];

/** The same union is what the feed has and what a webhook gets; `type` says what `data` is. */
function told(event: Event): string | undefined {
	const received: Received = event;
	switch (received.type) {
	case "post.publish.succeeded":
		return received.data?.platform_post.url ?? undefined;
	case "account.expiring":
		return received.data?.ends_at ?? undefined;
	case "post.media_problem":
		return received.data?.problem.code;
	default:
		// @ts-expect-error nobody knows here what data is
		return received.data?.platform_post.url;
	}
}

async function main(): Promise<void> {
	const api = createClient<paths>({ baseUrl: `${given.url}/v1`, headers: { Authorization: `Bearer ${given.token}` } });

	const refused = await api.POST("/posts/publish", { body: { account_ids: ["nobody"], content: given.text } });
	const reason: string | undefined = refused.error?.details?.accounts?.[0]?.reason;

	// @ts-expect-error a name that is none
	const typo: components["schemas"]["PublishRequest"] = { account_ids: [given.account], schedule_at: "2027-01-01T00:00:00Z" };
	// @ts-expect-error X has no such audience
	const audience: components["schemas"]["XOptions"] = { reply_settings: "nobody" };

	const accepted = await api.POST("/posts/publish", {
		body: { account_ids: [given.account], content: given.text, request_id: given.request_id,
			platforms: { x: { reply_settings: "following" }, youtube: { privacyStatus: "private" }, tiktok: null } },
	});
	if (!accepted.data)
		throw new Error(accepted.error.message);
	const post_id = accepted.data.data.post_id;

	let post: components["schemas"]["PostDetails"];
	do {
		const read = await api.GET("/posts/{post_id}", { params: { path: { post_id } } });
		if (!read.data)
			throw new Error(read.error?.message);
		post = read.data.data;
	} while (await given.more(post.status));
	const out = post.platform_posts[0];

	const listed = await api.GET("/posts", { params: { query: { "account_ids[]": [given.account], per_page: 1 } } });
	const first = await api.GET("/events", { params: { query: { limit: 1 } } });
	const rest = await api.GET("/events", { params: { query: { after: first.data?.meta.next_cursor, limit: 100 } } });
	done({
		refused: refused.error?.error, reason, typo: Object.keys(typo), audience: audience.reply_settings,
		status: post.status, url: out?.url, part: out?.parts[0]?.state, code: out?.error?.code, handle: out?.handle,
		listed: listed.data?.data[0]?.platform_posts[0]?.url,
		told: rest.data?.data.filter((event) => event.type === "post.publish.succeeded").map(told),
		kinds: rest.data?.data.map((event) => event.type),
	});
}

main();
