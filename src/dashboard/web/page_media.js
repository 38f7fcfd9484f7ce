// SPDX-License-Identifier: Apache-2.0
// An app's library: the files that it and its users uploaded.
import {h} from "./dom.js";
import * as api from "./api.js";
import {duration, number, plural, when} from "./format.js";
import {announce, button, card, confirm, copyButton, empty, field, linkButton, pageHead, table, toast} from "./ui.js";
import {isShown, pictured, thumb} from "./thumbs.js";
import {size, uploadFile} from "./upload.js";

const PER_PAGE = 50;

const measures = (file) =>
	[
		file.mime_type,
		file.width ? `${number(file.width)} × ${number(file.height)}` : null,
		file.duration_ms ? duration(file.duration_ms) : null,
		size(file.size_bytes),
	]
		.filter(Boolean)
		.join(" · ");

async function remove(context, file) {
	const isSure = await confirm({
		title: "Delete this file?",
		text: "Posts that are published keep what they have. A new post cannot name this file any more.",
		action: "Delete file",
	});
	if (!isSure) {
		return;
	}
	try {
		await api.remove(context.appPath("v1", "media", file.id));
	} catch (failure) {
		toast(failure.message, "bad");
		return;
	}
	toast("File deleted.");
	await context.go(context.here("media"));
}

function uploadCard(context) {
	const file = field({name: "file", label: "File", kind: "file", hint: "An image, a video or a document that a platform takes."});
	file.control.addEventListener("change", async () => {
		const chosen = file.control.files[0];
		if (!chosen) {
			return;
		}
		file.problem(null);
		file.control.disabled = true;
		announce("Uploading.");
		try {
			await uploadFile(context, chosen);
			toast("File uploaded.");
			await context.go(context.here("media"));
		} catch (failure) {
			file.control.disabled = false;
			file.problem(failure.message);
			announce(failure.message, true);
		}
	});
	return card({title: "Upload a file"}, file.node);
}

function pages(context, meta) {
	const at = (page) => `${context.here("media")}?page=${page}`;
	return h(
		"div",
		{class: "row"},
		meta.current_page > 1 ? linkButton("Newer", at(meta.current_page - 1), {slim: true}) : null,
		meta.current_page < meta.last_page ? linkButton("Older", at(meta.current_page + 1), {slim: true}) : null,
		meta.last_page > 1 ? h("span", {class: "soft small"}, `Page ${number(meta.current_page)} of ${number(meta.last_page)}`) : null
	);
}

export async function page(context) {
	const query = {page: context.query.page ?? 1, per_page: PER_PAGE};
	const {data: files, meta} = await api.get(context.appPath("v1", "media"), query, context.signal);
	const columns = [
		{
			label: "File",
			lead: true,
			cell: (file) =>
				pictured(
					thumb(context.params.client_id, isShown(file) ? file.id : null, file.mime_type.startsWith("video/") ? "play" : "image"),
					h("span", {class: "title break"}, file.file_name ?? file.id),
					h("span", {class: "sub break"}, measures(file)),
					h("span", {class: "sub mono break"}, file.id)
				),
		},
		{label: "Uploaded", tight: true, cell: (file) => when(file.created_at)},
		{label: "Kept until", tight: true, cell: (file) => when(file.expires_at, "a post or draft needs it")},
		{
			label: "",
			tight: true,
			cell: (file) =>
				h(
					"div",
					{class: "row"},
					copyButton(file.id, "Copy id"),
					button("Delete", () => remove(context, file), {slim: true, kind: "quiet", label: `Delete ${file.file_name ?? file.id}`})
				),
		},
	];
	return [
		pageHead({
			crumbs: [
				["Apps", `${context.base}/apps`],
				[context.app?.name ?? "App", context.here()],
			],
			title: "Library",
			sub: "Files that this app and its users uploaded. Posts and drafts name them by their id.",
		}),
		uploadCard(context),
		card(
			{flush: true, title: meta.total > 0 ? plural(meta.total, "file") : undefined},
			files.length > 0
				? table({caption: "Uploaded files", columns, rows: files})
				: empty("posts", "No files yet", "Upload one here, with POST /v1/media, or let your users upload by a link.")
		),
		pages(context, meta),
	];
}
