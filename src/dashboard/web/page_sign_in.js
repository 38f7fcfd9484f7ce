// SPDX-License-Identifier: Apache-2.0
// Signing in with a link that the demo printed: used up by the button, not by opening the page.
import {h} from "./dom.js";
import * as api from "./api.js";
import {codeField} from "./second_factor.js";
import {card, form, linkButton} from "./ui.js";

export async function page(context) {
	const token = decodeURIComponent(location.hash.slice(1));
	const code = codeField();
	const send = async () => {
		await code.ask((more) => api.changeSession("/login/link", {token, ...more}));
		if (api.session().signed_in) {
			await context.go(context.base, {replace: true});
		}
	};
	return [
		h("div", {class: "brand"}, h("span", {class: "horn", "aria-hidden": "true"}), "Posthorn"),
		card(
			{},
			h(
				"div",
				{class: "stack"},
				h(
					"div",
					null,
					h("h1", {tabindex: "-1"}, "Sign in with a link"),
					h("p", {class: "soft"}, "The link works once, for ten minutes.")
				),
				form({fields: [code], submit: "Continue", onsubmit: send}),
				h("p", null, linkButton("Sign in with a password", `${context.base}/login`))
			)
		),
	];
}
