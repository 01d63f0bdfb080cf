"""What the chapter on one word's many vectors tells about the default model, pinned."""

import pytest
import torch
from torch.nn import functional as F


def vectors_of(word, texts, bert, tok):
    """The word's vectors after 0, 1, ... layers, each text by itself: (n_layers + 1, n_texts, d_model)."""
    names = ["embeddings.output", *(f"layer.{i}.output" for i in range(bert.config.n_layers))]
    columns = []
    for text in texts:
        encoding = tok.encode(text)
        with torch.no_grad():
            trace = bert.trace([encoding.ids])
        columns.append(torch.stack([trace[name][0, encoding.tokens.index(word)] for name in names]))
    return torch.stack(columns, dim=1).double()


def test_a_word_is_static_before_the_layers_and_contextual_after(bert, tok):
    for word, texts in (("the", ("The cat.", "The hat.")), ("love", ("I love mathematics!", "I love physics!"))):
        one, other = vectors_of(word, texts, bert, tok).unbind(1)
        assert torch.equal(one[0], other[0])
        assert all((a - b).abs().max() > 1e-2 for a, b in zip(one[1:], other[1:], strict=True))
    one, other = vectors_of("love", ("I love mathematics!", "I love physics!"), bert, tok).unbind(1)
    assert F.cosine_similarity(one, other)[-1].item() == pytest.approx(0.931, abs=0.002)


def test_the_cosines_do_not_rest_on_the_two_large_coordinates(bert, tok):
    others = [i for i in range(384) if i not in (99, 223)]
    for texts in (("I saw a bear in the forest.", "We must bear this burden."), ("The bear slept.", "To bear pain.")):
        X = vectors_of("bear", texts, bert, tok)
        with_them, without = (F.cosine_similarity(*part.unbind(1), dim=-1) for part in (X, X[..., others]))
        assert 0 <= (with_them - without).max() < 0.025


def test_leaving_out_cls_spoils_the_first_vector_only(bert, tok):
    ids = tok.encode("I love mathematics!").ids
    with torch.no_grad():
        cosines = F.cosine_similarity(bert([ids])[0, 1:-1], bert([ids[1:-1]])[0])
    assert cosines[0] < 0.4 and (cosines[1:] > 0.9).all()


ANIMAL = [
    "The bear slept all winter.",
    "A bear crossed the river.",
    "The brown bear climbed a tree.",
    "Suddenly the bear attacked us.",
    "Hunters followed a bear.",
    "The zoo has a bear.",
]
VERB = [
    "Parents bear responsibility for their children.",
    "Walls bear the weight of the roof.",
    "Some trees bear fruit in spring.",
    "They will bear the cost.",
    "You have to bear the risk.",
    "He will have to bear the pain.",
]


def test_one_layer_parts_the_animal_from_the_verb(bert, tok):
    labels = torch.tensor([0] * 6 + [1] * 6)
    for depth, X in enumerate(vectors_of("bear", ANIMAL + VERB, bert, tok)[1:], start=1):
        nearest = (torch.cdist(X, X) + torch.eye(12) * 1e9).argmin(1)
        assert (labels[nearest] == labels).all(), f"after {depth} layers"


def test_with_topics_swapped_the_word_still_knows_and_cls_does_not(bert, tok):
    texts = [
        "Under the heavy burden the bear fell.",
        "The bear cannot pay the cost.",
        "The old bear felt pain.",
        "The hunter could not bear the cold forest.",
        "Zoo animals must bear a lot of noise.",
        "The fox could not bear the winter in its cave.",
    ]
    labels, senses = torch.tensor([0] * 6 + [1] * 6), torch.tensor([0] * 3 + [1] * 3)
    for word, low, high in (("bear", 6, 6), ("[CLS]", 0, 5)):
        old, new = vectors_of(word, ANIMAL + VERB, bert, tok)[3], vectors_of(word, texts, bert, tok)[3]
        right = int((labels[torch.cdist(new, old).argmin(1)] == senses).sum())
        assert low <= right <= high, word
