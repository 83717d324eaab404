"""The bytes of SGF files as UTF-8.

The encoding of a game is the one its CA property names. Where there is none, or its name means
nothing, or the bytes are not valid in it, the text is taken as UTF-8 if it is valid UTF-8 and as
ISO-8859-1 (the default of the SGF standard) otherwise; that never fails.

In Shift_JIS, Big5, GBK and their kin a bracket or backslash may be half of a character, so a file
with a game in one of them is decoded before anything looks for brackets: each game by its own CA,
one without by that of the game before it.
"""

import codecs
import re
from collections.abc import Iterator
from itertools import pairwise

_DECLARED = re.compile(rb"(?<![A-Za-z])CA\s*\[\s*([A-Za-z0-9_.:-]{1,40})\s*\]")
# A root up to the sign that ends it, and its property CA. Atomic groups, not possessive ones:
# Python 3.11.2 does not match those.
_VALUES = rb"(?>(?:\s*+\[(?>(?:[^\]\\]++|\\.)*)\])+)"
_ROOT = re.compile(rb"\(\s*+;(?>(?:\s*+[A-Za-z]++%b)*)\s*+(?=[;()])" % _VALUES, re.DOTALL)
_ROOT_CHARSET = re.compile(
    rb"\(\s*+;(?>(?:\s*+(?!CA\s*\[)[A-Za-z]++%b)*)\s*+(CA\s*\[[^\]]*\])" % _VALUES, re.DOTALL
)
# The beginning of a game as far as its CA; none of the signs in front of that is half of a letter.
_NEW_CHARSET = re.compile(rb"\(\s*+;[^();]{0,4000}?" + _DECLARED.pattern)
_NEW_CHARSET_BYTES = 4096
_LATIN = "iso8859-1"
_PROBE = "(;GM[1]PB[\\])"
_NO_CHARSETS = {"idna", "punycode", "raw-unicode-escape", "unicode-escape", "undefined"}
# What files call by the first name is in truth the larger set of characters.
_LARGER = {"gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "big5": "cp950"}
_OVERLAPPING = (
    *("cp932", "shift_jis_2004", "shift_jisx0213", "cp950", "big5hkscs", "gb18030"),
    *("johab", "hz", "iso2022_jp", "iso2022_jp_2", "iso2022_kr"),
)
_NO_CHARACTER = re.compile("[\ud800-\udfff]")
_BYTE_ORDER_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def declared_charset(data: bytes) -> str | None:
    """The Python name of the encoding the first CA property in `data` names, if there is one."""
    match = _DECLARED.search(data)
    if match is None:
        return None
    try:
        name = codecs.lookup(match[1].decode("ascii")).name
    except LookupError:
        return None
    return _LARGER.get(name, name)


def game_charset(data: bytes) -> str | None:
    """The same for the root of one game: in a root that is well formed, CA inside a value is text.

    A root that is not may have a bracket as half of a character in front of its CA.
    """
    if _ROOT.match(data) is None:
        return declared_charset(data)
    match = _ROOT_CHARSET.match(data)
    return declared_charset(match[1]) if match else None


def utf8_from_game(data: bytes) -> bytes:
    """One game's bytes as UTF-8, whatever it declares; see the module for the fall-back."""
    for name in (game_charset(data), "utf-8"):
        text = _decode(data, name) if name and _is_charset(name) else None
        if text is not None:
            return text.encode("utf-8", "replace")
    return data.decode(_LATIN).encode("utf-8")


def _decode(data: bytes, charset: str) -> str | None:
    try:
        return data.decode(charset)
    except (ValueError, LookupError):
        return None


def _is_charset(name: str) -> bool:
    """Whether a codec is an encoding of text in which SGF's own signs are ASCII."""
    return name not in _NO_CHARSETS and _decode(_PROBE.encode("ascii"), name) == _PROBE


def whole_file_charset(first: bytes) -> str | None:
    """The encoding at the beginning of a file that must be decoded as a whole, by its first bytes;
    else None."""
    if first.startswith(_BYTE_ORDER_MARKS):
        return "utf-16"
    declared = declared_charset(first)
    if declared in _OVERLAPPING:
        return declared
    found = (declared_charset(match[0]) for match in _NEW_CHARSET.finditer(first))
    if not any(name in _OVERLAPPING for name in found):
        return None
    return declared if declared and _is_charset(declared) else "utf-8"


def utf8_from_text(text: str) -> bytes:
    """A text of others as UTF-8: what is no character, such as a byte of a file's name that is not
    UTF-8, becomes a replacement character."""
    return _NO_CHARACTER.sub("\ufffd", text).encode("utf-8")


def utf8_chunks(chunks: Iterator[bytes], charset: str) -> Iterator[bytes]:
    """A stream as UTF-8: in `charset` up to a game that names another, and so on.

    Bytes that are not valid become replacement characters.
    """
    decoder = _StreamDecoder(charset)
    for data in _hold_beginnings(chunks):
        yield decoder.decode(data).encode("utf-8", "replace")
    yield decoder.finish().encode("utf-8", "replace")


class _StreamDecoder:
    """Decodes a stream whose games may name another charset than the ones before."""

    def __init__(self, charset: str) -> None:
        self._change(charset)

    def _change(self, charset: str) -> None:
        self._charset = charset
        self._decoder = codecs.getincrementaldecoder(charset)("replace")

    def decode(self, data: bytes) -> str:
        places = [match.start() for match in _NEW_CHARSET.finditer(data)]
        texts = [self._decoder.decode(data[: places[0]] if places else data)]
        for begin, end in pairwise([*places, len(data)]):
            name = declared_charset(data[begin:end])
            if name and name != self._charset and _is_charset(name):
                texts.append(self.finish())
                self._change(name)
            texts.append(self._decoder.decode(data[begin:end]))
        return "".join(texts)

    def finish(self) -> str:
        return self._decoder.decode(b"", True)


def _hold_beginnings(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The same stream, cut so that no game names its charset across two pieces."""
    held = b""
    for chunk in chunks:
        data = held + chunk
        begin = data.find(b"(", max(len(held), len(data) - _NEW_CHARSET_BYTES))
        end = len(data) if begin < 0 else begin
        yield data[:end]
        held = data[end:]
    yield held
