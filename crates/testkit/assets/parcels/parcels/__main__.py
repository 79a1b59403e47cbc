"""Serves the application with the threads that the settings ask for."""

from concurrent.futures import ThreadPoolExecutor
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIServer, make_server

from .app import application
from .settings import load


class PooledServer(ThreadingMixIn, WSGIServer):
    """Answers on a fixed number of threads."""

    pool = None

    def process_request(self, request, client_address):
        self.pool.submit(self.process_request_thread, request, client_address)


def main():
    settings = load()
    PooledServer.pool = ThreadPoolExecutor(settings.threads)
    with make_server(settings.host, settings.port, application(settings), PooledServer) as server:
        server.serve_forever()


if __name__ == "__main__":
    main()
