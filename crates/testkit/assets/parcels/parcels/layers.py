"""Layers: each takes a WSGI handler and returns one."""

import logging
import time

from .errors import ApiError

LOG = logging.getLogger("parcels")


def logged(handler):
    """Writes one line for each request."""

    def layer(environ, start):
        since = time.monotonic()
        seen = {}

        def remember(status, headers, exc_info=None):
            seen["status"] = status
            return start(status, headers, exc_info)

        try:
            return handler(environ, remember)
        finally:
            LOG.info(
                "%s %s %s %.1fms",
                environ["REQUEST_METHOD"],
                environ["PATH_INFO"],
                seen.get("status", "-"),
                (time.monotonic() - since) * 1000,
            )

    return layer


def with_errors(handler, kind):
    """Turns errors of that kind into responses."""

    def layer(environ, start):
        try:
            return handler(environ, start)
        except kind as error:
            return error.response(start)

    return layer


def authenticated(handler, accounts, public):
    """Lets in who has a key, and leaves the account in `parcels.account`."""

    def layer(environ, start):
        if environ["PATH_INFO"] not in public:
            account = accounts.account_of(environ.get("HTTP_X_API_KEY"))
            if account is None:
                raise ApiError("401 Unauthorized", "unknown-key", "This key is not known.")
            environ["parcels.account"] = account
        return handler(environ, start)

    return layer
