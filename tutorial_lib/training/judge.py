"""How good a model of the book is: its loss compared with counting, and its stories judged. L 3.3.3; N 2."""

from collections import Counter

import torch
from torch.nn import functional as F

from tutorial_lib.arguments import check_id_lists, check_sizes
from tutorial_lib.generation import generate
from tutorial_lib.texts.checked import check
from tutorial_lib.tokenization.bpe import END
from tutorial_lib.training.pretraining import IGNORE, make_pair, mask_tokens

N_SAMPLES = 200  # stories that are sampled and judged, at each temperature
TEMPERATURES = (1.0, 0.7)
HIDDEN = 0.15  # the share of tokens that an encoder is evaluated on


def baselines(texts, held_out, size) -> dict[str, float]:
    """Return mean -log p of each next token by counting, in nats: by the token itself, and by the one before it.

    texts, held_out: lists of ids, to count in and to evaluate on; a text's first token is given. An unseen pair gets a
    share of the unigram's probability: one count of each first token is kept for such pairs.

    >>> baselines([[0, 1, 2, 3] * 100], [[0, 1, 2, 3]], 4)["bigram"] < 0.1
    True
    """
    check_id_lists("texts", texts)
    check_id_lists("held_out", held_out)
    check_sizes(size=size)
    first, second = _pairs(texts)
    pairs = torch.bincount(first * size + second, minlength=size * size).view(size, size)
    alone = pairs.sum(0) + 1.0
    alone = alone / alone.sum()
    first, second = _pairs(held_out)
    p = (pairs[first, second] + alone[second]) / (pairs[first].sum(-1) + 1)
    return {"unigram": -alone[second].log().mean().item(), "bigram": -p.log().mean().item()}


def _pairs(texts):
    first = torch.tensor([id for ids in texts for id in ids[:-1]])
    second = torch.tensor([id for ids in texts for id in ids[1:]])
    return first, second


def sample(model, tokenizer, n, temperature=1.0, seed=0) -> list[str]:
    """Return n stories of a decoder, each written from its first word."""
    end = tokenizer.vocab[END]
    new = generate(model, [[end]] * n, model.config.n_positions - 1, temperature, seed=seed, stop=[end])
    return [tokenizer.decode(ids, skip_special=True) for ids in new]


def judge(model, tokenizer, read) -> dict:
    """Return the shares of a decoder's sampled stories that follow the rules: temperature -> kind -> share.

    read: the stories that it was trained on; "known" is the share of samples that occur there word for word.
    """
    read = set(read) - {""}
    shares = {}
    for temperature in TEMPERATURES:
        texts = sample(model, tokenizer, N_SAMPLES, temperature)
        verdicts = [check(text) for text in texts if any(map(str.isalpha, text))]  # texts without a word are rejected
        shares[str(temperature)] = {
            "grammatical": sum(verdict.grammatical for verdict in verdicts) / len(texts),
            "consistent": sum(verdict.consistent for verdict in verdicts) / len(texts),
            "both": sum(verdict.grammatical and verdict.consistent for verdict in verdicts) / len(texts),
            "known": sum(text in read for text in texts) / len(texts),
        }
    return shares


KINDS = ("full stops", "verbs", "nouns", "pronouns", "repeated names", "new names", "other words")


@torch.no_grad()
def losses_by_kind(model, tokenizer, told) -> dict[str, float]:
    """Return the cost of each kind of word for a decoder: kind -> mean -log p of the word's first token, in nats.

    told: `Story` objects. A name is "repeated" if it already occurs in the story; a new one is drawn at random.
    """
    losses = {kind: [] for kind in KINDS}
    for story in told:
        encoding = tokenizer.encode(END + story.text)
        logits, _ = model([encoding.ids[:-1]], fused=True)  # (1, n, vocab_size)
        log_p = logits[0].log_softmax(-1)  # (n, vocab_size)
        words = story.word_of(encoding.tokens)
        for place in range(1, len(words)):
            if words[place] not in (None, words[place - 1]):
                losses[_kind(story.words, words[place])].append(-log_p[place - 1, encoding.ids[place]].item())
    return {kind: sum(values) / len(values) for kind, values in losses.items() if values}


def _kind(words, i):
    if words[i].pos == "name":
        return "repeated names" if words[i].text in [word.text for word in words[:i]] else "new names"
    if words[i].text == ".":
        return "full stops"
    return f"{words[i].pos}s" if f"{words[i].pos}s" in KINDS else "other words"


@torch.no_grad()
def judge_encoder(model, tokenizer, documents, seed=0) -> dict:
    """Evaluate an encoder on held-out texts: loss and share of right guesses, of hidden tokens and of pairs.

    documents: lists of sentences; the same number of pairs is made from them. Every token is hidden with probability
    `HIDDEN`; pairs are judged with nothing hidden.
    """
    generator = torch.Generator().manual_seed(seed)
    sums = Counter()
    for _ in documents:
        pair = make_pair(documents, generator)
        encoding = tokenizer.encode(pair.first, pair.second, max_length=model.config.n_positions)
        ids = torch.tensor([encoding.ids])
        segments = [encoding.token_type_ids]
        inputs, labels = mask_tokens(ids, tokenizer, generator, HIDDEN)
        hidden = labels != IGNORE
        guessed = model.mlm(model(inputs, token_type_ids=segments)[hidden])
        judged = model.nsp(model.pooler(model(ids, token_type_ids=segments)))
        sums["n"] += int(hidden.sum())
        sums["hidden"] += F.cross_entropy(guessed, labels[hidden], reduction="sum").item()
        sums["hidden_right"] += int((guessed.argmax(-1) == labels[hidden]).sum())
        sums["pair"] += F.cross_entropy(judged, torch.tensor([pair.label])).item()
        sums["pair_right"] += int(judged.argmax()) == pair.label
    n = {"hidden": sums.pop("n"), "pair": len(documents)}
    return {name: value / n[name.removesuffix("_right")] for name, value in sums.items()}
