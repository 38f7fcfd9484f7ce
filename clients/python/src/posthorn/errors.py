# SPDX-License-Identifier: Apache-2.0
"""What can go wrong. Every error of this package is a PosthornError; what the service refused is an ApiError with its code."""
import json
from typing import Any


class PosthornError(Exception):
    """request_id: the `X-Request-Id` of the call; the operator finds its lines in the log by it.

    outcome_unknown: the call changes something and may have done so, for its answer, or that of an earlier try, was lost. Look before you
    call again."""

    def __init__(self, message: str, *, request_id: str = "", outcome_unknown: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.request_id = request_id
        self.outcome_unknown = outcome_unknown


class PosthornConnectionError(PosthornError):
    """No answer came: the service could not be reached (never_sent), or the connection broke."""

    never_sent = False


class PosthornTimeoutError(PosthornConnectionError):
    """No answer came in time."""


class WebhookVerificationError(PosthornError):
    """A call to your webhook address is not genuine."""


class ApiError(PosthornError):
    """The service refused the call. Decide by `code`, never by the message."""

    def __init__(self, message: str, *, status: int, code: str, errors: dict[str, list[str]] | None = None,
                 details: dict[str, Any] | None = None, retry_after_s: int | None = None, request_id: str = "",
                 outcome_unknown: bool = False) -> None:
        super().__init__(message, request_id=request_id, outcome_unknown=outcome_unknown)
        self.status = status
        self.code = code
        self.errors = errors or {}
        self.details = details or {}
        self.retry_after_s = retry_after_s

    @property
    def field(self) -> str | None:
        """The first field that is wrong, as `containers.1.type`."""
        return next(iter(self.errors), None)


class AuthenticationError(ApiError):
    """401: the credentials, the token or the key."""


class PosthornPermissionError(ApiError):
    """403: the key lacks a scope (`details["required"]`), or the app is suspended."""


class NotFoundError(ApiError):
    """404."""


class ConflictError(ApiError):
    """409: it cannot be done in this state."""


class DuplicateRequestError(ConflictError):
    """409 `DUPLICATE_REQUEST`: the `request_id` was used before."""

    @property
    def post_id(self) -> str:
        """The first post."""
        return str(self.details.get("post_id", ""))


class PreconditionError(ApiError):
    """412: it changed since you read it."""


class ValidationError(ApiError):
    """400, 413, 415 and 422: what was sent is wrong; `field` and `errors` say where, and `rules` which of a platform's."""

    @property
    def rules(self) -> list[dict[str, Any]]:
        return list(self.details.get("rules", []))


class RateLimitError(ApiError):
    """429 `RATE_LIMITED`."""


class QuotaError(ApiError):
    """429 `QUOTA_EXCEEDED`: waiting does not help; `details` says which quota is full."""


class ServerError(ApiError):
    """5xx."""


KINDS: dict[int, type[ApiError]] = {
    400: ValidationError, 401: AuthenticationError, 403: PosthornPermissionError, 404: NotFoundError, 409: ConflictError,
    412: PreconditionError, 413: ValidationError, 415: ValidationError, 422: ValidationError, 429: RateLimitError,
}
CODES: dict[str, type[ApiError]] = {"DUPLICATE_REQUEST": DuplicateRequestError, "QUOTA_EXCEEDED": QuotaError}
# What an answer to HEAD, which has no body, would have said.
UNSAID = {401: "UNAUTHENTICATED", 404: "NOT_FOUND", 409: "UPLOAD_CONFLICT", 429: "RATE_LIMITED", 503: "UNAVAILABLE"}


def error_of(status: int, content: bytes, *, is_head: bool, **facts: Any) -> ApiError:
    """The error of an answer. A body that is not the service's (a proxy's page) has the code UNEXPECTED_ANSWER."""
    fallback: type[ApiError] = ServerError if status >= 500 else ApiError
    body = body_of(content)
    if is_head and status in UNSAID:
        body = {"error": UNSAID[status], "message": f"The service answered {status}."}
    if body is None:
        message = f"Posthorn did not answer: {status} came from something before it."
        return fallback(message, status=status, code="UNEXPECTED_ANSWER", **facts)
    kind: type[ApiError] = CODES.get(body["error"], KINDS.get(status, fallback))
    return kind(body["message"], status=status, code=body["error"], errors=body.get("errors"), details=body.get("details"), **facts)


def body_of(content: bytes) -> dict[str, Any] | None:
    try:
        body = json.loads(content)
    except ValueError:
        return None
    is_ours = isinstance(body, dict) and isinstance(body.get("error"), str) and isinstance(body.get("message"), str)
    return body if is_ours else None
