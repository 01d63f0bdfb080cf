"""How good the book's models are: baselines compared with counting by hand, judged samples, and the text of a card."""

import math
from collections import Counter

import pytest
import torch

from tutorial_lib.gpt import GPT, Config
from tutorial_lib.texts.generated import stories
from tutorial_lib.tokenization.bpe import BPE, END
from tutorial_lib.training.judge import KINDS, _kind, baselines, judge, judge_encoder, losses_by_kind, sample

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def big():
    return GPT.from_pretrained("book-gpt", device="cpu"), BPE.from_pretrained("book-gpt")


def test_baselines_are_those_of_counting_by_hand():
    texts, held_out, size = [[0, 1, 2, 1, 0], [0, 2, 2, 0]], [[0, 1, 2, 0]], 4
    pairs = Counter(pair for ids in texts for pair in zip(ids, ids[1:], strict=False))
    alone = Counter(second for _, second in pairs.elements())
    p_alone = {token: (alone[token] + 1) / (alone.total() + size) for token in range(size)}
    p_pair = {
        (first, second): (pairs[first, second] + p_alone[second])
        / (sum(n for pair, n in pairs.items() if pair[0] == first) + 1)
        for first in range(size)
        for second in range(size)
    }
    asked = [(0, 1), (1, 2), (2, 0)]
    found = baselines(texts, held_out, size)
    assert found["unigram"] == pytest.approx(-sum(math.log(p_alone[b]) for _, b in asked) / 3, rel=1e-5)
    assert found["bigram"] == pytest.approx(-sum(math.log(p_pair[pair]) for pair in asked) / 3, rel=1e-5)
    for first in range(size):
        assert sum(p_pair[first, second] for second in range(size)) == pytest.approx(1)


def test_samples_are_reproducible_and_end_with_a_sentence(big):
    model, tok = big
    texts = sample(model, tok, n=5, temperature=0.7, seed=3)
    assert texts == sample(model, tok, n=5, temperature=0.7, seed=3) != sample(model, tok, n=5, seed=4)
    assert all(END not in text and text.rstrip()[-1] in '.!"' for text in texts)


def test_judge_counts_known_good_and_bad_texts(big, monkeypatch):
    texts = [stories(1)[0].text, "Mia ran mat the.", "\ufffd", stories(1)[0].text]
    monkeypatch.setattr("tutorial_lib.training.judge.sample", lambda *_, **__: texts)
    for share in judge(*big, [stories(1)[0].text, ""]).values():
        assert share == {"grammatical": 0.5, "consistent": 0.5, "both": 0.5, "known": 0.5}


def test_share_of_good_stories_is_near_stored_one(big):
    """120 stories of another seed: two standard errors are 9 %."""
    from tutorial_lib.texts.checked import check

    verdicts = [check(text) for text in sample(*big, n=120, temperature=0.7, seed=5)]
    good = sum(verdict.grammatical and verdict.consistent for verdict in verdicts) / len(verdicts)
    assert 0.37 < good < 0.67


def test_loss_of_a_word_is_its_first_tokens():
    story = stories(3, seed=1)[2]
    tok = BPE.train([story.text], 300)  # few merges: most words are several tokens
    torch.manual_seed(0)
    gpt = GPT(Config(len(tok), d_model=8, n_layers=1, n_heads=2, d_ff=16, n_positions=512)).eval()
    with torch.no_grad():
        gpt.unembedding.weight.normal_()  # no two tokens alike
    found = losses_by_kind(gpt, tok, [story])
    ids, costs = [tok.vocab[END]], {}
    for i, word in enumerate(story.words):
        new = tok.encode(story.text[: word.start + len(word.text)]).ids[len(ids) - 1 :]
        alone = new[0] == tok.vocab["Ġ"]  # a space that is a separate token belongs to no word
        p = gpt([ids + new[:alone]])[0][0, -1].softmax(-1)[new[alone]].item()
        costs.setdefault(_kind(story.words, i), []).append(-math.log(p))
        ids += new
    assert ids[1:] == tok.encode(story.text).ids and len(ids) > 2 * len(story.words)
    assert found == pytest.approx({kind: sum(losses) / len(losses) for kind, losses in costs.items()}, rel=1e-4)
    assert set(found) <= set(KINDS)


def test_kinds_of_words(big):
    story = stories(1)[0]  # Grandpa and Tom were the best friends. Tom had a puzzle. One day, ...
    kinds = [_kind(story.words, i) for i in range(13)]
    assert [word.text for word in story.words[:13]][8:11] == ["Tom", "had", "a"]
    expected = ["new names", "other words", "new names", "verbs", "other words", "other words", "nouns", "full stops"]
    assert kinds == [*expected, "repeated names", "verbs", "other words", "nouns", "full stops"]


def test_an_encoder_that_knows_nothing_guesses(tok):
    from tutorial_lib.bert import Bert, initialize
    from tutorial_lib.bert import Config as BertConfig

    torch.manual_seed(0)
    bert = Bert(BertConfig(len(tok), d_model=16, n_layers=1, n_heads=2, d_ff=32, n_positions=128), mlm=True, nsp=True)
    found = judge_encoder(initialize(bert).eval(), tok, [story.sentences for story in stories(12, seed=1)])
    assert found["hidden"] == pytest.approx(math.log(len(tok)), abs=0.5) and found["hidden_right"] < 0.1
    assert found["pair"] == pytest.approx(math.log(2), abs=0.1) and 0 <= found["pair_right"] <= 1
