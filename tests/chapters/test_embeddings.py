"""What the chapter on embeddings says of other tables and of rows that its page does not keep."""

import pytest
import torch
from torch.nn import functional as F


def test_only_rows_that_are_looked_up_get_a_gradient():
    table = torch.randn(5, 3, requires_grad=True)
    ids, G = torch.tensor([0, 1, 0, 4]), torch.randn(4, 3)
    (F.embedding(ids, table) * G).sum().backward()
    torch.testing.assert_close(table.grad, F.one_hot(ids, 5).float().T @ G)
    assert table.grad.abs().sum(1).nonzero().flatten().tolist() == [0, 1, 4]


@pytest.fixture(scope="module")
def E(bert):
    return bert.embeddings.tokens.weight.detach()


def test_the_nearest_of_a_word_are_those_that_the_page_and_its_plan_name(E, page, tok):
    def nearest(word):
        cosines = F.cosine_similarity(E[page.words], E[tok.vocab[word]][None])
        return [tok.tokens[page.words[i]] for i in cosines.argsort(descending=True)[1:11]]

    assert {"bears", "bore", "beaver"} < set(nearest("bear")) and "bad" in nearest("good")
    assert "money" in nearest("bank") and "river" not in nearest("bank")
    of_may = nearest("may")
    assert max(of_may.index("might"), of_may.index("could")) < of_may.index("june")


def test_the_shortest_of_the_rows_that_distance_brings_near_cat_is_that_of_mask(E, page, tok):
    near = page.nearest[1:]
    assert E[near].norm(dim=1).argmin() == near.tolist().index(tok.vocab["[MASK]"])
