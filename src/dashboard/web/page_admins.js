// SPDX-License-Identifier: Apache-2.0
// The admins: who can sign in to this installation.
import {h} from "./dom.js";
import * as api from "./api.js";
import {when} from "./format.js";
import {button, card, confirm, field, form, openDialog, pageHead, showSecret, table, tag, toast} from "./ui.js";

const ROLES = [
	["owner", "owner: has apps of their own"],
	["root", "root: manages admins and sees every app"],
];

async function invite(context, email) {
	const made = await openDialog(email ? `A new link for ${email}` : "Invite an admin", (close) => {
		const fields = [
			field({name: "email", label: "Email", kind: "email", required: true, value: email}),
			field({name: "role", label: "Role", kind: "select", options: ROLES, value: "owner"}),
		];
		return form({
			fields,
			submit: "Make the link",
			cancel: () => close(),
			onsubmit: async (values) => close(await api.post("/invitations", {email: values.email.trim(), role: values.role})),
		});
	});
	if (made) {
		await showSecret(
			"Invitation",
			`Send this link to ${made.email}, and to nobody else: whoever opens it chooses the password. It works once, for three days.`,
			[["Link", made.link]]
		);
		await context.refresh();
	}
}

async function changeRole(context, admin) {
	const role = admin.role === "root" ? "owner" : "root";
	const isSure = await confirm({
		title: `Make ${admin.email} ${role}?`,
		action: `Make ${role}`,
		danger: false,
		text: role === "root" ? "A root admin manages admins and sees every app." : "An owner sees their own apps and manages no admins.",
	});
	if (isSure) {
		await api.patch(`/admins/${encodeURIComponent(admin.email)}`, {role});
		toast(`${admin.email} is ${role} now.`);
		if (admin.id === context.session.admin.id) {
			await api.loadSession();
			await context.go(context.base);
			return;
		}
		await context.refresh();
	}
}

async function resetFactor(context, admin) {
	const isSure = await confirm({
		title: `Reset the second factor of ${admin.email}?`,
		action: "Reset it",
		text: "For who has lost app and recovery codes: their password alone signs them in then. Make sure that it is them who ask.",
	});
	if (isSure) {
		await api.post(`/admins/${encodeURIComponent(admin.email)}/second-factor/reset`);
		toast("The second factor is off.");
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
		{label: "Role", tight: true, cell: (admin) => tag(admin.role, admin.role === "root" ? "ok" : "calm")},
		{label: "Can sign in", tight: true, cell: (admin) => (admin.has_password ? tag("yes", "ok") : tag("no password set", "warn"))},
		{label: "Second factor", tight: true, cell: (admin) => (admin.second_factor ? tag("on", "ok") : tag("off"))},
		{label: "Created", tight: true, cell: (admin) => when(admin.created_at)},
		{
			label: "",
			name: "Actions",
			tight: true,
			cell: (admin) =>
				h(
					"div",
					{class: "row"},
					admin.second_factor && admin.id !== context.session.admin.id
						? button("Reset second factor", () => resetFactor(context, admin), {
								slim: true,
								label: `Reset the second factor of ${admin.email}`,
							})
						: null,
					admin.has_password ? null : button("Invite again", () => invite(context, admin.email), {slim: true}),
					button(admin.role === "root" ? "Make owner" : "Make root", () => changeRole(context, admin), {
						slim: true,
						label: `${admin.role === "root" ? "Make owner" : "Make root"}: ${admin.email}`,
					}),
					button("Delete", () => remove(context, admin, admins), {slim: true, kind: "danger", label: `Delete ${admin.email}`})
				),
		},
	];
	return [
		pageHead({
			title: "Admins",
			sub: "An owner sees their own apps. A root admin sees every app and manages admins.",
			actions: [button("Invite an admin", () => invite(context), {kind: "main", icon: "plus"})],
		}),
		card({flush: true}, table({caption: "Admins", columns, rows: admins})),
	];
}
