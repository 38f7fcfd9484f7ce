// SPDX-License-Identifier: Apache-2.0
// The six platforms of an app and the state of their credentials.
import {h} from "./dom.js";
import * as api from "./api.js";
import {when} from "./format.js";
import {badge, card, linkButton, mark, pageHead} from "./ui.js";

function tile(context, guide) {
	const credential = guide.credential;
	const state = credential?.state ?? "none";
	const texts = {
		none: "Not entered yet.",
		pending: "Entered, not verified yet.",
		failed: credential?.message ?? "The platform rejected it.",
	};
	return h(
		"li",
		null,
		mark(guide.platform),
		h(
			"div",
			{class: "grow"},
			h("a", {class: "title", href: context.here("credentials", guide.platform)}, h("strong", null, guide.name)),
			h(
				"div",
				{class: "soft small break"},
				state === "verified"
					? ["Verified ", when(credential.verified_at), " · ", h("span", {class: "mono"}, credential.client_id)]
					: texts[state]
			)
		),
		badge("credential", state),
		linkButton(state === "none" ? "Enter" : "Open", context.here("credentials", guide.platform), {slim: true})
	);
}

export async function page(context) {
	const guides = (await api.get(context.appPath("platforms"), null, context.signal)).data;
	return [
		pageHead({
			crumbs: [
				["Apps", `${context.base}/apps`],
				[context.app?.name ?? "App", context.here()],
			],
			title: "Platform credentials",
			sub: "You own the OAuth apps on the platforms. Their secrets are stored encrypted, are never shown again, and must be verified before your users can connect.",
		}),
		card(
			{flush: true},
			h(
				"ul",
				{class: "lines"},
				guides.map((guide) => tile(context, guide))
			)
		),
	];
}
