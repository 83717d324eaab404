"""Where things are kept that a person has made here, and no command names a folder for."""

import os
from pathlib import Path


def user_data_folder() -> Path:
    """The folder of katachi among the user's data; it need not be there yet."""
    data = os.environ.get("XDG_DATA_HOME", "")
    place = Path(data) if Path(data).is_absolute() else Path.home() / ".local" / "share"
    return place / "katachi"
