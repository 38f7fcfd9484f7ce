// SPDX-License-Identifier: Apache-2.0
// Values as words for people: instants, lengths of time, numbers. Instants are shown in UTC, as in the API, with how long ago beside.
import {h} from "./dom.js";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const WHOLE_MONTHS = [
	"January",
	"February",
	"March",
	"April",
	"May",
	"June",
	"July",
	"August",
	"September",
	"October",
	"November",
	"December",
];
const two = (number) => String(number).padStart(2, "0");

export const number = (value) => Number(value ?? 0).toLocaleString("en-US");
export const plural = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;

export function utc(instant, {seconds = false} = {}) {
	const date = new Date(instant);
	const time = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}${seconds ? `:${two(date.getUTCSeconds())}` : ""}`;
	return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}, ${time} UTC`;
}

export function day(text) {
	const date = new Date(`${text}T00:00:00Z`);
	return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
}

export const monthName = (year, month) => `${WHOLE_MONTHS[month - 1]} ${year}`;

export function hour(instant) {
	const date = new Date(instant);
	return `${two(date.getUTCHours())}:00`;
}

/** "340 ms", "4.2 s", "3 min 20 s", "5 h", "12 days". */
export function duration(ms) {
	const s = ms / 1000;
	if (ms < 1000) {
		return `${Math.round(ms)} ms`;
	}
	if (s < 60) {
		return `${s < 9.95 ? s.toFixed(1) : Math.floor(s)} s`;
	}
	if (s < 3600) {
		const rest = Math.floor(s % 60);
		return `${Math.floor(s / 60)} min${rest > 0 && s < 600 ? ` ${rest} s` : ""}`;
	}
	if (s < 172800) {
		const rest = Math.floor((s % 3600) / 60);
		return `${Math.floor(s / 3600)} h${rest > 0 && s < 36000 ? ` ${rest} min` : ""}`;
	}
	return `${Math.round(s / 86400)} days`;
}

export function ago(instant) {
	const ms = Date.now() - new Date(instant).getTime();
	if (Math.abs(ms) < 5000) {
		return "just now";
	}
	const whole = Math.floor(Math.abs(ms) / 1000) * 1000;
	const words = whole < 10000 ? `${whole / 1000} s` : duration(whole);
	return ms > 0 ? `${words} ago` : `in ${words}`;
}

/** How long ago, with the instant itself to be read by pointing at it and by machines. */
export function when(instant, fallback = "–") {
	return instant
		? h("time", {datetime: instant, title: utc(instant, {seconds: true})}, ago(instant))
		: h("span", {class: "soft"}, fallback);
}

/** The instant, with how long ago beneath. */
export function whenFull(instant, fallback = "–") {
	return instant
		? h("span", null, h("time", {datetime: instant}, utc(instant)), h("span", {class: "soft"}, ` · ${ago(instant)}`))
		: h("span", {class: "soft"}, fallback);
}

/** What a datetime-local field holds (the reader's own zone) as an instant of the API, and back. */
export function fromLocal(text) {
	const date = new Date(text);
	return Number.isNaN(date.getTime()) ? null : date.toISOString().replace(/\.\d+Z$/, "Z");
}

export function toLocal(instant) {
	const date = new Date(instant);
	return new Date(date.getTime() - date.getTimezoneOffset() * 60000).toISOString().slice(0, 16);
}

export const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone || "your time";
