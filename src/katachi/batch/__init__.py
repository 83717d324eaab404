"""Many games at once, on CPU threads or on a CUDA card."""
