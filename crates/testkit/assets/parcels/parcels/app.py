"""The application: layers around a router, outermost first."""

from .accounts import Accounts
from .errors import ApiError
from .layers import authenticated, logged, with_errors
from .routes import Routes
from .store import Store


def application(settings):
    """Builds the WSGI application. Every request passes the layers in this order."""
    store = Store(settings.database)
    accounts = Accounts(store)
    routes = Routes(store, settings)
    handler = routes.dispatch
    handler = authenticated(handler, accounts, public=("/health",))
    handler = with_errors(handler, ApiError)
    return logged(handler)
