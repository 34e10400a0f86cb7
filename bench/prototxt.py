"""Reads the part of protobuf's text format that network files use.

A message becomes a `Message`: `m.all("bottom")` lists every value of a field, `m.get("pad", 0)` is the
last one, converted to the type of the default.
"""

import re

TOKEN = re.compile(r'#[^\n]*|"((?:[^"\\]|\\.)*)"|([{}:;,])|([^\s{}:;,"#]+)')


class Message:
    def __init__(self):
        self.fields = {}

    def all(self, name):
        return self.fields.get(name, [])

    def get(self, name, default):
        values = self.all(name)
        if not values:
            return default
        if isinstance(default, bool):
            return values[-1] == "true"
        return type(default)(values[-1])

    def message(self, name):
        """The last sub-message of that name, or an empty one."""
        values = self.all(name)
        return values[-1] if values else Message()


def read(path):
    with open(path, encoding="utf-8") as file:
        tokens = list(_tokens(file.read()))
    tokens.reverse()  # so that `pop` takes the next one
    message = _fields(tokens)
    if tokens:
        raise ValueError(f"{path}: a `}}` too many")
    return message


def _tokens(text):
    """Strings as ("s", text), everything else as ("w", text)."""
    for match in TOKEN.finditer(text):
        quoted, mark, word = match.groups()
        if quoted is not None:
            yield "s", quoted
        elif mark is not None and mark not in ";,":
            yield "w", mark
        elif word is not None:
            yield "w", word


def _fields(tokens):
    message = Message()
    while tokens and tokens[-1] != ("w", "}"):
        name = tokens.pop()[1]
        if tokens[-1] == ("w", ":"):
            tokens.pop()
        if tokens[-1] == ("w", "{"):
            tokens.pop()
            value = _fields(tokens)
            tokens.pop()
        else:
            value = tokens.pop()[1]
        message.fields.setdefault(name, []).append(value)
    return message
