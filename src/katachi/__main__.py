"""`python -m katachi`: the same as the command `katachi`."""

from katachi.interfaces.cli import main

if __name__ == "__main__":
    main()
