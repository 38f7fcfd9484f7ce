# SPDX-License-Identifier: Apache-2.0
"""The client of Posthorn: see README.md."""
from . import models
from .calls import Accepted
from .client import AsyncPosthorn, Posthorn, upload_by_link, upload_by_link_async
from .errors import (
    ApiError, AuthenticationError, ConflictError, DuplicateRequestError, NotFoundError, PosthornConnectionError, PosthornError,
    PosthornPermissionError, PosthornTimeoutError, PreconditionError, QuotaError, RateLimitError, ServerError, ValidationError,
    WebhookVerificationError,
)
from .tokens import KeptToken, TokenStore
from .upload import Uploaded
from .webhook import verify_webhook

__all__ = [
    "Accepted", "ApiError", "AsyncPosthorn", "AuthenticationError", "ConflictError", "DuplicateRequestError", "KeptToken", "NotFoundError",
    "Posthorn", "PosthornConnectionError", "PosthornError", "PosthornPermissionError", "PosthornTimeoutError", "PreconditionError",
    "QuotaError", "RateLimitError", "ServerError", "TokenStore", "Uploaded", "ValidationError", "WebhookVerificationError", "models",
    "upload_by_link", "upload_by_link_async", "verify_webhook",
]
