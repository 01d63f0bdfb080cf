"""The changes that a question makes in a live run: hidden words, other values, silenced heads. Equal to Python's."""

import base64
import functools

import numpy as np
import pytest
import torch

from tests.views.examples import WITHOUT, take_from_worker, write_pages
from tests.views.test_live import stops_of
from tutorial_lib import load
from tutorial_lib.trace import change, silence
from tutorial_lib.views import engine
from tutorial_lib.weights.eight_bits import rounded_model

pytestmark = pytest.mark.usefixtures("one_thread_for_a_file")
BERT, GPT = "all-MiniLM-L6-v2", "book-gpt"
WORD = 3  # the token that hears
TWICE, PIECES, SHORT = "The old bank by the bank paid me.", "Serendipitous owls like banknotes.", "My river bank"
STORY, OTHER = "Mia had a kite. She lost it in the park.", "She went to the bank and fished."
# edges: (layer, query, key). heard: a token, and the layers in which it hears the average.
QUESTIONS = {
    "a hidden word": {"hide": [4]},
    "a hidden piece and [CLS]": {"hide": [2, 0]},
    "an edge": {"edges": [(2, WORD, 1)]},
    "edges of one query": {"edges": [(0, WORD, 1), (0, WORD, 4), (0, WORD, 0)]},
    "edges of several layers": {"edges": [(5, WORD, 2), (1, WORD, WORD), (1, 2, WORD), (5, 1, 2)]},
    "never hears": {"heard": (WORD, [0, 1, 2, 3, 4, 5])},
    "stops hearing": {"heard": (WORD, [3, 4, 5])},
    "another token stops": {"heard": (1, [2, 5])},
    "silent heads": {"silence": [(2, 5), (5, 11)]},
    "no positions": {"without": ["embeddings.positions"]},
    "no stops": {"without": ["layer.4.feed_forward", "layer.5.attention.queries"]},
    "hidden and silent": {"hide": [1], "silence": [(1, 11), (5, 6)]},
    "an edge of a silent head": {"edges": [(3, WORD, 4)], "silence": [(3, 7), (3, 0)]},
    "an edge, values 0": {"edges": [(2, WORD, 1)], "without": ["layer.2.attention.values"]},
    "heard, then 0": {"heard": (WORD, [1, 4]), "without": ["layer.4.attention.output"]},
    "all": {"hide": [1], "edges": [(1, WORD, 0), (3, WORD, 4)], "silence": [(0, 3), (3, 2)], "heard": (WORD, [4, 5]),
            "without": ["embeddings.positions"]},
}  # fmt: skip
CASES = [
    pytest.param(TWICE, "", QUESTIONS, id="kernel, a word twice"),
    pytest.param(PIECES, "", QUESTIONS, id="kernel, words in pieces"),
    pytest.param(SHORT, WITHOUT, QUESTIONS, id="plain JavaScript, short"),  # it is slow
    pytest.param(PIECES, WITHOUT, ["all"], id="plain JavaScript, words in pieces"),
]
STATES = ["embeddings.output", *(f"layer.{i}.output" for i in range(6))]
STOPS = [*STATES, *(f"layer.{i}.attention.{part}" for i in range(6) for part in ("heads", "output"))]
RUNS = """async ([text, runs, options]) => {
  for (const { edges = [], heard = { outputs: {} } } of runs) {
    for (const edge of edges) edge.value = new Float32Array(edge.value);
    for (const layer in heard.outputs) heard.outputs[layer] = new Float32Array(heard.outputs[layer]);
  }
  const found = [];
  for await (const vectors of tutorialLib.runs(text, runs, options)) found.push(...vectors);
  const bytes = new Uint8Array(new Float32Array(found).buffer), letters = [];
  for (let i = 0; i < bytes.length; i += 32768) letters.push(String.fromCharCode(...bytes.subarray(i, i + 32768)));
  return btoa(letters.join(''));
}"""
ERROR = """([ask, text, ...more]) => Promise.resolve(ask === 'trace' ? tutorialLib.trace(text, ...more)
  : tutorialLib.runs(text, ...more).next()).then(() => 'no error', (error) => error.message)"""
# The messages of a loop, its vectors, and how many of them came before the answer to a newer question.
LEAVE = """async ([text, runs, leave]) => {
  await tutorialLib.load();
  let asked = 0, done = 0, before = null, answer = null;
  const post = tutorialLib.post;
  tutorialLib.post = (message) => { asked += message.ask === 'runs'; post(message); };
  for await (const vectors of tutorialLib.runs(text, runs, { place: 1 })) {
    if (!done++) answer = tutorialLib.trace('another text', { stops: [] }).then(() => { before = done; });
    if (leave) break;
  }
  await answer;
  await tutorialLib.memory(); // a message that is still on its way would be counted
  tutorialLib.post = post;
  return [asked, done, before];
}"""


@pytest.fixture(scope="module")
def machine(live_tabs, tmp_path_factory):
    """The tab of the kernel, or of plain JavaScript."""
    folder = tmp_path_factory.mktemp("switches")
    for name in (BERT, GPT):
        engine.write_model(folder, name, *load(name, "cpu"))
    write_pages(folder, {"page": ""})

    @functools.cache
    def machine(without=""):
        tab = live_tabs((folder / "page.html").as_uri())
        take_from_worker(tab, without)
        return tab

    return machine


@functools.cache
def model_of(name):
    """Return the rounded model in 64 bits, its tokenizer, and its values averaged over the tokens of another text."""
    model, tokenizer = load(name, "cpu")
    model = rounded_model(model).double()
    means = {}
    for stop, X in model.trace([tokenizer.encode(OTHER).ids]).items():
        if stop.endswith(("attention.values", "attention.output")):
            means[stop] = (X.transpose(1, 2).flatten(2) if X.ndim == 4 else X)[0].mean(0).float()
    return model, tokenizer, means


def at(layer, part):
    return f"layer.{layer}.attention.{part}"


def asked(question, name=BERT):
    """Return a question's options as a page gives them."""
    means, options = model_of(name)[2], dict(question)
    if "edges" in question:
        options["edges"] = [
            {"layer": layer, "query": query, "key": key, "value": means[at(layer, "values")].tolist()}
            for layer, query, key in question["edges"]
        ]
    if "heard" in question:
        place, layers = question["heard"]
        outputs = {str(layer): means[at(layer, "output")].tolist() for layer in layers}
        options["heard"] = {"place": place, "outputs": outputs}
    return options


def expected(ids, question, name=BERT):
    """Return ids, and every stop of the rounded model.

    The heads of an edge's query are computed again, as weights times values, with the other values among them.
    """
    (model, tokenizer, means), seen = model_of(name), {}
    ids = [tokenizer.vocab["[MASK]"] if t in question.get("hide", ()) else own for t, own in enumerate(ids)]
    edges, (place, layers) = question.get("edges", ()), question.get("heard", (0, ()))

    def see(stop, X):
        seen[stop] = X
        return X

    def hear(layer, query):
        def again(H):
            H, V = H.clone(), seen[at(layer, "values")].clone()
            for key in [key for *where, key in edges if where == [layer, query]]:
                V[0, :, key] = means[at(layer, "values")].view(V.shape[1], -1)
            H[0, :, query] = (seen[at(layer, "weights")] @ V)[0, :, query]
            return H

        return change({at(layer, "heads"): again})

    def put(layer):
        own = torch.arange(len(ids))[:, None] == place
        return change({at(layer, "output"): lambda X: torch.where(own, means[at(layer, "output")].to(X), X)})

    keep = [*(hear(layer, query) for layer, query, _ in edges), silence(question.get("silence", ())), *map(put, layers)]
    zero = change(dict.fromkeys(question.get("without", ()), 0))
    found = model.trace([ids], keep=[*keep, zero, see])
    return ids, {stop: (X[0] if X.ndim > 2 else X).detach().numpy() for stop, X in found.items()}


def off(found, X):
    return np.abs(found - X).max() / (np.abs(X).max() or 1)


@pytest.mark.parametrize("text, without, names", CASES)
def test_options_equal_pythons_changes(text, without, names, machine):
    tokens, most = model_of(BERT)[1].encode(text), 1e-5 if without else 2e-3
    plain = expected(tokens.ids, {})[1]
    for name in names:
        ids, wanted = expected(tokens.ids, QUESTIONS[name])
        found, stops = stops_of(machine(without), text, stops=STOPS, **asked(QUESTIONS[name]))
        assert found == ids, name
        for stop, X in stops.items():
            assert off(X, wanted[stop]) < most, (name, stop)
        assert max(off(wanted[stop], plain[stop]) for stop in STOPS) > 10 * most, name


def test_decoder_takes_the_same_options(machine):
    ids = model_of(GPT)[1].encode(STORY).ids
    question = {"edges": [(1, 6, 2), (0, 6, 9)], "silence": [(1, 1)], "heard": (4, [0, 2])}
    for each in (*({option: value} for option, value in question.items()), question):
        wanted = expected(ids, each, GPT)[1]["logits"]
        _, stops = stops_of(machine(), STORY, model=GPT, stops=["logits"], **asked(each, GPT))
        assert off(stops["logits"], wanted) < 2e-3 < off(expected(ids, {}, GPT)[1]["logits"], wanted)


def vectors_of(tab, text, runs, **options):
    """Return the vectors of many runs, (runs, stops, d_model)."""
    data = base64.b64decode(tab.evaluate(RUNS, [text, runs, options]))
    return np.frombuffer(data, "<f4").reshape(len(runs), -1, 384)


@pytest.mark.parametrize(
    "without", [pytest.param("", id="kernel"), pytest.param(WITHOUT, id="plain JavaScript", marks=pytest.mark.long)]
)
def test_runs_are_traces_bit_by_bit(without, machine):
    """A run skips layers before its change, and other tokens in the last layer. Texts, pairs and stops take turns."""
    tab, questions = machine(without), [{}, *QUESTIONS.values()]
    others = ["embeddings.tokens", "layer.2.attention.output", "layer.5.attention.values", "layer.5.attention.heads"]
    runs = [asked(question) for question in questions]
    for text, place, stops, pair in [
        (TWICE, WORD, None, None), (PIECES, WORD, None, None), (PIECES, 0, None, None), (PIECES, 0, others, None),
        (PIECES, 0, others, "A pair"), (SHORT, 4, [*others, others[0]], None),
    ][:: 3 if without else 1]:  # fmt: skip
        options = {"pair": pair} if pair else {}
        found = vectors_of(tab, text, runs, place=place, **options, **({"stops": stops} if stops else {}))
        for question, run, vectors in zip(questions, runs, found, strict=True):
            _, traced = stops_of(tab, text, stops=stops or STATES, **run, **options)
            for stop, vector in zip(stops or STATES, vectors, strict=True):
                X = traced[stop]
                row = X[:, place].reshape(-1) if X.ndim == 3 else X[place]
                assert (vector == row).all(), (text, place, question, stop)


def test_newer_question_waits_for_no_loop(machine):
    runs = [{"hide": [1]}] * 200
    asked, done, before = machine().evaluate(LEAVE, [TWICE, runs, False])
    assert done == 200 and 2 < asked < 200 and before < 200
    assert machine().evaluate(LEAVE, [TWICE, runs, True])[:2] == [1, 1]


def test_many_runs_take_no_more_memory(machine):
    runs = [asked(question) for question in QUESTIONS.values()]
    sizes = []
    for _ in range(3):
        vectors_of(machine(), TWICE, runs, place=WORD)
        sizes.append(machine().evaluate("tutorialLib.memory()"))
    assert sizes[1:] == sizes[:1] * 2


def test_hidden_tokens_are_shown_as_masks(machine):
    tokens = "async (text) => (await tutorialLib.trace(text, { hide: [2], stops: [] })).tokens"
    assert machine().evaluate(tokens, SHORT) == ["[CLS]", "my", "[MASK]", "bank", "[SEP]"]


def test_options_that_do_not_exist_are_named(machine):
    value = [0.0] * 384
    edge = {"layer": 0, "query": 1, "key": 2, "value": value}
    wrong = [
        ({"hide": [5]}, "hide must be from 0 to 4, got 5."),
        ({"hide": [1, -1]}, "hide must be from 0 to 4, got -1."),
        ({"hide": [1.5]}, "hide must be from 0 to 4, got 1.5."),
        ({"silence": [[6, 0]]}, "silence: layer must be from 0 to 5, got 6."),
        ({"silence": [[0, 12]]}, "silence: head must be from 0 to 11, got 12."),
        ({"edges": [edge, edge | {"layer": 6}]}, "edges: layer must be from 0 to 5, got 6."),
        ({"edges": [edge | {"query": 5}]}, "edges: query and key must be from 0 to 4, got 5."),
        ({"edges": [edge | {"key": None}]}, "edges: query and key must be from 0 to 4, got null."),
        ({"edges": [edge | {"value": value[1:]}]}, "edges and heard must have values of 384 numbers."),
        ({"edges": [edge | {"value": None}]}, "edges and heard must have values of 384 numbers."),
        ({"heard": {"place": 5, "outputs": {"0": value}}}, "heard: place must be from 0 to 4, got 5."),
        ({"heard": {"place": 1, "outputs": {"6": value}}}, "heard: layer must be from 0 to 5, got 6."),
        ({"heard": {"place": 1, "outputs": {"0": [1.0]}}}, "edges and heard must have values of 384 numbers."),
        ({"without": ["layer.6.output"]}, "without must be stops of this run, got layer.6.output."),
        ({"without": ["embeddings.position"]}, "without must be stops of this run, got embeddings.position."),
        ({"without": ["layer.0.attention.weights"]},
         "without cannot set scores or weights: heads are computed with them."),
    ]  # fmt: skip
    for options, message in wrong:
        assert machine().evaluate(ERROR, ["trace", SHORT, options]) == message
        assert machine().evaluate(ERROR, ["runs", SHORT, [{}, options], {"place": 1}]) == message
    for ask, more, message in [
        ("trace", [{"stops": ["layer.6.output"]}], "stops must be stops of this run, got layer.6.output."),
        ("trace", [{"model": GPT, "hide": [0]}], "hide needs a model that has the token [MASK]."),
        ("runs", [[{}], {"place": 5}], "place must be from 0 to 4, got 5."),
        ("runs", [[{}], {}], "place must be from 0 to 4, got undefined."),
        ("runs", [[{}], {"place": 0, "model": GPT}], "runs needs an encoder, got book-gpt."),
        ("runs", [[{}], {"place": 0, "stops": ["layer.6.output"]}],
         "stops must be stops of this run, got layer.6.output."),
        ("runs", [[{}], {"place": 0, "stops": ["layer.0.hidden"]}],
         "stops must have 384 numbers for each token, got layer.0.hidden."),
        ("runs", [[{}], {"place": 0, "stops": ["layer.0.attention.weights"]}],
         "stops must have 384 numbers for each token, got layer.0.attention.weights."),
    ]:  # fmt: skip
        assert machine().evaluate(ERROR, [ask, SHORT, *more]) == message
