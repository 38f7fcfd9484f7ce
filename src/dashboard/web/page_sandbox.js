// SPDX-License-Identifier: Apache-2.0
// What a test app's platforms do: calls that break, knobs, the time, a new beginning. docs/sandbox.md lists them all.
import {fill, h} from "./dom.js";
import * as api from "./api.js";
import {utc} from "./format.js";
import {PLATFORMS, platformName} from "./words.js";
import {button, card, confirm, field, form, notice, pageHead, toast} from "./ui.js";

/** The clock of a test app's platforms: what takes days there is tried in a minute. */
function clockCard(context) {
	const fields = [
		field({
			name: "hours",
			label: "Move the clock forward by",
			kind: "select",
			value: "24",
			options: [
				["1", "an hour"],
				["24", "a day"],
				["168", "a week"],
				["1440", "60 days"],
				["2160", "90 days"],
			],
			hint: "For this app's platforms alone: tokens end, and limits of a day begin again. A reset of the sandbox takes it back.",
			parse: Number,
		}),
	];
	const send = async ({hours}) => {
		const {now} = await api.post(context.appPath("sandbox", "clock"), {advance_s: hours * 3600});
		toast(`In the sandbox it is ${utc(now)}.`);
	};
	return card({title: "The sandbox’s clock"}, form({fields, submit: "Move the clock", onsubmit: send}));
}

// What goes wrong in earnest, as docs/sandbox.md lists it.
const publishCall = (platform, path) => ({platform, match: {method: "POST", path}});
const BREAKS = [
	["The answer is lost, and the post is found (X)", {...publishCall("x", "/2/tweets"), effect: "reset_after"}],
	["The platform is down for a moment (X)", {...publishCall("x", "/2/tweets"), effect: "status", status: 503}],
	["Too many calls, wait a minute (X)", {...publishCall("x", "/2/tweets"), effect: "rate_limit", retry_after: 60}],
	["The access token has expired (X)", {...publishCall("x", "/2/tweets"), effect: "expire_token"}],
	[
		"The platform refuses the text (LinkedIn)",
		{
			...publishCall("linkedin", "/rest/posts"),
			effect: "status",
			status: 422,
			body: {status: 422, message: "The text is not accepted"},
		},
	],
	[
		"The user has revoked the app (LinkedIn)",
		{
			...publishCall("linkedin", "/rest/posts"),
			effect: "status",
			status: 401,
			body: {status: 401, serviceErrorCode: 65601, code: "REVOKED_ACCESS_TOKEN", message: "Revoked by the user"},
			times: 5,
		},
	],
];

/** Failures to try one's server with: the next call that fits breaks. */
function faultCard(context, listed) {
	const place = h("div");
	const show = ({faults}) =>
		fill(
			place,
			faults.length === 0
				? h("p", {class: "soft small"}, "Nothing is going to break.")
				: h(
						"ul",
						{class: "help"},
						faults.map((fault) =>
							h(
								"li",
								null,
								`${fault.platform}: ${fault.match?.method ?? "any"} ${fault.match?.path ?? "call"}, ${fault.effect}`
							)
						)
					)
		);
	const again = async () => show(await api.get(context.appPath("sandbox", "faults")));
	const fields = [
		field({
			name: "which",
			label: "What happens to the next post",
			kind: "select",
			value: "0",
			options: BREAKS.map(([words], index) => [String(index), words]),
			parse: Number,
		}),
	];
	const send = async ({which}) => {
		await api.post(context.appPath("sandbox", "faults"), BREAKS[which][1]);
		toast("The next call that fits will break.");
		await again();
	};
	const clear = async () => {
		await api.remove(context.appPath("sandbox", "faults"));
		toast("Nothing breaks any more.");
		await again();
	};
	show(listed);
	return card(
		{title: "Failures in the sandbox", actions: [button("Clear", clear, {slim: true, label: "Clear the failures"})]},
		h("div", {class: "stack"}, place, form({fields, submit: "Break it", onsubmit: send}))
	);
}

// ---- any fault ----

const METHODS = ["any", "GET", "POST", "PUT", "PATCH", "DELETE"];

/** Whole numbers are numbers; what is none is sent as typed, and the sandbox says what is wrong. */
function numberOf(text) {
	const typed = text.trim();
	return typed === "" ? undefined : /^-?\d+$/.test(typed) ? Number(typed) : typed;
}

function bodyOf(text) {
	try {
		return text.trim() === "" ? undefined : JSON.parse(text);
	} catch {
		return text;
	}
}

function ownFaultCard(context, listed, again) {
	const hints = listed.effects.map(({name, sentence}) => h("li", null, h("code", null, name), ` ${sentence}`));
	const fields = [
		field({name: "platform", label: "Platform", kind: "select", options: PLATFORMS.map((slug) => [slug, platformName(slug)])}),
		field({name: "method", label: "Method", kind: "select", value: "any", options: METHODS.map((word) => [word, word])}),
		field({
			name: "path",
			label: "Path",
			mono: true,
			optional: true,
			placeholder: "/2/tweets",
			hint: "* stands for anything between two slashes; empty: any.",
		}),
		field({name: "effect", label: "What happens", kind: "select", options: listed.effects.map(({name}) => [name, name])}),
		field({name: "status", label: "Status", optional: true, placeholder: "503", parse: numberOf}),
		field({name: "retry_after", label: "Seconds", optional: true, hint: "Of slow and rate_limit.", parse: numberOf}),
		field({name: "times", label: "How many calls", value: "1", parse: numberOf}),
		field({
			name: "body",
			label: "Answer",
			kind: "textarea",
			mono: true,
			optional: true,
			rows: 3,
			hint: "JSON, or plain text.",
			parse: bodyOf,
		}),
	];
	const send = async ({platform, method, path, ...rest}) => {
		const match = {...(method === "any" ? {} : {method}), ...(path.trim() === "" ? {} : {path: path.trim()})};
		await api.post(context.appPath("sandbox", "faults"), {platform, match, ...rest});
		toast("Calls that fit will break.");
		await again();
	};
	return card(
		{title: "Break any call"},
		h(
			"div",
			{class: "stack"},
			form({fields, submit: "Add the failure", kind: "", onsubmit: send}),
			h("details", null, h("summary", null, "What each does"), h("ul", {class: "help"}, hints))
		)
	);
}

// ---- knobs ----

/** A platform's knobs begin with its name; Meta's belong to both of its platforms. */
function groupsOf(knobs) {
	const groups = new Map([...PLATFORMS.map((slug) => [slug, []]), ["meta", []], ["all", []]]);
	for (const knob of knobs) {
		(groups.get(knob.name.split("_")[0]) ?? groups.get("all")).push(knob);
	}
	return [...groups].filter(([, found]) => found.length > 0);
}

const groupName = (slug) => ({meta: "Facebook and Instagram", all: "All platforms"})[slug] ?? platformName(slug);

/** "x_create_limit" as people read it: "Create limit". */
function labelOf(name, slug) {
	const words = (slug === "all" ? name : name.slice(slug.length + 1)).replace(/_(ms|s)$/, "").replaceAll("_", " ");
	return words[0].toUpperCase() + words.slice(1);
}

function knobField(knob, slug) {
	const isTurned = knob.value !== knob.default;
	const isSwitch = knob.least === 0 && knob.most === 1;
	const said = knob.sentence[0].toUpperCase() + knob.sentence.slice(1);
	return field({
		name: knob.name,
		label: `${labelOf(knob.name, slug)}${isTurned ? " (changed)" : ""}`,
		kind: isSwitch ? "select" : "text",
		options: isSwitch ? [["0", "0"], ["1", "1"]] : undefined,
		value: String(knob.value),
		hint: isSwitch
			? `${said}. At first ${knob.default}.`
			: `${said}. ${knob.unit === "number" ? "" : `In ${knob.unit}. `}From ${knob.least} to ${knob.most}, at first ${knob.default}.`,
		parse: numberOf,
	});
}

/** Only what was turned is sent. */
async function turn(context, knobs, values) {
	const before = new Map(knobs.map(({name, value}) => [name, value]));
	const turned = Object.entries(values).filter(([name, value]) => value !== undefined && value !== before.get(name));
	if (turned.length > 0) {
		await api.post(context.appPath("sandbox", "knobs"), {knobs: Object.fromEntries(turned)});
	}
	toast(turned.length > 0 ? "The knobs are turned." : "Nothing was changed.");
	await context.refresh();
}

function knobCard(context, knobs, slug) {
	const turned = knobs.filter((knob) => knob.value !== knob.default);
	const count = `${knobs.length} ${knobs.length === 1 ? "knob" : "knobs"}`;
	const label = `${groupName(slug)}: back to the defaults`;
	const back = () => turn(context, knobs, Object.fromEntries(knobs.map((knob) => [knob.name, knob.default])));
	return card(
		{
			title: groupName(slug),
			actions: turned.length > 0 ? [button("Back to the defaults", back, {slim: true, label})] : [],
		},
		h(
			"details",
			{open: turned.length > 0},
			h("summary", null, turned.length > 0 ? `${count}, ${turned.length} changed` : count),
			form({
				fields: knobs.map((knob) => knobField(knob, slug)),
				submit: `Set ${groupName(slug)}`,
				kind: "",
				onsubmit: (values) => turn(context, knobs, values),
			})
		)
	);
}

// ---- a new beginning ----

async function reset(context) {
	const isSure = await confirm({
		title: "Start over?",
		action: "Reset the sandbox",
		text: [
			"The sandbox forgets this app's posts, tokens, failures, knobs and clock.",
			"Connected accounts stop working until they are connected again.",
		],
	});
	if (isSure) {
		await api.post(context.appPath("sandbox", "reset"));
		toast("The sandbox begins again.");
		await context.refresh();
	}
}

function resetCard(context) {
	return card(
		{title: "Start over"},
		h("p", {class: "soft"}, "Everything in this app's sandbox is forgotten. Its accounts have to be connected again."),
		button("Reset the sandbox", () => reset(context), {kind: "danger"})
	);
}

export async function page(context) {
	const head = pageHead({
		crumbs: [
			["Apps", `${context.base}/apps`],
			[context.app?.name ?? "App", context.here()],
		],
		title: "Sandbox",
	});
	if (context.app && context.app.mode !== "test") {
		return [head, notice("info", "This app publishes for real", h("p", null, "Only a test app has a sandbox of its own."))];
	}
	const [faults, {knobs}] = await Promise.all([
		api.get(context.appPath("sandbox", "faults"), null, context.signal),
		api.get(context.appPath("sandbox", "knobs"), null, context.signal),
	]);
	return [
		head,
		h(
			"div",
			{class: "split"},
			h(
				"div",
				{class: "stack"},
				faultCard(context, faults),
				ownFaultCard(context, faults, () => context.refresh()),
				context.session.admin.role === "root" ? clockCard(context) : null,
				resetCard(context)
			),
			h(
				"div",
				{class: "stack"},
				h("p", {class: "soft"}, "Knobs set what the platforms leave open, or change with time. They hold for this app alone."),
				groupsOf(knobs).map(([slug, found]) => knobCard(context, found, slug))
			)
		),
	];
}
