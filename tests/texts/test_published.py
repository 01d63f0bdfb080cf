"""Published texts: they arrive complete and checked or not at all, and become plain texts."""

import gc
import hashlib
import http.server
import io
import json
import re
import tarfile
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import texts_folder
from tutorial_lib.texts import TextsNotAvailable, fetch, load_texts, published
from tutorial_lib.texts.fetch import Source

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # see `publisher`

PAIRS = {"up-down": [["It went up.", "It went down."]]}
TWEETS = "first one \nsecond \\n one, \u2028 same line \n\n"
WIKI = "\n = Title = \n \n One two three four five six seven , eight nine <unk> , ten .\n Too short .\n"
INDEX = "  1 license\n"


def archive():
    """A small WordNet, packed."""
    files = {
        "noun": "able_seaman n 1\nbear n 2\ncat n 1\nCAT n 1\n",
        "verb": "bear v 1\neat v 1\n",
        "adj": "able a 1\n'hood a 1\n",
    }
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(f"dict/index.{name}")
            data = (INDEX + content).encode()
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return packed.getvalue()


FILES = {
    "wikitext-2-valid.txt": WIKI.encode(),
    "wikitext-2-test.txt": WIKI.replace("One", "Two").encode(),
    "tweet-eval-emotion-train.txt": TWEETS.encode(),
    "sentence_pairs_extended.json": json.dumps(PAIRS).encode(),
    "wn3.1.dict.tar.gz": archive(),
}
EXPECTED = {
    "wikipedia": [f"{n} two three four five six seven, eight nine, ten." for n in ("One", "Two")],
    "tweets": ["first one", "second \\n one, \u2028 same line"],
    "luisto-pairs": {"up-down": [("It went up.", "It went down.")]},
    "wordnet": {"noun": ["cat"], "verb": ["eat"], "adjective": ["able"]},
}


class Publisher(http.server.ThreadingHTTPServer):
    """A server that treats each request as its list of moods says, and then behaves."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.moods, self.requests = [], []


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        name = self.path.strip("/")
        self.server.requests.append(name)
        mood = self.server.moods.pop(0) if self.server.moods else "well"
        content = FILES[name]
        if mood == "gone":
            self.send_error(404)
            return
        if mood == "silent":
            self.close_connection = True
            return
        sent = {"altered": b"X" + content[1:], "truncated": content[:-1]}.get(mood, content)
        self.send_response(200)
        self.send_header("Content-Length", str(len(content) if mood == "breaks off" else len(sent)))
        if mood == "encoded":
            self.send_header("Content-Encoding", "x-gzip")
        self.end_headers()
        self.wfile.write(content[: len(content) // 2] if mood == "breaks off" else sent)

    def log_message(self, *args):
        pass


@pytest.fixture
def publisher(monkeypatch, tmp_path):
    """A publisher of small files under the real names; the cache is an empty folder, and waiting takes no time."""
    server = Publisher()
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    for name, sources in published.SOURCES.items():
        small = tuple(
            Source(
                source.file,
                f"http://127.0.0.1:{server.server_port}/{source.file}",
                hashlib.sha256(FILES[source.file]).hexdigest(),
            )
            for source in sources
        )
        monkeypatch.setitem(published.SOURCES, name, small)
    monkeypatch.setattr(fetch, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr("pooch.core.time.sleep", lambda seconds: None)
    monkeypatch.delenv(fetch.VARIABLE, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    yield server
    server.shutdown()
    server.server_close()
    gc.collect(1)  # pooch leaves the connection of a failed download to the garbage collector


def cached(tmp_path):
    """Return the content of the cache."""
    return sorted(path.name for path in (tmp_path / "cache").glob("*"))


@pytest.mark.parametrize("name", EXPECTED)
def test_collection_is_fetched_once_and_then_cached(publisher, tmp_path, name):
    files = [source.file for source in published.SOURCES[name]]
    for _ in range(2):
        assert load_texts(name) == EXPECTED[name]
    assert publisher.requests == files and cached(tmp_path) == sorted(files)


def test_a_download_shows_its_progress(publisher, capfd):
    load_texts("tweets")
    assert "100%" in capfd.readouterr().err


@pytest.mark.parametrize(
    "mood, reason",
    [
        ("breaks off", "the connection broke off"),
        ("truncated", "its SHA-256 differs"),
        ("altered", "its SHA-256 differs"),
        ("gone", "it answered 404 Not Found"),
        ("silent", "no connection"),
    ],
)
def test_failed_download_gives_reason_and_leaves_no_file(publisher, tmp_path, mood, reason):
    publisher.moods = [mood] * 9
    with pytest.raises(TextsNotAvailable) as caught:
        load_texts("tweets")
    (source,) = published.SOURCES["tweets"]
    message = str(caught.value)
    for part in ("'tweets'", str(tmp_path / "cache"), source.url, reason, source.file, "folder=", fetch.VARIABLE):
        assert part in message
    assert "\n" not in message and message.count(". ") == 0
    assert cached(tmp_path) == [] and len(publisher.requests) == 1 + fetch.RETRIES


@pytest.mark.parametrize("moods", [["breaks off"], ["silent", "altered"]])
def test_failed_download_is_tried_again(publisher, moods):
    publisher.moods = list(moods)
    assert load_texts("wordnet") == EXPECTED["wordnet"]
    assert len(publisher.requests) == len(moods) + 1


def test_content_encoding_header_does_not_unpack_file(publisher):
    publisher.moods = ["encoded"]
    assert load_texts("wordnet") == EXPECTED["wordnet"]
    assert len(publisher.requests) == 1


def test_no_network_is_one_clear_sentence(publisher, tmp_path, monkeypatch):
    (source,) = published.SOURCES["tweets"]
    publisher.shutdown()
    publisher.server_close()
    with pytest.raises(TextsNotAvailable, match=r"did not deliver it \(no connection\). Check the network"):
        load_texts("tweets")
    assert cached(tmp_path) == []


def test_damaged_file_in_cache_is_fetched_again(publisher, tmp_path):
    load_texts("tweets")
    (tmp_path / "cache" / "tweet-eval-emotion-train.txt").write_bytes(b"half a fi")
    assert load_texts("tweets") == EXPECTED["tweets"]
    assert len(publisher.requests) == 2


def test_cache_that_cannot_be_written_is_reported(publisher, tmp_path):
    (tmp_path / "cache").write_text("a file where the folder should be")
    with pytest.raises(TextsNotAvailable, match="it could not be stored"):
        load_texts("tweets")


def test_an_interrupted_download_leaves_nothing(publisher, tmp_path, monkeypatch):
    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("pooch.core.hash_matches", interrupt)
    with pytest.raises(KeyboardInterrupt):
        load_texts("tweets")
    assert cached(tmp_path) == []


@pytest.fixture
def folder(publisher, tmp_path):
    """A folder with all files, under our names."""
    place = tmp_path / "folder"
    place.mkdir()
    for name, content in FILES.items():
        (place / name).write_bytes(content)
    return place


@pytest.mark.parametrize("name", EXPECTED)
@pytest.mark.parametrize("form", [str, Path, "variable"])
def test_a_folder_replaces_the_network(publisher, folder, monkeypatch, name, form):
    if form == "variable":
        monkeypatch.setenv(fetch.VARIABLE, str(folder))
    assert load_texts(name, None if form == "variable" else form(folder)) == EXPECTED[name]
    assert publisher.requests == []


def test_folder_accepts_the_publishers_file_name(publisher, folder, monkeypatch):
    (source,) = published.SOURCES["tweets"]
    renamed = Source("our-name.txt", source.url, source.sha256)
    monkeypatch.setitem(published.SOURCES, "tweets", (renamed,))
    assert load_texts("tweets", folder) == EXPECTED["tweets"]


def test_missing_file_in_folder_is_not_downloaded(publisher, folder):
    (folder / "wikitext-2-test.txt").unlink()
    with pytest.raises(TextsNotAvailable, match=f"'wikipedia' is not in the folder {re.escape(str(folder))}. Put wiki"):
        load_texts("wikipedia", folder)
    assert publisher.requests == []


def test_the_checksum_holds_in_the_folder_too(folder):
    (folder / "sentence_pairs_extended.json").write_text("{}")
    with pytest.raises(TextsNotAvailable, match="is not the published file: its SHA-256 must be [0-9a-f]{64}, got"):
        load_texts("luisto-pairs", folder)


@pytest.mark.parametrize("inside", [".", "dict"])
def test_wordnet_may_lie_unpacked_in_the_folder(publisher, tmp_path, inside):
    with tarfile.open(fileobj=io.BytesIO(FILES["wn3.1.dict.tar.gz"])) as tar:
        for member in tar:
            file = tmp_path / inside / Path(member.name).name
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(tar.extractfile(member).read())
    assert load_texts("wordnet", tmp_path) == EXPECTED["wordnet"]
    (tmp_path / inside / "index.verb").write_text("")
    with pytest.raises(ValueError, match="must contain index files of WordNet"):
        load_texts("wordnet", tmp_path)


def test_the_pinned_sources_are_complete():
    assert set(published.SOURCES) == {"wikipedia", "tweets", "luisto-pairs", "wordnet"}
    for sources in published.SOURCES.values():
        for source in sources:
            assert re.fullmatch("[0-9a-f]{64}", source.sha256) and source.url.startswith("https://")
            assert "githubusercontent" not in source.url or re.search("/[0-9a-f]{40}/", source.url)


@pytest.mark.parametrize(
    "line, printed",
    [
        ("It cost $ 3 @,@ 000 – 4 @,@ 000 ( £ 2 @.@ 5 ) .", "It cost $3,000–4,000 (£2.5)."),
        ('" Yes , " he said , " I don \'t ! "', '"Yes," he said, "I don\'t!"'),
        ("Linnaeus ' idea , the so @-@ called ' anti @-@ hero ' .", "Linnaeus' idea, the so-called 'anti-hero'."),
        ("born in <unk> ( <unk> ) , <unk> , and <unk> @-@ based", "born in, and based"),
        ('the " <unk> " [ sic ] ; 5 % ; it \'s 3 : 1', "the [sic]; 5%; it's 3: 1"),
    ],
)
def test_plain_removes_wikitext_marks_and_stray_spaces(line, printed):
    assert published.plain(line) == printed


TOKENS = ["a", "bus", "7", "red @-@ hot", "1 @,@ 000", "<unk> @-@ based", "<unk>", *",.;()[]\"'–$%", "'s", "..."]


@given(st.lists(st.sampled_from(TOKENS)))
def test_plain_leaves_no_mark_in_any_line(tokens):
    text = published.plain(" ".join(tokens))
    assert not re.search(r"<unk>|@|  | [,;)\]%]| \.(?!\.\.)|[(\[$] ", text)


def test_the_real_wikipedia_has_thousands_of_clean_paragraphs(real_folder):
    paragraphs = load_texts("wikipedia", real_folder)
    assert len(paragraphs) == 3558
    assert paragraphs[0].startswith("Homarus gammarus, known as the European lobster or common lobster, is a species")
    for paragraph in paragraphs:
        assert len(paragraph.split()) >= 10 and not re.search(r"<unk>|@.@|^= | [,;:)\]]", paragraph)


def test_the_real_tweets_are_the_3257_of_L(real_folder):
    tweets = load_texts("tweets", real_folder)
    assert len(tweets) == 3257 and all(tweet == tweet.strip() and "\n" not in tweet for tweet in tweets)


def test_the_real_pairs_of_L_are_not_ours(real_folder):
    pairs = load_texts("luisto-pairs", real_folder)
    ours = load_texts("sentence-pairs")
    assert set(pairs) >= set(ours) - {"monday-tuesday", "spoon-fork"}
    theirs = {sentence for found in pairs.values() for pair in found for sentence in pair}
    assert not theirs & {sentence for found in ours.values() for pair in found for sentence in pair}


WORDNET = [texts_folder(), Path("/usr/share/wordnet"), Path("/usr/share/wordnet/dict")]
WORDNET = [place for place in WORDNET if (place / "index.noun").is_file() or (place / "wn3.1.dict.tar.gz").is_file()]


@pytest.mark.skipif(not WORDNET, reason=f"WordNet is not at hand: name its folder in {fetch.VARIABLE}")
def test_our_words_are_in_their_wordnet_class():
    wordnet = load_texts("wordnet", WORDNET[0])
    assert {name: len(words) > 4_000 for name, words in wordnet.items()} == dict.fromkeys(wordnet, True)
    for name, words in load_texts("words").items():
        assert set(words) <= set(wordnet[name]), name
