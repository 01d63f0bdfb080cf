"""What the chapter on learning tells: the small model's run, the ages of book-gpt, and what its stories are worth."""

import copy
import math
from dataclasses import replace

import pytest
import torch

from tutorial_lib.gpt import GPT
from tutorial_lib.texts.checked import check
from tutorial_lib.texts.generated import stories
from tutorial_lib.tokenization.bpe import BPE
from tutorial_lib.training import Settings, evaluate_next_tokens_of, next_tokens_of, train
from tutorial_lib.training.judge import baselines, losses_by_kind, sample
from tutorial_lib.training.recipes import RECIPES

pytestmark = pytest.mark.usefixtures("one_thread")
RECIPE = RECIPES["book-gpt-small"]


@pytest.fixture(scope="module")
def ready():
    return RECIPE.prepare()


@pytest.fixture(scope="module")
def counted(ready):
    return baselines(ready.text, ready.held_out, len(ready.tokenizer))


@pytest.fixture(scope="module")
def run(ready, one_thread_for_a_file):
    """The small model, trained in one go, and its curve."""
    model = copy.deepcopy(ready.model)
    return model, train(model, ready.loss, RECIPE.settings, evaluate=ready.evaluate)


@pytest.fixture(scope="module")
def big_tok():
    return BPE.from_pretrained("book-gpt")


@pytest.fixture(scope="module")
def ages(big_tok):
    names = {step: f"book-gpt-{step}" for step in RECIPES["book-gpt"].kept} | {1600: "book-gpt"}
    loaded = {step: GPT.from_pretrained(name, device="cpu") for step, name in names.items()}
    return {0: RECIPES["book-gpt"].new_model(len(big_tok))} | loaded


def names_of(story):
    return {word.text for word in story.words if word.pos == "name"}


def test_a_story_has_75_tokens_and_one_more_answer(ready):
    assert sum(map(len, ready.text)) / len(ready.text) - 2 == pytest.approx(75, abs=0.5)  # its start and its end


def test_an_untrained_model_knows_nothing_and_counting_is_worth_176_and_16(ready, counted):
    assert len(ready.text) == 3000 and len(ready.tokenizer) == 1499
    assert ready.evaluate(ready.model) == pytest.approx(math.log(1499), abs=0.1)
    assert math.exp(counted["unigram"]) == pytest.approx(176, abs=1)
    assert math.exp(counted["bigram"]) == pytest.approx(16, abs=0.5)


@pytest.mark.long
def test_the_small_model_passes_the_bigrams_after_some_80_steps_and_goes_on(run, counted):
    _, curve = run
    crossed = next(step for step, loss in curve["evaluated"] if loss < counted["bigram"])
    assert 60 <= crossed <= 120
    assert curve["evaluated"][-1] == [500, pytest.approx(1.3, abs=0.06)]
    unigrams = next(step for step, loss in enumerate(curve["loss"], 1) if loss < counted["unigram"])
    assert 8 < unigrams < 25
    assert counted["bigram"] == pytest.approx(2.8, abs=0.05) and counted["unigram"] == pytest.approx(5.2, abs=0.05)
    rates = [RECIPE.settings.rate(step) for step in (29, 499)]  # the highest is that of step 30
    assert rates == pytest.approx([0.012, 0.0012], rel=0.01) and RECIPE.settings.warmup == 30


def test_long_steps_at_once_end_near_the_unigrams(ready, counted):
    plan = replace(RECIPE.settings, lr=0.12, warmup=0)
    losses = train(copy.deepcopy(ready.model), ready.loss, plan, until=40)["loss"]
    assert losses[4] > losses[0] + 0.5 and abs(losses[-1] - counted["unigram"]) < 0.5


@pytest.mark.long
def test_the_larger_one_learns_to_take_a_name_from_the_story_and_the_small_one_does_not(run, ready, ages, big_tok):
    told = stories(60, seed=1)
    costs = {age: losses_by_kind(model, big_tok, told) for age, model in ages.items()}
    small = losses_by_kind(run[0], ready.tokenizer, told)
    last = costs[1600]
    order = ["full stops", "verbs", "names told before", "new names"]
    assert sorted(order, key=last.get) == order
    assert last["names told before"] == pytest.approx(0.85, abs=0.05) and last["full stops"] < 0.1
    assert all(cost["names told before"] > cost["new names"] - 0.2 for cost in (costs[20], costs[100], small))
    assert small["names told before"] > 3.45  # no better than a lot
    lines = {kind: [costs[age][kind] for age in (20, 100, 400, 1600)] for kind in last}
    assert lines["names told before"] == pytest.approx([6.9, 4.4, 2.4, 0.85], abs=0.05)
    assert lines["full stops"] == pytest.approx([2.0, 0.7, 0.2, 0.05], abs=0.05)
    for kind in ("verbs", "nouns", "pronouns"):
        assert min(abs(lines[kind][0] - start) for start in (5.5, 7)) < 0.1
        assert last[kind] == pytest.approx(0.75, abs=0.03)
    assert last["new names"] == pytest.approx(3.6, abs=0.05)


def test_a_new_name_costs_the_lot_and_of_friends_a_little_less():
    """32 names, each told once; friends stand in the order of the alphabet, which tells at most log 2 a pair."""
    told = stories(60, seed=1)
    lots = [math.log(32 - i) for story in told for i in range(len(names_of(story)))]
    assert sum(lots) / len(lots) == pytest.approx(3.45, abs=0.005)
    pairs = [story for story in told if story.words[1].text == "and"]
    assert len(pairs) * math.log(2) / len(lots) == pytest.approx(0.10, abs=0.005)
    some = stories(2000)
    assert len(set().union(*map(names_of, some))) == 32
    friends = [story.words for story in some if "friends" in story.sentences[0] and story.words[1].text == "and"]
    assert len(friends) > 200 and all(words[0].text < words[2].text for words in friends)


def test_four_rows_of_the_map_look_at_jack_and_omar(ages, big_tok):
    text = "Jack and Omar like long stories. Omar is sick and lies in bed. Jack wants to see"
    encoding = big_tok.encode("<|endoftext|>" + text)
    tokens = [token.removeprefix("Ġ") for token in encoding.tokens]
    assert len(tokens) == 20
    looks = {}
    for age in (0, 1600):
        weights = ages[age].trace([encoding.ids])["layer.0.attention.weights"][0, 3]
        looks[age] = sum(weights[:, j] for j, token in enumerate(tokens) if token in ("Jack", "Omar"))
    bright = [i for i in range(2, 20) if looks[1600][i] > 0.5]  # before, there is little else to look at
    assert [tokens[i] for i in bright] == [".", "and", ".", "see"] and bright[1] == 11  # the second "and"
    assert looks[0][4:].max() < 0.5


def test_one_head_looks_at_the_name_that_comes_next(ages, big_tok):
    """40 % of its attention on average; 6 % before training, and if all tokens were alike."""
    found = {0: [], 1600: []}
    for story in stories(60, seed=1):
        encoding = big_tok.encode("<|endoftext|>" + story.text)
        word = story.word_of(encoding.tokens)
        name = [w is not None and story.words[w].pos == "name" and story.words[w].text for w in word]
        asked = [(place, [j for j in range(place) if name[place] and name[j] == name[place]])
                 for place in range(1, len(name)) if word[place] != word[place - 1]]  # fmt: skip
        for age, looks in found.items():
            trace = ages[age].trace([encoding.ids])
            W = torch.cat([trace[f"layer.{i}.attention.weights"][0] for i in range(4)])
            looks += [W[:, place - 1, same].sum(-1) for place, same in asked if same]
    before, after = (torch.stack(looks).mean(0) for looks in found.values())
    assert after.argmax() == 3 and after[3] == pytest.approx(0.40, abs=0.02)
    assert before[3] == pytest.approx(0.06, abs=0.01) and after.median() < 0.1


def test_the_kite_is_expected_only_at_the_end(ages, big_tok):
    ids = big_tok.encode("<|endoftext|>Mia had a kite. She lost it in the park. Leo found the").ids
    p = {age: model(ids)[0][0, -1].softmax(-1)[big_tok.vocab["Ġkite"]].item() for age, model in ages.items()}
    assert p[100] < 0.05 < p[400] < 0.3 < p[1600]


def test_five_of_six_sentences_are_right_and_half_of_the_stories(ages, big_tok):
    verdicts = [check(text) for text in sample(ages[1600], big_tok, n=200, temperature=0.7)]
    sentences = [one.grammatical and one.consistent for verdict in verdicts for one in verdict.sentences]
    good = sum(verdict.grammatical and verdict.consistent for verdict in verdicts) / 200
    assert good == pytest.approx(0.52, abs=0.1) and sum(sentences) / len(sentences) == pytest.approx(0.83, abs=0.04)
    assert 8 < len(sentences) / 200 < 9  # eight or nine of them


# Exercises


def test_cold_stories_are_better_and_more_alike_than_hot_ones(ages, big_tok):
    good, varied = {}, {}
    for T in (0.3, 1.5):
        texts = sample(ages[1600], big_tok, n=60, temperature=T)
        verdicts = [check(text) for text in texts]
        good[T] = sum(verdict.grammatical and verdict.consistent for verdict in verdicts) / 60
        words = [text.split() for text in texts]
        groups = [tuple(one[i : i + 5]) for one in words for i in range(len(one) - 4)]
        varied[T] = len(set(groups)) / len(groups)
    assert good[0.3] == pytest.approx(0.75, abs=0.1) and good[1.5] < 0.05
    assert varied[0.3] == pytest.approx(0.8, abs=0.04) and varied[1.5] > 0.95
    assert varied[1.5] > varied[0.3] + 0.1


@pytest.mark.long
def test_twenty_stories_are_learned_by_heart(ready):
    torch.manual_seed(0)
    curve = train(GPT(ready.model.config), next_tokens_of(ready.text[:20], 16),
                  Settings(100, lr=6e-3, warmup=20, evaluate_every=25), evaluate=ready.evaluate)  # fmt: skip
    evaluated = [loss for _, loss in curve["evaluated"]]
    assert curve["loss"][-1] < 0.5 and evaluated[-1] > min(evaluated) + 0.5


@pytest.mark.long
def test_words_in_disorder_cost_more_than_knowing_nothing(run, ready, counted):
    generator, mixed = torch.Generator().manual_seed(0), []
    for text in ready.held_out:
        order = 1 + torch.randperm(len(text) - 2, generator=generator)
        mixed.append([text[0], *(text[i] for i in order), text[-1]])
    assert evaluate_next_tokens_of(run[0], mixed) > math.log(1499) + 2 > counted["unigram"] + 2


def test_the_exercise_with_pencil_and_paper():
    loss = -(9 * math.log(0.9) + math.log(0.0001)) / 10
    assert loss == pytest.approx(1.016, abs=0.0005) and math.exp(loss) == pytest.approx(2.76, abs=0.005)
