"""What the chapter on learning cannot check itself: the generator's names, other seeds, an exercise with a pencil."""

import math

import pytest
import torch

from tutorial_lib.gpt import GPT, Config
from tutorial_lib.texts.generated import stories
from tutorial_lib.training import Settings, train
from tutorial_lib.training.recipes import spread


def test_stories_have_32_names_and_list_friends_alphabetically():
    some = stories(2000)
    assert len({word.text for story in some for word in story.words if word.pos == "name"}) == 32
    friends = [story.words for story in some if "friends" in story.sentences[0] and story.words[1].text == "and"]
    assert len(friends) > 200 and all(words[0].text < words[2].text for words in friends)


def test_the_exercise_with_pencil_and_paper():
    loss = -(9 * math.log(0.9) + math.log(0.0001)) / 10
    assert loss == pytest.approx(1.016, abs=0.0005) and math.exp(loss) == pytest.approx(2.76, abs=0.005)


@pytest.mark.long
@pytest.mark.parametrize("seed, looks_before", [(0, False), (1, True)])
def test_copying_takes_two_layers_with_other_seeds(seed, looks_before, page):
    left = {}
    for n_layers in (1, 2):
        torch.manual_seed(seed)
        model = spread(GPT(Config(26, 64, n_layers, 2, 256, 32)), 0.06)
        train(model, page.repeats, Settings(2000, lr=3e-3, seed=seed), until=500)
        left[n_layers] = page.repeats(model, torch.Generator().manual_seed(9)).item()
    assert left[1] > 1.3 and left[2] < 0.5
    first = model.trace(page.read_four_times[None])["layer.0.attention.weights"][0]
    on_before = torch.stack([first[:, t, t - 1] for t in range(8, 32)]).mean(0)
    assert on_before.max() > 0.3 if looks_before else on_before.max() < 0.15
