// SPDX-License-Identifier: Apache-2.0
// Uploaded pictures, small, in lists: from this service and nowhere else. What cannot be drawn leaves its place empty.
import {h, image} from "./dom.js";
import * as api from "./api.js";
import {icon} from "./ui.js";

const MAX_BYTES = 4 << 20;
const TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/** Is this file of the library one that a list shows? */
export const isShown = (file) => TYPES.includes(file.mime_type) && file.size_bytes <= MAX_BYTES;

/** The picture with that id, in its place; without an id the sign of a file. It says nothing that the row does not. */
export function thumb(clientId, mediaId, sign = "image") {
	const place = h("span", {class: "thumb slim", "aria-hidden": "true"});
	const draw = (node) => place.replaceChildren(node);
	if (!mediaId) {
		draw(icon(sign));
		return place;
	}
	const picture = image(`/dashboard/api${api.appPath(clientId, "v1", "media", mediaId, "content")}`, "");
	picture.loading = "lazy";
	picture.addEventListener("error", () => draw(icon(sign)));
	draw(picture);
	return place;
}

/** A row's first cell with its picture beside it, if it has one. */
export const pictured = (picture, ...content) => (picture ? h("div", {class: "pictured-row"}, picture, h("div", null, content)) : content);
