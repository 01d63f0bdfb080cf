"""Get the files of a published collection: from a folder, from the cache, or from their publisher.

Every file has its SHA-256, and a file that does not match is not used. A download is written next to its target and
moved there once it is complete and checked, so an interrupted download leaves nothing behind.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from tutorial_lib.arguments import check_path

VARIABLE = "TUTORIAL_LIB_TEXTS"
RETRIES = 2
TIMEOUT = (5, 30)  # seconds to connect, seconds without a byte


class TextsNotAvailable(LookupError):
    """The files of a collection were not found anywhere; the message says what was tried and what to do."""


@dataclass(frozen=True)
class Source:
    """A published file: its address, its SHA-256, and its name in the cache."""

    file: str
    url: str
    sha256: str


def fetch(name: str, sources: tuple[Source, ...], folder: Path | None) -> list[Path]:
    """Return the paths of a collection's files, each complete and checked.

    Raises TextsNotAvailable if a file is missing, is not available from its publisher, or is not the published one.
    """
    if folder is not None:
        return [_in_folder(name, source, folder) for source in sources]
    return [_from_publisher(name, source) for source in sources]


def stand_in(folder: str | os.PathLike | None) -> Path | None:
    """Return the folder to use instead of the network: the argument, or else the environment variable's."""
    if folder is None:
        folder = os.environ.get(VARIABLE) or None
    return None if folder is None else check_path("folder", folder)


def cache_folder() -> Path:
    """Return the folder for downloads: the user's cache folder on this operating system."""
    import pooch

    return Path(pooch.os_cache("tutorial_lib"))


def _in_folder(name, source, folder):
    import pooch

    for file in (source.file, source.url.rpartition("/")[2]):
        path = folder / file
        if not path.is_file():
            continue
        digest = pooch.file_hash(path)
        if digest != source.sha256:
            raise TextsNotAvailable(
                f"{path} is not the published file: its SHA-256 must be {source.sha256}, got {digest}. "
                f"Get it again from {source.url}"
            )
        return path
    raise TextsNotAvailable(
        f"{name!r} is not in the folder {folder}. Put {source.file} from {source.url} there, or give another "
        f"folder with folder= or the environment variable {VARIABLE}"
    )


def _from_publisher(name, source):
    import pooch

    cache = cache_folder()
    known = dict(registry={source.file: f"sha256:{source.sha256}"}, urls={source.file: source.url})
    shelf = pooch.create(cache, base_url="", retry_if_failed=RETRIES, **known)
    try:
        hooks = {"response": _keep_packed if source.file.endswith(".gz") else []}
        download = pooch.HTTPDownloader(progressbar=True, timeout=TIMEOUT, chunk_size=1 << 16, hooks=hooks)
        return Path(shelf.fetch(source.file, downloader=download))
    except (ValueError, OSError) as error:
        raise TextsNotAvailable(
            f"{name!r} is not on this machine (tried: the cache {cache}) and {source.url} did not deliver it "
            f"({_reason(error)}): Check the network and try again, or put {source.file} into a folder and pass that "
            f"folder with folder= or the environment variable {VARIABLE}"
        ) from error


def _keep_packed(response, *args, **kwargs):
    """Return the raw bytes: some servers declare a .gz file as compressed transfer, which requests would undo."""
    response.raw.headers.pop("Content-Encoding", None)


def _reason(error):
    """Say what went wrong, in a few words."""
    from requests import exceptions

    if isinstance(error, exceptions.HTTPError):
        return f"it answered {error.response.status_code} {error.response.reason}"
    if isinstance(error, exceptions.ChunkedEncodingError):
        return "the connection broke off"
    if isinstance(error, exceptions.RequestException):
        return "no connection"
    if isinstance(error, ValueError):
        return "the download is not the published file: its SHA-256 differs"
    return f"it could not be stored: {error}"
