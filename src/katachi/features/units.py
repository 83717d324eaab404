"""Weights as integers: what one unit is, how large they may become, and their types."""

import numpy as np
import numpy.typing as npt

UNIT = 2.0**-26
"""What a weight of 1 adds to a logit. Steps as small as 1.5e-8 count."""

LARGEST_WEIGHT = 2**30
"""Weights stay within this many units: 16 logits."""

Weights = npt.NDArray[np.int32]
Sums = npt.NDArray[np.int64]
Counts = npt.NDArray[np.uint64]
"""How often each weight was learned from: a month of learning passes 2^32."""
Logits = npt.NDArray[np.int64]
"""Logits in units."""
