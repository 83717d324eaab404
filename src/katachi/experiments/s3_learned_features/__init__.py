"""S3: features found by a convolutional RBM, valued by temporal differences."""
