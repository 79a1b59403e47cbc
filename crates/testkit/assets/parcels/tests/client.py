"""Asks an application without a network."""

import io
import json


def ask(application, method, path, key=None, body=b""):
    """Returns the status, the headers and the decoded body."""
    seen = {}

    def start(status, headers, exc_info=None):
        seen["status"], seen["headers"] = status, dict(headers)

    environ = {
        "REQUEST_METHOD": method,
        "PATH_INFO": path,
        "CONTENT_LENGTH": str(len(body)),
        "REMOTE_ADDR": "192.0.2.7",
        "wsgi.input": io.BytesIO(body),
    }
    if key is not None:
        environ["HTTP_X_API_KEY"] = key
    answer = b"".join(application(environ, start))
    return seen["status"], seen["headers"], json.loads(answer)
