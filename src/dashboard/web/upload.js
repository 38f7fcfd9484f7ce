// SPDX-License-Identifier: Apache-2.0
// Uploads of files from the browser, as an app's own users do it: by a link that takes one file.
import * as api from "./api.js";

/** One PUT with its progress, which fetch() does not tell: {status, text, requestId}, status 0 when nobody answered. */
function put(path, file, onProgress) {
	return new Promise((resolve) => {
		const call = new XMLHttpRequest();
		call.open("PUT", path);
		call.setRequestHeader("Content-Disposition", `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`);
		call.upload.addEventListener("progress", (event) => {
			if (event.lengthComputable && event.total > 0) {
				onProgress(Math.min(event.loaded / event.total, 0.99));
			}
		});
		call.addEventListener("loadend", () =>
			resolve({status: call.status, text: call.responseText, requestId: call.getResponseHeader("X-Request-Id")})
		);
		call.send(file);
	});
}

function bodyOf(text) {
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}

/**
 * {id, type} of the uploaded file; onProgress(share of 1). The link's path is asked for here: the page may speak to nobody else.
 */
export async function uploadFile(context, file, onProgress = () => {}) {
	const {data: link} = await api.post(context.appPath("v1", "media", "links"), {max_bytes: Math.max(1, file.size)});
	const answer = await put(new URL(link.upload_url).pathname, file, onProgress);
	if (answer.status === 0 || answer.status === 404) {
		throw new api.ApiError(answer.status, {
			message: "This page cannot upload here. Upload with `posthorn upload FILE`, or at the service's public URL.",
			error: "UNREACHABLE",
		});
	}
	if (answer.status < 200 || answer.status > 299) {
		throw new api.ApiError(answer.status, bodyOf(answer.text), answer.requestId);
	}
	return {id: link.media_id, type: file.type.startsWith("video/") ? "video" : "image"};
}

const UNITS = ["bytes", "kB", "MB", "GB"];

/** "3.2 MB" */
export function size(bytes) {
	let value = bytes;
	let unit = 0;
	while (value >= 1000 && unit < UNITS.length - 1) {
		value /= 1000;
		unit += 1;
	}
	return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`;
}
