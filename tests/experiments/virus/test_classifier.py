"""The classifier: what it computes, how it is stored, what it learns from, and what a k-mer that is not read costs."""

import numpy as np
import pytest
import torch

from tutorial_book.experiments.virus import (
    Evolution,
    VariantBert,
    kmer_ids,
    kmer_tokenizer,
    probabilities,
    simulate,
    unread_drops,
    variant_loss,
)
from tutorial_book.experiments.virus.simulator import VARIANTS
from tutorial_lib.bert import Bert, Config, initialize
from tutorial_lib.training import Settings, train

pytestmark = pytest.mark.usefixtures("one_thread")
K = 3
SMALL = Evolution(n_sites=120, deleted=(3, 3, 3), sublineages=2, outbreaks=1, samples=3)


@pytest.fixture
def tok():
    return kmer_tokenizer(K)


@pytest.fixture
def model(tok):
    torch.manual_seed(0)
    bert = Bert(Config(len(tok), d_model=16, n_layers=1, n_heads=2, d_ff=32, n_positions=64))
    return initialize(VariantBert(bert, VARIANTS), 0.2).eval()


def test_scores_are_the_head_on_the_pooled_cls(model, tok):
    ids = torch.tensor(kmer_ids(["ACGUAC", "GGGUUU"], tok, K))
    pooled = torch.tanh(model.bert.pooler.W(model.bert(ids)[:, 0]))
    assert torch.allclose(model(ids), pooled @ model.head.weight.T + model.head.bias, atol=1e-6)


def test_padding_changes_nothing_and_rows_sum_to_1(model, tok):
    p = probabilities(model, ["ACGUAC" * 5, "GGGUUU"], tok, K, batch_size=2)
    alone = probabilities(model, ["GGGUUU"], tok, K)
    np.testing.assert_allclose(p[1], alone[0], atol=1e-6)
    np.testing.assert_allclose(p.sum(1), 1, atol=1e-6)
    assert probabilities(model, ["ACG" * 200], tok, K).shape == (1, 6)  # cut to the model's positions


def test_saved_it_is_transformers_own_and_comes_back(model, tok, tmp_path):
    from transformers import BertForSequenceClassification

    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(parameter.half())  # what half precision can hold
    model.save(tok, tmp_path)
    again = VariantBert.from_pretrained(tmp_path, device="cpu")
    theirs = BertForSequenceClassification.from_pretrained(tmp_path).eval()
    ids = torch.tensor(kmer_ids(["ACGUACGGU"], tok, K))
    with torch.no_grad():
        assert torch.equal(model(ids), again(ids)) and again.variants == list(VARIANTS)
        assert torch.allclose(model(ids), theirs(ids).logits, atol=1e-5)
    assert theirs.config.id2label[1] == "Birch"


def test_a_model_without_a_classifier_is_refused():
    with pytest.raises(ValueError, match="name must be a model with a classifier, got 'book-bert'"):
        VariantBert.from_pretrained("book-bert")


def test_it_learns_a_small_virus_and_the_seed_draws_the_batches(model, tok):
    genomes = simulate(SMALL).genomes
    loss = variant_loss(genomes, tok, K, batch_size=16, errors=0, ambiguous=0, gap=0)
    first, again, other = (loss(model, torch.Generator().manual_seed(seed)).item() for seed in (0, 0, 1))
    assert first == again != other
    curve = train(model, loss, Settings(120, lr=5e-3, warmup=10))
    assert curve["loss"][-1] < 0.7 * curve["loss"][0]
    p = probabilities(model, [genome.sequence for genome in genomes], tok, K)
    labels = np.array([VARIANTS.index(genome.variant) for genome in genomes])
    assert (p.argmax(1) == labels).mean() > 0.5


def test_frames_shift_where_the_first_kmer_begins(model, tok, monkeypatch):
    seen = []
    monkeypatch.setattr("tutorial_book.experiments.virus.classifier.kmer_ids",
                        lambda texts, *rest: seen.extend(map(len, texts)) or kmer_ids(texts, *rest))  # fmt: skip
    genomes = [genome for genome in simulate(SMALL).genomes if "-" not in genome.aligned]
    variant_loss(genomes, tok, K, 64, n_frames=3)(model, torch.Generator().manual_seed(0))
    assert set(seen) == {118, 119, 120}


def test_a_drop_is_the_log_p_that_is_lost_without_a_kmer(model, tok):
    [ids] = kmer_ids(["ACGUACGGUAAA"], tok, K)
    drops = unread_drops(model, ids, tok)
    assert drops.shape == (6,) and abs(drops[0]) < 1e-6 and abs(drops[-1]) < 1e-6
    before = model([ids]).log_softmax(-1)[0]
    after = model([[*ids[:3], tok.vocab["[UNK]"], *ids[4:]]]).log_softmax(-1)[0]
    assert drops[3] == pytest.approx((before[before.argmax()] - after[before.argmax()]).item(), abs=1e-5)
