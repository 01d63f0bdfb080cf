"""A student begins as half of its teacher and learns from its answers."""

import pytest
import torch

from tutorial_lib.bert import Bert, Config, initialize
from tutorial_lib.tokenization import WordPiece
from tutorial_lib.training import Settings, hidden_tokens, train
from tutorial_lib.training.distillation import distilled, halved, soft_loss
from tutorial_lib.training.pretraining import make_pair, mask_tokens

DOCUMENTS = [["The bear sat.", "The bear ran.", "It slept."], ["Tom had a ball.", "Tom lost the ball.", "He cried."]]


@pytest.fixture
def tokenizer():
    return WordPiece.train([sentence for document in DOCUMENTS for sentence in document], 60)


@pytest.fixture
def teacher(tokenizer):
    torch.manual_seed(0)
    shape = dict(d_model=12, n_layers=5, n_heads=3, d_ff=20, n_positions=32)
    return initialize(Bert(Config(vocab_size=len(tokenizer), **shape), mlm=True, nsp=True), std=0.3)


def test_student_copies_every_second_layer_without_segments(teacher):
    student = halved(teacher)
    assert student.config.n_layers == 3 and student.embeddings.segments is student.pooler is student.nsp is None
    for ours, theirs in zip(student.layer, (teacher.layer[i] for i in (0, 2, 4)), strict=True):
        for a, b in zip(ours.parameters(), theirs.parameters(), strict=True):
            assert torch.equal(a, b) and a is not b  # a copy: training it does not change the teacher
    assert torch.equal(student.embeddings.tokens.weight, teacher.embeddings.tokens.weight)
    assert student.mlm.decoder.weight is student.embeddings.tokens.weight
    assert torch.equal(student.mlm.W.weight, teacher.mlm.W.weight)


def test_student_equals_teachers_layers_if_segments_are_zero():
    torch.manual_seed(0)
    shape = dict(vocab_size=30, d_model=8, n_heads=2, d_ff=16, n_positions=8)
    teacher = initialize(Bert(Config(**shape, n_layers=2), mlm=True), std=0.3)
    with torch.no_grad():
        teacher.embeddings.segments.weight.zero_()
    student = halved(teacher)
    with torch.no_grad():
        ids = torch.tensor([[3, 4, 5]])
        expected = teacher.layer[0](teacher.embeddings(ids, torch.zeros_like(ids)))
        assert torch.allclose(student(ids), expected)


def test_a_teacher_needs_a_head():
    with pytest.raises(ValueError, match="teacher must have an MLM head"):
        halved(Bert(Config(vocab_size=30, d_model=8, n_layers=2, n_heads=2, d_ff=16)))


def test_soft_loss_is_divergence_times_squared_temperature():
    generator = torch.Generator().manual_seed(0)
    student, teacher = torch.randn(2, 7, 20, generator=generator, dtype=torch.float64)
    p, q = torch.softmax(teacher / 3, -1), torch.softmax(student / 3, -1)
    assert torch.allclose(soft_loss(student, teacher, 3), 9 * (p * (p / q).log()).sum(-1).mean())
    assert soft_loss(teacher, teacher, 3).abs() < 1e-12 < soft_loss(student, teacher, 3)
    sizes = []
    for T in (100.0, 1_000.0):  # at high temperatures the gradient no longer depends on T
        z = student.clone().requires_grad_()
        soft_loss(z, teacher, T).backward()
        sizes.append(z.grad.norm())
    assert torch.allclose(*sizes, rtol=0.05)


def test_soft_0_gives_the_loss_of_hidden_tokens(teacher, tokenizer):
    student = halved(teacher)
    loss = distilled(DOCUMENTS, tokenizer, teacher, 32, 8, soft=0.0, rate=0.3)(
        student, torch.Generator().manual_seed(1)
    )
    plain = Bert(student.config, mlm=True, nsp=True)
    plain.load_state_dict(student.state_dict(), strict=False)
    both = hidden_tokens(DOCUMENTS, tokenizer, 32, 8, rate=0.3)
    torch.nn.init.zeros_(plain.nsp.weight)
    torch.nn.init.zeros_(plain.nsp.bias)  # so that pairs cost log 2
    segments_of = plain.forward
    plain.forward = lambda ids, mask, segments, fused: segments_of(ids, mask, fused=fused)
    expected = both(plain, torch.Generator().manual_seed(1)) - torch.log(torch.tensor(2.0))
    assert torch.allclose(loss, expected, atol=1e-5)


@torch.no_grad()
def test_soft_1_gives_divergence_from_the_teachers_answers(teacher, tokenizer):
    """Written out: weighted by the teacher's probabilities, which depend on the segments, and scaled by T²."""
    student, T = initialize(halved(teacher), std=0.5), 3.0
    loss = distilled(DOCUMENTS, tokenizer, teacher, 32, 8, T=T, rate=0.3)(student, torch.Generator().manual_seed(4))
    generator = torch.Generator().manual_seed(4)
    pairs = [make_pair(DOCUMENTS, generator) for _ in range(8)]
    batch = tokenizer.batch([pair.first for pair in pairs], [pair.second for pair in pairs], max_length=32)
    inputs, labels = mask_tokens(batch.ids, tokenizer, generator, rate=0.3)
    p = (teacher.trace(inputs, batch.attention_mask, batch.token_type_ids)["mlm.logits"] / T).softmax(-1)
    q = (student.trace(inputs, batch.attention_mask)["mlm.logits"] / T).softmax(-1)
    expected = (T**2 * p * (p / q).log()).sum(-1)[labels >= 0].mean()
    assert torch.allclose(loss, expected, rtol=1e-4)


def test_loss_weighs_both_and_trains_only_the_student(teacher, tokenizer):
    student, before = halved(teacher), [p.clone() for p in teacher.parameters()]

    def loss(soft):
        return distilled(DOCUMENTS, tokenizer, teacher, 32, 8, soft, rate=0.3)(
            student, torch.Generator().manual_seed(2)
        )

    assert torch.allclose(loss(0.25), 0.25 * loss(1.0) + 0.75 * loss(0.0))
    loss(1.0).backward()
    assert all(p.grad is None for p in teacher.parameters())
    train(student, distilled(DOCUMENTS, tokenizer, teacher, 32, 8, rate=0.3), Settings(2))
    assert all(torch.equal(a, b) for a, b in zip(before, teacher.parameters(), strict=True))


def test_a_student_learns_what_its_teacher_says(teacher, tokenizer):
    student = halved(teacher)
    loss = distilled(DOCUMENTS, tokenizer, teacher, 32, 16, rate=0.3)
    curve = train(student, loss, Settings(60, lr=1e-2, warmup=5))["loss"]
    assert sum(curve[-5:]) < 0.6 * sum(curve[:5])
