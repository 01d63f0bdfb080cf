"""A page's Markdown split at its fences: the text between them, and each directive with its options."""

from __future__ import annotations

import re

FENCE = re.compile(r"^ *(?P<marker>`{3,}|:{3,})(?P<rest>.*)$")
DIRECTIVE = re.compile(r"^\{(?P<name>[\w:-]+)\} *(?P<argument>.*)$")
OPTION = re.compile(r"^:([\w-]+): *(.*)$")


def split_directive(lines: list[str]) -> tuple[dict[str, str], list[str]]:
    """Return the options at the head of a directive's body, and the rest of the body."""
    options = {}
    while lines and (match := OPTION.match(lines[0])):
        options[match[1]] = match[2]
        lines = lines[1:]
    return options, lines


def blocks(text: str):
    """Yield a page's text in pieces: (None, lines) for plain lines, (info string, lines) for a fenced block."""
    lines, plain, i = text.split("\n"), [], 0
    while i < len(lines):
        opening = FENCE.match(lines[i])
        if not opening or opening["marker"][0] == ":" and not opening["rest"].startswith("{"):
            plain.append(lines[i])
            i += 1
            continue
        marker = opening["marker"]
        closing = re.compile(rf"^ *{marker[0]}{{{len(marker)},}} *$")
        end = next((k for k in range(i + 1, len(lines)) if closing.match(lines[k])), len(lines))
        yield None, plain
        yield opening["rest"].strip(), lines[i + 1 : end]
        plain, i = [], end + 1
    yield None, plain


def table(head: list[str], rows) -> list[str]:
    """Return the lines of a table.

    >>> table(["a", "b"], [["1", "2"]])
    ['| a | b |', '| --- | --- |', '| 1 | 2 |']
    """
    return [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)]


def bodies(text: str, name: str) -> list[tuple[str, dict[str, str], str]]:
    """Return the directives of a name on a page: argument, options, body.

    >>> bodies(":::{guess} a\\n:unit: %\\nWhy?\\n:::\\n", "guess")
    [('a', {'unit': '%'}, 'Why?')]
    """
    found = []
    for head, lines in blocks(text):
        match = DIRECTIVE.match(head or "")
        if match and match["name"] == name:
            options, body = split_directive(lines)
            found.append((match["argument"], options, "\n".join(body).strip()))
    return found
