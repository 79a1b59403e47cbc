"""Errors that clients see. Their codes are a contract."""

import json


class ApiError(Exception):
    """Ends a request with a status, a code and a text."""

    def __init__(self, status, code, message):
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message

    def response(self, start):
        body = json.dumps({"error": self.code, "message": self.message}).encode()
        start(self.status, [("Content-Type", "application/json"), ("Content-Length", str(len(body)))])
        return [body]
