"""Many games at once, on CPU threads or on a CUDA card."""

import warnings

# A few games do not fill a card; they may be asked for all the same.
warnings.filterwarnings("ignore", ".*will likely result in GPU under-utilization")
