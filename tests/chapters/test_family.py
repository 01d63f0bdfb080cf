"""Statements of the chapter on BERT's family (row 26) that its page cannot check: published files, other trainings."""

from dataclasses import replace

import pytest
import torch

from tutorial_book.experiments.cost import operations
from tutorial_lib.bert import Bert, Config, initialize
from tutorial_lib.parity import difference
from tutorial_lib.training import Settings, train
from tutorial_lib.training.distillation import distilled, halved

FILES = {  # the four published config.json (google-bert, distilbert, FacebookAI, albert on the hub)
    "BERT": {"model_type": "bert", "vocab_size": 30_522, "type_vocab_size": 2, "layer_norm_eps": 1e-12},
    "DistilBERT": {"model_type": "distilbert", "dim": 768, "n_layers": 6, "hidden_dim": 3072, "n_heads": 12},
    "RoBERTa": {"model_type": "roberta", "vocab_size": 50_265, "type_vocab_size": 1, "layer_norm_eps": 1e-5,
                "max_position_embeddings": 514, "pad_token_id": 1},
    "ALBERT": {"model_type": "albert", "vocab_size": 30_000, "embedding_size": 128, "hidden_size": 768,
               "num_attention_heads": 12, "intermediate_size": 3072, "num_hidden_groups": 1},
}  # fmt: skip

pytestmark = pytest.mark.usefixtures("one_thread_for_a_file")


@pytest.fixture(scope="module")
def page(chapter, one_thread_for_a_file):
    return chapter(teacher=Bert.from_pretrained("book-bert", device="cpu").eval())


def test_four_configurations_are_those_of_published_files(page):
    assert {name: Config.from_hf(file) for name, file in FILES.items()} == page.family


def test_parameters_and_multiplications_are_the_known_ones(page):
    sizes = {"BERT": 109_482_240, "DistilBERT": 66_362_880, "RoBERTa": 124_645_632, "ALBERT": 11_683_584}
    assert page.total == sizes and len(page.models["RoBERTa"].embeddings.positions.weight) == 514
    assert page.whole / (page.vocab_size + page.d_model) == pytest.approx(749, abs=0.5)
    assert page.work["BERT"] == 12 * sum(operations(128, 768))
    assert page.work["ALBERT"] == page.work["BERT"] + 128 * 128 * 768  # one matrix more, behind its tables


def taught(page, seed=0, **answers):
    """The loss of a student after the page's steps, with other answers or with another seed."""
    student = halved(page.teacher)
    loss = distilled(page.told, page.tok, page.teacher, 64, 24, rate=0.3, **answers)
    train(student, loss, Settings(48, lr=1.5e-3, warmup=8, seed=seed))
    with torch.no_grad():
        return page.held_out(student.eval())


@pytest.mark.long
def test_half_soft_ends_nearer_to_the_teachers_answers(page):
    for seed in (0, 1):
        of_text, half, of_teacher = (taught(page, seed, soft=soft) for soft in (0.0, 0.5, 1.0))
        assert 1.7 < of_teacher < half < of_text < 2.1
        assert of_text - of_teacher == pytest.approx(0.11, abs=0.04)
        assert half - of_teacher < 0.5 * (of_text - of_teacher)


@pytest.mark.long
def test_exercise_5_other_temperatures_end_near(page):
    ends = [taught(page, T=T) for T in (1.0, 2.0, 4.0)]
    assert max(abs(end - ends[1]) for end in ends) < 0.03


def test_exercise_4_dropping_two_rows_gives_berts_positions():
    small = Config(vocab_size=50, d_model=24, n_layers=2, n_heads=3, d_ff=48, n_positions=16)
    right = initialize(Bert(replace(small, pad_id=1)), std=0.3)
    wrong = Bert(replace(small, n_positions=18))
    wrong.load_state_dict(right.state_dict())
    with torch.no_grad():
        assert not difference(wrong([[5, 6, 7, 8]]), right([[5, 6, 7, 8]])).is_rounding
        wrong.embeddings.positions.weight = torch.nn.Parameter(right.embeddings.positions.weight[2:])
        assert torch.equal(wrong([[5, 6, 7, 8]]), right([[5, 6, 7, 8]]))
