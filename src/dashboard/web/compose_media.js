// SPDX-License-Identifier: Apache-2.0
// The files of a post: by address, chosen, dropped or pasted; uploaded at once with their progress, and shown small.
import {fill, h, image} from "./dom.js";
import {announce, button, field, icon} from "./ui.js";
import {size, uploadFile} from "./upload.js";

const MEDIA_KINDS = [
	["image", "Image"],
	["video", "Video"],
];
const THUMB_PX = 480;
const THUMB_WAIT_MS = 8000;

const isMediaId = (text) => text.startsWith("med_");
const kindOfName = (name) => (/\.(mp4|mov|m4v|webm|avi|mkv)([?#]|$)/i.test(name) ? "video" : "image");

function drawn(source, width, height) {
	const scale = Math.min(1, THUMB_PX / Math.max(width, height, 1));
	const canvas = document.createElement("canvas");
	canvas.width = Math.max(1, Math.round(width * scale));
	canvas.height = Math.max(1, Math.round(height * scale));
	canvas.getContext("2d").drawImage(source, 0, 0, canvas.width, canvas.height);
	return canvas.toDataURL("image/jpeg", 0.8);
}

/** The picture of a file of this computer, small, as a data: address; null when the browser cannot draw it. */
async function thumbOf(file) {
	if (!file.type.startsWith("image/")) {
		return null;
	}
	const late = new Promise((resolve) => setTimeout(() => resolve(null), THUMB_WAIT_MS));
	const made = createImageBitmap(file)
		.then((bitmap) => drawn(bitmap, bitmap.width, bitmap.height))
		.catch(() => null);
	return Promise.race([made, late]);
}

/** One file's row. changed() after every change; onGone() when it is removed. */
export function mediaRow(context, {item = {}, changed, onGone}) {
	const url = field({
		name: "url",
		label: "File URL, or id of an uploaded file",
		value: item.url ?? item.media_id,
		placeholder: "https://cdn.example.com/picture.jpg",
		mono: true,
	});
	const type = field({name: "type", label: "Type", kind: "select", options: MEDIA_KINDS, value: item.type ?? "image"});
	const alt = field({
		name: "alt_text",
		label: "Alt text",
		optional: true,
		value: item.alt_text ?? "",
		hint: "What the picture shows, for those who cannot see it.",
	});
	const thumbnail = field({
		name: "thumbnail_url",
		label: "Preview image URL",
		kind: "url",
		optional: true,
		value: item.thumbnail_url ?? "",
		mono: true,
	});
	const length = field({name: "duration", label: "Duration in seconds", kind: "number", optional: true, value: item.duration ?? ""});
	const chooser = field({name: "file", label: "Or upload a file", kind: "file", optional: true});
	const small = h("div", {class: "thumb"}, icon(item.type === "video" ? "play" : "image"));
	const meter = h("div", {
		class: "meter",
		hidden: true,
		role: "progressbar",
		"aria-label": "Upload",
		"aria-valuemin": "0",
		"aria-valuemax": "100",
	});
	const progress = h("p", {class: "small soft", role: "status"});
	const state = {name: item.name ?? "", thumb: null, isBusy: false};

	const showProgress = (share, file) => {
		const percent = Math.floor(share * 100);
		meter.hidden = false;
		meter.setAttribute("aria-valuenow", String(percent));
		fill(meter, h("span", {vars: {share}}));
		progress.textContent =
			share < 1 ? `Uploading ${file.name}: ${percent} % of ${size(file.size)}` : `${file.name}, ${size(file.size)}`;
	};
	const take = async (file) => {
		state.name = file.name;
		state.isBusy = true;
		chooser.control.disabled = true;
		type.control.value = file.type.startsWith("video/") ? "video" : "image";
		chooser.problem(null);
		announce(`Uploading ${file.name}.`);
		thumbOf(file).then((thumb) => {
			state.thumb = thumb;
			fill(small, thumb ? image(thumb, "") : icon(type.value() === "video" ? "play" : "image"));
			changed();
		});
		try {
			const uploaded = await uploadFile(context, file, (share) => showProgress(share, file));
			url.control.value = uploaded.id;
			url.problem(null);
			type.control.value = uploaded.type;
			showProgress(1, file);
			announce(`${file.name} is uploaded.`);
		} catch (failure) {
			chooser.problem(failure.message);
			meter.hidden = true;
			progress.textContent = "";
			announce(failure.message, true);
		}
		state.isBusy = false;
		chooser.control.disabled = false;
		meter.hidden = true;
		changed();
	};
	chooser.control.addEventListener("change", () => {
		if (chooser.control.files[0]) {
			take(chooser.control.files[0]);
		}
	});
	url.control.addEventListener("input", () => {
		if (kindOfName(url.value()) === "video") {
			type.control.value = "video";
		}
	});
	const node = h(
		"div",
		{class: "media-row"},
		small,
		h(
			"div",
			{class: "stack tight"},
			h("div", {class: "pair form"}, url.node, type.node),
			chooser.node,
			meter,
			progress,
			alt.node,
			h(
				"details",
				{open: Boolean(item.thumbnail_url || item.duration)},
				h("summary", null, "For videos"),
				h("div", {class: "pair form"}, thumbnail.node, length.node)
			),
			h(
				"div",
				null,
				button("Remove file", () => onGone(), {slim: true, kind: "quiet"})
			)
		)
	);
	node.addEventListener("input", changed);
	const optional = () => ({
		...(alt.value().trim() ? {alt_text: alt.value().trim()} : {}),
		...(thumbnail.value().trim() ? {thumbnail_url: thumbnail.value().trim()} : {}),
		...(length.value() ? {duration: Number(length.value())} : {}),
		...Object.fromEntries(["mime_type", "fit"].filter((name) => item[name]).map((name) => [name, item[name]])),
	});
	const named = (text) => (isMediaId(text) ? {media_id: text} : {type: type.value(), url: text});
	return {
		node,
		url,
		take,
		isBusy: () => state.isBusy,
		value: () => ({...named(url.value().trim()), ...optional()}),
		/** As the preview shows it. */
		shown: () => ({
			type: type.value(),
			thumb: state.thumb,
			alt_text: alt.value().trim(),
			name: state.name || url.value().trim().split("/").pop().slice(0, 60) || "File",
		}),
	};
}

/** Files that are dropped on the element or pasted into it go to onFiles(list). */
export function takeFiles(element, onFiles) {
	const has = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
	const over = (isOver) => element.classList.toggle("drop", isOver);
	element.addEventListener("dragover", (event) => {
		if (has(event)) {
			event.preventDefault();
			over(true);
		}
	});
	element.addEventListener("dragleave", (event) => {
		if (!element.contains(event.relatedTarget)) {
			over(false);
		}
	});
	element.addEventListener("drop", (event) => {
		over(false);
		if (has(event)) {
			event.preventDefault();
			onFiles([...event.dataTransfer.files]);
		}
	});
	element.addEventListener("paste", (event) => {
		const files = [...(event.clipboardData?.files ?? [])];
		if (files.length > 0) {
			event.preventDefault();
			onFiles(files);
		}
	});
}
