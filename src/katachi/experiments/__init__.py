"""The papers' tables and figures, measured anew: one folder a paper, one file a table or figure."""
