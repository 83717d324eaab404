"""Game records, over a real connection."""

from base64 import b64encode

from tests.interfaces.web.conftest import Page

TREE = (
    "(;SZ[5]KM[0.5]PB[Ann]PW[Bo]BR[3k]C[before];B[cc](;W[dd]C[good];C[more];B[bb])(;W[cc])(;W[]))"
)


def test_a_file_is_read_with_its_variations(page: Page) -> None:
    found = page.ask("sgf_read", text=f"{TREE}\n(;SZ[5];B[zz])")
    (game,) = found["games"]
    assert game["players"] == {"black": "Ann 3k", "white": "Bo"}
    assert (game["size"], game["komi"], game["comment"]) == (5, 0.5, "before")
    shown = [(each["parent"], each["color"], each["vertex"]) for each in game["nodes"]]
    assert shown == [
        (-1, "black", "C3"),
        (0, "white", "D2"),
        (1, "black", "B4"),
        (0, "white", "pass"),
    ]
    assert game["nodes"][1]["comment"] == "good\nmore"
    assert "occupied" in game["notes"][0]
    assert found["skipped"] == ["game 2: move 1 B[zz] is off the board"]


def test_bytes_are_read_by_their_own_charset(page: Page) -> None:
    text = "(;SZ[5]CA[GB2312]PB[古力];B[cc])"
    sent = b64encode(text.encode("gb2312")).decode()
    for fields in ({"text": sent, "base64": True}, {"text": text}):
        (game,) = page.ask("sgf_read", **fields)["games"]
        assert game["players"]["black"] == "古力"


def test_what_is_written_is_read_again(page: Page) -> None:
    (game,) = page.ask("sgf_read", text=TREE)["games"]
    text = page.ask("sgf_write", game={"size": 5, "komi": 0.5}, nodes=game["nodes"])["text"]
    (again,) = page.ask("sgf_read", text=text)["games"]
    assert again["nodes"] == game["nodes"]


def test_a_played_game_is_written_with_its_result_and_owners(page: Page) -> None:
    moves = ["C1", "D1", "C2", "D2", "C3", "D3", "C4", "D4", "C5", "D5", "pass", "pass"]
    game = {"size": 5, "moves": moves, "handicap": 0}
    players = {"black": "me", "white": "shape"}
    text = page.ask("sgf_write", game=game, players=players, result="B+5", dead=[])["text"]
    assert "RE[B+5]" in text
    assert "TB[" in text
    assert page.ask("sgf_read", text=text)["games"][0]["result"] == "B+5"


def test_wrong_nodes_are_refused(page: Page) -> None:
    node = {"parent": 0, "color": "black", "vertex": "C3"}
    text, field = page.refusal("sgf_write", game={"size": 5}, nodes=[node])
    assert "not before it" in text
    assert field == "nodes"
    twice = [{**node, "parent": -1}, {**node, "color": "white"}]
    assert "occupied" in page.refusal("sgf_write", game={"size": 5}, nodes=twice)[0]
    assert (
        page.refusal("sgf_write", game={"size": 5}, nodes=[{**node, "vertex": "Z9"}])[1] == "nodes"
    )


def test_an_example_is_a_game(page: Page) -> None:
    first = page.ask("hello")["example_games"][0]
    game = page.ask("example", id=first["id"])
    assert game["title"] == first["title"]
    assert len(game["nodes"]) == 50
    assert page.refusal("example", id="../x")[1] == "id"
