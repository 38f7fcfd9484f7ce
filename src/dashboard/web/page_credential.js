// SPDX-License-Identifier: Apache-2.0
// One platform's credential of an app: where to get it, what to register there, entering, verifying, trying it with an account of one's own.
import {h} from "./dom.js";
import * as api from "./api.js";
import {whenFull} from "./format.js";
import {badge, button, card, copyField, facts, field, form, leave, mark, notice, outside, pageHead, toast} from "./ui.js";

function guideCard(guide) {
	const scopes = guide.scopes || guide.default_scopes;
	return card(
		{title: `At ${guide.name}`, sub: guide.where},
		h(
			"div",
			{class: "stack"},
			h(
				"ol",
				{class: "help"},
				guide.steps.map((text) => h("li", null, text))
			),
			copyField("Redirect URI", guide.redirect_uri, "Register it exactly so: every character counts."),
			guide.warning ? notice("warn", "This address will not do", h("p", null, guide.warning)) : null,
			copyField("Scopes asked for", scopes),
			h("p", {class: "small"}, outside(guide.console_url, `Open ${guide.name}'s developer console`)),
			guide.review ? notice("warn", "Before strangers may connect", h("p", null, guide.review)) : null
		)
	);
}

function told(credential, name) {
	toast(
		credential.state === "verified"
			? `${name} accepted the credential.`
			: credential.state === "failed"
				? `${name} refused the credential.`
				: `${name} could not be asked yet.`,
		credential.state === "failed" ? "bad" : ""
	);
}

function entryCard(context, guide) {
	const credential = guide.credential;
	const fields = [
		field({name: "client_id", label: guide.client_id_label, required: true, mono: true, max: 1024, value: credential?.client_id ?? ""}),
		field({
			name: "client_secret",
			label: guide.client_secret_label,
			kind: "password",
			required: true,
			mono: true,
			max: 1024,
			autocomplete: "new-password",
			hint: credential
				? "The stored one is not shown. Enter it again to change anything here."
				: "Stored sealed, and never shown again.",
		}),
		field({
			name: "scopes",
			label: "Other scopes",
			optional: true,
			mono: true,
			value: guide.credential?.scopes ?? "",
			placeholder: guide.default_scopes,
			hint: "Empty asks for the default. Another set than before may end your users' tokens.",
			parse: (text) => (text.trim() === "" ? null : text.trim()),
		}),
	];
	const send = async (values) => {
		const stored = await api.put(context.appPath("credentials", guide.platform), {...values, verify: true});
		told(stored, guide.name);
		await context.reloadApps(); // the first verified one brings the app live
		await context.refresh();
	};
	return card({title: credential ? "Change it" : "Enter it"}, form({fields, submit: "Store and verify", onsubmit: send}));
}

async function verifyNow(context, guide) {
	told(await api.post(context.appPath("credentials", guide.platform, "verify")), guide.name);
	await context.reloadApps();
	await context.refresh();
}

async function tryIt(context, guide) {
	const begun = await api.post(context.appPath("credentials", guide.platform, "connect"));
	leave(begun.redirect_url);
}

function stateCard(context, guide) {
	const credential = guide.credential;
	if (!credential) {
		return null;
	}
	const words = {
		verified: null,
		pending: notice(
			"warn",
			"Not verified yet",
			h(
				"p",
				null,
				credential.message ?? "The platform could not be asked without a user. Verify it by connecting an account of your own."
			)
		),
		failed: notice(
			"bad",
			`${guide.name} refuses it`,
			h("p", null, "In the platform's own words:"),
			h("p", {class: "quote"}, credential.message ?? "(it said nothing)")
		),
	};
	return card(
		{title: "State", actions: [badge("credential", credential.state)]},
		h(
			"div",
			{class: "stack"},
			words[credential.state],
			facts([
				[guide.client_id_label, h("span", {class: "mono"}, credential.client_id)],
				["Verified", whenFull(credential.verified_at, "not yet")],
			]),
			h(
				"div",
				{class: "row"},
				button("Verify now", () => verifyNow(context, guide), {icon: "check"}),
				button("Connect an account of my own", () => tryIt(context, guide), {icon: "link"})
			),
			h("p", {class: "hint"}, "Your own test connection shows what your users will see, and brings you back here.")
		)
	);
}

export async function page(context) {
	const guides = (await api.get(context.appPath("platforms"), null, context.signal)).data;
	const guide = guides.find((one) => one.platform === context.params.platform);
	if (!guide) {
		throw new api.ApiError(404, {message: "This platform is not supported.", error: "PLATFORM_NOT_FOUND"}, null);
	}
	return [
		pageHead({
			crumbs: [
				[context.app?.name ?? "App", context.here()],
				["Platform credentials", context.here("credentials")],
			],
			title: guide.name,
			state: [mark(guide.platform), badge("credential", guide.credential?.state ?? "none")],
		}),
		h("div", {class: "split"}, h("div", {class: "stack"}, stateCard(context, guide), entryCard(context, guide)), guideCard(guide)),
	];
}
