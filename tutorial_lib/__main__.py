"""The command line: `python -m tutorial_lib doctor | parity | train | measure`."""

import argparse
import importlib.metadata
import math
import os
import platform
import re
import shlex
import sys
import time
from dataclasses import replace
from pathlib import Path

import tutorial_lib
from tutorial_lib.arguments import one_of
from tutorial_lib.weights.catalog import DEFAULT, KNOWN, ModelNotAvailable

OPTIONAL = {  # optional packages, and which chapters or features need each
    "transformers": "comparing with Hugging Face's models, and saving a model as they do",
    "apsw": "the chapter Collections: the vector database",
    "sqlite-vec": "the chapter Collections: the vector database",
    "dnaio": "the chapter on a virus: FASTA",
    "umap-learn": "the chapter Seeing high dimensions: UMAP",
    "ipywidgets": "the cells of the chapters in which you try your own text",
    "ripser": "one section of the chapter on position vectors: persistent homology",
    "distributed": "the chapter Past one machine: a corpus on several processes or machines",
    "pyarrow": "the chapter Past one machine: a corpus in Parquet",
    "jupyter-book": "building the pages",
    "nbformat": "assignments and their grading",
}
SENTENCE = [101, 1045, 2293, 5597, 999, 102]  # [CLS] i love mathematics ! [SEP]


def main(arguments=None) -> int:
    """Run one command and return its exit code, 0 on success."""
    parser = argparse.ArgumentParser(prog="python -m tutorial_lib", description="Transformers from scratch.")
    parser.add_argument("--version", action="version", version=f"tutorial_lib {tutorial_lib.__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("doctor", help="check what works on this machine, and how to fix what does not")
    parity = commands.add_parser("parity", help="compare our model with Hugging Face's, value by value")
    parity.add_argument("model", nargs="?", default=DEFAULT, help="a known model or a folder (default: %(default)s)")
    add_train(commands, "book-gpt-small (two minutes), book-gpt or book-bert (ten)")
    measures = commands.add_parser(
        "measure",
        help="measure a model's vectors over a corpus of any size, layer by layer",
        description="Measure the vectors of all tokens of a corpus, [CLS] and [SEP] included, in each layer: norms, "
        "average cosine, cone index, anisotropy and more, with and without the coordinates that are far larger than "
        "the others. The results are written to FOLDER/measures.json. "
        "You can stop at any time: the same command continues.",
    )
    texts = "a file with one text per line or row: plain text, JSONL, CSV, each also gzip, or Parquet"
    measures.add_argument("corpus", help=texts)
    column = "the column, or key, of the texts in a table (default: text, or the only column of strings)"
    measures.add_argument("--column", metavar="NAME", help=column)
    measures.add_argument("--model", default=DEFAULT, help="a known model or a folder (default: %(default)s)")
    measures.add_argument("--to", default="measures", metavar="FOLDER", help="for the results (default: %(default)s)")
    chunk = "lines that a worker reads at once; may change the last digits (default: %(default)s)"
    measures.add_argument("--chunk", type=int, default=1000, metavar="LINES", help=chunk)
    where = measures.add_mutually_exclusive_group()
    workers = "processes on this machine, which share its cores; 1 does not use Dask (default: one per core, at most 8)"
    where.add_argument("--workers", type=int, metavar="N", help=workers)
    cluster = "a Dask scheduler, such as tcp://10.0.0.1:8786; its workers need tutorial_lib and the model"
    where.add_argument("--cluster", metavar="ADDRESS", help=cluster)
    functions = {"doctor": lambda options: doctor(), "parity": lambda options: parity_table(options.model)}
    return run_command(parser.parse_args(arguments), functions | {"measure": measure, "train": _train})


def add_train(commands, names) -> None:
    """Add the command `train`, of this library or of the book, which has its own recipes. names: the recipes."""
    trains = commands.add_parser("train", help="train one of the book's models from scratch, by its recipe")
    trains.add_argument("name", help=names)
    trains.add_argument(
        "--folder",
        default="models",
        help="the folder for the model, and for the checkpoint of an interrupted run (%(default)s)",
    )
    trains.add_argument("--seed", type=int, help="seed of other initial weights and batches; the recipe's is 0")


def run_command(options, functions) -> int:
    """Run the given command and return its exit code. Errors that the user can fix are printed without a traceback."""
    try:
        return functions[options.command](options)
    except ModuleNotFoundError as error:
        library = (error.name or "").split(".")[0]
        if library in ("", "tutorial_lib", "tutorial_book"):
            raise  # a bug in this library, not a package that the user can install
        said = "pip install" in str(error)
        print(error if said else f"{options.command} needs {library}: pip install {library}", file=sys.stderr)
    except (ModelNotAvailable, ValueError, OSError, FloatingPointError) as error:
        print(f"{options.command}: {error}", file=sys.stderr)
    return 1


def doctor() -> int:
    """Report what is installed and what is missing; return 0 if every chapter can run."""
    print(f"tutorial_lib {tutorial_lib.__version__} in {Path(tutorial_lib.__file__).parent}")
    print(f"Python {platform.python_version()} on {platform.platform()}\n")
    required, optional = _oldest()
    versions = {name: _version(name) for name in (*required, *OPTIONAL)}
    missing = [name for name, least in required.items() if not _at_least(versions[name], least)]
    for name, version in versions.items():
        use = "" if version else f"for {OPTIONAL.get(name)}"
        if name in missing:
            use = f"required, {required[name]} or newer"
        elif version and not _at_least(version, optional.get(name, "0")):
            use = f"too old, {optional[name]} or newer for {OPTIONAL[name]}"
        print(f"  {name:17} {version or 'missing':17} {use}".rstrip())
    if missing:
        print(f"\nTo do: pip install {' '.join(missing)}, and run doctor again.")
        return 1
    from tutorial_lib.weights.checkpoints import pick_device

    print(f"\nDevice: {pick_device()}\n\nModels:")
    _print_models()
    problem = _default_model_problem()
    print(f"\nTo do: {problem}" if problem else "\nEverything works: every chapter can run here.")
    return 1 if problem else 0


def parity_table(name: str) -> int:
    """Print the largest difference from Hugging Face's model at every trace point; return 0 if all are rounding."""
    from tutorial_lib.bert import Bert
    from tutorial_lib.parity import compare, their_model
    from tutorial_lib.texts import load_texts

    texts = load_texts("documents")
    ours, tokenizer = tutorial_lib.load(name, device="cpu")
    pairs = texts[1:] if isinstance(ours, Bert) else None
    encodings = tokenizer.batch(texts[:-1], pairs, max_length=ours.config.n_positions)
    theirs = their_model(name, ours)
    parity = compare(ours, theirs, encodings)
    what = "texts" if pairs is None else "pairs of texts"
    print(f"{name}, {len(texts) - 1} {what} in one batch, float32\n\n{parity}")
    try:
        parity.check()
        compare(ours.double(), theirs.double(), encodings).check()  # the limit is strict here
    except AssertionError as error:
        print(f"parity: {error}", file=sys.stderr)
        return 1
    print("\nOnly rounding, in float32 and in float64.")
    return 0


def _train(options) -> int:
    from tutorial_lib.training.recipes import RECIPES

    return train(RECIPES, options, "tutorial_lib")


def train(recipes, options, package) -> int:
    """Train a model of the book and show its progress on one line; return 130 if Ctrl-C stops it.

    recipes: name -> `Recipe`. package: the package of the command, for the message that says how to continue.
    """
    from tutorial_lib.training import CHECKPOINT

    name = options.name
    folder = options.folder
    seed = options.seed
    recipe = recipes[one_of("name", name, recipes)]
    if seed is not None:
        recipe = replace(recipe, settings=replace(recipe.settings, seed=seed))
    print(f"{name}: generating the training texts first takes some seconds. Ctrl-C stops; the same command continues")
    try:
        about = recipe.make(name, folder, _teller(sys.stdout))
    except KeyboardInterrupt:
        checkpoint = Path(folder) / f"{name}-run" / CHECKPOINT
        given = ["--folder", folder, *([] if seed is None else ["--seed", str(seed)])]
        again = shlex.join(["python", "-m", package, "train", name, *given])
        where = f"The checkpoint is {checkpoint}; to continue from there" if checkpoint.exists() else "To begin again"
        print(f"\nStopped. {where}: {again}")
        return 130
    print(f"\n{name} is in {Path(folder) / name}; its loss on held-out text is {about['held_out']:.3f}")
    return 0


def measure(options) -> int:
    """Measure a model over a corpus, with the progress on stderr; return 130 if Ctrl-C stops it."""
    print(f"measure: {options.model} over {options.corpus}", file=sys.stderr, flush=True)
    if "torch" not in sys.modules:  # read only once, here: waiting threads would waste the time of a busy machine
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    from tutorial_lib.measure import MEASURES, Corpus
    from tutorial_lib.measure import measure as run

    settings = {name: getattr(options, name) for name in ("model", "workers", "cluster")}
    try:
        corpus = Corpus(options.corpus, options.chunk, options.column)
        where = f", column {corpus.column}" if corpus.column else ""
        counts = f"{corpus.n_lines:,} lines, {corpus.n_texts:,} texts in {len(corpus):,} chunks{where}"
        print(f"measure: {counts}", file=sys.stderr, flush=True)
        measured = run(corpus, **settings, folder=options.to, tell=_teller(sys.stderr))
    except KeyboardInterrupt:
        given = {"column": None, "model": DEFAULT, "to": "measures", "chunk": 1000, "workers": None, "cluster": None}
        chosen = [(f"--{name}", str(getattr(options, name))) for name in given if getattr(options, name) != given[name]]
        again = shlex.join(["python", "-m", "tutorial_lib", "measure", options.corpus, *sum(chosen, ())])
        print(f"\nStopped. What was measured is in {options.to}; to continue from there: {again}")
        return 130
    corpus = measured["corpus"]
    layers = measured["layers"]
    print(f"{Path(options.to) / MEASURES}: {corpus['texts']} texts, {next(iter(layers.values()))['n']} tokens")
    if corpus["cut"]:
        print(f"{corpus['cut']} texts had more tokens than the model has positions, and were truncated")
    print("\nlayer " + " ".join(f"{name:>11}" for name in ("norm", "cosine", "without", "anisotropy", "dimensions")))
    for layer, all_of_it in layers.items():
        rest = all_of_it.get("rest", {"average_cosine": None})
        values = [all_of_it["norm_mean"], all_of_it["average_cosine"], rest["average_cosine"]]
        values += [all_of_it["anisotropy"], all_of_it["participation_ratio"]]
        print(f"{layer:>5} " + " ".join(f"{'-' if value is None else format(value, '.4g'):>11}" for value in values))
    print("\ncosine: the average over all pairs; without: the same without coordinates that are far larger than the")
    print("others, if there are any; dimensions: the participation ratio")
    chosen = {layer: measures.get("rest", {"without": []})["without"] for layer, measures in layers.items()}
    whole = {layer: sorted(measures["outlier_coordinates"]) for layer, measures in layers.items()}
    others = {layer: whole[layer] for layer in layers if whole[layer] != chosen[layer]}
    print(f"left out, chosen from the first {measured['outliers_from_texts']} texts: {_by_layer(chosen)}")
    if others:
        print(f"for the whole corpus they would be different: {_by_layer(others)}")
    return 0


def _teller(stream):
    """Return a function that prints progress: over the last line on a terminal, otherwise a line every ten seconds."""
    line, seconds = ("\r{:70}", 0.2) if stream.isatty() else ("{}\n", 10)
    last = -math.inf

    def tell(progress):
        nonlocal last
        if time.monotonic() - last > seconds or not progress.seconds_left:
            print(line.format(str(progress)), end="", file=stream, flush=True)
            last = time.monotonic()

    return tell


def _by_layer(coordinates) -> str:
    return "; ".join(f"layer {layer}: {', '.join(map(str, found)) or 'none'}" for layer, found in coordinates.items())


def _oldest() -> tuple[dict[str, str], dict[str, str]]:
    """Return the oldest allowed version of each package this library and its extras need, from its own metadata."""
    try:
        lines = importlib.metadata.requires("tutorial_lib") or []
    except importlib.metadata.PackageNotFoundError:  # it runs from a folder without being installed
        lines = [f"{name}>=0" for name in ("torch", "numpy", "safetensors", "huggingface_hub")]
    found = {True: {}, False: {}}
    for line in lines:
        match = re.match(r"([\w.-]+)>=([\d.]+)", line)
        if match:
            found["extra ==" in line][match[1]] = match[2]
    return found[False], found[True]


def _at_least(version, least) -> bool:
    numbers = [[int(part) for part in re.findall(r"\d+", text)[:3]] for text in (version or "", least)]
    return bool(version) and numbers[0] >= numbers[1]


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _print_models() -> None:
    """Return one line for each known model: where it is on this machine, or what would be downloaded."""
    from tutorial_lib.weights import available

    here = available()
    for name, model in KNOWN.items():
        size = f"{model.size / 1e6:.0f} MB" if model.size else "size not known"
        print(f"  {name:28} {here.get(name, f'not here; the hub has it ({size}, {model.license})')}")


def _default_model_problem() -> str | None:
    """Check the default model's files, their SHA-256 and one forward pass; return the error, or None if all is well."""
    import torch

    from tutorial_lib.bert import Bert

    try:
        bert = Bert.from_pretrained()
        with torch.no_grad():
            output = bert([SENTENCE])
    except (ModelNotAvailable, ValueError, RuntimeError) as error:
        return str(error)
    if not output.isfinite().all():
        return f"{DEFAULT} gives values that are not finite on {output.device}. Use device='cpu'."
    print(f"\n{DEFAULT}: SHA-256 correct; {len(SENTENCE)} tokens in, {tuple(output.shape)} out on {output.device}")
    return None


if __name__ == "__main__":
    sys.exit(main())
