"""``python -m nask``: the command, where its script is not on the path."""

from nask.cli.main import run

if __name__ == "__main__":
    run()
