"""What can be seen in a position."""
