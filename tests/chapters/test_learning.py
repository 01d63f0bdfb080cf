"""What the chapter on learning tells: the small model's run, the ages of book-gpt, and what its stories are worth."""

import math

import pytest

from tutorial_lib.gpt import GPT
from tutorial_lib.texts.generated import stories

pytestmark = pytest.mark.usefixtures("one_thread")


def test_a_story_has_75_tokens_and_one_more_answer(page):
    assert page.n_tokens / page.n_stories - 2 == pytest.approx(75, abs=0.5)  # its start and its end


def test_an_untrained_model_knows_nothing_and_counting_is_worth_176_and_16(page):
    assert page.n_stories == 3000 and len(page.tok) == 1499
    assert page.before == pytest.approx(7.36, abs=0.005) and math.log(1499) == pytest.approx(7.31, abs=0.005)
    assert list(page.levels.values()) == pytest.approx([7.31, 5.17, 2.78], abs=0.006)
    assert math.exp(page.counted["unigram"]) == pytest.approx(176, abs=1)
    assert math.exp(page.counted["bigram"]) == pytest.approx(16, abs=0.5)


def test_the_first_six_questions_of_the_story(page):
    assert page.names == ["Grandpa", "and", "Tom", "were", "the", "best"]


def test_at_first_each_token_is_a_surprise_and_later_what_stands_together_is_not(page):
    young, older = page.paid.values()
    assert 6.65 < min(young) and max(young) < 9.05
    assert [sum(each) / 8 for each in (young, older)] == pytest.approx([7.8, 1.2], abs=0.05)
    words = [token.replace("Ġ", "") for token in page.read.tokens[1:]]
    assert len(words) == 8 and words[4:7] == ["the", "best", "friends"] and max(older[4:7]) < 0.35
    assert all(3 < older[i] < 4 for i, word in enumerate(words) if word in ("Grandpa", "Tom"))


def test_a_gradient_step_pushes_the_right_token_up_and_the_others_down_by_their_p(page):
    ids = page.big_tok.encode("<|endoftext|>Mia had a red ball. She took the bus to the").ids
    before = GPT.from_pretrained("book-gpt-100", "cpu")([ids])[0][0, -1].softmax(-1)  # the page's p is another by now
    p, p_after = before[page.likeliest].tolist(), page.p_after[page.likeliest].tolist()
    names = [page.big_tok.tokens[id].replace("Ġ", "") for id in page.likeliest]
    assert names == ["pond", "river", "spring", "lake", "park", "hill"]
    assert p == pytest.approx([0.09, 0.07, 0.07, 0.07, 0.05, 0.02], abs=0.006)
    assert 1 - p[5] == pytest.approx(0.98, abs=0.005) and p_after[5] == pytest.approx(0.06, abs=0.005)
    assert p_after[:5] == pytest.approx(p[:5], abs=0.02) and p_after[2] > p[2] + 0.01  # spring rises
    assert len(before) == 1500 and before.sum().item() - p[5] == pytest.approx(1 - p[5], abs=1e-5)


def test_what_comes_next_at_each_age(page):
    words, p = zip(*page.panels.values(), strict=True)
    assert max(p[0]) < 0.01 and words[1][:4] == [".", "and", "to", "the"] and p[1][0] == pytest.approx(0.06, abs=0.005)
    assert words[2] == ["well", "bus", "river", "bat", "bank"] and p[2] == pytest.approx([0.035] * 5, abs=0.01)
    assert words[3][0] == words[4][0] == "kite" and [p[3][0], p[4][0]] == pytest.approx([0.16, 0.53], abs=0.01)
    assert words[4][1:3] == ["red", "ring"] and p[4][1] < 0.1


def test_the_small_model_passes_the_bigrams_after_some_80_steps_and_goes_on(page):
    curve, counted, settings = page.curve, page.counted, page.recipe.settings
    assert page.crossed == 80  # the caption of the curve
    assert curve["evaluated"][-1] == [500, pytest.approx(1.3, abs=0.06)]
    unigrams = next(step for step, loss in enumerate(curve["loss"], 1) if loss < counted["unigram"])
    assert 8 < unigrams < 25
    assert counted["bigram"] == pytest.approx(2.8, abs=0.05) and counted["unigram"] == pytest.approx(5.2, abs=0.05)
    rates = [settings.rate(step) for step in (29, 499)]  # the highest is that of step 30
    assert rates == pytest.approx([0.012, 0.0012], rel=0.01) and settings.warmup == 30


def test_long_steps_at_once_end_near_the_unigrams(page):
    losses = page.early["ten times as fast, no warmup"]
    assert max(losses) == losses[3] == pytest.approx(10.6, abs=0.1)  # the alternative text
    assert all(abs(loss - 5.25) < 0.15 for loss in losses[12:])
    assert page.early["as planned"][-1] == pytest.approx(3.3, abs=0.05)
    assert losses[4] > losses[0] + 0.5 and abs(losses[-1] - page.counted["unigram"]) < 0.5


def test_the_run_goes_on_where_it_was_left(page):
    assert page.same


def test_the_larger_one_learns_to_take_a_name_from_the_story_and_the_small_one_does_not(page):
    costs, small, last = page.costs, page.small_costs, page.last
    order = ["full stops", "verbs", "names told before", "new names"]
    assert sorted(order, key=last.get) == order
    assert last["names told before"] == pytest.approx(0.85, abs=0.05) and last["full stops"] < 0.1
    assert all(cost["names told before"] > cost["new names"] - 0.2 for cost in (costs[20], costs[100], small))
    assert small["names told before"] > 3.45  # no better than a lot
    assert small["names told before"] == pytest.approx(4.1, abs=0.05) and small["full stops"] < 0.15
    assert small["new names"] == pytest.approx(3.6, abs=0.05)
    others = [small[kind] for kind in ("verbs", "nouns", "pronouns")]
    assert [min(others), max(others)] == pytest.approx([1.2, 1.6], abs=0.05)
    lines = {kind: [costs[age][kind] for age in (20, 100, 400, 1600)] for kind in last}
    assert lines["names told before"] == pytest.approx([6.9, 4.4, 2.4, 0.85], abs=0.05)
    assert lines["full stops"] == pytest.approx([2.0, 0.7, 0.2, 0.05], abs=0.05)
    for kind in ("verbs", "nouns", "pronouns"):
        assert min(abs(lines[kind][0] - start) for start in (5.5, 7)) < 0.1
        assert last[kind] == pytest.approx(0.75, abs=0.03)
    assert last["new names"] == pytest.approx(3.6, abs=0.05)


def test_a_new_name_costs_the_lot_and_of_friends_a_little_less(page):
    assert sum(page.lots) / len(page.lots) == pytest.approx(3.45, abs=0.005)
    assert page.pairs * math.log(2) / len(page.lots) == pytest.approx(0.10, abs=0.005)  # 3.35 at the least


def test_there_are_32_names_and_friends_stand_in_the_order_of_the_alphabet():
    some = stories(2000)
    assert len({word.text for story in some for word in story.words if word.pos == "name"}) == 32
    friends = [story.words for story in some if "friends" in story.sentences[0] and story.words[1].text == "and"]
    assert len(friends) > 200 and all(words[0].text < words[2].text for words in friends)


def test_four_rows_of_the_map_look_at_jack_and_omar(page):
    tokens = [token.removeprefix("Ġ") for token in page.maps["after"][1]]
    assert len(tokens) == 20
    at_names = [token in ("Jack", "Omar") for token in tokens]
    before, after = (weights[page.best][:, at_names].sum(1) for weights, _ in page.maps.values())
    bright = [i for i in range(2, 20) if after[i] > 0.5]  # before, there is little else to look at
    assert [tokens[i] for i in bright] == [".", "and", ".", "see"] and bright[1] == 11  # the second "and"
    assert before[4:].max() < 0.5


def test_one_head_looks_at_the_name_that_comes_next(page):
    """40 % of its attention on average, and two others a third; 6 % before training, and if all tokens were alike."""
    assert page.best == 3 and page.to_name[[3, 8, 15]].tolist() == pytest.approx([0.40, 0.33, 0.36], abs=0.01)
    assert page.to_name_before.tolist() == pytest.approx([0.06] * 16, abs=0.01)
    assert page.chance == pytest.approx(0.06, abs=0.01)
    rest = page.to_name.sort().values[:13]
    assert (rest > 0.105).sum() == 3 and rest.max() < 0.135 and rest[9] < 0.065


def test_the_kite_is_expected_only_at_the_end(page, book_gpt):
    ages = {age: GPT.from_pretrained(f"book-gpt-{age}", "cpu") for age in (100, 400)} | {1600: book_gpt}
    kite = page.big_tok.vocab["Ġkite"]
    prompt = page.big_tok.encode("<|endoftext|>Mia had a kite. She lost it in the park. Leo found the").ids
    p = {age: model(prompt)[0][0, -1].softmax(-1)[kite].item() for age, model in ages.items()}
    assert p[100] < 0.05 < p[400] < 0.3 < p[1600]


def test_the_first_faulty_story_sounds_right(page):
    judged = page.verdicts[0.7][page.faulty].sentences
    wrong = [one for one in judged if one.why]
    assert len(judged) == 8 and [one.text.split(",")[0] for one in wrong] == [
        "Paul and Jack needed help",
        "Paul and Paul held it in both arms and walked to the farm.",
    ]
    assert [one.why for one in wrong] == [("Paul is already at the hill",), ("fits no form",)]


def test_the_shares_of_good_stories(page):
    shares = [[found[0] if isinstance(found, tuple) else found for found in each.values()]
              for each in page.measures.values()]  # fmt: skip
    expected = [[0.44, 0.69, 0.16], [0.23, 0.53, 0], [0.21, 0.52, 0], [0.71, 0.83, 0.31]]
    for found, told in zip(shares, expected, strict=True):
        assert found == pytest.approx(told, abs=0.01)
    assert all(low <= share <= high for share, low, high in page.measures["both"].values())


def test_five_of_six_sentences_are_right_and_half_of_the_stories(page):
    verdicts = page.verdicts[0.7]
    *_, good, sentences = page.shares(verdicts)
    assert good == pytest.approx(0.52, abs=0.1) and sentences == pytest.approx(0.83, abs=0.04)
    assert 8 < sum(len(verdict.sentences) for verdict in verdicts) / 200 < 9  # eight or nine of them


# Exercises


def test_cold_stories_are_better_and_more_alike_than_hot_ones(page):
    assert page.good[0.3] == pytest.approx(0.75, abs=0.1) and page.good[1.5] < 0.05
    assert page.varied[0.3] == pytest.approx(0.8, abs=0.04) and page.varied[1.5] > 0.95
    assert page.varied[1.5] > page.varied[0.3] + 0.1


def test_twenty_stories_are_learned_by_heart(page):
    evaluated = [loss for _, loss in page.seen["evaluated"]]
    assert page.seen["loss"][-1] < 0.5 and evaluated[-1] > min(evaluated) + 0.5


def test_words_in_disorder_cost_more_than_knowing_nothing(page):
    assert page.loss_in_disorder > math.log(1499) + 2 > page.counted["unigram"] + 2


def test_the_exercise_with_pencil_and_paper():
    loss = -(9 * math.log(0.9) + math.log(0.0001)) / 10
    assert loss == pytest.approx(1.016, abs=0.0005) and math.exp(loss) == pytest.approx(2.76, abs=0.005)
