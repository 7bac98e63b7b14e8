"""Every error this product raises on purpose, classed by what the caller can do about it.

    DicetowerError
    ├── BadInput              correct what was sent and send it again       exit 2   HTTP 422
    │   ├── RulesRefusal      the rules have no such attack or die
    │   ├── BadRulePack       a rule pack file is wrong (file, key, expected, found)
    │   ├── BadPicture        a file is not a picture we can read
    │   ├── BadTape           a tape is truncated, edited or of an unknown version
    │   └── BadLine           a serial line is not protocol v1
    ├── NotFound              name one that exists                          exit 2   HTTP 404
    ├── Conflict              look at the table's present state first       exit 1   HTTP 409
    ├── CheckFailed           a check ran and its answer is no              exit 1   HTTP 422
    └── Unavailable           mend the thing named, then try again          exit 1   HTTP 503
        ├── StoreError        the journal cannot be opened, read or written
        └── DeviceError       a camera or e-die does not answer

A message is one plain sentence, or a few: what was expected, what came, what to do.
"""


class DicetowerError(Exception):
    """The root: `except DicetowerError` at a boundary catches what a person can act on, and no bug."""

    exit_code = 1
    http_status = 500


class BadInput(DicetowerError):
    """What was sent is wrong in itself."""

    exit_code = 2
    http_status = 422


class RulesRefusal(BadInput):
    """The rules have no such attack, die or value; the message is the sentence a player reads."""


class BadRulePack(BadInput):
    """A rule pack does not hold together."""

    def __init__(self, file: str, key: str, expected: str, found: object) -> None:
        """Say where the pack (`file`, `key`) has `found` and what was `expected` there."""
        super().__init__(f"{file}: {key}: expected {expected}, found {found!r}.")
        self.file, self.key, self.expected, self.found = file, key, expected, found


class BadPicture(BadInput):
    """A file that was to be a picture is not one, or is too large."""


class BadTape(BadInput):
    """A tape cannot be trusted as it lies there."""


class BadLine(BadInput):
    """A serial line that is not protocol v1."""


class NotFound(DicetowerError):
    """Nothing goes by that name."""

    exit_code = 2
    http_status = 404


class Conflict(DicetowerError):
    """Well formed, but not possible in the table's present state."""

    exit_code = 1
    http_status = 409


class CheckFailed(DicetowerError):
    """A check ran to its end and its answer is no."""

    exit_code = 1
    http_status = 422


class Unavailable(DicetowerError):
    """Something the product stands on does not answer."""

    exit_code = 1
    http_status = 503


class StoreError(Unavailable):
    """The journal cannot be opened, read or written; nothing in it was changed."""


class DeviceError(Unavailable):
    """A camera or an e-die does not answer."""


def why_unreadable(error: Exception) -> str:
    """Why a file could not be read, without the system's error numbers and Python's advice to programmers.

    >>> why_unreadable(IsADirectoryError(21, "Is a directory"))
    'Is a directory'
    """
    if isinstance(error, OSError):
        return error.strerror or "the system does not say why"
    if isinstance(error, RecursionError):
        return "it is nested without end"
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8 text"
    text = " ".join(str(error).split()).rstrip(".")
    return "a number in it has thousands of digits" if "set_int_max_str_digits" in text else text[:160]
