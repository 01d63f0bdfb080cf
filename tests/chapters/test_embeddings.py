"""The nearest rows of a word, as the chapter on embeddings and its lesson plan describe them."""

import pytest
from torch.nn import functional as F


@pytest.fixture(scope="module")
def E(bert):
    return bert.embeddings.tokens.weight.detach()


def test_nearest_words_are_those_the_page_names(E, page, tok):
    def nearest(word):
        cosines = F.cosine_similarity(E[page.words], E[tok.vocab[word]][None])
        return [tok.tokens[page.words[i]] for i in cosines.argsort(descending=True)[1:11]]

    assert {"bears", "bore", "beaver"} < set(nearest("bear")) and "bad" in nearest("good")
    assert "money" in nearest("bank") and "river" not in nearest("bank")
    of_may = nearest("may")
    assert max(of_may.index("might"), of_may.index("could")) < of_may.index("june")


def test_mask_is_the_shortest_row_near_cat(E, page, tok):
    near = page.nearest[1:]
    assert E[near].norm(dim=1).argmin() == near.tolist().index(tok.vocab["[MASK]"])
