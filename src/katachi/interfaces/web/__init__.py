"""The page in the browser: a server that answers it, and the page itself."""
