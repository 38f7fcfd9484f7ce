// SPDX-License-Identifier: Apache-2.0
// Uploads by the protocol of tus.io, in pieces: after a break the service is asked how much it has, and the rest follows.
import { ApiError, ConnectionError, PosthornError } from "./errors.js";
import { sleep, Transport, type Answer, type Authorization, type CallOptions } from "./transport.js";

/** What can be uploaded. A file on the disk, in Node: `await fs.openAsBlob(path)`, of which only a piece is in memory. */
export type Uploadable = Blob | Uint8Array | ArrayBuffer;

export interface UploadOptions extends CallOptions {
	/** Kept with the file. A File has one of its own. */
	fileName?: string | undefined;
	/** Called with the bytes that the service has, and those of the whole file. */
	onProgress?: ((sentBytes: number, totalBytes: number) => void) | undefined;
	/** Bytes in one request; 8 MiB. */
	chunkBytes?: number | undefined;
	/** Called with where the upload goes on: keep it, and it can go on in another process. */
	onBegin?: ((place: string) => void) | undefined;
	/** What onBegin gave: go on there. */
	resumeFrom?: string | undefined;
}

export interface Uploaded {
	/** For `media: [{ media_id }]` of a post. */
	media_id: string;
}

const CHUNK_BYTES = 8 * 1024 * 1024;
const CHUNK_TIMEOUT_MS = 120_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
const LINK_RETRIES = 6;
const TUS = { "Tus-Resumable": "1.0.0" };

interface Place {
	offset: number;
	mediaId: string | null;
}

/** One upload. creation is where uploads are begun: the app's, or a link. */
export class Upload {
	readonly #blob: Blob;
	readonly #options: UploadOptions;

	constructor(
		readonly transport: Transport,
		readonly creation: string,
		readonly authorization: Authorization | undefined,
		file: Uploadable,
		options: UploadOptions,
	) {
		this.#blob = file instanceof Blob ? file : new Blob([file as BlobPart]);
		this.#options = options;
	}

	async run(): Promise<Uploaded> {
		const { resumeFrom, onBegin, onProgress } = this.#options;
		const url = resumeFrom ?? (await this.#begin());
		if (resumeFrom === undefined) {
			onBegin?.(url);
		}
		let place: Place = resumeFrom === undefined ? { offset: 0, mediaId: null } : await this.#look(url);
		for (let broken = 0; place.mediaId === null; ) {
			onProgress?.(place.offset, this.#blob.size);
			const next = await this.#continue(url, place, broken);
			broken = next.offset > place.offset ? 0 : broken + 1;
			place = next;
		}
		onProgress?.(this.#blob.size, this.#blob.size);
		return { media_id: place.mediaId };
	}

	async #begin(): Promise<string> {
		const name = this.#options.fileName ?? (this.#blob as Blob & { name?: string }).name;
		const metadata: Record<string, string> = name ? { "Upload-Metadata": `filename ${base64(name)}` } : {};
		const answer = await this.#send("POST", this.creation, { "Upload-Length": String(this.#blob.size), ...metadata });
		// Its last part is the upload's id. The address before it is the service's own idea of its name; ours reached it.
		return `${this.creation}/${(answer.headers.get("location") ?? "").split("/").at(-1)}`;
	}

	/** One piece; when it breaks off, where the upload stands after it. */
	async #continue(url: string, place: Place, broken: number): Promise<Place> {
		const end = Math.min(place.offset + (this.#options.chunkBytes ?? CHUNK_BYTES), this.#blob.size);
		const headers = { "Upload-Offset": String(place.offset), "Content-Type": "application/offset+octet-stream" };
		try {
			return placeOf(await this.#send("PATCH", url, headers, this.#blob.slice(place.offset, end)), end);
		} catch (failure) {
			const retries = this.#options.retries ?? this.transport.settings.retries;
			if (!(failure instanceof PosthornError) || !canGoOn(failure) || broken >= retries) {
				throw failure;
			}
		}
		await sleep(Math.min(FIRST_PAUSE_MS * 2 ** broken, LONGEST_PAUSE_MS) * (0.5 + Math.random() / 2), this.#options.signal);
		return this.#look(url);
	}

	async #look(url: string): Promise<Place> {
		return placeOf(await this.#send("HEAD", url, {}), 0);
	}

	#send(method: string, path: string, headers: Record<string, string>, body?: Blob): Promise<Answer> {
		const { signal, retries, timeoutMs } = this.#options;
		// A piece is never sent again blindly; an upload that was begun and is not used ends by itself.
		const repeat = method === "PATCH" ? "once" : method === "HEAD" ? "read" : "safe";
		const patience = timeoutMs ?? (method === "PATCH" ? CHUNK_TIMEOUT_MS : undefined);
		const call = { method, path, repeat, signal, retries, timeoutMs: patience, body, headers: { ...TUS, ...headers } } as const;
		return this.transport.send({ ...call, authorization: this.authorization });
	}
}

/** After these the service knows where to go on: a lost connection, its own trouble, and another idea of the offset. */
function canGoOn(failure: PosthornError): boolean {
	if (failure instanceof ApiError) {
		return failure.status >= 500 || failure.code === "UPLOAD_CONFLICT";
	}
	return failure instanceof ConnectionError;
}

function placeOf(answer: Answer, otherwise: number): Place {
	const offset = Number.parseInt(answer.headers.get("upload-offset") ?? "", 10);
	return { offset: Number.isNaN(offset) ? otherwise : offset, mediaId: answer.headers.get("posthorn-media-id") };
}

function base64(text: string): string {
	return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

/**
 * Uploads a file by a link that the service made (`media.createLink`), without a token: for browsers. The file's media_id is that
 * of the link.
 */
export function uploadByLink(uploadUrl: string, file: Uploadable, options: UploadOptions = {}): Promise<Uploaded> {
	const fetch = globalThis.fetch.bind(globalThis);
	const transport = new Transport({ url: "", fetch, timeoutMs: 30_000, retries: LINK_RETRIES, longestWaitMs: 60_000, userAgent: null });
	return new Upload(transport, uploadUrl, undefined, file, options).run();
}
