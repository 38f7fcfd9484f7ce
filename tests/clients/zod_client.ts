// SPDX-License-Identifier: Apache-2.0
// The life of a post through openapi-zod-client, which checks every answer while it runs: also one of a later version, with a member
// and a word more. Each @ts-expect-error says what must not compile.
import { ZodiosError, isErrorFromAlias } from "@zodios/core";
import { z } from "zod";
import { api as described, createApiClient, schemas } from "./generated/zod/client";
import { given, done } from "./given";

type Event = z.infer<typeof schemas.Event>;
type PostDetails = z.infer<typeof schemas.PostDetails>;

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

/** The same post as a later version may answer it. */
function later(post: PostDetails): boolean {
	const one = { ...post.platform_posts[0], status: "archived", likes: 7 };
	return schemas.PostAnswer.safeParse({ data: { ...post, platform_posts: [one], status: "archived", more: {} }, more: 1 }).success;
}

async function main(): Promise<void> {
	const headers = { Authorization: `Bearer ${given.token}` };
	const api = createApiClient(`${given.url}/v1`, { axiosConfig: { headers } });

	let refused: z.infer<typeof schemas.Error> | undefined;
	try {
		await api.post("/posts/publish", { account_ids: ["nobody"], content: given.text });
	} catch (error) {
		if (error instanceof ZodiosError || !isErrorFromAlias(described.api, "publishPost", error))
			throw error;
		refused = error.response.data;
	}

	// @ts-expect-error X has no such audience
	const audience: z.infer<typeof schemas.XOptions> = { reply_settings: "nobody" };

	const accepted = await api.post("/posts/publish", {
		account_ids: [given.account], content: given.text, request_id: given.request_id,
		platforms: { x: { reply_settings: "following" }, youtube: { privacyStatus: "private" }, tiktok: null },
	});
	const post_id = accepted.data.post_id;

	let post: PostDetails;
	do
		post = (await api.get("/posts/:post_id", { params: { post_id } })).data;
	while (await given.more(post.status));
	const out = post.platform_posts[0];

	const listed = await api.get("/posts", { queries: { "account_ids[]": [given.account], per_page: 1 } });
	const first = await api.get("/events", { queries: { limit: 1 } });
	const rest = await api.get("/events", { queries: { after: first.meta.next_cursor, limit: 100 } });
	done({
		refused: refused?.error, reason: refused?.details?.accounts?.[0]?.reason, audience: audience.reply_settings,
		later: later(post),
		status: post.status, url: out?.url, part: out?.parts[0]?.state, code: out?.error?.code, handle: out?.handle,
		listed: listed.data[0]?.platform_posts[0]?.url,
		told: rest.data.filter((event) => event.type === "post.publish.succeeded").map(told),
		kinds: rest.data.map((event) => event.type),
	});
}

main();
