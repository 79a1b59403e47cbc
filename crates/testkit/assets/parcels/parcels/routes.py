"""What can be asked for."""

import json

from .errors import ApiError


class Routes:
    """Finds the method for a path."""

    def __init__(self, store, settings):
        self.store = store
        self.settings = settings

    def dispatch(self, environ, start):
        method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
        if path == "/health":
            return answer(start, "200 OK", {"status": "ok"})
        if method == "GET" and path.startswith("/parcels/"):
            return self.find(path[len("/parcels/"):], start)
        if method == "POST" and path == "/parcels":
            return self.announce(environ, start)
        raise ApiError("404 Not Found", "no-such-path", "There is nothing here.")

    def find(self, number, start):
        row = self.store.one("SELECT place FROM parcels WHERE number = ?", number)
        if row is None:
            raise ApiError("404 Not Found", "no-such-parcel", "This parcel is not known.")
        return answer(start, "200 OK", {"number": number, "place": row[0]})

    def announce(self, environ, start):
        length = int(environ.get("CONTENT_LENGTH") or 0)
        if length > self.settings.body_limit:
            raise ApiError("413 Content Too Large", "too-large", "The body is too large.")
        parcel = json.loads(environ["wsgi.input"].read(length) or b"{}")
        if not parcel.get("number") or not parcel.get("place"):
            raise ApiError("400 Bad Request", "incomplete", "A number and a place are needed.")
        self.store.change(
            "INSERT OR REPLACE INTO parcels (number, place) VALUES (?, ?)", parcel["number"], parcel["place"]
        )
        return answer(start, "201 Created", parcel)


def answer(start, status, value):
    body = json.dumps(value).encode()
    start(status, [("Content-Type", "application/json"), ("Content-Length", str(len(body)))])
    return [body]
