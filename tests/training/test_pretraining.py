import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tutorial_lib.bert import Bert, Config
from tutorial_lib.tokenization import WordPiece
from tutorial_lib.training.pretraining import FOLLOWS, IGNORE, RANDOM, Pair, guesses, make_pair, mask_tokens

SPECIAL = [0, 100, 101, 102, 103]  # [PAD] [UNK] [CLS] [SEP] [MASK] in BERT's uncased vocabulary
MASK_ID = 103

seeds = st.integers(0, 2**31 - 1)
any_ids = st.lists(st.one_of(st.sampled_from(SPECIAL), st.integers(0, 30_521)), min_size=1, max_size=40)


def generator(seed):
    return torch.Generator().manual_seed(seed)


@pytest.fixture(scope="module")
def masked(tok):
    """A million ordinary tokens, masked."""
    ids = torch.randint(1_000, len(tok), (1_000, 1_000), generator=generator(1))
    return ids, *mask_tokens(ids, tok, generator(2))


def within(count, n, p, sigmas=4.5):
    """Is a count of n draws of probability p where chance puts it? (One false alarm in 150,000.)"""
    return abs(count - n * p) < sigmas * math.sqrt(n * p * (1 - p))


# hiding tokens


def test_fifteen_percent_of_the_tokens_are_chosen(masked):
    ids, _, labels = masked
    assert within((labels != IGNORE).sum().item(), ids.numel(), 0.15)


def test_chosen_tokens_are_80_percent_masked_10_random(masked):
    ids, inputs, labels = masked
    chosen = labels != IGNORE
    n = chosen.sum().item()
    assert within((inputs[chosen] == MASK_ID).sum().item(), n, 0.8)
    assert within((inputs[chosen] == ids[chosen]).sum().item(), n, 0.1)
    assert within(((inputs[chosen] != ids[chosen]) & (inputs[chosen] != MASK_ID)).sum().item(), n, 0.1)


def test_random_tokens_come_from_the_whole_vocabulary_evenly(masked, tok):
    ids, inputs, labels = masked
    drawn = inputs[(labels != IGNORE) & (inputs != ids) & (inputs != MASK_ID)]
    for low in range(0, len(tok), 3_000):
        high = min(low + 3_000, len(tok))
        assert within(((drawn >= low) & (drawn < high)).sum().item(), len(drawn), (high - low) / len(tok))


def test_each_token_is_chosen_independently(masked):
    ids, _, labels = masked
    chosen = (labels != IGNORE).double()
    per_text = chosen.sum(1)
    assert abs(per_text.var().item() - 1_000 * 0.15 * 0.85) < 4.5 * 127.5 * math.sqrt(2 / 999)
    neighbors = (chosen[:, 1:] * chosen[:, :-1]).sum().item()
    assert abs(neighbors - 999_000 * 0.15**2) < 4.5 * math.sqrt(999_000 * 0.15**2 * (1 - 0.15**2) * 1.3)


@given(any_ids, seeds, st.floats(0, 1))
@settings(deadline=None)
def test_labels_hold_the_truth_and_nothing_else_changes(tok, ids, seed, rate):
    ids = torch.tensor(ids)
    before = ids.clone()
    inputs, labels = mask_tokens(ids, tok, generator(seed), rate)
    chosen = labels != IGNORE
    assert torch.equal(ids, before)
    assert torch.equal(labels[chosen], ids[chosen])
    assert torch.equal(inputs[~chosen], ids[~chosen])
    assert ((0 <= inputs) & (inputs < len(tok))).all()


@given(any_ids, seeds)
@settings(deadline=None)
def test_rate_1_chooses_all_but_special_tokens(tok, ids, seed):
    _, labels = mask_tokens(ids, tok, generator(seed), rate=1.0)
    assert [label == IGNORE for label in labels.tolist()] == [id in SPECIAL for id in ids]


def test_the_same_seed_gives_the_same_data(tok):
    ids = torch.arange(2_000, 2_500)
    assert all(map(torch.equal, mask_tokens(ids, tok, generator(5)), mask_tokens(ids, tok, generator(5))))
    assert not torch.equal(mask_tokens(ids, tok, generator(5))[1], mask_tokens(ids, tok, generator(6))[1])


def test_an_empty_text_stays_empty(tok):
    inputs, labels = mask_tokens(torch.zeros(2, 0, dtype=torch.long), tok)
    assert inputs.shape == labels.shape == (2, 0)


@pytest.mark.parametrize(
    "ids, error, message",
    [
        ([1.5], TypeError, "ids must be whole numbers, got torch.float32"),
        ([30_522], ValueError, "ids must be in 0..30521, got 30522 to 30522"),
        ([5, -1], ValueError, "ids must be in 0..30521, got -1 to 5"),
    ],
)
def test_bad_ids_are_named(tok, ids, error, message):
    with pytest.raises(error, match=message):
        mask_tokens(ids, tok)


@pytest.mark.parametrize("rate", [-0.1, 1.1, float("nan")])
def test_a_rate_beyond_0_and_1_is_rejected(tok, rate):
    with pytest.raises(ValueError, match="rate must be a share from 0 to 1"):
        mask_tokens([2000], tok, rate=rate)


def test_a_tokenizer_without_mask_is_rejected():
    with pytest.raises(ValueError, match=r"tokenizer must have a \[MASK\]"):
        mask_tokens([4], WordPiece(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a"]))


# pairs of texts


documents = st.lists(st.integers(2, 5), min_size=2, max_size=5).map(
    lambda sizes: [[f"d{d}s{s}" for s in range(size)] for d, size in enumerate(sizes)]
)


@given(documents, seeds)
def test_pair_is_a_documents_beginning_and_an_end(documents, seed):
    first, second, label = make_pair(documents, generator(seed))
    first, second = first.split(), second.split()
    of_first, of_second = (next(d for d in documents if text[0] in d) for text in (first, second))
    assert first == of_first[: len(first)]
    assert second == of_second[-len(second) :]
    if label == FOLLOWS:
        assert first + second == of_first
    else:
        assert label == RANDOM and of_first is not of_second


def test_half_follow_and_documents_are_drawn_equally_often():
    documents = [[f"{d} {s}" for s in range(4)] for d in range(4)]
    g = generator(0)
    pairs = [make_pair(documents, g) for _ in range(4_000)]
    assert within(sum(pair.label == FOLLOWS for pair in pairs), len(pairs), 0.5)
    random = [pair for pair in pairs if pair.label == RANDOM]
    for d in map(str, range(4)):
        assert within(sum(pair.first.startswith(d) for pair in pairs), len(pairs), 1 / 4)
        assert within(sum(pair.second.startswith(d) for pair in random), len(random), 1 / 4)


def test_labels_are_those_of_bert():
    assert (FOLLOWS, RANDOM) == (0, 1)  # as transformers documents next_sentence_label
    assert Pair._fields == ("first", "second", "label")


@pytest.mark.parametrize(
    "documents, error, message",
    [
        ([], ValueError, "documents must be at least two"),
        ([["a", "b"]], ValueError, "documents must be at least two, to combine texts of different ones, got 1"),
        ([["a", "b"], ["c"]], ValueError, r"documents\[1\] must be a list of two sentences or more, got \['c'\]"),
        (["a b", "c d"], ValueError, r"documents\[0\] must be a list of two sentences or more, got 'a b'"),
    ],
)
def test_bad_documents_are_named(documents, error, message):
    with pytest.raises(error, match=message):
        make_pair(documents)


# training on it, and guessing


def test_loss_equals_that_of_hugging_face(tok):
    from torch.nn.functional import cross_entropy
    from transformers import BertConfig, BertForPreTraining

    torch.manual_seed(0)
    shape = dict(hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32)
    theirs = BertForPreTraining._from_config(BertConfig(**shape), attn_implementation="eager").eval()
    for parameter in theirs.parameters():
        torch.nn.init.normal_(parameter, std=0.2)
    pairs = [make_pair([["the bear .", "it was big ."], ["we sat .", "we ate ."]], generator(i)) for i in range(4)]
    batch = tok.batch([pair.first for pair in pairs], [pair.second for pair in pairs])
    inputs, labels = mask_tokens(batch.ids, tok, generator(0), rate=0.5)
    follows = torch.tensor([pair.label for pair in pairs])
    trace = Bert.from_hf(theirs).trace(**batch.inputs | {"ids": inputs})
    ours = cross_entropy(trace["mlm.logits"].flatten(0, 1), labels.flatten(), ignore_index=IGNORE)
    ours += cross_entropy(trace["nsp.logits"], follows)
    with torch.no_grad():
        loss = theirs(
            inputs,
            attention_mask=torch.tensor(batch.attention_mask),
            token_type_ids=torch.tensor(batch.token_type_ids),
            labels=labels,
            next_sentence_label=follows,
        ).loss
    assert abs(ours - loss) < 1e-4


def test_guesses_are_the_likeliest_tokens_at_each_mask(tok):
    torch.manual_seed(0)
    bert = Bert(Config(d_model=16, n_layers=1, n_heads=2, d_ff=32), mlm=True).eval()
    encoding = tok.encode("the [MASK] was [MASK].")
    probabilities = bert.trace(encoding.ids)["mlm.logits"][0].double().exp()
    probabilities /= probabilities.sum(-1, keepdim=True)
    found = guesses(bert, tok, "the [MASK] was [MASK].", k=3)
    assert len(found) == 2
    for at, best in zip([2, 4], found, strict=True):
        order = probabilities[at].argsort(descending=True)[:3]
        assert [token for token, _ in best] == [tok.tokens[i] for i in order]
        assert [p for _, p in best] == pytest.approx(probabilities[at][order].tolist(), rel=1e-4)


def test_guessing_needs_a_head_and_a_mask(tok):
    shape = Config(d_model=8, n_layers=1, n_heads=1, d_ff=8)
    with pytest.raises(ValueError, match="bert must have an MLM head"):
        guesses(Bert(shape), tok, "a [MASK]")
    for k in (0, -1, 1.5, 10**6):
        with pytest.raises(ValueError, match="k must be a number of tokens, 1 to"):
            guesses(Bert(shape, mlm=True), tok, "a [MASK]", k)
    with pytest.raises(ValueError, match=r"text must contain a \[MASK\], got 'a bear'"):
        guesses(Bert(shape, mlm=True), tok, "a bear")
