// SPDX-License-Identifier: Apache-2.0
// The signed-in admin: password and sessions.
import {h} from "./dom.js";
import * as api from "./api.js";
import {when} from "./format.js";
import {factorCard} from "./second_factor.js";
import {button, card, field, form, pageHead, table, tag, toast} from "./ui.js";
import {PASSWORD_HINT} from "./words.js";

function passwordForm(context) {
	const fields = [
		field({name: "current_password", label: "Current password", kind: "password", required: true, autocomplete: "current-password"}),
		field({
			name: "new_password",
			label: "New password",
			kind: "password",
			required: true,
			autocomplete: "new-password",
			hint: PASSWORD_HINT,
		}),
		field({name: "again", label: "Repeat new password", kind: "password", required: true, autocomplete: "new-password"}),
	];
	const send = async (values) => {
		if (values.new_password !== values.again) {
			fields[2].problem("The passwords do not match.");
			fields[2].control.focus();
			return;
		}
		try {
			await api.changeSession("/password", {current_password: values.current_password, new_password: values.new_password});
		} catch (failure) {
			if (failure.code !== "WRONG_PASSWORD") {
				throw failure;
			}
			fields[0].problem(failure.message);
			fields[0].control.focus();
			return;
		}
		toast("Password changed. You have been signed out everywhere else.");
		await context.refresh();
	};
	return card({title: "Password"}, form({fields, submit: "Change password", onsubmit: send}));
}

async function end(context, one) {
	await api.remove(`/sessions/${encodeURIComponent(one.id)}`);
	toast("Session ended.");
	await context.refresh();
}

export async function page(context) {
	const [{data: sessions}, factor] = await Promise.all([
		api.get("/sessions", null, context.signal),
		api.get("/second-factor", null, context.signal),
	]);
	const columns = [
		{
			label: "Browser",
			lead: true,
			cell: (one) => [
				h("span", {class: "title"}, one.address || "unknown address"),
				one.current ? [" ", tag("this browser", "ok")] : null,
				h("span", {class: "sub"}, one.user_agent),
			],
		},
		{label: "Signed in", tight: true, cell: (one) => when(one.created_at)},
		{label: "Last seen", tight: true, cell: (one) => when(one.last_seen_at)},
		{
			label: "",
			name: "Actions",
			tight: true,
			cell: (one) =>
				one.current
					? null // Sign out does that
					: button("End", () => end(context, one), {slim: true, kind: "danger", label: `End the session of ${one.address}`}),
		},
	];
	return [
		pageHead({title: "Your account", sub: context.session.admin.email}),
		h(
			"div",
			{class: "split"},
			card(
				{
					title: "Where you are signed in",
					sub: "A session ends after half an hour without use. Changing the password ends all other sessions.",
					flush: true,
				},
				table({caption: "Sessions", columns, rows: sessions})
			),
			h("div", {class: "stack"}, passwordForm(context), factorCard(context, factor))
		),
	];
}
