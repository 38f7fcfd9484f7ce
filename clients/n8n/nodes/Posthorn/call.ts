// SPDX-License-Identifier: Apache-2.0
// Calls of the API, as n8n's helpers make them.
import type {
	IDataObject,
	IExecuteFunctions,
	IHookFunctions,
	IHttpRequestMethods,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	JsonObject,
} from "n8n-workflow";
import { NodeApiError, sleep } from "n8n-workflow";

export type Caller = IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions;

export interface Call {
	method: IHttpRequestMethods;
	path: string;
	query?: IDataObject;
	body?: IDataObject;
}

export interface Answer {
	statusCode: number;
	headers: Record<string, string>;
	body: IDataObject;
}

const TRIES = 4;
const PAUSE_MS = 500;
const LONGEST_WAIT_S = 60;

/** The answer, whatever it is. What the service did not do (429 RATE_LIMITED, 503 UNAVAILABLE) is sent again, not before Retry-After. */
export async function answerOf(caller: Caller, call: Call): Promise<Answer> {
	const { url } = await caller.getCredentials<{ url: string }>("posthornApi");
	const options: IHttpRequestOptions = {
		method: call.method,
		url: url.replace(/\/+$/, "") + call.path,
		qs: call.query,
		body: call.body,
		json: true,
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
	};
	for (let tried = 1; ; tried += 1) {
		const answer = (await caller.helpers.httpRequestWithAuthentication.call(caller, "posthornApi", options)) as Answer;
		const waitSeconds = Number(answer.headers["retry-after"] ?? 0);
		if (tried >= TRIES || !isRefusedForNow(answer) || waitSeconds > LONGEST_WAIT_S) {
			return answer;
		}
		await sleep(waitSeconds * 1000 + PAUSE_MS * 2 ** (tried - 1));
	}
}

function isRefusedForNow(answer: Answer): boolean {
	const { error } = Object(answer.body) as IDataObject;
	return (answer.statusCode === 429 && error === "RATE_LIMITED") || (answer.statusCode === 503 && error === "UNAVAILABLE");
}

/** The body of a good answer; what the service refuses is thrown with its code and fields. */
export async function bodyOf(caller: Caller, call: Call): Promise<IDataObject> {
	const answer = await answerOf(caller, call);
	if (answer.statusCode >= 300) {
		throw refusal(caller, answer);
	}
	return answer.body;
}

export function refusal(caller: Caller, answer: Answer): NodeApiError {
	const { error, message, errors } = Object(answer.body) as { error?: string; message?: string; errors?: Record<string, string[]> };
	const fields = Object.entries(errors ?? {}).map(([field, texts]) => `${field}: ${texts.join(" ")}`);
	return new NodeApiError(caller.getNode(), Object(answer.body) as JsonObject, {
		message: error ? `${error}: ${message}` : `Posthorn did not answer: ${answer.statusCode} came from something before it`,
		description: [...fields, `Request ${answer.headers["x-request-id"] ?? "without an id"}`].join("\n"),
		httpCode: String(answer.statusCode),
	});
}
