"""What the chapter on BERT's family (row 26) tells, pinned: in bounds that another processor keeps, too."""

from dataclasses import replace

import pytest
import torch
from torch.nn import functional as F
from torch.utils.flop_counter import FlopCounterMode

from tutorial_book.experiments.cost import operations, saved_bytes
from tutorial_lib.bert import Bert, Config, initialize
from tutorial_lib.parity import difference
from tutorial_lib.texts.generated import stories
from tutorial_lib.tokenization import BPE, RobertaBPE, WordPiece
from tutorial_lib.training import Settings, train
from tutorial_lib.training.distillation import distilled, halved
from tutorial_lib.training.pretraining import make_pair, mask_tokens
from tutorial_lib.training.recipes import parts_of

BASE = Config()
FAMILY = {
    "BERT": BASE,
    "DistilBERT": replace(BASE, n_layers=6, n_segments=0),
    "RoBERTa": replace(BASE, vocab_size=50_265, n_segments=1, pad_id=1, eps=1e-5),
    "ALBERT": replace(BASE, vocab_size=30_000, d_embedding=128, n_different=1, activation="gelu_new"),
}
FILES = {  # what the four config.json say (google-bert, distilbert, FacebookAI, albert on the hub)
    "BERT": {"model_type": "bert", "vocab_size": 30_522, "type_vocab_size": 2, "layer_norm_eps": 1e-12},
    "DistilBERT": {"model_type": "distilbert", "dim": 768, "n_layers": 6, "hidden_dim": 3072, "n_heads": 12},
    "RoBERTa": {"model_type": "roberta", "vocab_size": 50_265, "type_vocab_size": 1, "layer_norm_eps": 1e-5,
                "max_position_embeddings": 514, "pad_token_id": 1},
    "ALBERT": {"model_type": "albert", "vocab_size": 30_000, "embedding_size": 128, "hidden_size": 768,
               "num_attention_heads": 12, "intermediate_size": 3072, "num_hidden_groups": 1},
}  # fmt: skip

pytestmark = pytest.mark.usefixtures("one_thread_for_a_file")


def count(model):
    return sum(number for *_, number in model.parameter_table())


def empty(config, **heads):
    with torch.device("meta"):
        return Bert(config, **heads)


def test_the_four_configurations_are_those_of_the_published_files():
    assert {name: Config.from_hf(file) for name, file in FILES.items()} == FAMILY


def test_parameters_in_all_and_where_they_are():
    sizes = {name: count(empty(config, pooler=name != "DistilBERT")) for name, config in FAMILY.items()}
    assert sizes == {"BERT": 109_482_240, "DistilBERT": 66_362_880, "RoBERTa": 124_645_632, "ALBERT": 11_683_584}
    assert 100 * sizes["ALBERT"] / sizes["BERT"] == pytest.approx(10.7, abs=0.05)
    unshared = count(empty(replace(FAMILY["ALBERT"], n_different=None)))
    assert 100 * unshared / sizes["BERT"] == pytest.approx(81.9, abs=0.05)
    albert = empty(FAMILY["ALBERT"])
    assert albert.layer[0] is albert.layer[11]
    assert len(list(albert.layer.parameters())) == 16
    assert len(list(empty(BASE).layer.parameters())) == 192
    assert len(empty(FAMILY["RoBERTa"]).embeddings.positions.weight) == 514


def test_albert_may_have_eight_different_layers_before_it_is_larger_than_distilbert():
    one = count(empty(FAMILY["ALBERT"]))
    layer = sum(p.numel() for p in empty(FAMILY["ALBERT"]).layer[0].parameters())
    sizes = {n: count(empty(replace(FAMILY["ALBERT"], n_different=n))) for n in (8, 9, 12)}
    assert sizes == {n: one + (n - 1) * layer for n in sizes}
    assert sizes[8] < 66_362_880 < sizes[9] and sizes[12] < 109_482_240


def test_a_narrow_table_saves_up_to_a_width_of_749():
    vocab_size, d = 30_000, 768
    assert vocab_size * d / (vocab_size + d) == pytest.approx(749, abs=0.5)
    albert, whole = FAMILY["ALBERT"], replace(FAMILY["ALBERT"], d_embedding=None)
    tables = [empty(config).embeddings.tokens.weight.numel() for config in (albert, whole)]
    assert tables == [3_840_000, 23_040_000] and 128 * (vocab_size + d) == 3_938_304


def test_sharing_saves_no_work():
    counted = {}
    for name in ("BERT", "ALBERT"):
        model = empty(FAMILY[name])
        with FlopCounterMode(display=False) as counter, torch.no_grad():
            X = model.embeddings(*torch.zeros(2, 1, 128, dtype=torch.long, device="meta"))
            torch.nn.Sequential(*model.layer)(X)
        counted[name] = counter.get_total_flops() // 2
    assert counted["BERT"] == 12 * sum(operations(128, 768))
    assert counted["ALBERT"] == counted["BERT"] + 128 * 128 * 768  # one matrix more, behind its tables


def test_sharing_saves_nothing_of_what_is_kept_for_a_backward_pass():
    small, kept = Config(vocab_size=50, d_model=48, n_layers=6, n_heads=4, d_ff=96, n_positions=64), []
    for n_different in (6, 1):
        model = Bert(replace(small, n_different=n_different))
        kept.append(saved_bytes(lambda: model(torch.ones(1, 64, dtype=torch.long)), model.parameters()))  # noqa: B023
    assert kept[0] == kept[1] > 6 * 4 * 64 * 48


def test_padding_in_front_moves_bert_and_not_roberta():
    small = Config(vocab_size=50, d_model=24, n_layers=2, n_heads=3, d_ff=48, n_positions=16)
    torch.manual_seed(0)
    words, pad = [5, 6, 7, 8], [1, 1, 1]
    for config, moves in ((small, True), (replace(small, pad_id=1), False)):
        model = initialize(Bert(config), std=0.3).eval()
        with torch.no_grad():
            alone = model([words])
            behind = model([words + pad], [[1] * 4 + [0] * 3])[:, :4]
            front = model([pad + words], [[0] * 3 + [1] * 4])[:, 3:]
        assert difference(behind, alone).is_rounding
        assert difference(front, alone).is_rounding != moves


def test_what_the_two_tokenizers_make_of_the_page_s_texts():
    tok, bpe = WordPiece.from_pretrained("book-bert"), BPE.from_pretrained("book-gpt")
    roberta = RobertaBPE([*RobertaBPE.special, *bpe.tokens[1:]], bpe.merges)
    assert len(roberta.tokenize("🐻")) == 4 and "[UNK]" in tok.tokenize("GRANDPA had a 🐻.")
    assert "grandpa" in tok.tokenize("GRANDPA had") and "grandpa" not in roberta.tokenize("GRANDPA had")
    pair = roberta.encode("Tom sat.", "He ran.")
    assert pair.tokens.count("</s>") == 3 and set(pair.token_type_ids) == {0}


@pytest.fixture(scope="module")
def teacher(one_thread_for_a_file):
    return Bert.from_pretrained("book-bert", device="cpu").eval()


@pytest.fixture(scope="module")
def tokenizer():
    return WordPiece.from_pretrained("book-bert")


@pytest.fixture(scope="module")
def held_out(tokenizer):
    """The page's loss of hidden words in new stories."""
    generator = torch.Generator().manual_seed(0)
    others = parts_of(stories(400, seed=1))[0]
    pairs = [make_pair(others, generator) for _ in range(200)]
    batch = tokenizer.batch([p.first for p in pairs], [p.second for p in pairs], max_length=64)
    inputs, labels = mask_tokens(batch.ids, tokenizer, generator, rate=0.3)
    chosen = labels >= 0

    @torch.no_grad()
    def loss(model):
        segments = batch.token_type_ids if model.config.n_segments else None
        X = model(inputs, batch.attention_mask, segments, fused=True)[chosen]
        return F.cross_entropy(model.mlm(X), labels[chosen]).item()

    return loss


@pytest.mark.long
@pytest.mark.parametrize("seed", [0, 1])
def test_the_teacher_s_answers_are_worth_a_tenth_of_a_nat_more_than_the_text_s(teacher, tokenizer, held_out, seed):
    told, ends = parts_of(stories(600))[0], {}
    for soft in (0.0, 0.5, 1.0):
        student = halved(teacher)
        loss = distilled(told, tokenizer, teacher, 64, 24, soft=soft, rate=0.3)
        train(student, loss, Settings(48, lr=1.5e-3, warmup=8, seed=seed))
        ends[soft] = held_out(student.eval())
    assert held_out(teacher) == pytest.approx(1.52, abs=0.02)
    assert held_out(halved(teacher)) == pytest.approx(2.49, abs=0.02)
    assert ends[1.0] < ends[0.5] < ends[0.0] < 2.1 and ends[1.0] > 1.7
    assert ends[0.0] - ends[1.0] == pytest.approx(0.11, abs=0.04)
    assert ends[0.5] - ends[1.0] < 0.5 * (ends[0.0] - ends[1.0])  # nearer to the teacher's answers


@pytest.mark.long
def test_exercise_5_other_temperatures_end_near(teacher, tokenizer, held_out):
    told, ends = parts_of(stories(600))[0], []
    for T in (1.0, 2.0, 4.0):
        student = halved(teacher)
        loss = distilled(told, tokenizer, teacher, 64, 24, T=T, rate=0.3)
        train(student, loss, Settings(48, lr=1.5e-3, warmup=8))
        ends.append(held_out(student.eval()))
    assert max(abs(end - ends[1]) for end in ends) < 0.03


@pytest.mark.long
def test_random_weights_learn_next_to_nothing_in_so_few_steps(teacher, tokenizer, held_out):
    torch.manual_seed(0)
    fresh = initialize(Bert(halved(teacher).config, pooler=False, mlm=True), std=0.06)
    assert held_out(fresh) == pytest.approx(7.3, abs=0.2)
    loss = distilled(parts_of(stories(600))[0], tokenizer, teacher, 64, 24, rate=0.3)
    train(fresh, loss, Settings(48, lr=1.5e-3, warmup=8))
    assert held_out(fresh) > 4


# --- Exercises -----------------------------------------------------------------------------------------------------


def test_exercise_1_the_widest_albert():
    wide = replace(FAMILY["ALBERT"], d_model=4_096, d_ff=16_384, n_heads=64)
    assert count(empty(wide)) / 1e6 == pytest.approx(223, abs=0.5)
    assert count(empty(replace(wide, n_different=None, d_embedding=None))) / 1e9 == pytest.approx(2.56, abs=0.01)


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


def test_exercise_3_without_layer_0_the_student_cannot_read(teacher, held_out):
    found = {}
    for kept in ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)):
        student = halved(teacher)
        for layer, i in zip(student.layer, kept, strict=True):
            layer.load_state_dict(teacher.layer[i].state_dict())
        found[kept] = held_out(student)
    assert sorted(found, key=found.get)[:3] == [(0, 3), (0, 2), (0, 1)]
    assert found[0, 1] < 3 and min(found[1, 2], found[1, 3], found[2, 3]) > 4.5


def test_exercise_4_cutting_the_first_two_rows_off_gives_berts_count():
    small = Config(vocab_size=50, d_model=24, n_layers=2, n_heads=3, d_ff=48, n_positions=16)
    right = initialize(Bert(replace(small, pad_id=1)), std=0.3)
    wrong = Bert(replace(small, n_positions=18))
    wrong.load_state_dict(right.state_dict())
    with torch.no_grad():
        assert not difference(wrong([[5, 6, 7, 8]]), right([[5, 6, 7, 8]])).is_rounding
        wrong.embeddings.positions.weight = torch.nn.Parameter(right.embeddings.positions.weight[2:])
        assert torch.equal(wrong([[5, 6, 7, 8]]), right([[5, 6, 7, 8]]))
