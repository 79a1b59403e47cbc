"""Settings, all of them from the environment."""

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """What can be set, with what holds otherwise."""

    host: str = "127.0.0.1"
    port: int = 8080
    threads: int = 4
    database: str = "parcels.sqlite"
    body_limit: int = 65536


def load(environment=os.environ):
    """Reads PARCELS_HOST, PARCELS_PORT and so on. A number that is none is an error at start."""
    values = {}
    for name, field in Settings.__dataclass_fields__.items():
        text = environment.get("PARCELS_" + name.upper())
        if text is not None:
            values[name] = field.type(text)
    return Settings(**values)
