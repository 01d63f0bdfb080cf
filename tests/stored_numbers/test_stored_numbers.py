"""The programs that measure once, or train: their output is the chapters' input."""

import json
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import torch
from pytest import approx
from safetensors.torch import load_file

from tutorial_book import stored_numbers as programs
from tutorial_book.claims.meaning import TABLE_7
from tutorial_book.experiments import STORED
from tutorial_book.experiments import limits as limits_of
from tutorial_book.experiments import since as since_of
from tutorial_book.experiments import stored as numbers_of
from tutorial_book.experiments import virus as virus_of
from tutorial_book.stored_numbers import (
    as_json,
    limits,
    memory,
    pruning,
    published,
    rotary,
    scaling,
    seeds,
    unequal,
    virus,
    which,
)
from tutorial_lib.texts import fetch, load_texts
from tutorial_lib.texts.generated import stories
from tutorial_lib.tokenization import BPE
from tutorial_lib.training.recipes import RECIPES
from tutorial_lib.vectors import embed
from tutorial_lib.weights import sha256

pytestmark = pytest.mark.usefixtures("one_thread")

HERE = programs.__name__
ROTARY = "models/book-gpt-rotary"
FILES = [path.relative_to(STORED).with_suffix("").as_posix() for path in STORED.rglob("*.json") if path.stem != "speed"]


def stored(name):
    return (STORED / f"{name}.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", programs.names())
def test_program_says_how_it_is_called(name):
    assert f"python -m tutorial_book measure {name}" in programs.docstring(name)


def test_programs_are_listed_and_wrong_arguments_rejected(capsys):
    assert programs.run(None, []) == 0 and len(capsys.readouterr().out.splitlines()) == len(programs.names()) > 9
    for name, arguments in (("virus", []), ("unequal", ["more"]), ("wrong", [])):
        assert programs.run(name, arguments) == 2
        assert ("NAME must be one of" if name == "wrong" else f"measure {name}") in capsys.readouterr().err


@pytest.mark.parametrize("name", FILES)
def test_no_hand_has_touched_stored_numbers(name):
    assert as_json(json.loads(stored(name))) == stored(name)


def test_stored_rotary_model_is_what_its_card_names():
    assert sha256(STORED / ROTARY / "model.safetensors") in (STORED / ROTARY / "README.md").read_text(encoding="utf-8")


# --- short records ---------------------------------------------------------------------------------------------------


def limit_small(folder):
    """The book's own profiles in the files of LIMIT-small."""
    texts, asked, pairs = limits_of.profiles(2)
    names = [text.split()[0] for text in texts]
    answers = [(question, names[one]) for question, pair in zip(asked, pairs) for one in pair]
    files = {
        "corpus": [{"_id": name, "text": text} for name, text in zip(names, texts)],
        "queries": [{"_id": question, "text": question} for question in asked],
        "qrels": [{"query-id": question, "corpus-id": name} for question, name in answers],
    }
    for name, entries in files.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    assert limits.limit_small(folder) == (texts, asked, pairs.tolist())
    return limits.record(folder, dimensions=(2, 3))


STEPS = replace(memory.SETTINGS, n_steps=2)
SMALL = replace(unequal.EVOLUTION, n_sites=400, sublineages=6, outbreaks=3, samples=6)
MEASURED = {name: json.loads(stored("real-texts"))[name] for name in ("texts", "tokens", "clouds", "maps")}
# File -> a quick small record, some of its numbers, and replacements of slow parts.
SHORT = {
    "limits": (
        limit_small,
        {
            "critical/seed 0/1": 3,
            "critical/seed 1/1": 4,
            "limit-small/recall/words (BM25)/0": 1,
            "limit-small/recall/mean of the last layer/0": approx(0.9, abs=0.1),
        },
        {f"{HERE}.limits.critical": lambda d, seed, start: max(start, d + seed)},
    ),
    "memory": (
        lambda folder: memory.record(n_stories=60, n_cases=150, kinds={"LSTM": STEPS, "decoder": STEPS}),
        {"stories": 60, "difference/0/0": approx(0, abs=0.1)},  # nothing is cached yet
        {},
    ),
    "pruning": (
        lambda folder: pruning.record(shares=(0.5,), n_texts=3, n_stories=4),
        {"texts/loss": 4, "texts/neighbors": 6, "neighbors/difference/0/0": 0},
        {
            f"{HERE}.pruning.prune": lambda model, share, seed: model,
            f"{HERE}.pruning.stories": lambda n, seed: stories(min(n, 50), seed),
        },
    ),
    "real-texts": (
        lambda folder: {"real-texts": published.real_texts()},
        {"texts/Wikipedia": 3558},
        {f"{HERE}.published.collections.measure": lambda: MEASURED},
    ),
    "scaling": (
        lambda folder: scaling.record(n_texts=8, chunk=2, rounds=2, workers=[1], widths={"small": (32, 64, 2)}),
        {"corpus/texts": 3558, "corpus/texts_read": 8, "layers/0/d_model": 32},
        {f"{HERE}.scaling.DEFAULT": "book-bert", f"{HERE}.scaling.os.cpu_count": lambda: 1},
    ),
    "shape-of-learning": (
        lambda folder: {
            "shape-of-learning": seeds.of_learning(kinds=("encoder, post-norm",), seeds=range(1), until=0)
        },
        {"kinds/encoder, post-norm/loss/0/0": approx(7.1, abs=0.5)},  # log 1,210 = 7.1: it knows nothing yet
        {},
    ),
    "since": (
        lambda folder: {
            "since": seeds.of_parts(kinds=("Llama's shape", "learned positions"), seeds=range(1), until=2)
        },
        {"kinds/Llama's shape/as it is/0/0": approx(6.2, abs=0.9)},  # log 512 = 6.2
        {"tutorial_book.experiments.since.N_JUDGED": 10},
    ),
    "sinks": (
        lambda folder: {"sinks": seeds.of_sinks(kinds=("pre-norm, plain",), seeds=range(2), until=2)},
        {"kinds/pre-norm, plain/loss/1/0": approx(3.3, abs=1)},  # log 28 = 3.3
        {"tutorial_book.experiments.sinks.N_JUDGED": 10},
    ),
    "virus-again": (
        lambda folder: virus.record(folder, runs=[virus_of.Run("book-virus", seed=1, tree=2)]),
        {"runs/0/seed": 1, "runs/0/measured/lineages": 2.1235},
        {
            "tutorial_lib.training.recipes.Recipe.make": lambda recipe, name, folder: None,
            f"{HERE}.virus.VariantBert.from_pretrained": lambda folder, device: folder,
            f"{HERE}.virus.simulate": lambda seed: seed,
            f"{HERE}.virus.measured": lambda model, tokenizer, tree: {"lineages": tree + 0.123456},
        },
    ),
    "virus-unequal": (
        lambda folder: unequal.record(trees=(0,), scale=300, evolution=SMALL),
        {"counts/7": unequal.COUNTS[7], "trees/0/right/most frequent/copies/7/0": 1},
        {f"{HERE}.unequal.EVOLUTION": SMALL},
    ),
    "which": (
        lambda folder: which.record(names=["bank"], most=1),
        {
            "sets/set 2/first/0/6": approx(-73, abs=3),
            "sets/set 2/hidden/0/0": approx(26, abs=3),
            "sets/set 2/muted/0/0": approx(26, abs=3),
            "sets/stored/only/0/0": approx(-25, abs=3),
        },
        {},
    ),
}
LONG = ("memory", "shape-of-learning", "since")


def leaves(value, place="") -> dict:
    """All content of a record: "name/number in a list/..." -> number or text."""
    if not isinstance(value, (dict, list)):
        return {place[1:]: value}
    parts = value.items() if isinstance(value, dict) else enumerate(value)
    return {where: leaf for name, part in parts for where, leaf in leaves(part, f"{place}/{name}").items()}


def form(record) -> set:
    """The names in a record, and how deep its lists are."""
    return {re.sub(r"/\d+(?=/|$)", "/each", place) for place in leaves(record)}


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.long] * (name in LONG)) for name in SHORT])
def test_short_record_has_the_stored_form(name, monkeypatch, tmp_path, request):
    record, numbers, patches = SHORT[name]
    if name == "scaling":
        monkeypatch.setenv(fetch.VARIABLE, str(request.getfixturevalue("real_folder")))
    since_of.pieces.cache_clear()
    for place, value in patches.items():
        monkeypatch.setattr(place, value)
    (found,) = record(tmp_path).values()
    found, kept = json.loads(as_json(found)), json.loads(stored(name))
    since_of.pieces.cache_clear()
    assert "+" not in "".join(found.pop("versions").values())
    del kept["versions"]
    assert found.keys() == kept.keys() and form(found) <= form(kept)
    assert {place: leaves(found)[place] for place in numbers} == numbers


def test_short_rotary_training_can_be_read(monkeypatch, tmp_path):
    monkeypatch.setattr(rotary, "RECIPE", replace(RECIPES["book-gpt-small"], n_stories=50))
    monkeypatch.setattr("tutorial_lib.training.recipes.N_HELD_OUT", 4)
    monkeypatch.setattr("tutorial_lib.training.judge.N_SAMPLES", 2)
    (kept,) = rotary.record(tmp_path / "run", folder=tmp_path, until=2).values()
    assert len(kept["loss"]) == 2 and 4 < kept["held_out"] < 8
    assert {tensor.dtype for tensor in load_file(tmp_path / "model.safetensors").values()} == {torch.float16}
    assert "seed 0, initial weights" in (tmp_path / "README.md").read_text(encoding="utf-8")


# --- what single programs compute ------------------------------------------------------------------------------------


def test_contrasts_are_those_of_numpy(bert, monkeypatch):
    """Four pairs of this book instead of L's, and no function of the library between vector and number."""
    pairs = load_texts("sentence-pairs")
    few = {name.lower(): pairs[name.lower()][:4] for pair in TABLE_7 for name in pair}
    monkeypatch.setattr(published, "load_texts", lambda name: few)
    monkeypatch.setattr(published, "embed", lambda texts, model, pooling, device: embed(texts, bert, pooling))
    found = published.of_pairs(n=2)
    arrows = {}
    for name, some in few.items():
        first, second = (embed([pair[side] for pair in some], bert, "cls").astype(float) for side in (0, 1))
        arrow = (second - first).mean(0)
        arrows[name] = arrow / np.linalg.norm(arrow)
    cosines = [arrows[one.lower()] @ arrows[other.lower()] for one, other in TABLE_7]  # in the order of the table
    assert found["cls"]["cosines"] == approx(cosines, abs=2e-3)


def test_memory_is_measured_by_exchanging_one_name():
    """A model that copies what it has read gains, and one that has forgotten it does not."""
    cases = memory.second_mentions(stories(60, seed=1), BPE.from_pretrained("book-gpt"))
    assert len(cases) > 20
    for ids, swapped, name, distance in cases:
        [place] = [i for i, (a, b) in enumerate(zip(ids, swapped, strict=True)) if a != b]
        assert len(ids) - place == distance and name not in swapped

    def copies(ids, fused, weight=5.0):
        logits = torch.zeros(2, len(ids[0]), 1_500)
        for row, one in enumerate(ids):
            logits[row, -1, one] = weight  # what has been read is likelier
        return logits, None

    assert memory.recall(copies, cases).mean() > 1
    assert not np.any(memory.recall(lambda ids, fused: copies(ids, fused, 0.0), cases))


def test_draws_of_all_texts_are_the_texts(bert, monkeypatch):
    ours = {"wikipedia": load_texts("encyclopedia")[:30], "tweets": load_texts("posts")[:30]}
    monkeypatch.setattr(seeds, "load_texts", ours.__getitem__)
    monkeypatch.setattr(seeds, "N_TEXTS", 30)
    found = seeds.collections(bert, n_draws=2)
    assert list(found) == list(numbers_of("collections")["measured"])
    for name in ("purity, mean", "purity by cosine, mean"):
        values, whole = found[name]
        assert values == [whole, whole] and 0.5 < whole <= 1


def test_neighbors_are_those_of_both_clouds():
    line = np.array([[1, 0], [1, 0.1], [0, 1], [0.1, 1]])
    assert pruning.same_neighbors(line, line, k=1).tolist() == [1] * 4
    assert pruning.same_neighbors(line, line[[0, 2, 1, 3]], k=1).tolist() == [0] * 4


def test_texts_count_from_each_workers_second_chunk(monkeypatch, tmp_path):
    def of_eight_chunks(*arguments, tell):
        for _ in range(8):
            tell(None)
        return {"layers": {"0": {"n": 99}}}

    clock = iter([0.0, 10.0, 10.1, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 20.0])  # start, eight chunks, the end
    monkeypatch.setattr(scaling, "measure", of_eight_chunks)
    monkeypatch.setattr(scaling.torch, "set_num_threads", lambda number: None)
    monkeypatch.setattr(scaling.time, "perf_counter", lambda: next(clock))
    found = scaling.timed("corpus", tmp_path, workers=2, threads=1, chunk=5)
    assert found == {"texts_per_second": 5.0, "seconds": 20.0, "tokens": 99}


def test_variants_are_unequal_and_sets_share_nothing():
    learned, sizes, sets = unequal.design(0, SMALL, scale=400)
    assert list(sizes.values()) == [0, 0, 1, 3, 4, 5, 6, 6]  # a 400th of the counts
    assert Counter(genome.variant for genome in learned) == {name: n for name, n in sizes.items() if n}
    for kind, some in sets.items():
        shared = {
            level: bool({getattr(genome, level) for genome in some} & {getattr(genome, level) for genome in learned})
            for level in ("name", "outbreak", "lineage")
        }
        assert shared == {"name": False, "outbreak": kind == "copies", "lineage": kind != "lineages"}
        assert len(set(Counter(genome.variant for genome in some).values())) == 1, "as many of each variant"
    some = sets["copies"][:3]
    by_hand = [min(len(virus_of.differences(one.aligned, other.aligned)) for other in learned) for one in some]
    assert unequal.nearest_sites(some, learned).tolist() == by_hand


@pytest.mark.long
def test_stored_numbers_come_out_again(monkeypatch, real_folder):
    """Up to rounding, which on another processor may turn a genome or a token."""
    kept = numbers_of("virus-unequal")["trees"][0]
    found = unequal.measured(0, (), unequal.EVOLUTION, unequal.SCALE)
    assert {name: found[name] for name in ("variants", "sizes", "words", "sites")}.items() <= kept.items()
    for name, right in found["right"].items():
        assert all(np.allclose(shares, kept["right"][name][kind], atol=0.05) for kind, shares in right.items()), name
    model = virus_of.VariantBert.from_pretrained("book-virus", device="cpu")
    found = virus.measured(model, virus_of.kmer_tokenizer(), virus_of.simulate())
    assert found == approx(virus_of.trained_again()[virus_of.Run("book-virus")], rel=0.02, abs=0.02)
    again = seeds.translator_loss("pre-norm", "with warmup", 0.003, seed=2)
    assert again == approx(numbers_of("architectures")["measured"]["pre-norm with warmup"][0][2], rel=0.02)
    monkeypatch.setenv(fetch.VARIABLE, str(real_folder))
    now, kept = published.of_pairs(n=200), numbers_of("luisto-pairs")
    for pooling in ("cls", "mean"):
        for key, most in (("cosines", 2e-3), ("within", 2e-3), ("correlations", 0.02), ("intervals", 0.03)):
            np.testing.assert_allclose(now[pooling][key], kept[pooling][key], atol=most)
