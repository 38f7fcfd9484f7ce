// SPDX-License-Identifier: Apache-2.0
// The person who allows an app, and what the scripts share.
export const CALLBACK = "http://127.0.0.1:9/callback";
export const WEB_CALLBACK = "https://127.0.0.1:9/callback"; // of TikTok's web apps

// Says yes on the consent page of that address; returns the address that the browser is sent back to.
export async function allow(url) {
  const answer = await fetch(`${url}${String(url).includes("?") ? "&" : "?"}sandbox_decision=allow`, { redirect: "manual" });
  const location = answer.headers.get("location");
  if (answer.status !== 302 || ![CALLBACK, WEB_CALLBACK].some((one) => location?.startsWith(one))) {
    throw new Error(`consent: ${answer.status} ${location} ${await answer.text()}`);
  }
  return new URL(location);
}

export function secretOf(slug) {
  return `sandbox-secret-${slug}`;
}
