"""Many games at once, on CPU threads or on a CUDA GPU."""

import warnings

import numpy as np

# A few games do not fill a GPU; they may be asked for all the same.
warnings.filterwarnings("ignore", ".*will likely result in GPU under-utilization")
if not hasattr(np, "row_stack"):  # numba-cuda asks NumPy for a name that NumPy 2.5 dropped
    setattr(np, "row_stack", np.vstack)  # noqa: B010 (NumPy knows no such name)
