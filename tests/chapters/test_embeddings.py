"""What the chapter on embeddings tells about the default model, pinned."""

import math

import torch
from torch.nn import functional as F


def test_a_look_up_is_a_one_hot_product_to_the_last_bit(bert, tok):
    E = bert.embeddings.tokens.weight.detach()
    ids = torch.tensor(tok.encode("I love mathematics!").ids)
    O = F.one_hot(ids, num_classes=len(E)).float()
    assert torch.equal(O @ E, E[ids])
    assert torch.equal(bert.trace([ids.tolist()])["embeddings.tokens"][0], E[ids])


def test_only_rows_that_are_looked_up_get_a_gradient(tok):
    table = torch.randn(5, 3, requires_grad=True)
    ids, G = torch.tensor([0, 1, 0, 4]), torch.randn(4, 3)
    (F.embedding(ids, table) * G).sum().backward()
    torch.testing.assert_close(table.grad, F.one_hot(ids, 5).float().T @ G)
    assert table.grad.abs().sum(1).nonzero().flatten().tolist() == [0, 1, 4]


def test_cat_and_dog_are_closer_than_nearly_all_random_words(bert, tok):
    U = F.normalize(bert.embeddings.tokens.weight.detach(), dim=1)
    words = U[[i for i, t in enumerate(tok.tokens) if t.isascii() and t.isalpha() and len(t) > 2]]
    cat_dog = U[tok.vocab["cat"]] @ U[tok.vocab["dog"]]
    assert 0.4 < cat_dog < 0.45
    closer = sum(int((block @ words.T > cat_dog).sum()) - len(block) for block in words[::10].split(500))
    assert 0 < closer / (len(words[::10]) * len(words)) < 1e-3
    assert U[tok.vocab["love"]] @ U[tok.vocab["hate"]] > 0.3 > U[tok.vocab["love"]] @ U[tok.vocab["mathematics"]]


def test_a_thin_table_is_a_sixth_and_keeps_two_thirds_of_the_default_one(bert):
    whole, thin = 30_522 * 768, 30_522 * 128 + 128 * 768
    assert 1 / 6.5 < thin / whole < 1 / 5.5
    squares = torch.linalg.svdvals(bert.embeddings.tokens.weight.detach()).square()
    assert 0.62 < squares[:128].sum() / squares.sum() < 0.7


def test_by_distance_the_short_row_of_mask_is_near_cat(bert, tok):
    E = bert.embeddings.tokens.weight.detach()
    nearest = (E - E[tok.vocab["cat"]]).norm(dim=1).argsort()[1:9].tolist()
    assert [tok.tokens[i] for i in nearest[:3]] == ["cats", "kitten", "kitty"] and tok.vocab["[MASK]"] in nearest
    assert E[nearest].norm(dim=1).argmin() == nearest.index(tok.vocab["[MASK]"])


def test_the_gradient_of_bear_that_the_page_works_out(page, prose):
    row = page.vocabulary.index("bear")
    assert "at $({:.1f}, {:.1f}, {:.1f})$".format(*page.toy_E[row]) in prose
    table = page.toy_E.clone().requires_grad_()
    (F.embedding(torch.tensor([0, 1, 0, 4]), table) - 1).square().sum().backward()
    assert "$({:.1f}, {:.1f}, {:.1f})$. PyTorch".format(*table.grad[row]) in prose
    for word, told in (("the", "the has"), ("bear", "bear has"), ("house", "house has")):
        numbers = table.grad[page.vocabulary.index(word)]
        assert told + " {:.1f}, {:.1f}, {:.1f}".format(*numbers) in prose


def test_the_ids_of_the_look_up_are_those_that_are_told(page, tok, prose):
    ids = [f"{tok.vocab[token]:,}" for token in page.five]
    assert page.five == ["the", "bear", "saw", "the", "kitten"]
    assert f"{', '.join(ids[:-1])} and {ids[-1]}" in prose


def test_the_angles_to_love_are_those_that_are_told(page, prose):
    for word, cosine in page.angles.items():
        degrees = math.degrees(math.acos(cosine))
        assert f"at {degrees:.0f} degrees" in prose and f"{cosine:.2f}" in prose, word


def test_how_many_random_pairs_are_closer_than_cat_and_dog(page, prose):
    assert f"words, {page.closer_frequent} are closer" in prose
    assert 5 <= (page.random_pairs > page.cosines["cat, dog"]).sum() <= 15  # about one in ten thousand
    assert f"one pair in {100_000 / page.closer_frequent:,.0f}".replace("703", "700") in prose
    related = [cosine for pair, cosine in page.cosines.items() if pair not in ("bear, carry", "love, mathematics")]
    assert all((page.random_pairs > cosine).sum() < 100 for cosine in related)  # closer than 99.9 %
    assert f"nearest of {len(page.words) - 1:,}" in prose


def test_the_two_the_part_where_their_positions_are_added(page, prose):
    cosines = [F.cosine_similarity(X[page.first], X[page.second], dim=0).item() for X in page.rows]
    tokens, positions, segments, total, output = cosines
    assert min(tokens, segments) > 0.999_999
    said = f"cosine of {positions:.2f}, the sums {total:.2f}, and the vectors after LayerNorm {output:.2f}"
    assert said in prose
    assert 6 < page.rows[4].norm(dim=1).mean() / page.rows[3].norm(dim=1).mean() < 7  # "about six times as large"
    bear = page.tokens.index("bear")
    before, after = page.rows[3][bear], page.rows[4][bear]
    assert f"makes the sum {after.norm() / before.norm():.1f} times as long" in prose
    assert before[0] < 0 < after[0] and ((before * after)[1:7] > 0).all()  # "one other sign, at coordinate 0"
