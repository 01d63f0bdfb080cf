"""What the chapter on BERT's family (row 26) tells, pinned: in bounds that another processor keeps, too."""

from dataclasses import replace

import pytest
import torch

from tutorial_book.experiments.cost import operations, saved_bytes
from tutorial_lib.bert import Bert, Config, initialize
from tutorial_lib.parity import difference
from tutorial_lib.training import Settings, train
from tutorial_lib.training.distillation import distilled, halved

FILES = {  # what the four config.json say (google-bert, distilbert, FacebookAI, albert on the hub)
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


def evaluated(page, model):
    with torch.no_grad():
        return page.held_out(model.eval())


def test_the_four_configurations_are_those_of_the_published_files(page):
    assert {name: Config.from_hf(file) for name, file in FILES.items()} == page.family


def test_parameters_in_all_and_where_they_are(page):
    sizes = page.total
    assert sizes == {"BERT": 109_482_240, "DistilBERT": 66_362_880, "RoBERTa": 124_645_632, "ALBERT": 11_683_584}
    assert 100 * sizes["ALBERT"] / sizes["BERT"] == pytest.approx(10.7, abs=0.05)
    unshared = sum(page.in_parts(page.unshared).values())
    assert 100 * unshared / sizes["BERT"] == pytest.approx(81.9, abs=0.05)
    albert, bert = page.albert, page.bert
    assert albert.layer[0] is albert.layer[11]
    assert len(list(albert.layer.parameters())) == 16 and len(list(bert.layer.parameters())) == 192
    assert len(page.models["RoBERTa"].embeddings.positions.weight) == 514


def test_albert_may_have_eight_different_layers_before_it_is_larger_than_distilbert(page):
    sizes = {n: sum(parts.values()) for n, parts in page.partly.items()}
    layer = sum(p.numel() for p in page.albert.layer[0].parameters())
    assert sizes == {n: sizes[1] + (n - 1) * layer for n in sizes}
    assert sizes[8] < page.total["DistilBERT"] < sizes[9] and sizes[12] < page.total["BERT"]


def test_a_narrow_table_saves_up_to_a_width_of_749(page):
    assert page.whole / (page.vocab_size + page.d_model) == pytest.approx(749, abs=0.5)
    with torch.device("meta"):
        whole = Bert(replace(page.family["ALBERT"], d_embedding=None))
    assert page.albert.embeddings.tokens.weight.numel() == 3_840_000
    assert whole.embeddings.tokens.weight.numel() == page.whole == 23_040_000
    assert page.factors == 3_938_304


def test_sharing_saves_no_work(page):
    assert page.work["BERT"] == 12 * sum(operations(128, 768))
    assert page.work["ALBERT"] == page.work["BERT"] + 128 * 128 * 768  # one matrix more, behind its tables


def test_sharing_saves_nothing_of_what_is_kept_for_a_backward_pass():
    small, kept = Config(vocab_size=50, d_model=48, n_layers=6, n_heads=4, d_ff=96, n_positions=64), []
    for n_different in (6, 1):
        model = Bert(replace(small, n_different=n_different))
        kept.append(saved_bytes(lambda: model(torch.ones(1, 64, dtype=torch.long)), model.parameters()))  # noqa: B023
    assert kept[0] == kept[1] > 6 * 4 * 64 * 48


def test_padding_in_front_moves_bert_and_not_roberta(page):
    of_bert, of_roberta = page.moved["BERT"], page.moved["RoBERTa"]
    assert of_bert["padding behind"].is_rounding and of_roberta["padding behind"].is_rounding
    assert not of_bert["padding in front"].is_rounding and of_roberta["padding in front"].is_rounding


def test_what_the_two_tokenizers_make_of_the_page_s_texts(page):
    tok, roberta = page.tok, page.roberta
    assert len(roberta.tokenize("🐻")) == 4 and "[UNK]" in tok.tokenize("GRANDPA had a 🐻.")
    assert "grandpa" in tok.tokenize("GRANDPA had") and "grandpa" not in roberta.tokenize("GRANDPA had")
    pair = page.both["RoBERTa"]
    assert pair.tokens.count("</s>") == 3 and set(pair.token_type_ids) == {0}


def test_the_teacher_s_answers_are_worth_a_tenth_of_a_nat_more_than_the_text_s(page):
    loss = {name: cost.mean().item() for name, cost in page.cost_of.items()}
    of_text, of_teacher = (loss[f"half of the teacher, the {whose} answers"] for whose in ("text's", "teacher's"))
    assert loss["the teacher"] == pytest.approx(1.52, abs=0.02)
    assert loss["half of the teacher, no training"] == pytest.approx(2.49, abs=0.02)
    assert 1.7 < of_teacher < of_text < 2.1
    assert of_text - of_teacher == pytest.approx(0.11, abs=0.04)


def taught(page, seed=0, **answers):
    """The loss of a student after the page's steps, with other answers or with another seed."""
    student = halved(page.teacher)
    loss = distilled(page.told, page.tok, page.teacher, 64, 24, rate=0.3, **answers)
    train(student, loss, Settings(48, lr=1.5e-3, warmup=8, seed=seed))
    return evaluated(page, student)


@pytest.mark.long
def test_half_of_each_is_nearer_to_the_teacher_s_answers_with_another_seed_too(page):
    for seed in (0, 1):
        of_text, half, of_teacher = (taught(page, seed, soft=soft) for soft in (0.0, 0.5, 1.0))
        assert 1.7 < of_teacher < half < of_text < 2.1
        assert of_text - of_teacher == pytest.approx(0.11, abs=0.04)
        assert half - of_teacher < 0.5 * (of_text - of_teacher)


@pytest.mark.long
def test_exercise_5_other_temperatures_end_near(page):
    ends = [taught(page, T=T) for T in (1.0, 2.0, 4.0)]
    assert max(abs(end - ends[1]) for end in ends) < 0.03


def test_random_weights_learn_next_to_nothing_in_so_few_steps(page):
    losses = [loss for _, loss in page.curves["random weights, the teacher's answers"]]
    assert losses[0] == pytest.approx(7.3, abs=0.2) and losses[-1] > 4


# --- Exercises -----------------------------------------------------------------------------------------------------


def test_exercise_1_the_widest_albert(page):
    shared, different = page.widest
    assert shared / 1e6 == pytest.approx(223, abs=0.5) and different / 1e9 == pytest.approx(2.56, abs=0.01)


def test_exercise_2_the_gradient_of_a_shared_matrix_is_the_sum_over_its_uses():
    torch.manual_seed(0)
    tiny = Config(vocab_size=20, d_model=8, n_layers=2, n_heads=2, d_ff=16, n_different=1)
    one = initialize(Bert(tiny), std=0.3).double()
    two = Bert(replace(tiny, n_different=2)).double()
    two.load_state_dict(one.state_dict())
    for model in (one, two):
        model([[3, 4, 5]]).square().mul(torch.arange(8)).sum().backward()
    for name, parameter in one.layer[0].named_parameters():
        uses = sum(dict(layer.named_parameters())[name].grad for layer in two.layer)
        assert difference(parameter.grad, uses).is_rounding


def test_exercise_3_without_layer_0_the_student_cannot_read(page):
    loss = page.of_kept
    assert sorted(loss, key=loss.get)[:3] == [(0, 3), (0, 2), (0, 1)]
    assert loss[0, 1] < 3 and min(loss[1, 2], loss[1, 3], loss[2, 3]) > 4.5


def test_exercise_4_cutting_the_first_two_rows_off_gives_berts_count():
    small = Config(vocab_size=50, d_model=24, n_layers=2, n_heads=3, d_ff=48, n_positions=16)
    right = initialize(Bert(replace(small, pad_id=1)), std=0.3)
    wrong = Bert(replace(small, n_positions=18))
    wrong.load_state_dict(right.state_dict())
    with torch.no_grad():
        assert not difference(wrong([[5, 6, 7, 8]]), right([[5, 6, 7, 8]])).is_rounding
        wrong.embeddings.positions.weight = torch.nn.Parameter(right.embeddings.positions.weight[2:])
        assert torch.equal(wrong([[5, 6, 7, 8]]), right([[5, 6, 7, 8]]))
