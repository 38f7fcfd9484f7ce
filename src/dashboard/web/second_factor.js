// SPDX-License-Identifier: Apache-2.0
// The second factor: the field of its code on the pages that sign in, and its card on "Your account".
import {h} from "./dom.js";
import * as api from "./api.js";
import {button, card, copyField, field, form, openDialog, showSecret, tag, toast} from "./ui.js";

const HINT = "Six digits of your authenticator app, or a recovery code.";

/**
 * A field that is hidden until the service asks for a code. ask(work): work({}) or work({code}); when a code is needed or wrong, shows the
 * field and returns; other failures are thrown.
 */
export function codeField() {
	const one = field({name: "code", label: "Code", autocomplete: "one-time-code", mono: true, hint: HINT});
	one.node.hidden = true;
	const show = (text) => {
		one.node.hidden = false;
		one.problem(text);
		one.control.focus();
	};
	one.ask = async (work) => {
		const code = one.control.value.trim();
		try {
			await work(code ? {code} : {});
		} catch (failure) {
			if (failure.code === "SECOND_FACTOR_NEEDED") {
				show(null);
			} else if (failure.code === "SECOND_FACTOR_WRONG") {
				show(failure.message);
			} else {
				throw failure;
			}
		}
	};
	return one;
}

const passwordField = () =>
	field({name: "current_password", label: "Your password", kind: "password", required: true, autocomplete: "current-password"});

const plainCode = () => field({name: "code", label: "Code", required: true, autocomplete: "one-time-code", mono: true, hint: HINT});

function showCodes(codes) {
	return showSecret(
		"Recovery codes",
		"Each of them signs you in once when you do not have the app. Keep them where you keep passwords.",
		[["Codes", codes.join("  ")]]
	);
}

async function turnOn(context) {
	const offer = await api.post("/second-factor/offer");
	const codes = await openDialog("Turn on the second factor", (close) => {
		const code = field({
			name: "code",
			label: "Code",
			required: true,
			autocomplete: "one-time-code",
			mono: true,
			hint: "The six digits that the app shows now.",
		});
		return [
			h("p", null, "Add an account to your authenticator app with this key, or open the link on the device with the app."),
			copyField("Key", offer.secret),
			copyField("App link", offer.uri),
			form({
				fields: [code, passwordField()],
				submit: "Turn on",
				cancel: () => close(),
				onsubmit: async (values) => close((await api.post("/second-factor", {offer: offer.offer, ...values})).recovery_codes),
			}),
		];
	});
	if (codes) {
		await showCodes(codes);
		toast("The second factor is on. You have been signed out everywhere else.");
		await api.loadSession();
		await context.refresh();
	}
}

/** Asks for password and code, and calls path with both. */
function prove(title, action, path, kind) {
	return openDialog(title, (close) =>
		form({
			fields: [passwordField(), plainCode()],
			submit: action,
			kind,
			cancel: () => close(),
			onsubmit: async (values) => close((await api.post(path, values)) ?? {}),
		})
	);
}

async function renew(context) {
	const made = await prove("New recovery codes", "Make new codes", "/second-factor/codes", "main");
	if (made) {
		await showCodes(made.recovery_codes);
		await context.refresh();
	}
}

async function turnOff(context) {
	if (await prove("Turn off the second factor?", "Turn off", "/second-factor/off", "danger")) {
		toast("The second factor is off.");
		await context.refresh();
	}
}

function offButton(context) {
	return context.session.second_factor_required ? null : button("Turn off the second factor", () => turnOff(context), {kind: "danger"});
}

export function factorCard(context, factor) {
	const isMissing = context.session.second_factor_required && !factor.on;
	return card(
		{title: "Second factor"},
		h(
			"div",
			{class: "stack"},
			h("p", null, factor.on ? tag("on", "ok") : tag("off", "warn"), " A code of an app, asked for after the password."),
			isMissing ? h("p", null, "This installation asks every admin for one. Turn yours on to go on.") : null,
			factor.on ? h("p", {class: "soft"}, `${factor.recovery_codes_left} recovery codes are left.`) : null,
			h(
				"div",
				{class: "row"},
				factor.on
					? [
							button("New recovery codes", () => renew(context)),
							offButton(context),
						]
					: button("Turn on", () => turnOn(context), {kind: "main"})
			)
		)
	);
}
