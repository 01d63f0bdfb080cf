"""The head view against BertViz's: the size of its page, and the time to make it. Reported.

BertViz 1.4.1 requires boto3 and sentencepiece, which this view does not use: it is downloaded into a separate folder,
without them. Its page loads RequireJS, D3 and jQuery from a server in the browser; ours loads nothing. Those three are
not counted, and their loading time in a browser is not measured.
"""

import re
import subprocess
import sys
import tempfile

import torch
from harness import Bench

from tutorial_lib import views
from tutorial_lib.bert import Bert
from tutorial_lib.texts import load_texts
from tutorial_lib.tokenization import WordPiece

PEER, N = "bertviz==1.4.1", 28  # tokens


def fetched(folder):
    """Return BertViz's head_view, loaded from a folder."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder, PEER]
    subprocess.run([*command, "--disable-pip-version-check"], check=True)
    sys.path.insert(0, folder)
    from bertviz import head_view

    return head_view


@torch.no_grad()
def main():
    bench, bert = Bench("views"), Bert.from_pretrained(device="cpu")
    encoding = WordPiece.from_pretrained().encode(load_texts("encyclopedia")[0], max_length=N)
    trace = bert.trace([encoding.ids])
    weights = [trace[f"layer.{i}.attention.weights"] for i in range(bert.config.n_layers)]  # (1, n_heads, n, n) each
    with tempfile.TemporaryDirectory() as folder:
        head_view = fetched(folder)
        made = {
            "ours": lambda: views.head_view(torch.cat(weights), encoding)._repr_html_(),
            "BertViz": lambda: head_view(weights, list(encoding.tokens), html_action="return").data,
        }
        for who, run in made.items():
            page = run()
            bench.report(f"head view of {N} tokens, {who}", len(page.encode()) / 1e3, "kB")
            addresses = set(re.findall(r"https://cdn[^'\"]+", page))
            bench.report(f"scripts that it loads from elsewhere, {who}", len(addresses), "scripts")
        bench.compare(f"head view of {N} tokens", made["ours"], "BertViz", made["BertViz"])
    return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
