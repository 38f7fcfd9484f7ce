// SPDX-License-Identifier: Apache-2.0
// The set-up of a new installation: the one-time link's token becomes the first admin. The token comes after
// "#", so that it appears in no log.
import {h} from "./dom.js";
import * as api from "./api.js";
import {card, field, form, linkButton, notice} from "./ui.js";
import {PASSWORD_HINT} from "./words.js";

const brand = () => h("div", {class: "brand"}, h("span", {class: "horn", "aria-hidden": "true"}), "Posthorn");

function withoutToken(context) {
	const text = context.session.setup_needed
		? "Open the complete link: it ends with # and a token. The operator makes one with posthorn admin setup-link."
		: "This installation already has an admin.";
	return [
		brand(),
		card(
			{title: "Set up Posthorn"},
			h("h1", {class: "unseen", tabindex: "-1"}, "Set up Posthorn"),
			notice(context.session.setup_needed ? "warn" : "ok", "Nothing to do here", h("p", null, text)),
			h("p", null, linkButton("Sign in", `${context.base}/login`, {kind: "main"}))
		),
	];
}

export async function page(context) {
	const token = decodeURIComponent(location.hash.slice(1));
	if (token === "") {
		return withoutToken(context);
	}
	const fields = [
		field({
			name: "email",
			label: "Email",
			kind: "email",
			required: true,
			autocomplete: "username",
			hint: "Used to sign in. No mail is sent to it.",
		}),
		field({
			name: "password",
			label: "Password",
			kind: "password",
			required: true,
			autocomplete: "new-password",
			hint: PASSWORD_HINT,
		}),
		field({name: "again", label: "Repeat password", kind: "password", required: true, autocomplete: "new-password"}),
	];
	const send = async ({email, password, again}) => {
		if (password !== again) {
			fields[2].problem("The passwords do not match.");
			fields[2].control.focus();
			return;
		}
		await api.changeSession("/setup", {token, email: email.trim(), password});
		await context.go(`${context.base}/apps`, {replace: true});
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
					h("h1", {tabindex: "-1"}, "Set up Posthorn"),
					h("p", {class: "soft"}, "Create the first admin, who manages the others. This link works once, for ten minutes.")
				),
				form({fields, submit: "Create admin and sign in", onsubmit: send})
			)
		),
	];
}
