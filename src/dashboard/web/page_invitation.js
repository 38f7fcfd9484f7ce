// SPDX-License-Identifier: Apache-2.0
// Choosing a password with an invitation, or with a link for a new password. What follows "#" reaches no log: the token, "/" and the email
// address of whom it is for, which is only shown. The link is used up when the form is sent, not when the page is opened.
import {h} from "./dom.js";
import * as api from "./api.js";
import {codeField} from "./second_factor.js";
import {card, field, form, linkButton, notice} from "./ui.js";
import {PASSWORD_HINT} from "./words.js";

const brand = () => h("div", {class: "brand"}, h("span", {class: "horn", "aria-hidden": "true"}), "Posthorn");

function withoutToken(context) {
	return [
		brand(),
		card(
			{title: "Choose a password"},
			h("h1", {class: "unseen", tabindex: "-1"}, "Choose a password"),
			notice("warn", "Nothing to do here", h("p", null, "Open the complete link: it ends with # and a token.")),
			h("p", null, linkButton("Sign in", `${context.base}/login`, {kind: "main"}))
		),
	];
}

export async function page(context) {
	const [token, email = ""] = location.hash.slice(1).split("/").map(decodeURIComponent);
	if (token === "") {
		return withoutToken(context);
	}
	const code = codeField();
	const fields = [
		field({name: "password", label: "Password", kind: "password", required: true, autocomplete: "new-password", hint: PASSWORD_HINT}),
		field({name: "again", label: "Repeat password", kind: "password", required: true, autocomplete: "new-password"}),
		code,
	];
	const send = async ({password, again}) => {
		if (password !== again) {
			fields[1].problem("The passwords do not match.");
			fields[1].control.focus();
			return;
		}
		await code.ask((more) => api.changeSession("/invitation", {token, password, ...more}));
		if (api.session().signed_in) {
			await context.go(context.base, {replace: true});
		}
	};
	return [
		brand(),
		card(
			{},
			h(
				"div",
				{class: "stack"},
				h(
					"div",
					null,
					h("h1", {tabindex: "-1"}, "Choose a password"),
					email ? h("p", {class: "soft"}, "For ", h("strong", null, email), ". You sign in with this address.") : null,
					h("p", {class: "soft"}, "This link works once.")
				),
				form({fields, submit: "Save password and sign in", onsubmit: send})
			)
		),
	];
}
