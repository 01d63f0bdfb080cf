"""The live BERT in real browsers: its speed compared with peers, the time to its first answer, the same bits in each.

The peers are onnxruntime-web, with the int8 graph fused by ONNX Runtime's own optimizer, and the book's plain
JavaScript: in one worker, on one thread, from ids to the last layer's vectors, in turns. The time from the press to the
first answer is measured with the default model's file: each time in a browser that has just started, from files,
without a network; the files are in the system's cache. Playwright drives Chromium. Firefox (Debian's), which playwright
cannot drive, reports by a POST to a server of this process. Missing programs are left out, and a line says so.
"""

import contextlib
import functools
import http.server
import json
import logging
import os
import queue
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path

import harness
import torch
from harness import Bench
from transformers.utils.logging import disable_progress_bar

from tutorial_lib import weights
from tutorial_lib.bert import Bert
from tutorial_lib.texts import load_texts
from tutorial_lib.tokenization import WordPiece
from tutorial_lib.views.engine import HERE, write_model, write_worker

SCRIPTS = Path(__file__).with_name("live")
COLLECTIONS = ("documents", "encyclopedia", "posts", "stories")  # the content of the book's file besides the model
LENGTHS, SECONDS, LEAST = (16, 32, 128), 4, 5  # tokens; for how long two take turns, and how often at least
LIMITS = {"onnxruntime-web, int8": 0.85, "plain JavaScript": 0.25}
SOONEST, VISITS = {"Chromium": 0.6, "Firefox": 1.2}, 7  # seconds at most, from the press to the first answer
SENTENCE = "We sat on the bank of the river and fished."
WORDS = (1, 2, 3, 5, 8, 13, 21, 34, 60, 150)  # of the texts whose bits are compared; the last is cut at 128 tokens
CLOSE = 0.999  # the smallest cosine of our vectors to the unrounded model's
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FIREFOX = "firefox-esr"
# A new profile asks and fetches nothing, reaches nothing but this machine, and its clock is as fine as Chromium's.
PREFERENCES = {
    "app.update.enabled": False,
    "browser.aboutwelcome.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.no_proxies_on": "127.0.0.1",
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
    "network.proxy.type": 1,
    "privacy.reduceTimerPrecision": False,
    "toolkit.telemetry.enabled": False,
}


class Mailbox(contextlib.AbstractContextManager):
    """A server for this machine only: it serves a folder's files, and keeps what a page sends to it."""

    def __init__(self, folder):
        self.letters = letters = queue.Queue()

        class Handler(http.server.SimpleHTTPRequestHandler):
            def do_POST(self):
                letter = self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(204)
                self.end_headers()
                letters.put(letter)  # last: a waiting reader closes the browser

            def log_message(self, *_):
                pass

        handler = functools.partial(Handler, directory=folder)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def write_page(folder, name, scripts, work):
    """Write NAME.html, which loads these scripts and reports the result of `work`, a call of visit.js. Its address."""
    loaded = "".join(f'<script src="{script}.js"></script>' for script in scripts)
    text = f'<!doctype html><meta charset="utf-8"><title>{name}</title>{loaded}<script>tell({work});</script>\n'
    path = Path(folder) / f"{name}.html"
    path.write_text(text, encoding="utf-8")
    return path.as_uri()


def write_bits(folder, questions):
    """Write the page that reports the hashes of all intermediate values of each [model, text]. Its address."""
    for file in (HERE / "page.js", SCRIPTS / "shared.js", SCRIPTS / "visit.js"):
        shutil.copy(file, folder)
    return write_page(folder, "bits", ["page", "shared", "visit"], f"bits({json.dumps(questions)})")


def in_firefox(address, box, seconds=300):
    """Return a page's report, opened in a separate Firefox with a new profile.

    Raises RuntimeError if it reports nothing, or that something failed.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in PREFERENCES.items()]
        Path(home, "user.js").write_text("".join(lines), encoding="utf-8")
        command = [FIREFOX, "--headless", "--no-remote", "--profile", home, f"{address}#{box.port}"]
        silent = dict(stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        run = subprocess.Popen(command, env=os.environ | {"HOME": home}, start_new_session=True, **silent)
        end = time.monotonic() + seconds
        try:
            while run.poll() is None and time.monotonic() < end:
                with contextlib.suppress(queue.Empty):
                    return opened(box.letters.get(timeout=1))
            raise RuntimeError(f"Firefox reported nothing on {address}" + ("" if run.poll() is None else " and ended"))
        finally:
            os.killpg(run.pid, signal.SIGKILL)  # its children too; the profile is thrown away
            run.wait()


def in_chromium(address, browser, seconds=300):
    """Return a page's report, opened in a new context of this browser, without a network if the page is a file."""
    context = browser.new_context(offline=address.startswith("file:"))
    try:
        tab = context.new_page()
        tab.goto(address)
        return opened(tab.wait_for_function("window.told", timeout=1000 * seconds, polling=200).json_value())
    finally:
        context.close()


def opened(letter):
    """Return a page's report. Raises RuntimeError with the page's own words if something failed there."""
    told = json.loads(letter)
    if "error" in told:
        raise RuntimeError(told["error"])
    return told["value"]


def found_browsers(box):
    """Return name -> a function that starts this browser again, opens an address and returns the page's report."""

    def started(address):
        from playwright.sync_api import sync_playwright

        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
            with contextlib.closing(browser):
                return in_chromium(address, browser)

    chromium = next(filter(None, map(shutil.which, CHROMIUM)), None)
    both = {
        "Chromium": (chromium, started),
        "Firefox": (shutil.which(FIREFOX), lambda address: in_firefox(address, box)),
    }
    for name, (path, _) in both.items():
        version = path and subprocess.run([path, "--version"], capture_output=True, text=True).stdout.strip()
        print(f"  {version}" if path else f"  {name} is not installed: nothing is measured in it.", flush=True)
    return {name: visit for name, (path, visit) in both.items() if path}


def fetched_onnxruntime():
    """The folder of onnxruntime-web's files, which npm fetches once, or None."""
    folder = harness.FOLDER / "npm"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(SCRIPTS / "package.json", folder)
    command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"]
    if not shutil.which("npm"):
        print("  npm is not installed: nothing is compared with onnxruntime-web and plain JavaScript.", flush=True)
    elif subprocess.run(command, cwd=folder).returncode:
        print("  npm could not fetch onnxruntime-web: nothing is compared with it and plain JavaScript.", flush=True)
    else:
        return folder / "node_modules" / "onnxruntime-web" / "dist"
    return None


def first_answers(bench, folder, browsers):
    """Measure the time from the press to the first answer, in a browser that has just started, after a warm-up."""
    address = write_page(folder, "press", ["page", "visit"], f"press({json.dumps(SENTENCE)})")
    for name, visit in browsers.items():
        times = []
        for _ in range(VISITS + 1):
            seconds, machine = visit(address)
            if machine != "WebAssembly":
                raise SystemExit(f"{name} computed in {machine}: the times would mean nothing")
            times.append(seconds)
        told = f"press to first answer, {name}"
        bench.report(f"{told}, slowest of {VISITS}", max(times[1:]), "s")
        bench.report(f"{told}, median of {VISITS}", statistics.median(times[1:]), "s", SOONEST[name])


def same_bits(bench, folder, browsers):
    """Count the texts for which any intermediate value has other bits in another browser, or in Node."""
    words = " ".join(load_texts("encyclopedia")).split()
    questions = [[weights.DEFAULT, " ".join(words[:n])] for n in WORDS]
    address = write_bits(folder, questions)
    found = {name: visit(address) for name, visit in browsers.items()}
    if node := shutil.which("node"):
        command = [node, SCRIPTS / "node.js", folder, json.dumps(questions)]
        found["Node"] = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    (first, expected), *others = found.items()
    for name, hashes in others:
        differ = sum(a != b for a, b in zip(expected, hashes, strict=True))
        bench.report(f"texts with other bits in {name} than in {first}", differ, f"of {len(expected)}", 0)


@torch.no_grad()
def contest(bench, folder, browsers, bert, onnxruntime, port):
    """Compare our kernel and its peers in turns, and how near both are to the model in float32."""
    from embed import exported

    disable_progress_bar()
    warnings.filterwarnings("ignore")  # the exporter's
    logging.disable(logging.WARNING)  # the quantizer's
    exported(weights.resolve(), folder)
    for file in ("ort.wasm.min.js", "ort-wasm-simd-threaded.mjs", "ort-wasm-simd-threaded.wasm"):
        shutil.copy(onnxruntime / file, folder)
    shutil.copy(SCRIPTS / "contest.js", folder)
    text = " ".join(load_texts("encyclopedia"))
    texts = [WordPiece.from_pretrained().encode(text, max_length=n).ids for n in LENGTHS]
    task = {"name": weights.DEFAULT, "texts": texts, "seconds": SECONDS, "least": LEAST}
    write_page(folder, "contest", ["visit"], f"contest({json.dumps(task)})")
    expected = [bert([ids])[0].numpy() for ids in texts]
    least = {}
    for browser, visit in browsers.items():
        for row in visit(f"http://127.0.0.1:{port}/contest.html"):
            X = expected[LENGTHS.index(row["tokens"])]
            for who, values in zip(("ours", row["peer"]), row["vectors"], strict=True):
                cosines = torch.cosine_similarity(torch.tensor(X), torch.tensor(values).view(X.shape), dim=-1)
                least[who] = min(least.get(who, 1), cosines.min().item())
            bench.add(f"live, {row['tokens']} tokens, {browser}", row["peer"], row["pairs"], LIMITS[row["peer"]])
    for who, cosine in least.items():
        bench.report(f"smallest cosine to the float32 model, {who}", cosine, "")
    if least["ours"] < CLOSE:
        raise SystemExit(f"our vectors are off by a cosine of {least['ours']:.4f}: the times would mean nothing")


def main():
    bench, bert = Bench("live"), Bert.from_pretrained(device="cpu")
    with tempfile.TemporaryDirectory() as made, Mailbox(made) as box:
        folder = Path(made)
        texts = list(dict.fromkeys(text for name in COLLECTIONS for text in load_texts(name)))
        write_worker(folder)
        size = write_model(folder, weights.DEFAULT, bert, WordPiece.from_pretrained(), texts)
        bench.report("the model's file", size / 1e6, "MB")
        browsers = found_browsers(box)
        if browsers:
            same_bits(bench, folder, browsers)
            first_answers(bench, folder, browsers)
            if onnxruntime := fetched_onnxruntime():
                contest(bench, folder, browsers, bert, onnxruntime, box.port)
    return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
