// SPDX-License-Identifier: Apache-2.0
// One platform's credential of an app: where to get it, what to register there; entering, verifying, and testing it with one's own account.
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
			copyField("Redirect URI", guide.redirect_uri, "Register it exactly as shown: every character counts."),
			guide.deauthorize_url &&
				copyField("Deauthorize callback", guide.deauthorize_url, "Meta calls it when a person removes your app."),
			guide.data_deletion_url &&
				copyField("Data deletion request URL", guide.data_deletion_url, "Meta calls it when a person wants their data deleted."),
			guide.warning ? notice("warn", "This redirect URI will be rejected", h("p", null, guide.warning)) : null,
			copyField("Requested scopes", scopes),
			h("p", {class: "small"}, outside(guide.console_url, `Open ${guide.name}'s developer console`)),
			guide.review ? notice("warn", "Before other people can connect", h("p", null, guide.review)) : null
		)
	);
}

function report(credential, name) {
	toast(
		credential.state === "verified"
			? `${name} accepted the credential.`
			: credential.state === "failed"
				? `${name} rejected the credential.`
				: credential.message ?? `${name} has not verified it yet.`,
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
				? "The stored secret is not shown. Enter it again to change anything here. " +
					"What works stays in use until the new one is proven."
				: "Stored encrypted and never shown again.",
		}),
		guide.variants.length > 0
			? field({
					name: "variant",
					label: "Products of the app",
					kind: "select",
					value: credential?.variant ?? guide.variants[0].name,
					options: guide.variants.map((variant) => [variant.name, `${variant.name}: ${variant.summary}`]),
					hint: `${guide.name} refuses the login for a scope that the app's products do not have.`,
				})
			: null,
		guide.takes_config_id
			? field({
					name: "config_id",
					label: "Configuration ID",
					optional: true,
					mono: true,
					max: 64,
					value: credential?.config_id ?? "",
					hint: "Of Facebook Login for Business. It is asked for in place of scopes.",
					parse: (text) => text.trim(),
				})
			: null,
		field({
			name: "scopes",
			label: "Custom scopes",
			optional: true,
			mono: true,
			value: guide.credential?.scopes ?? "",
			placeholder: guide.default_scopes,
			hint: "Leave empty for the default. Changing the scopes may invalidate your users' tokens.",
			parse: (text) => (text.trim() === "" ? null : text.trim()),
		}),
	].filter((one) => one !== null);
	const send = async (values) => {
		const stored = await api.put(context.appPath("credentials", guide.platform), {...values, verify: true});
		report(stored, guide.name);
		await context.reloadApps(); // the first verified one brings the app live
		await context.refresh();
	};
	const title = credential ? "Change credentials" : "Enter credentials";
	return card({title}, form({fields, submit: "Save and verify", onsubmit: send}));
}

async function verifyNow(context, guide) {
	report(await api.post(context.appPath("credentials", guide.platform, "verify")), guide.name);
	await context.reloadApps();
	await context.refresh();
}

async function tryIt(context, guide) {
	const begun = await api.post(context.appPath("credentials", guide.platform, "connect"));
	leave(begun.redirect_url);
}

/** What was entered beside a credential that works, and is not proven yet. */
function candidateNotice(guide) {
	const candidate = guide.credential.candidate;
	if (!candidate) {
		return null;
	}
	const isRefused = candidate.state === "failed";
	return notice(
		isRefused ? "bad" : "warn",
		isRefused ? `${guide.name} rejects the new credential` : "The new credential is not verified yet",
		h("p", null, "The one below stays in use. ", h("span", {class: "mono"}, candidate.client_id), " replaces it once it is proven."),
		isRefused
			? h("p", {class: "quote"}, candidate.message ?? "(no message)")
			: h("p", null, "Verify it now, or connect your own account with it.")
	);
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
				credential.message ?? "The platform cannot verify it without a user. Connect your own account to verify it."
			)
		),
		failed: notice(
			"bad",
			`${guide.name} rejects it`,
			h("p", null, "The platform said:"),
			h("p", {class: "quote"}, credential.message ?? "(no message)")
		),
	};
	return card(
		{title: "State", actions: [badge("credential", credential.state)]},
		h(
			"div",
			{class: "stack"},
			words[credential.state],
			candidateNotice(guide),
			facts([
				[guide.client_id_label, h("span", {class: "mono"}, credential.client_id)],
				["Verified", whenFull(credential.verified_at, "not yet")],
			]),
			h(
				"div",
				{class: "row"},
				button("Verify now", () => verifyNow(context, guide), {icon: "check"}),
				button("Connect my own account", () => tryIt(context, guide), {icon: "link"})
			),
			h("p", {class: "hint"}, "A test connection shows what your users will see, and returns you here.")
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
