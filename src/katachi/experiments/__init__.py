"""The papers' tables and figures, measured again: a folder a paper, a file a table or figure."""
