"""The refusals of a GTP engine, in the words that clients know from GNU Go."""

from katachi.errors import KatachiError

UNKNOWN_COMMAND = "unknown command"
SYNTAX_ERROR = "syntax error"
LINE_TOO_LONG = "line too long"
UNACCEPTABLE_SIZE = "unacceptable size"
ILLEGAL_MOVE = "illegal move"
CANNOT_UNDO = "cannot undo"
BOARD_NOT_EMPTY = "board not empty"
INVALID_COLOR = "invalid color"
INVALID_COORDINATE = "invalid coordinate"
INVALID_COLOR_OR_COORDINATE = "invalid color or coordinate"
INVALID_HANDICAP = "invalid handicap"
BAD_VERTEX_LIST = "bad vertex list"
REPEATED_VERTEX = "repeated vertex"
INVALID_STATUS = "invalid status"
CANNOT_LOAD_FILE = "cannot load file"
CANNOT_WRITE_FILE = "cannot write file"


class CommandError(KatachiError):
    """A command that is refused; the text is the reply."""
