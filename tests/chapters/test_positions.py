"""Statements of the chapter "Positions" beyond the page's own values: the default model, with and without positions."""

import torch


@torch.no_grad()
def test_without_positions_a_trained_bert_only_permutes(chapter, bert):
    page = chapter(bert=bert)
    ids, order = page.ids, page.order
    assert torch.allclose(page.run(ids[order], False), page.run(ids, False)[order], atol=1e-5)
    assert (page.run(ids[order], True) - page.run(ids, True)[order]).abs().max() > 1
    assert torch.allclose(page.run(ids, True), bert(ids[None])[0], atol=1e-5)
