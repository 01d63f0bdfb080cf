"""Count phrases that read like a translation, in chapters, docs, messages, docstrings and comments.

    python -m tests.english              the counts and their limits, as in `make lint`
    python -m tests.english PATH ...     every hit in these files or folders, with advice

english.txt lists the phrases. If you lower a count, lower its limit in LIMITS too, so that the counts only fall.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIMITS = {"text": 0, "code": 15}  # text: pages, docs, messages; code: docstrings, comments
START = r"(?:(?<=[a-z)`*][.!?]\s)|(?<=\n\n)|\A)"
TABLE = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()
RULES = [
    (advice, re.compile(pattern.replace("<START>", START).replace(" ", r"\s")))
    for advice, pattern in (line.split("\t") for line in TABLE if not line.startswith("#"))
]
FENCE = re.compile(r"(?ms)^(`{3,})(\{code-cell\})?[^\n]*\n(?:.*?\n)??\1")
CAPTION = re.compile(r"(?m)^( *)(?:caption|alt): (?:\|\n)?\x22?((?:.*\n?)(?:\1  .*\n?)*)")
OPTION = re.compile(r"(?m)^ *(?:(?:>|%|:[a-z_-]+:).*$|:{3,}(?:\{[a-z]+\})?)")
# Front matter, code, formulas, quotations, addresses, tags.
NOT_PROSE = re.compile(
    r"(?s)\A---\n.*?\n---\n|`+[^`\n]+`+|\$\$.*?\$\$|\$[^$\n]+\$"
    r"|“[^”]{1,400}”|\"[^\"\n]{1,200}\"|\]\([^)\s]*\)|<[^>\n]+>"
)
COMMENT = re.compile(r"(?m)(?:^|  ) *# (.*)$")
EXAMPLE = re.compile(r"(?m)^ *>>>.*(?:\n *\S.*)*|^ {12,}.*")


def blank(match) -> str:
    """Return only the line ends of a match, between marks that no pattern spans."""
    return " \0" + "\n" * match[0].count("\n") + "\0 "


def cell(match) -> str:
    """Return a fenced block without its code: of a cell, the captions and alternative texts stay."""
    kept = [found.span(2) for found in CAPTION.finditer(match[0])] if match[2] else []
    return "".join(c for i, c in enumerate(match[0]) if c == "\n" or any(a <= i < b for a, b in kept))


def prose(path: Path) -> dict[str, str]:
    """Return a file's prose by kind, in the lines of the file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return {"text": OPTION.sub(blank, NOT_PROSE.sub(blank, FENCE.sub(cell, text)))}
    lines = {kind: [""] * (text.count("\n") + 3) for kind in LIMITS}
    for number, line in enumerate(text.split("\n"), 1):
        if found := COMMENT.search(line):
            lines["code"][number] = found[1]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node, clean=False):
            without = EXAMPLE.sub(blank, node.body[0].value.value)
            for number, line in enumerate(without.split("\n"), node.body[0].lineno):
                lines["code"][number] = line.strip()
        elif isinstance(node, ast.Raise) or isinstance(node, ast.keyword) and node.arg in ("help", "description"):
            for part in ast.walk(node):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    lines["text"][part.lineno] += " " + part.value.replace("\n", " ")
    return {kind: NOT_PROSE.sub(blank, "\n".join(rows[1:])) for kind, rows in lines.items()}


def hits(text: str) -> list[str]:
    """Return the hits in a text, each as its line, the words around it, and advice."""
    found = sorted((match.start(), match.end(), advice) for advice, rule in RULES for match in rule.finditer(text))
    told = []
    for a, b, advice in found:
        words = f"{text[max(a - 30, 0) : a]}[{text[a:b]}]{text[b : b + 30]}".replace("\0", "")
        line = text.count("\n", 0, a) + 1
        told.append(f"{line}: {' '.join(words.split())} -> {advice}")
    return told


def main(arguments: list[str]) -> int:
    """Count the phrases in these paths, or in all tracked files; return 1 if a count is above its limit."""
    command = ["git", "ls-files", "*.md", "*.py"] if not arguments else ["git", "ls-files", *arguments]
    tracked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    paths = [ROOT / name for name in tracked if name.endswith((".md", ".py"))]
    found = {kind: [] for kind in LIMITS}
    words = Counter()
    for path in filter(Path.exists, paths):
        for kind, text in prose(path).items():
            found[kind] += [f"{path.relative_to(ROOT)}:{hit}" for hit in hits(text)]
            words[kind] += len(re.findall(r"[A-Za-z][a-z’']*", text))
    over = [kind for kind in LIMITS if len(found[kind]) > LIMITS[kind] and not arguments]
    for kind in LIMITS if arguments else over:
        print(*found[kind], sep="\n")
    for kind, limit in LIMITS.items():
        n = len(found[kind])
        advice = "; lower the limit" if n < limit else "; rewrite as many as you added" if n > limit else ""
        rate = f"English, {kind}: {n} phrases, {1000 * n / max(words[kind], 1):.2f} per 1,000 words"
        print(rate if arguments else f"{rate}; limit {limit}{advice}")
    return int(bool(over))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
