// SPDX-License-Identifier: Apache-2.0
// Signing in.
import {h} from "./dom.js";
import * as api from "./api.js";
import {codeField} from "./second_factor.js";
import {card, field, form, notice} from "./ui.js";

/** Only ever back into the dashboard. */
const target = (context) => (/^\/dashboard(\/[^/\\]|\?|$)/.test(context.query.next ?? "") ? context.query.next : context.base);

/** Who is signed in at a proxy in front of the service, that is trusted with this. */
function proxyCard(context) {
	const code = codeField();
	const send = async () => {
		await code.ask((more) => api.changeSession("/login/proxy", more));
		if (api.session().signed_in) {
			await context.go(target(context), {replace: true});
		}
	};
	return card(
		{},
		h("p", null, "Single sign-on knows you as ", h("strong", null, context.session.proxy_email), "."),
		form({fields: [code], submit: "Continue as this admin", onsubmit: send})
	);
}

export async function page(context) {
	const code = codeField();
	const fields = [
		field({name: "email", label: "Email", kind: "email", required: true, autocomplete: "username"}),
		field({name: "password", label: "Password", kind: "password", required: true, autocomplete: "current-password"}),
		code,
	];
	const send = async (values) => {
		await code.ask((more) => api.changeSession("/login", {email: values.email.trim(), password: values.password, ...more}));
		if (!api.session().signed_in) {
			return;
		}
		await context.go(target(context), {replace: true});
	};
	return [
		h("div", {class: "brand"}, h("span", {class: "horn", "aria-hidden": "true"}), "Posthorn"),
		h(
			"div",
			{class: "stack"},
			context.session.setup_needed
				? notice(
						"warn",
						"This installation is not set up yet",
						h("p", null, "The operator makes a set-up link with ", h("code", null, "posthorn admin setup-link"), ".")
					)
				: null,
			context.session.proxy_email ? proxyCard(context) : null,
			card({}, h("div", {class: "stack"}, h("h1", {tabindex: "-1"}, "Sign in"), form({fields, submit: "Sign in", onsubmit: send}))),
			h(
				"p",
				{class: "soft small"},
				"Forgot your password? The operator makes a link for a new one with ",
				h("code", null, "posthorn admin setup-link --email EMAIL"),
				"."
			)
		),
	];
}
