"""Pictures in a student's cells: attached ones, and those that Colab writes into the text.

A browser takes four bytes of memory for each pixel, so that the size in a picture's header counts: nothing is decoded.
"""

import base64
import re

TYPES = ("image/png", "image/jpeg")
MOST_PICTURE, MOST_PICTURES, MOST_IN_CELL = 1 << 20, 3 << 20, 5  # bytes of one, bytes of a submission's, how many
MOST_PIXELS = 16_000_000  # of a submission's pictures together
MOST_SCANS = 100  # of a JPEG: each goes through the whole picture
FRAMES = {0xC0, 0xC1, 0xC2}  # the kinds of JPEG that browsers show
SEGMENTS = {0xC4, 0xDB, 0xDD, 0xFE, *range(0xE0, 0xF0)}  # of a JPEG, before its frame: each says how long it is
MOST_OF_ALL = 60 << 20  # bytes of the pictures of all submissions: all are in memory at once
INLINE = re.compile(r"\(data:(image/(?:png|jpeg|gif|webp));base64,([A-Za-z0-9+/]+={0,2})\)")  # Colab's pictures
BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")


def attached(cell, text):
    """(file name -> what is attached to a cell, its text), the pictures in the text taken out and attached too."""
    there = cell.get("attachments")
    there = dict(there) if isinstance(there, dict) else {}

    def attach(picture):
        name = f"picture-{len(there) + 1}"
        there[name] = {picture[1]: picture[2]}
        return f"(attachment:{name})"

    return there, INLINE.sub(attach, text)


def kept(candidates, before):
    """(name -> (type, base64) of those that are shown, how many are not), of [(name, type -> base64)] beside others."""
    found, left = {}, MOST_PICTURES - size(before)
    pixels = MOST_PIXELS - sum(_pixels(*picture) for picture in before)
    for name, types in candidates:
        mime = next((mime for mime in TYPES if isinstance(types, dict) and mime in types), "")
        data = "".join(text_in(types[mime] if mime else "").split())
        takes = size([(mime, data)])
        fits = len(found) < MOST_IN_CELL and takes <= min(MOST_PICTURE, left)
        area = _pixels(mime, data) if fits and name.isprintable() and len(name) <= 200 else 0
        if 0 < area <= pixels:
            found[name] = (mime, data)
            left, pixels = left - takes, pixels - area
    return found, len(candidates) - len(found)


def text_in(value):
    """A text of a notebook, which may be a list of its lines; empty if it is neither."""
    value = "".join(part for part in value if isinstance(part, str)) if isinstance(value, list) else value
    return value if isinstance(value, str) else ""


def size(pictures):
    """Bytes of pictures, each (type, base64)."""
    return sum(len(data) * 3 // 4 for _, data in pictures)


def _pixels(mime, data):
    """How many pixels a picture in base64 says that it has; 0 if it is not a picture, moves, or takes long to show."""
    if len(data) % 4 or not BASE64.fullmatch(data):
        return 0
    content, sides = base64.b64decode(data), b""
    moves = re.search(rb"\0[\0-\x0f]..acTL", content, re.S)
    if mime == "image/png" and content.startswith(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR") and not moves:
        sides = content[16:20], content[20:24]
    elif mime == "image/jpeg" and content.startswith(b"\xff\xd8") and content.count(b"\xff\xda") <= MOST_SCANS:
        place = 2
        while content[place : place + 1] == b"\xff" and set(content[place + 1 : place + 2]) & SEGMENTS:
            place += 2 + int.from_bytes(content[place + 2 : place + 4], "big")  # a segment: its kind, its length
        if content[place : place + 1] == b"\xff" and set(content[place + 1 : place + 2]) & FRAMES:
            sides = content[place + 5 : place + 7], content[place + 7 : place + 9]
    return int.from_bytes(sides[0], "big") * int.from_bytes(sides[1], "big") if sides else 0


def too_many(submissions):
    """Those whose pictures are taken away, who has most first, until the pictures of all fit."""
    sizes = {id(one): sum(size(same.values()) for same in one.pictures.values()) for one in submissions}
    for one in sorted(submissions, key=lambda one: sizes[id(one)], reverse=True):
        if sum(sizes.values()) <= MOST_OF_ALL:
            return
        sizes[id(one)], one.pictures = 0, {}
        yield one
