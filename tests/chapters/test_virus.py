"""What the case study says of the simulated virus and of those that tell its variants apart."""

import re
from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression

from tutorial_book.experiments.virus import (
    RECIPE,
    Evolution,
    VariantBert,
    calibration,
    coin_labels,
    containment,
    kmer_counts,
    kmer_ids,
    kmer_tokenizer,
    kmers,
    kmers_at,
    probabilities,
    read_genomes,
    simulate,
    split_genomes,
    trained_again,
    unread_drops,
    write_fasta,
)
from tutorial_book.experiments.virus.simulator import VARIANTS
from tutorial_lib.geometry import (
    bootstrap_interval,
    cone_index,
    effective_number,
    gate_of,
    gate_scores,
    product_svd,
    variance_seen,
)

pytestmark = pytest.mark.usefixtures("one_thread_for_a_file")


@pytest.fixture(scope="module")
def virus():
    return simulate()


@pytest.fixture(scope="module")
def split(virus):
    return split_genomes(virus.genomes)


@pytest.fixture(scope="module")
def learned(split):
    """The linear model of the page, and the counts that it learned from."""
    reads, labels = read_genomes(split.train, seed=0, errors=RECIPE.errors)
    counts = kmer_counts(reads)
    return LogisticRegression(max_iter=2000).fit(counts, labels), counts


@pytest.fixture(scope="module")
def classify(learned):
    """BERT by its name, and the linear model, as functions from reads to probabilities."""
    tok = kmer_tokenizer()
    models = {name: VariantBert.from_pretrained(name, device="cpu") for name in ("book-virus", "book-virus-frames")}
    found = {name: lambda reads, model=model: probabilities(model, reads, tok) for name, model in models.items()}
    return found | {"linear": lambda reads: learned[0].predict_proba(kmer_counts(reads))}


def right(classify, genomes, **noise):
    reads, labels = read_genomes(genomes, **noise)
    return classify(reads).argmax(1) == labels


def test_the_numbers_of_the_tree(virus, split):
    e = Evolution()
    assert (e.n_sites, e.sublineages, e.later, e.outbreaks, e.samples) == (1_200, 10, 8, 5, 6)
    assert len({genome.outbreak for genome in split.train}) == 108
    assert len({genome.lineage for genome in split.train}) == 36 and len({g.lineage for g in split.lineages}) == 24
    assert {name: list(virus.defining[name].values()).count("-") for name in VARIANTS} == {
        "Ash": 3, "Birch": 0, "Cedar": 6, "Elm": 0, "Fir": 9, "Oak": 0}  # fmt: skip


def test_a_loss_changes_all_tokens_behind_it_and_hardly_a_kmer_at_any_place(virus):
    old, new = virus.ancestor, virus.ancestor[:300] + virus.ancestor[303:]
    assert sum(a != b for a, b in zip(kmers(old), kmers(new), strict=False)) > 140
    first, second = kmer_counts([old, new])
    assert first.sum() == 1_195 and np.minimum(first, second).sum() / first.sum() > 0.99


def test_a_coin_is_remembered_and_not_known(virus, split, learned):
    coins = dict(zip((genome.name for genome in virus.genomes), coin_labels(virus.genomes), strict=True))
    coin = LogisticRegression(max_iter=2000).fit(learned[1], [coins[genome.name] for genome in split.train])
    share = {name: np.mean(coin.predict(kmer_counts(read_genomes(genomes)[0])) == [coins[g.name] for g in genomes])
             for name, genomes in split._asdict().items() if name != "train"}  # fmt: skip
    assert share["copies"] == pytest.approx(0.88, abs=0.05)
    assert abs(share["outbreaks"] - 0.5) < 0.1 and abs(share["lineages"] - 0.5) < 0.1


@pytest.mark.long
def test_on_known_sublineages_all_are_right_and_on_new_ones_bert_and_the_linear_model_cannot_be_told_apart(
    split, classify
):
    shares = {}
    for name, one in classify.items():
        assert right(one, split.copies).mean() > 0.98 and right(one, split.outbreaks).mean() > 0.98
        shares[name] = right(one, split.lineages).reshape(24, 30).mean(1)  # 30 genomes of each, in order
    for name, mean in {"book-virus": 0.95, "linear": 0.96, "book-virus-frames": 0.84}.items():
        assert shares[name].mean() == pytest.approx(mean, abs=0.02)
    low, high = bootstrap_interval(np.mean, shares["book-virus"] - shares["linear"])
    assert low < 0 < high


def test_a_skipped_base_ruins_the_one_that_knows_one_frame(split, classify):
    reads, labels = read_genomes(split.copies)
    skipped = [read[:60] + read[61:] for read in reads]
    share = {name: (one(skipped).argmax(1) == labels).mean() for name, one in classify.items()}
    assert share["book-virus"] < 0.25 and min(share["linear"], share["book-virus-frames"]) > 0.97


def test_a_copied_loss_outvotes_all_substitutions(virus, split, classify):
    whole = [genome for genome in split.copies if "-" not in genome.aligned]
    for lacking in ("Ash", "Cedar", "Fir"):
        lost = [site for site, base in virus.defining[lacking].items() if base == "-"]
        cut = [g.aligned[: lost[0]] + g.aligned[lost[-1] + 1 :] for g in whole]
        taken = {name: (one(cut).argmax(1) == VARIANTS.index(lacking)).mean() for name, one in classify.items()}
        assert taken["book-virus"] > 0.99 and taken["linear"] < 0.01 and taken["book-virus-frames"] > 0.7


def nearest(split):
    """The page's nearest reference, by hand: the cosine of k-mer counts with one genome of each known sub-lineage."""
    first = {}
    for genome in split.train:
        first.setdefault(genome.lineage, genome)
    R = kmer_counts([genome.sequence for genome in first.values()])
    R /= np.linalg.norm(R, axis=1, keepdims=True)
    of = np.array([VARIANTS.index(genome.variant) for genome in first.values()])
    return lambda reads: np.eye(6)[of[(kmer_counts(reads) @ R.T).argmax(1)]]


def test_among_wrong_bases_the_nearest_reference_is_best_on_what_it_knows_and_worst_on_what_is_new(split, classify):
    models = {"nearest": nearest(split), "BERT": classify["book-virus"], "linear": classify["linear"]}
    by = {name: {"outbreaks": right(one, split.outbreaks[::3], errors=0.1).reshape(72, 2).mean(1),
                 "lineages": right(one, split.lineages, errors=0.1).reshape(24, 30).mean(1)}
          for name, one in models.items()}  # fmt: skip
    for other in ("BERT", "linear"):
        ahead, behind = (bootstrap_interval(np.mean, by["nearest"][kind] - by[other][kind])
                         for kind in ("outbreaks", "lineages"))  # fmt: skip
        assert ahead[0] > 0 > behind[1]
    low, high = bootstrap_interval(np.mean, by["BERT"]["lineages"] - by["linear"]["lineages"])
    assert low < 0 < high
    lead = by["BERT"]["lineages"] - by["linear"]["lineages"]  # Ash, Cedar and Fir have lost bases
    lost = np.repeat([True, False] * 3, 4)
    assert bootstrap_interval(np.mean, lead[lost])[0] > 0.1 and lead[~lost].mean() < 0


def test_sets_lie_further_away_and_near_copies_need_no_label(split):
    learned = [genome.sequence for genome in split.train]
    near = [containment([g.sequence for g in some[::4]], learned).max(1).mean() for some in split[1:]]
    assert near == pytest.approx([0.996, 0.982, 0.926], abs=0.004)


def test_where_bert_is_wrong_it_is_sure_and_the_linear_model_doubts(split, classify):
    reads, labels = read_genomes(split.lineages)
    for name, (low, high) in {"book-virus": (0.85, 1), "linear": (0.4, 0.65)}.items():
        p = classify[name](reads)
        assert low < p.max(1)[p.argmax(1) != labels].mean() < high
    found = calibration(classify["linear"](reads), labels)
    assert (found.accuracy - found.confidence) @ found.count / found.count.sum() > 0.05  # right more often than sure
    assert calibration(classify["book-virus"](read_genomes(split.outbreaks)[0]),
                       read_genomes(split.outbreaks)[1]).error < 0.01  # fmt: skip


@pytest.fixture(scope="module")
def asked(split):
    return [g for g in split.outbreaks if g.variant in ("Birch", "Elm", "Oak")][::18]


def test_attention_finds_defining_kmers_and_none_of_them_matters_alone(virus, asked):
    tok, found = kmer_tokenizer(), {}
    for name, model in (("trained", VariantBert.from_pretrained("book-virus", "cpu")), ("not", RECIPE.new_model())):
        shares = []
        for genome in asked:
            [ids] = kmer_ids([genome.sequence], tok)
            seen = model.bert.trace([ids])["layer.1.attention.weights"][0, :, 0, 1:-1].mean(0).numpy()
            sites = [s for s, base in virus.defining[genome.variant].items() if genome.aligned[s] == base]
            marked = kmers_at(genome.aligned, sites)
            shares.append(np.isin(np.argsort(-seen, kind="stable")[: len(marked)], marked).mean())
            if name == "trained":
                assert unread_drops(model, ids, tok).max() < 0.1
        found[name] = np.mean(shares)
    assert found["trained"] == pytest.approx(0.39, abs=0.06) and found["not"] < 0.05


def test_known_sublineages_are_told_without_what_defines_the_variant_and_new_ones_are_not(virus, split):
    tok, model, share = kmer_tokenizer(), VariantBert.from_pretrained("book-virus", "cpu"), {}
    for kind in ("outbreaks", "lineages"):
        some = [g for g in getattr(split, kind) if g.variant in ("Birch", "Elm", "Oak")][::6]
        rows = kmer_ids([genome.sequence for genome in some], tok)
        for ids, genome in zip(rows, some, strict=True):
            for site, base in virus.defining[genome.variant].items():
                if genome.aligned[site] == base and site // 6 < len(ids) - 2:  # none of these has lost a base
                    ids[site // 6 + 1] = tok.vocab["[UNK]"]
        guesses = model(rows).argmax(-1).tolist()
        share[kind] = np.mean([VARIANTS[i] == genome.variant for i, genome in zip(guesses, some, strict=True)])
    assert share["outbreaks"] > 0.9 and share["lineages"] == pytest.approx(1 / 3, abs=0.1)


def test_what_the_page_says_of_all_trainings():
    found = {run: numbers for run, numbers in trained_again().items() if run.name == "book-virus"}
    assert len(found) == 8
    for one in found.values():
        assert one["outbreaks"] > 0.995 and one["skipped"] < 0.35 and one["cut"] > 0.9 and one["sure"] > 0.8
        assert one["found"] > 0.1 and one["known"] > one["new"] + 0.35 and 1 <= one["cls_0"] < 4.5
        assert one["cone_0"] < one["cone_1"] < one["cone_2"] and one["low"] < 0
    five = [numbers["lineages"] for run, numbers in found.items() if not run.tree]
    assert max(five) - min(five) == pytest.approx(0.097, abs=0.005)
    assert min(numbers["lineages"] for run, numbers in found.items() if run.tree) < min(five)
    assert len({numbers["open"] for numbers in found.values()}) > 2
    assert {numbers["row_0"] > numbers["row_1"] for numbers in found.values()} == {True, False}
    framed = [numbers["lineages"] for run, numbers in trained_again().items() if run.name == "book-virus-frames"]
    assert np.mean(framed) < np.mean(five)


def test_the_cells_on_splits_and_simple_classifiers_run_on_a_readers_genomes(tmp_path):
    """Variants of other names, uncertain bases, lengths that differ: the page's own cells, as a reader changes them."""
    other = simulate(Evolution(n_sites=300, sublineages=6, samples=4), seed=9).genomes
    rename = {name: f"lineage {name[0]}" for name in VARIANTS[:4]}
    records = [(g.name.replace(g.variant, rename[g.variant]), g.sequence.replace("GA", "NR", 1).lower())
               for g in other if g.variant in rename]  # fmt: skip
    write_fasta(tmp_path / "yours.fasta", records)
    page = (Path(__file__).parents[2] / "book" / "virus.md").read_text(encoding="utf-8")
    cell = r"```{code-cell} python3\n(?:---\n.*?\n---\n)?(?::[^\n]*\n)*(.*?)```"
    cells = dict(enumerate(re.findall(cell, page, re.DOTALL)))
    own = next(i for i, cell in cells.items() if "# genomes = labeled_genomes" in cell)
    first = next(i for i, cell in cells.items() if "split = split_genomes(genomes)" in cell)
    last = next(i for i, cell in cells.items() if "similar_groups([" in cell)
    names = {}
    mine = re.sub("genomes, machine = .*\n", "", cells[own]).replace("# ", "")
    mine = mine.replace("yours.fasta.gz", str(tmp_path / "yours.fasta"))
    exec(cells[0].partition("torch.set_grad_enabled")[0], names)  # its imports
    for cell in (mine, *(cells[i] for i in range(first, last + 1))):
        exec(cell, names)
    assert names["variants"] == [f"lineage {letter}" for letter in "ABCE"]
    new, true = names["read"](names["split"].lineages)
    assert (names["nearest"](new).argmax(1) == true).mean() > 0.5 < names["linear"].score(kmer_counts(new), true)
    assert all(set(read) & set("NR") for read in new)


def test_of_gates_cones_and_subspaces_training_changes_the_cone(split):
    tok, cones, gates, rows, cls, seen = kmer_tokenizer(), {}, {}, {}, {}, []
    sample = kmer_ids(read_genomes(split.outbreaks[::18])[0], tok)
    for name, model in (("trained", VariantBert.from_pretrained("book-virus", "cpu")), ("not", RECIPE.new_model())):
        stops = [model.bert.trace([ids]) for ids in sample]
        places = ("embeddings.output", "layer.0.output", "layer.1.output")
        cones[name] = [np.mean([cone_index(one[place][0], share=True) for one in stops]) for place in places]
        maps = [np.stack([one[f"layer.{i}.attention.weights"][0] for i in range(2)]) for one in stops]
        rows[name] = np.mean([effective_number(A).mean((1, 2)) for A in maps], 0)  # (layers,)
        cls[name] = np.mean([effective_number(A[0, :, 0]).mean() for A in maps])
        gates[name] = set(gate_of(np.mean([gate_scores(A) for A in maps], 0)).ravel())
        if name == "trained":
            last = [one["layer.1.output"][0] for one in stops]  # without the largest coordinate
            less = np.mean([cone_index(np.delete(x.numpy(), int(x.square().mean(0).argmax()), 1), True) for x in last])
            heads = [product_svd(*layer.attention.score_map(h))[0] for layer in model.bert.layer for h in range(4)]
            seen = [variance_seen(stops[0][places[i // 4]][0], U) for i, U in enumerate(heads)]
    assert np.allclose(cones["trained"], [0.42, 0.65, 0.89], atol=0.03) and np.ptp(cones["not"]) < 0.05
    assert less > 0.85
    assert np.allclose(rows["trained"], 160, atol=4) and (rows["not"] > 195).all()  # of 201 tokens
    assert 2 < cls["trained"] < 3 and cls["not"] > 195
    assert gates == {"trained": {"open"}, "not": {"open"}} and np.mean(seen) == pytest.approx(0.25, abs=0.03)


def test_the_solutions_of_the_exercises(split, classify):
    (reads, labels), (new, true) = read_genomes(split.train, seed=0, errors=RECIPE.errors), read_genomes(split.lineages)
    share = {}
    for k in (3, 4, 6):
        some = LogisticRegression(max_iter=5000).fit(kmer_counts(reads, k), labels)
        share[k] = some.score(kmer_counts(new, k), true)
    assert share[3] < 0.75 < 0.85 < share[4] < share[6]

    def learned_from(genomes):
        reads, labels = read_genomes(genomes, seed=0, errors=RECIPE.errors)
        return LogisticRegression(max_iter=2000).fit(kmer_counts(reads), labels).score(kmer_counts(new), true)

    few = learned_from([g for g in split.train if g.lineage.endswith(".1")])
    assert share[6] - learned_from(split.train[::6]) < 0.02 < 0.15 < share[6] - few
    error = {}
    for kind in ("outbreaks", "lineages"):
        some, truth = read_genomes(getattr(split, kind)[::3])
        for T in (0.5, 1, 2):
            p = torch.tensor(classify["book-virus"](some)) ** (1 / T)
            error[kind, T] = calibration(p / p.sum(1, keepdims=True), truth).error
    assert error["outbreaks", 0.5] < error["outbreaks", 1] < error["outbreaks", 2]
    assert error["lineages", 0.5] > error["lineages", 1]
