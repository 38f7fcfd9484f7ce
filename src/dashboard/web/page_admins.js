// SPDX-License-Identifier: Apache-2.0
// The admins: who can sign in to this installation.
import {h} from "./dom.js";
import * as api from "./api.js";
import {when} from "./format.js";
import {button, card, field, form, openDialog, pageHead, table, tag, toast} from "./ui.js";

async function create(context) {
	const made = await openDialog("Create an admin", (close) => {
		const fields = [
			field({name: "email", label: "Email", kind: "email", required: true}),
			field({
				name: "password",
				label: "Password",
				kind: "password",
				required: true,
				autocomplete: "new-password",
				hint: "At least 8 characters. Share it securely; they can change it after signing in.",
			}),
		];
		return form({
			fields,
			submit: "Create admin",
			cancel: () => close(),
			onsubmit: async (values) => close(await api.post("/admins", {email: values.email.trim(), password: values.password})),
		});
	});
	if (made) {
		toast(`${made.email} can sign in.`);
		await context.refresh();
	}
}

async function remove(context, admin, admins) {
	const isSelf = admin.id === context.session.admin.id;
	const done = await openDialog(`Delete ${admin.email}?`, (close) => {
		const heirs = admins.filter((other) => other.id !== admin.id).map((other) => [other.email, other.email]);
		const fields = [
			field({
				name: "apps_to",
				label: "Their apps go to",
				kind: "select",
				options: [...heirs, ["", "nobody: they are held"]],
				hint: "An app without an admin publishes nothing, and its token and keys end. The operator can give it an admin later.",
			}),
		];
		return form({
			fields,
			submit: "Delete",
			kind: "danger",
			note: h("p", {class: "hint"}, isSelf ? "This is you: you are signed out immediately." : "Their sessions end immediately."),
			cancel: () => close(),
			onsubmit: async (values) => {
				const query = values.apps_to ? `?apps_to=${encodeURIComponent(values.apps_to)}` : "";
				await api.remove(`/admins/${encodeURIComponent(admin.email)}${query}`);
				close(true);
			},
		});
	});
	if (done) {
		toast(`${admin.email} deleted.`);
		if (isSelf) {
			await api.loadSession();
		}
		await context.refresh();
	}
}

export async function page(context) {
	const admins = (await api.get("/admins", null, context.signal)).data;
	const columns = [
		{
			label: "Email",
			lead: true,
			cell: (admin) => [h("span", {class: "title"}, admin.email), admin.id === context.session.admin.id ? [" ", tag("you")] : null],
		},
		{label: "Can sign in", tight: true, cell: (admin) => (admin.has_password ? tag("yes", "ok") : tag("no password set", "warn"))},
		{label: "Created", tight: true, cell: (admin) => when(admin.created_at)},
		{
			label: "",
			name: "Actions",
			tight: true,
			cell: (admin) =>
				button("Delete", () => remove(context, admin, admins), {slim: true, kind: "danger", label: `Delete ${admin.email}`}),
		},
	];
	return [
		pageHead({
			title: "Admins",
			sub: "Each admin sees only the apps they own. Every admin can manage admins.",
			actions: [button("Create admin", () => create(context), {kind: "main", icon: "plus"})],
		}),
		card({flush: true}, table({caption: "Admins", columns, rows: admins})),
	];
}
