"""The Computer Go Server: a client that plays there, and a small server of our own.

Start reading at `wire.py`, which both sides share. The client is `session.py` (what each line
means), `thinking.py` (the answer to "your move", in time) and `client.py` (connections); the server
is `table.py` (one game), `pairing.py`, `rating.py`, `store.py` (what survives a restart),
`dialect.py` (what is said to clients) and `server.py`.
"""
