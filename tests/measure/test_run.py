"""Measures of a corpus: those of its vectors in memory, and the same if a run is cut, spread, or killed."""

import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from tutorial_lib import __main__ as command_line
from tutorial_lib import bert, geometry, gpt, measure, vectors
from tutorial_lib.measure.workers import local
from tutorial_lib.texts.generated import stories
from tutorial_lib.tokenization import BPE, WordPiece
from tutorial_lib.training.save import save

pytestmark = pytest.mark.usefixtures("one_thread_for_a_file")
CHUNK, N_CHUNKS = 7, 6


@pytest.fixture(scope="module")
def texts():
    return [sentence for story in stories(6) for sentence in story.sentences][:40]


@pytest.fixture(scope="module")
def corpus(texts, tmp_path_factory):
    path = tmp_path_factory.mktemp("corpus") / "corpus.txt"
    path.write_text("\n".join([*texts, "", ""]), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def model(texts, tmp_path_factory):
    """A folder with a small random encoder, one coordinate of which is far larger than the others."""
    folder, tok = tmp_path_factory.mktemp("model"), WordPiece.train(texts, 200)
    torch.manual_seed(0)
    shape = bert.Config(len(tok), d_model=16, n_layers=2, n_heads=2, d_ff=32, n_positions=40)
    encoder = bert.Bert(shape, mlm=True, nsp=True)
    for norm in (encoder.embeddings.norm, encoder.layer[0].norm, encoder.layer[1].norm):
        norm.weight.data[5] = 30
    save(encoder, tok, folder)
    return str(folder)


@pytest.fixture(scope="module")
def undisturbed(corpus, model, tmp_path_factory):
    """The folder of an undisturbed run."""
    folder = tmp_path_factory.mktemp("undisturbed")
    measure.measure(corpus, model, folder, CHUNK, workers=1)
    return folder


def same(folder, other):
    """Bit for bit. (The header of a safetensors file has its names in any order.)"""
    sums, others = (load_file(each / measure.SUMS) for each in (folder, other))
    equal = sums.keys() == others.keys() and all(np.array_equal(sums[name], others[name]) for name in sums)
    return equal and (folder / measure.MEASURES).read_bytes() == (other / measure.MEASURES).read_bytes()


def numbers(found):
    """All numbers of a JSON value, in order."""
    if isinstance(found, dict):
        found = list(found.values())
    return [n for each in found for n in numbers(each)] if isinstance(found, list) else [found]


def test_measures_equal_those_of_vectors_in_memory(undisturbed, texts, model):
    found = json.loads((undisturbed / measure.MEASURES).read_text())
    X = np.concatenate(vectors.embed(texts, model, pooling="tokens", layers="all", device="cpu"), axis=1)
    assert list(found["layers"]) == ["0", "1", "2"]
    for rows, layer in zip(X, found["layers"].values()):
        assert layer["n"] == len(rows) and layer["outlier_coordinates"] == layer["rest"]["without"] == [5]
        norms = np.linalg.norm(rows.astype(float), axis=1)
        assert [layer["norm_mean"], layer["norm_std"]] == pytest.approx([norms.mean(), norms.std()], rel=1e-6)
        assert sum(n for _, _, n in layer["norms"]) * 16 == sum(n for _, _, n in layer["values"]) == rows.size
        low, high, n = layer["norms"][0]
        assert n == ((norms >= low) & (norms < high)).sum() > 0
        for measures, part in ((layer, rows), (layer["rest"], np.delete(rows, 5, axis=1))):
            for name in ("average_cosine", "cone_index", "anisotropy", "participation_ratio", "pca_dimension"):
                expected = getattr(geometry, name)(part)
                assert measures[name] == pytest.approx(expected, rel=1e-6, abs=1e-6), name
            rank = geometry.effective_rank(np.linalg.svd(part - part.mean(0, dtype=float), compute_uv=False))
            assert measures["effective_rank"] == pytest.approx(rank, rel=1e-6)
            assert measures["cone_index_share"] == pytest.approx(measures["cone_index"] / len(part))
            assert measures["mean_norm"] == pytest.approx(np.linalg.norm(part.mean(0, dtype=float)), rel=1e-5)
    about = found["corpus"]
    assert (about["name"], about["lines"], about["texts"], about["cut"]) == ("corpus.txt", 41, 40, 0)
    assert found["chunk"] == CHUNK and found["versions"]["torch"] == torch.__version__


def test_the_size_of_a_chunk_changes_only_rounding(undisturbed, corpus, model, tmp_path):
    whole = measure.measure(corpus, model, tmp_path, 1000, workers=1)["layers"]
    cut = json.loads((undisturbed / measure.MEASURES).read_text())["layers"]
    assert [n is None for n in numbers(whole)] == [n is None for n in numbers(cut)]
    pairs = [(a, b) for a, b in zip(numbers(whole), numbers(cut)) if a is not None]
    assert all(a == pytest.approx(b, rel=1e-6, abs=1e-6) for a, b in pairs) and len(pairs) > 100


def test_left_out_coordinates_do_not_depend_on_chunks(corpus, model, texts, tmp_path, monkeypatch):
    monkeypatch.setattr(measure.run, "FIRST", 12)
    monkeypatch.setattr(geometry, "outlier_coordinates", lambda cloud: np.array([len(cloud) % 16]))  # says how many
    n_tokens = sum(len(row) for row in vectors.embed(texts[:12], model, pooling="tokens", device="cpu"))
    for chunk in (1, 5, CHUNK, 1000):
        found = measure.measure(corpus, model, tmp_path / str(chunk), chunk, workers=1)
        assert found["outliers_from_texts"] == 12
        assert [layer["rest"]["without"] for layer in found["layers"].values()] == [[n_tokens % 16]] * 3


def test_leaving_out_other_coordinates_is_another_job(corpus, model, tmp_path, monkeypatch):
    measure.measure(corpus, model, tmp_path, CHUNK, workers=1)
    monkeypatch.setattr(measure.run, "FIRST", 3)
    with pytest.raises(ValueError, match="contains measures with another number of texts for outliers. "):
        measure.measure(corpus, model, tmp_path, CHUNK, workers=1)


def test_command_names_left_out_coordinates_and_differences(corpus, model, tmp_path, monkeypatch, capsys):
    few = [np.array([5]), np.array([], int), np.array([5])]  # of the first texts, layer by layer
    arguments = ["measure", str(corpus), "--model", model, "--to", str(tmp_path), "--workers", "1"]
    asked = []

    def chosen(cloud, real=geometry.outlier_coordinates):
        asked.append(cloud)
        return few[len(asked) - 1] if len(asked) <= 3 else real(cloud)

    monkeypatch.setattr(geometry, "outlier_coordinates", chosen)
    assert command_line.main(arguments) == 0
    out = capsys.readouterr().out
    assert "left out, chosen from the first 40 texts: layer 0: 5; layer 1: none; layer 2: 5" in out
    assert "for the whole corpus they would be different: layer 1: 5\n" in out


def test_layers_leave_out_padding_and_include_last_norm(texts):
    tok = BPE.train(texts, 280)
    decoder = gpt.GPT(gpt.Config(len(tok), d_model=8, n_layers=2, n_heads=2, d_ff=16, n_positions=200)).eval()
    ids = [tok.encode(text).ids for text in texts[:4]]
    together, alone = measure.layers_of(decoder, ids), [measure.layers_of(decoder, [row]) for row in ids]
    assert list(together) == ["0", "1", "2", "norm"]
    for layer, X in together.items():
        assert np.abs(X - np.concatenate([found[layer] for found in alone])).max() < 1e-5
    with torch.no_grad():
        assert np.abs(together["norm"][: len(ids[0])] - decoder.hidden([ids[0]])[0][0].numpy()).max() < 1e-5


def test_a_decoder_is_measured_by_name(tmp_path):
    (tmp_path / "corpus.txt").write_text("The bear sat.\nThe bear was there.\n")
    found = measure.measure(tmp_path / "corpus.txt", "book-gpt", tmp_path, workers=1)["layers"]
    assert "norm" in found and {layer["n"] for layer in found.values()} == {found["0"]["n"]}


def test_long_texts_are_cut_and_counted(model, tmp_path):
    (tmp_path / "corpus.txt").write_text("A bear.\n" + ("bear " * 300 + "\n") * 3)
    found = measure.measure(tmp_path / "corpus.txt", model, tmp_path, chunk=2, workers=1)
    assert found["corpus"]["cut"] == 3 and 120 < found["layers"]["0"]["n"] < 140


def test_undefined_measures_are_none():
    found = measure.measures_of(geometry.Cloud(2).add(np.zeros((3, 2))))
    assert found["average_cosine"] is found["anisotropy"] is found["spectrum"] is None and found["norm_mean"] == 0
    assert found["norms"] == [[None, geometry.NORM_EDGES[0], 3]]


def test_early_chunks_wait_and_are_added_in_order(undisturbed, corpus, model, tmp_path):
    job = measure.Job(**json.loads((undisturbed / measure.JOB).read_text()))
    sums = [measure.sums_of_texts(job, texts) for _, texts in measure.Corpus(corpus, CHUNK).chunks()]
    results = measure.Results(tmp_path, job)
    for number in (0, 3, 1, 5):
        results.put(number, sums[number])
    assert [number in results for number in range(6)] == [True, True, False, True, False, True]
    assert (results.done, len(results), len(list(tmp_path.glob("chunk-*")))) == (2, 4, 2)
    results = measure.Results(tmp_path, job)  # as a restart finds it
    for number in (4, 2):
        results.put(number, sums[number])
    assert results.done == 6 and [path.name for path in tmp_path.iterdir()] == [measure.SUMS]
    shutil.copy(undisturbed / measure.MEASURES, tmp_path)
    assert same(tmp_path, undisturbed)
    assert len(measure.Results(tmp_path, replace(job, model="it has moved"))) == 6
    assert len(measure.Results(tmp_path, replace(job, corpus="another"))) == 0
    (tmp_path / measure.SUMS).write_bytes((tmp_path / measure.SUMS).read_bytes()[:-100])
    with pytest.raises(ValueError, match="sums.safetensors is damaged .*. Delete it; its chunks are then measured "):
        measure.Results(tmp_path, job)


def test_stopped_run_resumes_and_finished_run_does_nothing(undisturbed, corpus, model, tmp_path,
                                                                            monkeypatch):  # fmt: skip
    def stop(progress):
        if progress.done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure.measure(corpus, model, tmp_path, CHUNK, workers=1, tell=stop)
    told = []
    measure.measure(corpus, model, tmp_path, CHUNK, workers=1, tell=told.append)
    assert [progress.done for progress in told] == [3, 4, 5, 6] and same(tmp_path, undisturbed)
    assert str(replace(told[-1], rate=1234.5, seconds_left=100)) == "chunk 6 of 6: 1,234 texts/s, 2 min left"
    monkeypatch.delattr(measure.Results, "put")
    measure.measure(corpus, model, tmp_path, CHUNK, workers=1, tell=told.append)
    assert len(told) == 4 and same(tmp_path, undisturbed)


def test_folder_of_another_job_is_rejected(undisturbed, corpus, model, texts, tmp_path):
    (tmp_path / "corpus.txt").write_text("A bear.")
    for arguments, what in (
        ((tmp_path / "corpus.txt", model, undisturbed, CHUNK), "another corpus"),
        ((corpus, "book-bert", undisturbed, CHUNK), "another model"),
        ((corpus, "book-bert", undisturbed, CHUNK + 1), "another model and chunk"),
    ):
        with pytest.raises(ValueError, match=f"contains measures with {what}. Use another folder, or delete it"):
            measure.measure(*arguments, workers=1)
    job = measure.Job(model, "0" * 64)
    with pytest.raises(ValueError, match="must be the same model on all machines"):
        measure.sums_of_texts(job, texts)
    with pytest.raises(ValueError, match="tutorial_lib must be 0.0 on all machines"):
        measure.sums_of_texts(replace(job, version="0.0"), texts)


def test_second_run_in_a_folder_is_rejected(corpus, model, tmp_path):
    pytest.importorskip("fcntl", reason="Windows has no such locks")

    def another(progress):
        with pytest.raises(OSError, match="another run is writing into"):
            measure.measure(corpus, model, tmp_path, CHUNK, workers=1)

    measure.measure(corpus, model, tmp_path, CHUNK, workers=1, tell=another)


DIES = """
import os, signal, sys
from tutorial_lib.weights import checkpoints
from tutorial_lib import measure
def die(): os.kill(os.getpid(), signal.SIGKILL)
def tell(progress):
    if progress.done == 3:
        die()
def half(tensors, path, about, save=checkpoints.save_file):
    save(tensors, path, about)
    if about["number"] == "3":
        os.truncate(path, os.path.getsize(path) // 2)
        die()
corpus, model, folder, cluster = sys.argv[1:]
if cluster == "none":
    checkpoints.save_file = half
    measure.measure(corpus, model, folder, 7, workers=1)
else:
    measure.measure(corpus, model, folder, 7, cluster=cluster, tell=tell)
"""


def die(corpus, model, folder, cluster):
    """Measure in a process that kills itself: after three chunks, or with the third's file half written."""
    command = [sys.executable, "-c", DIES, str(corpus), model, str(folder), cluster]
    alone = {**os.environ, "OMP_NUM_THREADS": "1"}
    run = subprocess.run(command, env=alone, capture_output=True, text=True, timeout=120)
    assert run.returncode == -signal.SIGKILL, run.stderr
    assert not (folder / measure.MEASURES).exists()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has no such signal")
def test_run_killed_while_writing_a_file_resumes(undisturbed, corpus, model, tmp_path):
    die(corpus, model, tmp_path, "none")
    assert list(tmp_path.glob("*.part"))
    told = []
    measure.measure(corpus, model, tmp_path, CHUNK, workers=1, tell=told.append)
    assert [progress.done for progress in told] == [3, 4, 5, 6] and same(tmp_path, undisturbed)
    assert not list(tmp_path.glob("*.part"))


@pytest.fixture
def cluster():
    pytest.importorskip("distributed", reason="without Dask there is one process")
    with local(2) as cluster:
        yield cluster


@pytest.mark.long
def test_run_survives_a_killed_worker_of_a_cluster(undisturbed, corpus, model, tmp_path, cluster):
    def tell(progress):
        if progress.done == 1:
            os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)

    measure.measure(corpus, model, tmp_path, CHUNK, cluster=cluster.scheduler_address, tell=tell)
    assert same(tmp_path, undisturbed)


@pytest.mark.long
def test_cluster_run_resumes_after_its_client_is_killed(undisturbed, corpus, model, tmp_path, cluster):
    die(corpus, model, tmp_path, cluster.scheduler_address)
    told = []
    measure.measure(corpus, model, tmp_path, CHUNK, cluster=cluster.scheduler_address, tell=told.append)
    assert [progress.done for progress in told] == [4, 5, 6] and same(tmp_path, undisturbed)


def test_command_prints_progress_and_measures(undisturbed, corpus, model, tmp_path, capsys):
    arguments = ["measure", str(corpus), "--model", model, "--chunk", str(CHUNK), "--workers", "1"]
    assert command_line.main([*arguments, "--to", str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    assert f"{tmp_path / measure.MEASURES}: 40 texts, " in out and same(tmp_path, undisturbed)
    lines = [line.split() for line in out.splitlines()]
    assert ["layer", "norm", "cosine", "without", "anisotropy", "dimensions"] in lines
    found = json.loads((tmp_path / measure.MEASURES).read_text())["layers"]["2"]
    assert [*(line for line in lines if line[:1] == ["2"])][0][3] == f"{found['rest']['average_cosine']:.4g}"
    first, second, third, *_ = err.splitlines()
    assert first == f"measure: {model} over {corpus}" and second == "measure: 41 lines, 40 texts in 6 chunks"
    assert third.startswith("chunk 0 of 6: ") and "chunk 1" not in err and "chunk 6 of 6: " in err  # one in ten seconds


def test_the_command_stopped_says_how_to_go_on(corpus, model, tmp_path, monkeypatch, capsys):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(measure, "measure", stop)
    assert command_line.main(["measure", str(corpus), "--to", f"{tmp_path}/my run", "--workers", "2"]) == 130
    again = f"python -m tutorial_lib measure {corpus} --to '{tmp_path}/my run' --workers 2\n"
    told = f"Stopped. What was measured is in {tmp_path}/my run; to continue from there: {again}"
    assert told in capsys.readouterr().out


def test_without_dask_only_one_process_is_possible(undisturbed, corpus, model, tmp_path,
                                                                              monkeypatch, capsys):  # fmt: skip
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 4)
    measure.measure(corpus, model, tmp_path, CHUNK)
    assert same(tmp_path, undisturbed)
    for where in (["--cluster", "tcp://127.0.0.1:8786"], ["--workers", "2"]):
        assert command_line.main(["measure", str(corpus), "--model", model, "--to", str(tmp_path), *where]) == 1
        assert "but 1, needs the package distributed: pip install distributed" in capsys.readouterr().err


def test_errors_come_before_anything_is_written(corpus, tmp_path, capsys):
    for arguments, told in (
        ([str(tmp_path / "nowhere.txt")], "nowhere.txt does not exist"),
        ([str(corpus), "--model", "no-such-model"], "neither a folder on this machine nor a known model"),
        ([str(corpus), "--model", "book-bert", "--chunk", "0"], "chunk must be"),
    ):
        assert command_line.main(["measure", *arguments, "--to", str(tmp_path / "new")]) == 1
        assert told in capsys.readouterr().err and not (tmp_path / "new").exists()


def test_another_column_of_a_table_is_another_job(model, texts, tmp_path):
    lines = [json.dumps({"text": text, "title": text[:9]}) for text in texts]
    (tmp_path / "table.jsonl").write_text("\n".join(lines))
    arguments = ["measure", str(tmp_path / "table.jsonl"), "--model", model, "--to", str(tmp_path / "m")]
    assert command_line.main([*arguments, "--workers", "1"]) == 0
    found = json.loads((tmp_path / "m" / measure.MEASURES).read_text())
    assert found["corpus"]["column"] == "text" and found["corpus"]["texts"] == 40
    with pytest.raises(ValueError, match="contains measures with another column"):
        measure.measure(tmp_path / "table.jsonl", model, tmp_path / "m", workers=1, column="title")
