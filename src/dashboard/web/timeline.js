// SPDX-License-Identifier: Apache-2.0
// A post's timeline as a picture: one lane for each account, every call a block on a common time axis, the waits between them, and
// the outcome. Long waits are folded, so that calls of milliseconds and pauses of minutes fit on one axis; a fold shows its length.
import {s} from "./dom.js";
import {duration, utc} from "./format.js";
import {platformName, stateOf} from "./words.js";

const FOLD_MIN = 58; // the width of a folded wait; a longer one is wider, ten times as long by FOLD_STEP
const FOLD_STEP = 22;
const SPAN_MIN_MS = 1000; // a call of milliseconds is no long bar
const FOLD_MS = 1500; // a gap longer than this, and longer than a fair share of the calls, is folded
const CALL_MIN = 16;
const FOLDS_MAX = 8;
const TICKS_MAX = 8;
const BLOCK = 22; // the height of a call
const PHONE = "(max-width: 44rem)";
const STEPS_MS = [10, 50, 100, 250, 500, 1000, 2000, 5000, 10000, 30000, 60000, 300000, 900000, 3600000, 21600000, 86400000];

/** The layout: on a phone the lane's text is above its calls, else before and after them. Grows with the number of calls. */
function layoutOf(callsMax) {
	const isNarrow = matchMedia(PHONE).matches;
	const [width, left, right] = isNarrow ? [340, 8, 8] : [960, 150, 112];
	const room = callsMax * (CALL_MIN + 3);
	return {
		isNarrow,
		top: 6,
		left,
		right,
		width: Math.max(width, left + right + room),
		lane: isNarrow ? 64 : 46,
		callAt: isNarrow ? 30 : 10,
	};
}

const start = (call) => new Date(call.at).getTime();
const end = (call) => start(call) + Math.max(call.duration_ms, 0);

/** Stretches of time with a call in progress, in order: [[from, to], ...] in ms; an empty one where the waiting began. */
function busyStretches(calls, since) {
	const spans = calls.map((call) => [start(call), end(call)]).sort((a, b) => a[0] - b[0]);
	if (since !== null && since < spans[0][0]) {
		spans.unshift([since, since]);
	}
	const merged = [];
	for (const [from, to] of spans) {
		const last = merged[merged.length - 1];
		if (last && from - last[1] <= 0) {
			last[1] = Math.max(last[1], to);
		} else {
			merged.push([from, to]);
		}
	}
	return merged;
}

const foldWidth = ([from, to]) => FOLD_MIN + Math.min(4, Math.max(0, Math.log10((to - from) / FOLD_MS))) * FOLD_STEP;

/** The gaps to fold: the longest ones, when they are much longer than the rest. */
function foldsOf(stretches) {
	const gaps = stretches.slice(1).map(([from], index) => [stretches[index][1], from]);
	const busy = stretches.reduce((sum, [from, to]) => sum + to - from, 0);
	const limit = Math.max(FOLD_MS, busy * 0.6);
	return gaps
		.filter(([from, to]) => to - from > limit)
		.sort((a, b) => b[1] - b[0] - (a[1] - a[0]))
		.slice(0, FOLDS_MAX)
		.sort((a, b) => a[0] - b[0]);
}

/** A function from an instant to x, linear but for the folds. */
function axisOf(stretches, layout) {
	const folds = foldsOf(stretches);
	const from = stretches[0][0];
	const to = Math.max(stretches[stretches.length - 1][1], from + SPAN_MIN_MS);
	const folded = folds.reduce((sum, [a, b]) => sum + b - a, 0);
	const {width, left, right} = layout;
	layout.top = folds.length > 0 ? 26 : 6; // room for what the folds say
	const foldsWidth = folds.reduce((sum, fold) => sum + foldWidth(fold), 0);
	const scale = (width - left - right - foldsWidth - CALL_MIN) / Math.max(to - from - folded, 1);
	const x = (instant) => {
		let at = left;
		let before = from;
		for (const [a, b] of folds) {
			if (instant <= a) {
				break;
			}
			at += (a - before) * scale + ((Math.min(instant, b) - a) / (b - a)) * foldWidth([a, b]);
			before = Math.min(instant, b);
		}
		return at + Math.max(instant - before, 0) * scale;
	};
	return {x, folds, from, to, layout};
}

/** A duration in one unit, short enough to fit above a fold. */
function roughly(ms) {
	const [size, unit] = [
		[86400000, "d"],
		[3600000, "h"],
		[60000, "min"],
		[1000, "s"],
	].find(([one]) => ms >= one * 0.95) ?? [1000, "s"];
	return `${Math.round(ms / size)} ${unit}`;
}

function foldMarks(axis, height) {
	return axis.folds.map(([a, b]) => {
		const middle = (axis.x(a) + axis.x(b)) / 2;
		return s(
			"g",
			null,
			s("rect", {
				class: "fold",
				x: axis.x(a) + 3,
				y: axis.layout.top - 20,
				width: axis.x(b) - axis.x(a) - 6,
				height: height - axis.layout.top + 14,
				rx: 6,
				"fill-opacity": "0.75",
			}),
			s("text", {x: middle, y: axis.layout.top - 6, "text-anchor": "middle"}, `≈ ${roughly(b - a)}`)
		);
	});
}

/** Where it begins and ends, and the seconds or minutes between where nothing is folded. */
function axisMarks(axis, height) {
	const y = height - 5;
	const {left, right, width} = axis.layout;
	const step = STEPS_MS.find((one) => one / Math.max(axis.to - axis.from, 1) > 1 / TICKS_MAX) ?? STEPS_MS[STEPS_MS.length - 1];
	const ticks = [];
	for (let after = step; after < axis.to - axis.from && ticks.length < TICKS_MAX; after += step) {
		const x = axis.x(axis.from + after);
		const isFolded = axis.folds.some(([a, b]) => axis.from + after > a && axis.from + after < b);
		const isRoom = x - (ticks[ticks.length - 1]?.at ?? left + 64) > 62 && x < width - right - 70;
		if (!isFolded && isRoom) {
			ticks.push({at: x, after});
		}
	}
	return [
		s("text", {x: left, y, "text-anchor": "start"}, utc(new Date(axis.from).toISOString(), {seconds: true}).split(", ")[1]),
		ticks.map(({at, after}) => [
			s("line", {class: "axis", x1: at, x2: at, y1: axis.layout.top, y2: height - 22}),
			s("text", {x: at, y, "text-anchor": "middle"}, `+ ${duration(after)}`),
		]),
		s("text", {x: width - right, y, "text-anchor": "end"}, `+ ${duration(axis.to - axis.from)}`),
	];
}

function callBlock(axis, call, y, onChoose) {
	const [word, tone] = stateOf("verdict", call.verdict);
	const x = call.x;
	const width = widthOf(axis, call);
	const top = y + axis.layout.callAt;
	const label = `Call ${call.number}: ${call.method} ${call.stage}, ${call.status ?? word}, ${duration(call.duration_ms)}`;
	return s(
		"g",
		{class: "call", "data-call": call.number, onclick: () => onChoose(call.number)},
		s("title", null, label),
		s("rect", {class: tone, x, y: top, width, height: BLOCK, rx: 5}),
		s("text", {x: x + width / 2, y: top + 15, "text-anchor": "middle"}, call.number)
	);
}

const widthOf = (axis, call) => Math.max(axis.x(end(call)) - axis.x(start(call)), CALL_MIN);

/** Blocks that would cover each other are pushed to the right, in order, and back where that leads out of the picture. */
function place(axis, calls) {
	let free = axis.layout.left;
	for (const call of calls) {
		call.x = Math.max(axis.x(start(call)), free);
		free = call.x + widthOf(axis, call) + 2;
	}
	let limit = axis.layout.width - axis.layout.right;
	for (const call of calls.toReversed()) {
		call.x = Math.max(Math.min(call.x, limit - widthOf(axis, call)), axis.layout.left);
		limit = call.x - 2;
	}
}

/** The time until the first call of a lane. */
function firstWait(axis, calls, y) {
	const from = axis.x(axis.from) + 2;
	const to = calls[0].x - 3;
	const middle = y + axis.layout.callAt + BLOCK / 2;
	return to - from > 6
		? s(
				"g",
				null,
				s("title", null, `Before the first call: ${duration(start(calls[0]) - axis.from)}`),
				s("line", {class: "wait first", x1: from, x2: to, y1: middle, y2: middle})
			)
		: null;
}

function waits(axis, calls, y) {
	return calls.slice(1).map((call, index) => {
		const before = calls[index];
		const from = before.x + widthOf(axis, before) + 3;
		const middle = y + axis.layout.callAt + BLOCK / 2;
		const isRetry = /try again|retry|in doubt|look/i.test(`${before.decision} ${before.verdict}`);
		return call.x - from > 6
			? s(
					"g",
					null,
					s("title", null, `${before.decision || "wait"}: ${duration(start(call) - end(before))}`),
					s("line", {class: `wait${isRetry ? " warn" : ""}`, x1: from, x2: call.x - 3, y1: middle, y2: middle})
				)
			: null;
	});
}

const ENDS = {published: ["end-ok", "✓ published"], failed: ["end-bad", "✕ failed"], cancelled: ["end-busy", "cancelled"]};

const ground = (layout, y) => s("rect", {class: "lane", x: 0, y, width: layout.width, height: layout.lane - 6, rx: 8});

/** The account of a lane and its outcome. */
function laneWords(axis, target, y) {
	const [tone, text] = ENDS[target.word] ?? ["end-busy", `… ${stateOf("post", target.word)[0].toLowerCase()}`];
	const {width, isNarrow} = axis.layout;
	const handle = target.handle.length > 17 ? `${target.handle.slice(0, 16)}…` : target.handle;
	return s(
		"g",
		null,
		isNarrow
			? s("text", {x: 8, y: y + 19}, s("tspan", {class: "strong"}, platformName(target.platform)), ` ${handle}`)
			: [s("text", {class: "strong", x: 10, y: y + 17}, platformName(target.platform)), s("text", {x: 10, y: y + 32}, handle)],
		s("text", {class: tone, x: width - 8, y: y + (isNarrow ? 19 : 25), "text-anchor": "end"}, text)
	);
}

const callsOf = (axis, target, y, onChoose) =>
	s(
		"g",
		null,
		target.calls.length > 0 ? firstWait(axis, target.calls, y) : null,
		waits(axis, target.calls, y),
		target.calls.map((call) => callBlock(axis, call, y, onChoose))
	);

/** Numbers the calls, oldest first. */
export function numbered(calls) {
	return calls.map((call, index) => ({...call, number: index + 1}));
}

/**
 * targets: [{account_id, platform, handle, word}]; calls: numbered(rows of the timeline). onChoose(number) when a call is clicked;
 * since: the instant from which it could go. Returns the picture, or null when there is nothing to draw.
 */
export function drawTimeline(targets, calls, {onChoose = () => {}, since = null} = {}) {
	if (calls.length === 0) {
		return null;
	}
	const lanes = targets.map((target) => ({...target, calls: calls.filter((call) => call.account_id === target.account_id)}));
	const layout = layoutOf(Math.max(...lanes.map((one) => one.calls.length)));
	const axis = axisOf(busyStretches(calls, since === null ? null : new Date(since).getTime()), layout);
	lanes.forEach((one) => place(axis, one.calls));
	const height = layout.top + lanes.length * layout.lane + 22;
	const summary = lanes
		.map((one) => `${platformName(one.platform)} ${one.handle}: ${one.calls.length} calls, ${stateOf("post", one.word)[0]}`)
		.join("; ");
	return s(
		"svg",
		{
			class: "plot",
			viewBox: `0 0 ${layout.width} ${height}`,
			vars: {width: `${layout.width}px`},
			role: "img",
			"aria-label": `Timeline. ${summary}. The list of calls has the same content.`,
		},
		lanes.map((one, index) => ground(layout, layout.top + index * layout.lane)),
		axisMarks(axis, height),
		foldMarks(axis, height - 22),
		lanes.map((one, index) => [
			laneWords(axis, one, layout.top + index * layout.lane),
			callsOf(axis, one, layout.top + index * layout.lane, onChoose),
		])
	);
}
