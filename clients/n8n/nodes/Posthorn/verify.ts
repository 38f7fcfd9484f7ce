// SPDX-License-Identifier: Apache-2.0
// Is a call to the webhook Posthorn's (Standard Webhooks 1.0.0)? The same as verifyWebhook of the TypeScript client, which a community
// node may not depend on.

const AGE_MAX_S = 300;

/** headers: by names in small letters; body: the bytes as they came. While a secret is being rotated one of two signatures fits. */
export async function isGenuine(
	secret: string,
	headers: Record<string, string | undefined>,
	body: Uint8Array,
	nowMs: number = Date.now(),
): Promise<boolean> {
	const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures } = headers;
	const key = decoded(secret.replace(/^whsec_/, ""));
	if (!id || !signatures || key.length === 0 || !/^\d{1,12}$/.test(timestamp ?? "")) {
		return false;
	}
	if (Math.abs(nowMs / 1000 - Number(timestamp)) > AGE_MAX_S) {
		return false;
	}
	const head = new TextEncoder().encode(`${id}.${timestamp}.`);
	const signed = new Uint8Array(head.length + body.length);
	signed.set(head);
	signed.set(body, head.length);
	const imported = await crypto.subtle.importKey("raw", key as BufferSource, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
	for (const part of signatures.split(" ").filter((one) => one.startsWith("v1,"))) {
		// It compares in constant time.
		if (await crypto.subtle.verify("HMAC", imported, decoded(part.slice(3)) as BufferSource, signed as BufferSource)) {
			return true;
		}
	}
	return false;
}

/** Nothing where it is no base64. */
function decoded(text: string): Uint8Array {
	try {
		return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
	} catch {
		return new Uint8Array(0);
	}
}
