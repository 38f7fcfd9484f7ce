// SPDX-License-Identifier: Apache-2.0
// Uploads of files from the browser, as an app's own users do it: by a link that takes one file.
import * as api from "./api.js";

/** {id, type} of the uploaded file. The link's path is asked for here: the page may speak to nobody else. */
export async function uploadFile(context, file) {
	const {data: link} = await api.post(context.appPath("v1", "media", "links"), {max_bytes: Math.max(1, file.size)});
	const answer = await fetch(new URL(link.upload_url).pathname, {
		method: "PUT",
		body: file,
		headers: {"Content-Disposition": `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`},
		credentials: "omit",
		redirect: "error",
		cache: "no-store",
	}).catch(() => null);
	if (answer === null || answer.status === 404) {
		throw new api.ApiError(answer?.status ?? 0, {
			message: "This page cannot upload here. Upload with `posthorn upload FILE`, or at the service's public URL.",
			error: "UNREACHABLE",
		});
	}
	if (!answer.ok) {
		throw new api.ApiError(answer.status, await answer.json().catch(() => null), answer.headers.get("X-Request-Id"));
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
