// SPDX-License-Identifier: Apache-2.0
// Calls to your webhook address, by Standard Webhooks 1.0.0.
import { WebhookVerificationError } from "./errors.js";
import type { Event } from "./types.js";

export type HeaderSource = Headers | Record<string, string | readonly string[] | undefined>;

export interface VerifyOptions {
	/** How old a call may be, and how far ahead of this clock; 300. An older one may be somebody's recording. */
	toleranceSeconds?: number | undefined;
	/** Milliseconds since 1970, for tests. */
	nowMs?: number | undefined;
}

const TOLERANCE_S = 300;
const SIGNATURE_BYTES = 32;

/**
 * The event of a genuine call; a WebhookVerificationError for any other. body: the bytes or the text as they came, before anything
 * parsed them. While a webhook's secret is being rotated its calls have two signatures, and one that fits is enough; several
 * secrets can be given as well. An event may come twice, and later than younger ones: keep its `id`, and look at `seq`.
 */
export async function verifyWebhook(
	secret: string | readonly string[],
	headers: HeaderSource,
	body: string | Uint8Array,
	options: VerifyOptions = {},
): Promise<Event> {
	const id = headerOf(headers, "webhook-id");
	const timestamp = headerOf(headers, "webhook-timestamp");
	const signatures = headerOf(headers, "webhook-signature");
	if (!id || !timestamp || !signatures) {
		throw new WebhookVerificationError("The headers webhook-id, webhook-timestamp and webhook-signature must all be there.");
	}
	const ageSeconds = (options.nowMs ?? Date.now()) / 1000 - Number(timestamp);
	if (!/^\d{1,12}$/.test(timestamp) || Math.abs(ageSeconds) > (options.toleranceSeconds ?? TOLERANCE_S)) {
		throw new WebhookVerificationError("The call is too old, or from the future: its webhook-timestamp is out of range.");
	}
	const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
	const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
	const given = signatures.split(" ").filter((part) => part.startsWith("v1,")).map((part) => decoded(part.slice(3)));
	if (!(await isSigned(typeof secret === "string" ? [secret] : secret, given, signed))) {
		throw new WebhookVerificationError("No signature of the call fits the secret.");
	}
	return JSON.parse(new TextDecoder().decode(bytes)) as Event;
}

/** crypto.subtle.verify compares in constant time. */
async function isSigned(secrets: readonly string[], given: Uint8Array[], signed: Uint8Array): Promise<boolean> {
	for (const secret of secrets) {
		const bytes = decoded(secret.replace(/^whsec_/, ""));
		if (bytes.length === 0) {
			throw new WebhookVerificationError("The secret is not one of a webhook: it begins with whsec_.");
		}
		const key = await crypto.subtle.importKey("raw", bytes as BufferSource, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
		for (const signature of given) {
			const isWhole = signature.length === SIGNATURE_BYTES;
			if (isWhole && (await crypto.subtle.verify("HMAC", key, signature as BufferSource, signed as BufferSource))) {
				return true;
			}
		}
	}
	return false;
}

function headerOf(headers: HeaderSource, name: string): string | undefined {
	if (headers instanceof Headers) {
		return headers.get(name) ?? undefined;
	}
	const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
	return typeof found === "string" ? found : found?.[0];
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
	const whole = new Uint8Array(first.length + second.length);
	whole.set(first);
	whole.set(second, first.length);
	return whole;
}

/** Nothing where it is no base64. */
function decoded(text: string): Uint8Array {
	try {
		return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
	} catch {
		return new Uint8Array(0);
	}
}
