"""Serve the site on this machine, and rebuild it whenever a source changes; open pages reload themselves.

    python -m website serve        (`make serve`; Ctrl-C ends it)
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
import webbrowser
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from website.project import ROOT, say

PORT = 8000
WATCHED = ["_config.yml", "_toc.yml", "book", "tutorial_lib", "tutorial_book", "website"]
MADE = (".ipynb", ".pyc")  # files that builds and runs leave among the sources

RELOAD = Path(__file__).with_name("reload.html").read_bytes()


def sources(root: Path) -> dict[Path, int]:
    """Return when each source file of the site was last changed."""
    found = {}
    for name in WATCHED:
        for path in [root / name, *(root / name).rglob("*")]:
            if path.is_file() and path.suffix not in MADE:
                found[path] = path.stat().st_mtime_ns
    return found


def changed(before: dict[Path, int], after: dict[Path, int]) -> list[Path]:
    """Return the files that were added, removed or changed between two scans."""
    return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))


class Site(SimpleHTTPRequestHandler):
    """The files of the site; each page asks every second whether it was rebuilt."""

    made = "0"  # grows with every build

    def do_GET(self):
        path = Path(self.translate_path(self.path))
        if self.path == "/.made":
            self.answer(200, Site.made.encode(), "text/plain")
        elif path.suffix == ".html" and path.is_file():
            self.answer(200, path.read_bytes() + RELOAD)
        elif not path.exists() and (Path(self.directory) / "404.html").is_file():
            self.answer(404, (Path(self.directory) / "404.html").read_bytes() + RELOAD)
        else:
            super().do_GET()

    def answer(self, status: int, content: bytes, kind: str = "text/html; charset=utf-8") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass  # the terminal reports builds, not requests


def open_server(folder: Path, port: int = PORT) -> ThreadingHTTPServer:
    """Return a server of a folder, only for this machine, on the port or the next free one."""
    for candidate in range(port, port + 20):
        try:
            return ThreadingHTTPServer(("127.0.0.1", candidate), partial(Site, directory=folder))
        except OSError:
            continue
    raise OSError(f"no free port between {port} and {port + 19}")


def build() -> None:
    subprocess.run([sys.executable, "-m", "website", "build"], cwd=ROOT)
    Site.made = str(time.time_ns())


def watch(root: Path = ROOT, seconds: float = 0.5) -> None:
    """Build after every change, once no file has changed for a moment."""
    seen = sources(root)
    while True:
        time.sleep(seconds)
        now = sources(root)
        if files := changed(seen, now):
            while now != (later := sources(root)):
                now = later
                time.sleep(seconds)
            seen = now
            say(f"\nChanged: {', '.join(str(path.relative_to(root)) for path in files[:5])}")
            build()


def main() -> int:
    """Build, serve, and watch until Ctrl-C."""
    build()
    server = open_server(ROOT / "_build" / "html")
    address = f"http://127.0.0.1:{server.server_port}/"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    say(f"The site: {address}  (Ctrl-C ends it)")
    webbrowser.open(address)
    try:
        watch()
    except KeyboardInterrupt:
        say("\nEnded.")
    server.shutdown()
    return 0

