"""What the chapter on the way through the layers (row 34) tells about the default model, pinned."""

import numpy as np
import pytest
import torch

from tutorial_lib.geometry import bootstrap_interval, group_distances, pca, random_walks, step_alignment, steps
from tutorial_lib.texts import load_texts
from tutorial_lib.vectors import embed

CAT, COMPUTER = "The mouse was gone. The cat sat useless.", "The mouse was gone. The computer sat useless."
MOUSE, STOP = 2, 5  # places of tokens


@pytest.fixture(scope="module")
def paths(bert):
    return embed([CAT, COMPUTER], bert, pooling="tokens", layers="all")


def in_picture(X):
    return pca(X.reshape(-1, X.shape[-1])).coordinates.reshape(*X.shape[:2], 2)


def ratio(values):
    """Between over within, layers 1 on; values (words, 2, layers)."""
    return values[:, 1, 1:].mean(0) / values[:, 0, 1:].mean(0)


def test_each_word_is_one_token_and_the_paths_are_hugging_face_s_hidden_states(paths, hf_bert, tok):
    encoding = tok.encode(CAT)
    assert encoding.tokens == "[CLS] the mouse was gone . the cat sat useless . [SEP]".split()
    with torch.no_grad():
        theirs = torch.cat(hf_bert(torch.tensor([encoding.ids]), output_hidden_states=True).hidden_states)
    assert paths[0].shape == (7, 12, 384) and np.abs(paths[0] - theirs.numpy()).max() < 1e-4


def test_steps_have_like_lengths_but_the_last_and_norms_do_not_grow(paths):
    norms, lengths, cosines, radial = steps(paths[0])
    means = lengths.mean(1)
    assert means[:-1] == pytest.approx(5.2, abs=0.6) and means[-1] == pytest.approx(7.98, abs=0.05)
    assert np.median(cosines) == pytest.approx(0.87, abs=0.01) and cosines[-1].mean() == pytest.approx(0.63, abs=0.01)
    growth = np.diff(norms.mean(1))
    assert growth[0] == pytest.approx(2.05, abs=0.05) and np.abs(growth[1:3]).max() < 0.2 and (growth[-2:] < -1.5).all()
    assert radial.mean() < 0.1


def test_norms_come_from_gamma_and_beta_alone(bert, paths):
    for X, norm in zip(paths[0], [bert.embeddings.norm, *(layer.norm for layer in bert.layer)], strict=True):
        z = (X - norm.bias.detach().numpy()) / norm.weight.detach().numpy()
        np.testing.assert_allclose(np.linalg.norm(z, axis=1), 384**0.5, rtol=1e-3)


def test_the_picture_of_one_token_is_that_of_a_random_walk(paths):
    mouse = paths[0][:, MOUSE]
    walks = [pca(random_walks(mouse, seed=seed)).shares.sum() for seed in range(30)]
    assert pca(mouse).shares.sum() == pytest.approx(0.835, abs=0.005)
    assert np.mean(walks) == pytest.approx(0.80, abs=0.02)


def test_a_fifth_in_common_looks_like_nearly_everything(paths):
    start = paths[0][:-1]
    for seed in range(3):
        walks = random_walks(start, shared=0.2, seed=seed)
        assert step_alignment(walks).mean() == pytest.approx(0.2, abs=0.01)
        assert step_alignment(in_picture(walks)).mean() > 0.9
        assert abs(step_alignment(in_picture(random_walks(start, seed=seed))).mean()) < 0.15


def test_the_model_s_tokens_share_more_of_a_step_than_their_picture_shows(paths):
    full, flat = step_alignment(paths[0]), step_alignment(in_picture(paths[0][:-1]))
    assert full[:-1].mean() == pytest.approx(0.26, abs=0.01) and full[-1] == pytest.approx(0.60, abs=0.01)
    assert flat.mean() < 0.2


def test_without_skip_connections_a_layer_s_output_has_nothing_of_its_input_s_direction(bert, paths):
    with torch.no_grad():
        for i, layer in enumerate(bert.layer):
            X = torch.tensor(paths[0][i])
            bare = layer.norm(layer.feed_forward(layer.attention_norm(layer.attention(X)[0])))
            kept, lost = (torch.cosine_similarity(X, Y, dim=1).mean() for Y in (layer(X), bare))
            assert kept > (0.85 if i < 5 else 0.6) and abs(lost) < 0.2


def test_the_two_mice_part_in_the_first_layer_and_by_little(paths):
    A, B = paths
    distances = np.linalg.norm(A - B, axis=2)
    assert distances[0, MOUSE] == 0 and distances[1, MOUSE] > 2 * distances[1, [0, 1, 3, 4, 5]].max()
    cosines = torch.cosine_similarity(torch.tensor(A[:, MOUSE]), torch.tensor(B[:, MOUSE]), dim=1)
    assert cosines.min() > 0.96
    assert distances[5, STOP] > distances[5, MOUSE]


def test_homonyms_follow_their_sense_from_the_first_layer_on_and_more_than_other_tokens(bert, tok):
    gaps = {"homonym": [], "full stop": [], "[CLS]": []}
    for word, senses in load_texts("homonyms").items():
        texts = sum(senses.values(), [])
        vectors = embed(texts, bert, pooling="tokens", layers="all")
        tokens = tok.encode(texts[0]).tokens
        for name, place in zip(gaps, (tokens.index(word), tokens.index("."), 0), strict=True):
            X = np.stack([V[:, place] for V in vectors], axis=1)  # (7, 8, 384)
            gaps[name].append(group_distances(X, np.repeat([0, 1], 4)))

    low, high = bootstrap_interval(ratio, np.array(gaps["homonym"]), n=300)
    assert (np.array(gaps["homonym"])[:, :, 0] == 0).all()  # equal before the first layer
    assert ratio(np.array(gaps["homonym"]))[:5] == pytest.approx(2.4, abs=0.3) and (low > 1.4).all()
    for name in ("full stop", "[CLS]"):
        _, high = bootstrap_interval(ratio, np.array(gaps[name]), n=300)
        assert (high[:5] < low[:5]).all()


def test_a_noun_with_one_sense_in_the_same_place_follows_the_topic_far_less(bert, tok):
    nouns = "ladder school box truck carpet window letter noise teacher knife table house".split()
    homonym, control = [], []
    for (word, senses), noun in zip(load_texts("homonyms").items(), nouns, strict=True):
        texts = sum(senses.values(), [])
        for name, found in ((word, homonym), (noun, control)):
            vectors = embed([text.replace(word, name, 1) for text in texts], bert, pooling="tokens", layers="all")
            place = tok.encode(texts[0].replace(word, name, 1)).tokens.index(name)
            X = np.stack([V[:, place] for V in vectors], axis=1)  # (7, 8, 384)
            found.append(group_distances(X, np.repeat([0, 1], 4)))
    low, _ = bootstrap_interval(ratio, np.array(homonym), n=300)
    _, high = bootstrap_interval(ratio, np.array(control), n=300)
    assert (low > high).all()
    assert ratio(np.array(control)) == pytest.approx(1.4, abs=0.15)


def test_cls_hardly_turns_only_because_of_one_coordinate(paths):
    with_it, without = steps(paths[0]).cosines, steps(np.delete(paths[0], (99, 223), axis=-1)).cosines
    assert with_it[:-1, 0].mean() > 0.97 and without[:-1, 0].mean() < 0.65
    assert np.abs(with_it[:-1, 1:].mean() - without[:-1, 1:].mean()) < 0.03


def test_the_steps_of_mouse_are_far_from_parallel_and_no_chance_directions_either(paths):
    H = np.diff(paths[0][:, MOUSE], axis=0)
    cosines = torch.cosine_similarity(torch.tensor(H[1:-1]), torch.tensor(H[:-2]), dim=1).abs()
    assert 0.1 < cosines.min() and cosines.max() < 0.3  # chance spreads by 0.05


def test_mouse_fetches_its_sense_itself(bert, paths):
    mask = torch.ones(12, 12, dtype=torch.bool)
    mask[MOUSE, STOP + 1 :] = False
    X, Y = (torch.tensor(X[:1]) for X in paths)
    with torch.no_grad():
        for layer in bert.layer:
            X, Y = layer(X, mask), layer(Y, mask)
    free = np.linalg.norm(paths[0][-1, MOUSE] - paths[1][-1, MOUSE])
    assert 0 < (X[0, MOUSE] - Y[0, MOUSE]).norm() < 0.1 * free


def test_gradients_do_not_fade_on_their_way_down(bert, tok):
    pairs = [pair for pairs in load_texts("sentence-pairs").values() for pair in pairs[:3]]
    sides = []
    for side in zip(*pairs, strict=True):
        batch = tok.batch(list(side))
        mask = torch.tensor(batch.attention_mask)[..., None]
        sides.append((bert(**batch.inputs) * mask).sum(1) / mask.sum(1))
    C = torch.cosine_similarity(sides[0][:, None], sides[1][None], dim=-1)
    torch.nn.functional.cross_entropy(20 * C, torch.arange(len(C))).backward()
    sizes = [torch.cat([p.grad.flatten() for p in layer.parameters()]).norm().item() for layer in bert.layer]
    bert.zero_grad()
    assert max(sizes) < 1.3 * min(sizes)
