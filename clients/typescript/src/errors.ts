// SPDX-License-Identifier: Apache-2.0
// What can go wrong. Every error of this package is a PosthornError; what the service refused is an ApiError with its code.
import type { Error as ErrorBody, FieldErrors, RuleViolation } from "./types.js";

export type ErrorCode = ErrorBody["error"] | "UNEXPECTED_ANSWER" | (string & {});
export type ErrorDetails = NonNullable<ErrorBody["details"]>;

/** Words of a failure that the service never heard of, or answered in time. */
export interface FailureFacts {
	/** The `X-Request-Id` of the call: the operator finds its lines in the log by it. */
	requestId?: string | undefined;
	/**
	 * True when the call changes something and may have done so: its answer, or that of an earlier try, was lost. Look before you
	 * call again.
	 */
	outcomeUnknown?: boolean | undefined;
	cause?: unknown;
}

export class PosthornError extends Error {
	readonly requestId: string | undefined;
	readonly outcomeUnknown: boolean;

	constructor(message: string, facts: FailureFacts = {}) {
		super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
		this.name = new.target.name;
		this.requestId = facts.requestId;
		this.outcomeUnknown = facts.outcomeUnknown ?? false;
	}
}

/** No answer came: the service could not be reached, or the connection broke. */
export class ConnectionError extends PosthornError {}

/** No answer came in time. */
export class TimeoutError extends ConnectionError {}

/** The caller's AbortSignal ended the call. */
export class AbortedError extends PosthornError {}

/** A call to your webhook address is not genuine. */
export class WebhookVerificationError extends PosthornError {}

export interface ApiFacts extends FailureFacts {
	status: number;
	code: ErrorCode;
	errors?: FieldErrors | undefined;
	details?: ErrorDetails | undefined;
	retryAfterSeconds?: number | undefined;
}

/** The service refused the call. */
export class ApiError extends PosthornError {
	readonly status: number;
	/** Stable: decide by it, never by the message. */
	readonly code: ErrorCode;
	/** Field paths (`containers.1.type`) to messages; empty when it is about no field. */
	readonly errors: FieldErrors;
	readonly details: ErrorDetails;
	/** What `Retry-After` asked for. */
	readonly retryAfterSeconds: number | undefined;

	constructor(message: string, facts: ApiFacts) {
		super(message, facts);
		this.status = facts.status;
		this.code = facts.code;
		this.errors = facts.errors ?? {};
		this.details = facts.details ?? {};
		this.retryAfterSeconds = facts.retryAfterSeconds;
	}

	/** The first field that is wrong. */
	get field(): string | undefined {
		return Object.keys(this.errors)[0];
	}
}

/** 401: the credentials, the token or the key. */
export class AuthenticationError extends ApiError {}

/** 403: the key lacks a scope (`details.required`), or the app is suspended. */
export class PermissionError extends ApiError {}

/** 404. */
export class NotFoundError extends ApiError {}

/** 409: it cannot be done in this state. */
export class ConflictError extends ApiError {}

/** 409 `DUPLICATE_REQUEST`: the `request_id` was used before. */
export class DuplicateRequestError extends ConflictError {
	/** The first post. */
	get postId(): string {
		return this.details.post_id ?? "";
	}
}

/** 412: it changed since you read it. */
export class PreconditionError extends ApiError {}

/** 400, 413, 415 and 422: what was sent is wrong; `field` and `errors` say where. */
export class ValidationError extends ApiError {
	/** Rules of platforms that are violated. */
	get rules(): RuleViolation[] {
		return this.details.rules ?? [];
	}
}

/** 429 `RATE_LIMITED`. */
export class RateLimitError extends ApiError {}

/** 429 `QUOTA_EXCEEDED`: waiting does not help; `details` says which quota is full. */
export class QuotaError extends ApiError {}

/** 5xx. */
export class ServerError extends ApiError {}

const KINDS: Record<number, typeof ApiError> = {
	400: ValidationError,
	401: AuthenticationError,
	403: PermissionError,
	404: NotFoundError,
	409: ConflictError,
	412: PreconditionError,
	413: ValidationError,
	415: ValidationError,
	422: ValidationError,
	429: RateLimitError,
};
const CODES: Record<string, typeof ApiError> = { DUPLICATE_REQUEST: DuplicateRequestError, QUOTA_EXCEEDED: QuotaError };
const UNSAID: Record<number, ErrorBody["error"]> = {
	401: "UNAUTHENTICATED",
	404: "NOT_FOUND",
	409: "UPLOAD_CONFLICT",
	429: "RATE_LIMITED",
	503: "UNAVAILABLE",
};

/** The error of an answer. A body that is not the service's (a proxy's page) has the code UNEXPECTED_ANSWER. */
export function errorOf(status: number, text: string, facts: Omit<ApiFacts, "status" | "code">): ApiError {
	const body = readBody(text);
	if (body === null) {
		const Kind = status >= 500 ? ServerError : ApiError;
		const message = `Posthorn did not answer: ${status} came from something before it.`;
		return new Kind(message, { ...facts, status, code: "UNEXPECTED_ANSWER" });
	}
	const Kind = CODES[body.error] ?? KINDS[status] ?? (status >= 500 ? ServerError : ApiError);
	return new Kind(body.message, { ...facts, status, code: body.error, errors: body.errors, details: body.details });
}

/** What an answer to HEAD, which has no body, would have said. */
export function bodyOfHead(status: number): string {
	const error = UNSAID[status];
	return error === undefined ? "" : JSON.stringify({ error, message: `The service answered ${status}.` });
}

function readBody(text: string): ErrorBody | null {
	try {
		const body: unknown = JSON.parse(text);
		const { error, message } = Object(body) as Partial<Record<string, unknown>>;
		return typeof error === "string" && typeof message === "string" ? (body as ErrorBody) : null;
	} catch {
		return null;
	}
}
