"""Write the checksums of models that were changed on purpose.

`python scripts/seal_models.py [FOLDER...]`: of every model that comes with the package unless
folders are named.
"""

import sys
from pathlib import Path

from katachi.files.model_folder import seal_model
from katachi.files.shipped_folders import MODELS

if __name__ == "__main__":
    for folder in [Path(name) for name in sys.argv[1:]] or sorted(MODELS.iterdir()):
        if folder.is_dir():
            seal_model(folder)
