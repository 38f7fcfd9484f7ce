// SPDX-License-Identifier: Apache-2.0
// Small plots as SVG: stacked bars over hours, lines over hours, shares as bars. They say in words what they show, for those who cannot see them.
import {h, s} from "./dom.js";
import {duration, hour, number, utc} from "./format.js";

const HEIGHT = 190;
const LEFT = 58;
const RIGHT = 24; // half of the last label
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
function hourLabels(rows, width, xOf, isOfDays = rows.length > 48) {
	const every = Math.max(1, Math.ceil((rows.length * LABEL_WIDTH) / width));
	return rows.map((row, index) =>
		(rows.length - 1 - index) % every === 0 && index > 0
			? s(
					"text",
					{x: xOf(index), y: HEIGHT - 7, "text-anchor": "middle"},
					isOfDays ? dayOf(row.hour) : hour(row.hour)
				)
			: null
	);
}

const dayOf = (instant) => utc(instant).split(" ").slice(0, 2).join(" ");

/** What is stacked, from below: [name in a row, tone, word]. */
const OUTCOMES = [
	["published", "ok", "Published"],
	["failed", "bad", "Failed"],
];
const OF_DAY = [...OUTCOMES, ["waiting", "busy", "Waiting"]];

const sumOf = (rows, name) => rows.reduce((total, row) => total + row[name], 0);
const inWords = (row, series) => series.map(([name, , word]) => `${number(row[name])} ${word.toLowerCase()}`).join(", ");

function stack(row, {series, x, width, top}) {
	let below = 0;
	return series.map(([name, tone]) => {
		const y = yOf(below + row[name], top);
		const height = yOf(below, top) - y;
		below += row[name];
		return row[name] > 0 ? s("rect", {class: tone, x, y, width, height, rx: Math.min(2, width / 3)}) : null;
	});
}

/** rows: [{hour, ...}]; isOfDays: each is a day. */
function stacked(rows, {series, label, isOfDays}) {
	const scale = scaleOf(Math.max(...rows.map((row) => series.reduce((total, [name]) => total + row[name], 0)), 0));
	const whole = widthNow();
	const slot = (whole - LEFT - RIGHT) / Math.max(rows.length, 1);
	const width = Math.max(slot - Math.min(4, slot * 0.3), 1);
	const bars = rows.map((row, index) =>
		s(
			"g",
			null,
			s("title", null, `${isOfDays ? dayOf(row.hour) : utc(row.hour)}: ${inWords(row, series)}`),
			s("rect", {x: LEFT + index * slot, y: TOP, width: slot, height: HEIGHT - TOP - BOTTOM, "fill-opacity": 0}),
			stack(row, {series, x: LEFT + index * slot + (slot - width) / 2, width, top: scale.top})
		)
	);
	const sums = Object.fromEntries(series.map(([name]) => [name, sumOf(rows, name)]));
	return h(
		"div",
		null,
		s(
			"svg",
			{class: "plot", viewBox: `0 0 ${whole} ${HEIGHT}`, role: "img", "aria-label": `${label}: ${inWords(sums, series)} in all.`},
			grid(scale, whole, number),
			bars,
			hourLabels(rows, whole, (index) => LEFT + (index + 0.5) * slot, isOfDays)
		),
		h(
			"ul",
			{class: "legend"},
			series.map(([name, tone, word]) => h("li", {class: tone}, `${word} ${number(sums[name])}`))
		)
	);
}

/** rows: [{hour, published, failed}]. */
export const throughput = (rows) => stacked(rows, {series: OUTCOMES, label: "Published and failed for each hour"});

/** rows: [{hour, published, failed, waiting}], where hour is the beginning of a day. */
export const days = (rows) => stacked(rows, {series: OF_DAY, label: "Posts by day", isOfDays: true});

const SPARK_HEIGHT = 28;
const SPARK_WIDTH = 240;

/** One platform's hours as a small picture without an axis: rows as for throughput(), top: what fills its height. */
export function spark(rows, top, name) {
	const slot = SPARK_WIDTH / Math.max(rows.length, 1);
	const bar = (row, index, from, count, tone) => {
		const height = (count / Math.max(top, 1)) * SPARK_HEIGHT;
		const y = SPARK_HEIGHT - (from / Math.max(top, 1)) * SPARK_HEIGHT - height;
		return count > 0 ? s("rect", {class: tone, x: index * slot, y, width: Math.max(slot - 1, 1), height: Math.max(height, 1)}) : null;
	};
	return s(
		"svg",
		{
			class: "plot spark",
			viewBox: `0 0 ${SPARK_WIDTH} ${SPARK_HEIGHT}`,
			preserveAspectRatio: "none",
			role: "img",
			"aria-label": `${name}, hour by hour: ${inWords({published: sumOf(rows, "published"), failed: sumOf(rows, "failed")}, OUTCOMES)}.`,
		},
		rows.map((row, index) => [
			bar(row, index, 0, row.published, "ok"),
			bar(row, index, row.published, row.failed, "bad"),
		]),
		s("line", {class: "axis", x1: 0, x2: SPARK_WIDTH, y1: SPARK_HEIGHT, y2: SPARK_HEIGHT})
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
