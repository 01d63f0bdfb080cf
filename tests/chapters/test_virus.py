"""What the case study says of the simulated virus and of those that tell its variants apart."""

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression

from tutorial_lib.genomics import (
    RECIPE,
    Evolution,
    VariantBert,
    calibration,
    coin_labels,
    kmer_counts,
    kmer_ids,
    kmer_tokenizer,
    kmers,
    kmers_at,
    new_virus_model,
    probabilities,
    read_genomes,
    simulate,
    split_genomes,
    unread_drops,
)
from tutorial_lib.genomics.simulator import VARIANTS
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


def test_on_known_sublineages_all_are_right_and_on_new_ones_bert_and_the_linear_model_cannot_be_told_apart(
    split, classify
):
    shares = {}
    for name, one in classify.items():
        assert right(one, split.copies).mean() > 0.98 and right(one, split.outbreaks).mean() > 0.98
        by_lineage = right(one, split.lineages).reshape(24, 30).mean(1)  # 30 genomes of each, in order
        shares[name] = by_lineage.mean(), *bootstrap_interval(np.mean, by_lineage, n=300)
    for name, (mean, *_) in {"book-virus": (0.95,), "linear": (0.96,), "book-virus-frames": (0.84,)}.items():
        assert shares[name][0] == pytest.approx(mean, abs=0.02)
    for name in ("linear", "book-virus-frames"):  # the intervals overlap
        assert shares[name][1] < shares["book-virus"][2] and shares["book-virus"][1] < shares[name][2]


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


def test_through_many_errors_a_loss_can_still_be_seen(split, classify):
    some = split.lineages[::3]
    lost = np.array(["-" in genome.aligned for genome in some])
    bert, linear = (right(classify[name], some, errors=0.1) for name in ("book-virus", "linear"))
    assert bert[lost].mean() > 0.9 > linear[lost].mean() + 0.05 and bert[~lost].mean() < 0.75


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
    for name, model in (("trained", VariantBert.from_pretrained("book-virus", "cpu")), ("not", new_virus_model())):
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


def test_of_gates_cones_and_subspaces_training_changes_the_cone(split):
    tok, cones, gates, rows, seen = kmer_tokenizer(), {}, {}, {}, []
    sample = kmer_ids(read_genomes(split.outbreaks[::18])[0], tok)
    for name, model in (("trained", VariantBert.from_pretrained("book-virus", "cpu")), ("not", new_virus_model())):
        stops = [model.bert.trace([ids]) for ids in sample]
        places = ("embeddings.output", "layer.0.output", "layer.1.output")
        cones[name] = [np.mean([cone_index(one[place][0], share=True) for one in stops]) for place in places]
        maps = [np.stack([one[f"layer.{i}.attention.weights"][0] for i in range(2)]) for one in stops]
        rows[name] = np.mean([effective_number(A).mean((1, 2)) for A in maps], 0)  # (layers,)
        gates[name] = set(gate_of(np.mean([gate_scores(A) for A in maps], 0)).ravel())
        if name == "trained":
            last = [one["layer.1.output"][0] for one in stops]  # without the largest coordinate
            less = np.mean([cone_index(np.delete(x.numpy(), int(x.square().mean(0).argmax()), 1), True) for x in last])
            heads = [product_svd(*layer.attention.score_map(h))[0] for layer in model.bert.layer for h in range(4)]
            seen = [variance_seen(stops[0][places[i // 4]][0], U) for i, U in enumerate(heads)]
    assert np.allclose(cones["trained"], [0.42, 0.65, 0.89], atol=0.03) and np.ptp(cones["not"]) < 0.05
    assert less > 0.85
    assert np.allclose(rows["trained"], 160, atol=4) and (rows["not"] > 195).all()  # of 201 tokens
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

    fewer = learned_from([g for g in split.train if int(g.lineage.split(".")[1]) <= 3])
    assert abs(learned_from(split.train[::2]) - share[6]) < 0.01 < share[6] - fewer
    error = {}
    for kind in ("outbreaks", "lineages"):
        some, truth = read_genomes(getattr(split, kind)[::3])
        for T in (0.5, 1, 2):
            p = torch.tensor(classify["book-virus"](some)) ** (1 / T)
            error[kind, T] = calibration(p / p.sum(1, keepdims=True), truth).error
    assert error["outbreaks", 0.5] < error["outbreaks", 1] < error["outbreaks", 2]
    assert error["lineages", 0.5] > error["lineages", 1]
