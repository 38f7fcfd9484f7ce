# SPDX-License-Identifier: Apache-2.0
"""Calls to your webhook address, by Standard Webhooks 1.0.0."""
import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping, Sequence
from typing import cast

from .errors import WebhookVerificationError
from .models import Event

TOLERANCE_S = 300.0


def verify_webhook(secret: str | Sequence[str], headers: Mapping[str, str], body: str | bytes, *, tolerance_s: float = TOLERANCE_S,
                   now_s: float | None = None) -> Event:
    """The event of a genuine call; WebhookVerificationError for any other.

    body: the bytes or the text as they came, before anything parsed them. While a webhook's secret is being rotated its calls have two
    signatures, and one that fits is enough; several secrets can be given as well. A call that is older than tolerance_s may be somebody's
    recording. An event may come twice, and later than younger ones: keep its `id`, and look at `seq`."""
    known = {name.lower(): value for name, value in headers.items()}
    identifier, timestamp = known.get("webhook-id", ""), known.get("webhook-timestamp", "")
    signatures = known.get("webhook-signature", "")
    if not identifier or not timestamp or not signatures:
        raise WebhookVerificationError("The headers webhook-id, webhook-timestamp and webhook-signature must all be there.")
    age_s = (time.time() if now_s is None else now_s) - (int(timestamp) if timestamp.isascii() and timestamp.isdecimal() else 0)
    if abs(age_s) > tolerance_s:
        raise WebhookVerificationError("The call is too old, or from the future: its webhook-timestamp is out of range.")
    content = body.encode() if isinstance(body, str) else body
    signed = f"{identifier}.{timestamp}.".encode() + content
    given = [decoded(part[3:]) for part in signatures.split(" ") if part.startswith("v1,")]
    if not any(is_signed(one, given, signed) for one in ([secret] if isinstance(secret, str) else secret)):
        raise WebhookVerificationError("No signature of the call fits the secret.")
    return cast(Event, json.loads(content))


def is_signed(secret: str, given: list[bytes], signed: bytes) -> bool:
    key = decoded(secret.removeprefix("whsec_"))
    if not key:
        raise WebhookVerificationError("The secret is not one of a webhook: it begins with whsec_.")
    expected = hmac.new(key, signed, hashlib.sha256).digest()
    return any([hmac.compare_digest(expected, one) for one in given])


def decoded(text: str) -> bytes:
    """Nothing where it is no base64."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""
