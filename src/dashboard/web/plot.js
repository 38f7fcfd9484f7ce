// SPDX-License-Identifier: Apache-2.0
// Small plots as SVG: stacked bars over hours, lines over hours, shares as bars. They say in words what they show, for those who cannot see them.
import {h, s} from "./dom.js";
import {duration, hour, number, utc} from "./format.js";

const HEIGHT = 190;
const LEFT = 58;
const RIGHT = 8;
const TOP = 10;
const BOTTOM = 24;
const LABEL_WIDTH = 76;

/** About as wide as it will be shown, so that letters keep their size. */
const widthNow = () => (matchMedia("(max-width: 44rem)").matches ? 340 : 560);

/** A round number at or above the largest value, and the steps up to it. */
function scaleOf(largest, steps = 4) {
	const raw = Math.max(largest, 1) / steps;
	const power = 10 ** Math.floor(Math.log10(raw));
	const step =
		[1, 2, 2.5, 5, 10].map((factor) => factor * power).find((one) => one >= raw && (Number.isInteger(one) || largest < 1)) ??
		10 * power;
	const count = Math.max(Math.ceil(largest / step), 1);
	return {top: step * count, marks: Array.from({length: count + 1}, (_, index) => index * step)};
}

const yOf = (value, top) => HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM);

function grid(scale, width, format) {
	return scale.marks.map((mark) =>
		s(
			"g",
			null,
			s("line", {class: "axis", x1: LEFT, x2: width - RIGHT, y1: yOf(mark, scale.top), y2: yOf(mark, scale.top)}),
			s("text", {x: LEFT - 6, y: yOf(mark, scale.top) + 4, "text-anchor": "end"}, format(mark))
		)
	);
}

/** Labels beneath: hours within two days, else days. */
function hourLabels(rows, width, xOf) {
	const every = Math.max(1, Math.ceil((rows.length * LABEL_WIDTH) / width));
	const isLong = rows.length > 48;
	return rows.map((row, index) =>
		(rows.length - 1 - index) % every === 0 && index > 0
			? s(
					"text",
					{x: xOf(index), y: HEIGHT - 7, "text-anchor": index > rows.length - 3 ? "end" : "middle"},
					isLong ? utc(row.hour).split(" ").slice(0, 2).join(" ") : hour(row.hour)
				)
			: null
	);
}

/** rows: [{hour, published, failed}]. */
export function throughput(rows) {
	const scale = scaleOf(Math.max(...rows.map((row) => row.published + row.failed), 0));
	const whole = widthNow();
	const slot = (whole - LEFT - RIGHT) / Math.max(rows.length, 1);
	const width = Math.max(slot - Math.min(4, slot * 0.3), 1);
	const bars = rows.map((row, index) => {
		const x = LEFT + index * slot + (slot - width) / 2;
		const done = yOf(row.published, scale.top);
		const all = yOf(row.published + row.failed, scale.top);
		return s(
			"g",
			null,
			s("title", null, `${utc(row.hour)}: ${number(row.published)} published, ${number(row.failed)} failed`),
			s("rect", {x: LEFT + index * slot, y: TOP, width: slot, height: HEIGHT - TOP - BOTTOM, "fill-opacity": 0}),
			row.published > 0
				? s("rect", {class: "ok", x, y: done, width, height: HEIGHT - BOTTOM - done, rx: Math.min(2, width / 3)})
				: null,
			row.failed > 0 ? s("rect", {class: "bad", x, y: all, width, height: done - all, rx: Math.min(2, width / 3)}) : null
		);
	});
	const sum = (name) => rows.reduce((total, row) => total + row[name], 0);
	return h(
		"div",
		null,
		s(
			"svg",
			{
				class: "plot",
				viewBox: `0 0 ${whole} ${HEIGHT}`,
				role: "img",
				"aria-label": `Published and failed for each hour: ${number(sum("published"))} published, ${number(sum("failed"))} failed in all.`,
			},
			grid(scale, whole, number),
			bars,
			hourLabels(rows, whole, (index) => LEFT + (index + 0.5) * slot)
		),
		h(
			"ul",
			{class: "legend"},
			h("li", {class: "ok"}, `Published ${number(sum("published"))}`),
			h("li", {class: "bad"}, `Failed ${number(sum("failed"))}`)
		)
	);
}

/** A line with gaps where nothing was measured; single points are dots. */
function lineOf(rows, name, tone, xOf, top) {
	const parts = [];
	let run = [];
	const close = () => {
		if (run.length === 1) {
			parts.push(s("circle", {class: tone, cx: run[0][0], cy: run[0][1], r: 3}));
		} else if (run.length > 1) {
			parts.push(s("path", {class: `line ${tone}`, d: `M${run.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}`}));
		}
		run = [];
	};
	rows.forEach((row, index) => (row.count > 0 ? run.push([xOf(index), yOf(row[name], top)]) : close()));
	close();
	return parts;
}

/** rows: [{hour, p50, p90, p99, count}] in ms. */
export function lateness(rows, all) {
	const scale = scaleOf(Math.max(...rows.map((row) => (row.count > 0 ? row.p99 : 0)), 0));
	const whole = widthNow();
	const slot = (whole - LEFT - RIGHT) / Math.max(rows.length, 1);
	const xOf = (index) => LEFT + (index + 0.5) * slot;
	const points = rows.map((row, index) =>
		row.count > 0
			? s(
					"g",
					null,
					s(
						"title",
						null,
						`${utc(row.hour)}: half within ${duration(row.p50)}, 9 of 10 within ${duration(row.p90)}, 99 of 100 within ${duration(row.p99)} (${number(row.count)})`
					),
					s("rect", {x: LEFT + index * slot, y: TOP, width: slot, height: HEIGHT - TOP - BOTTOM, "fill-opacity": 0})
				)
			: null
	);
	return h(
		"div",
		null,
		s(
			"svg",
			{
				class: "plot",
				viewBox: `0 0 ${whole} ${HEIGHT}`,
				role: "img",
				"aria-label":
					all.count > 0
						? `From a post's scheduled time until it is visible: half within ${duration(all.p50)}, 9 of 10 within ${duration(all.p90)}, 99 of 100 within ${duration(all.p99)}.`
						: "Nothing was published in this period.",
			},
			grid(scale, whole, duration),
			lineOf(rows, "p99", "warn", xOf, scale.top),
			lineOf(rows, "p50", "busy", xOf, scale.top),
			points,
			hourLabels(rows, whole, xOf)
		),
		h(
			"ul",
			{class: "legend"},
			h("li", {class: "busy"}, `Half within ${all.count > 0 ? duration(all.p50) : "–"}`),
			h("li", {class: "warn"}, `99 of 100 within ${all.count > 0 ? duration(all.p99) : "–"}`)
		)
	);
}

/** rows: [{label, note, count, href, tone}] as bars beneath each other. */
export function shares(rows) {
	const largest = Math.max(...rows.map((row) => row.count), 1);
	return h(
		"ul",
		{class: "bars"},
		rows.map((row) =>
			h(
				"li",
				null,
				h(
					"div",
					{class: "bar-head"},
					row.href ? h("a", {href: row.href}, row.label) : h("span", null, row.label),
					h("b", null, number(row.count))
				),
				row.note ? h("div", {class: "soft small"}, row.note) : null,
				h(
					"div",
					{class: "meter", "aria-hidden": "true"},
					h("span", {class: row.tone ?? "bad", vars: {share: (row.count / largest).toFixed(4)}})
				)
			)
		)
	);
}

/** How much of a limit is used. */
export function meter(used, limit, label) {
	const share = limit > 0 ? Math.min(used / limit, 1) : 0;
	const tone = share >= 1 ? "bad" : share >= 0.8 ? "warn" : "ok";
	return h("div", {class: "meter", role: "img", "aria-label": label}, h("span", {class: tone, vars: {share: share.toFixed(4)}}));
}
