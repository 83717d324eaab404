"""Nets that know no Go: PyTorch modules, and the kernels that make them fast on a CPU."""
