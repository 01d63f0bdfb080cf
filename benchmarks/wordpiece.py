"""WordPiece in plain Python against Hugging Face's tokenizer in Rust. Reported, not judged: ours is written to be read.

Ours caches the pieces of each word that it has cut. So it is timed at its beginning, and once it has seen all words.
"""

import sys

from harness import Bench
from tokenizers import Tokenizer

from tutorial_lib import weights
from tutorial_lib.texts import load_texts
from tutorial_lib.tokenization import WordPiece


def main():
    bench, ours = Bench("wordpiece"), WordPiece.from_pretrained()
    theirs = Tokenizer.from_file(str(weights.resolve() / "tokenizer.json"))
    theirs.no_padding()
    theirs.no_truncation()
    texts = load_texts("posts") + load_texts("encyclopedia")
    if [ours.encode(text).ids for text in texts] != [encoding.ids for encoding in theirs.encode_batch(texts)]:
        raise SystemExit("the two cut texts differently: the times would mean nothing")
    n_tokens = sum(len(ours.encode(text).ids) for text in texts)
    bench.report("tokens", n_tokens, f"in {len(texts)} texts")

    def anew():
        ours._known_words.clear()
        return [ours.encode(text) for text in texts]

    for start, run in (("first", anew), ("again", lambda: [ours.encode(text) for text in texts])):
        told = f"WordPiece, {start}"
        bench.compare(told, run, "tokenizers, one by one", lambda: [theirs.encode(text) for text in texts])
        bench.compare(told, run, "tokenizers, all at once", lambda: theirs.encode_batch(texts))
    return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
