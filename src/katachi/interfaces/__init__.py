"""Where katachi talks to people and programs."""
