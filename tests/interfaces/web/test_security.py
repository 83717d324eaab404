"""Who may talk to the server, and what it sends with every answer."""

import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from katachi.errors import KatachiError
from katachi.interfaces.web.app import LARGEST_BODY
from katachi.interfaces.web.security import is_loopback
from katachi.interfaces.web.serving import Address, listen
from tests.interfaces.web.conftest import RunningSite, running


@pytest.fixture(scope="module")
def open_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSite]:
    """A server that other machines could reach."""
    with running("0.0.0.0", tmp_path_factory.mktemp("open")) as found:
        yield found


def get(server: RunningSite, path: str = "/", **headers: str) -> httpx.Response:
    return httpx.get(f"http://127.0.0.1:{server.address.port}{path}", headers=headers)


@pytest.mark.parametrize("path", ["/", "/api/v1/hello", "/assets/none.js", "/api/v1/none"])
def test_every_answer_carries_the_headers(server: RunningSite, path: str) -> None:
    headers = get(server, path).headers
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "server" not in headers


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "[::1]", "localhost:9000"])
def test_the_server_answers_to_its_own_names(server: RunningSite, name: str) -> None:
    assert get(server, "/api/v1/hello", Host=name).status_code == 200


@pytest.mark.parametrize(
    "name", ["evil.example", "127.0.0.1.evil.example", "10.0.0.1", "x@127.0.0.1", "", "[x"]
)
def test_the_server_answers_to_no_other_name(server: RunningSite, name: str) -> None:
    assert get(server, "/api/v1/hello", Host=name).status_code in (400, 403)


def test_pages_of_others_are_refused(server: RunningSite) -> None:
    own = f"http://127.0.0.1:{server.address.port}"
    assert get(server, "/api/v1/hello", Origin=own).status_code == 200
    assert get(server, "/api/v1/hello", Origin="http://[x").status_code == 400
    for origin in ("http://evil.example", "null", f"{own}1", "http://127.0.0.1"):
        assert get(server, "/api/v1/hello", Origin=origin).status_code == 403
        with pytest.raises(InvalidStatus, match="403"), server.page(origin=origin):
            pass
    with server.page(origin=own) as page:
        assert page.ask("status")


def test_a_server_for_others_wants_its_token(open_server: RunningSite) -> None:
    token = open_server.address.token
    assert token is not None
    assert open_server.url.endswith(f"/?token={token}")
    assert get(open_server).status_code == 401
    assert get(open_server, f"/?token={token}x").status_code == 401
    with pytest.raises(InvalidStatus, match="401"), open_server.page():
        pass
    bearer = f"Bearer {token}"
    assert get(open_server, "/api/v1/hello", Authorization=bearer).status_code == 200
    with open_server.page(additional_headers={"Authorization": bearer}) as page:
        assert page.ask("status")


def test_the_printed_address_leaves_a_cookie(open_server: RunningSite) -> None:
    with httpx.Client(base_url=f"http://127.0.0.1:{open_server.address.port}") as browser:
        first = browser.get(f"/?token={open_server.address.token}")
        assert first.status_code == 303
        assert first.headers["location"] == "/"
        cookie = first.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert browser.get("/api/v1/hello").status_code == 200


def test_a_server_for_others_answers_to_addresses_only(open_server: RunningSite) -> None:
    bearer = f"Bearer {open_server.address.token}"
    for name, status in (("192.0.2.7:80", 200), ("evil.example", 403)):
        answer = get(open_server, "/api/v1/hello", Host=name, Authorization=bearer)
        assert answer.status_code == status


def test_files_of_the_disk_are_out_of_reach(server: RunningSite) -> None:
    for path in (
        "/../app.py",
        "/%2e%2e/app.py",
        "/assets/../../app.py",
        "/etc/passwd",
        "//etc/passwd",
    ):
        answer = get(server, path)
        assert answer.status_code == 404 or "import" not in answer.text


def test_operations_are_there_by_post(server: RunningSite) -> None:
    address = f"http://127.0.0.1:{server.address.port}/api/v1"
    good = httpx.post(
        f"{address}/review", json={"game": {"size": 5, "moves": ["C3"]}, "evaluator": "alp"}
    )
    assert good.status_code == 200
    assert len(good.json()["parts"]) == 2
    assert good.json()["result"]["unit"] == "chance"
    for path, content, words in (
        ("position", b'{"game": {"size": 1}}', "2"),
        ("position", b"{", "JSON"),
        ("position", b"[1]", "object"),
        ("none", b"{}", "no operation"),
        ("position", b" " * (LARGEST_BODY + 1), "3 MiB"),
    ):
        bad = httpx.post(f"{address}/{path}", content=content)
        assert bad.status_code == 400
        assert words in bad.json()["error"]


def test_a_frame_that_is_too_large_ends_the_connection(server: RunningSite) -> None:
    with server.page() as page:
        page.socket.send("x" * ((1 << 20) + 1))
        with pytest.raises(ConnectionClosed) as caught:
            page.receive()
        assert caught.value.rcvd is not None
        assert caught.value.rcvd.code == 1009


@pytest.mark.parametrize("begun", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "])
def test_who_sends_no_request_is_not_waited_for(
    server: RunningSite, monkeypatch: pytest.MonkeyPatch, begun: bytes
) -> None:
    monkeypatch.setattr("katachi.interfaces.web.serving.PATIENCE", 0.1)
    place = ("127.0.0.1", server.address.port)
    with socket.create_connection(place, timeout=60) as connection, server.page() as page:
        connection.sendall(begun)
        assert connection.recv(1) == b""
        assert page.ask("status")  # a page may be as quiet as it likes


def test_who_sends_a_body_too_slowly_is_refused(
    server: RunningSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("katachi.interfaces.web.app.SLOWEST_BODY", 0.1)
    head = b"POST /api/v1/status HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n{"
    with socket.create_connection(("127.0.0.1", server.address.port), timeout=60) as connection:
        connection.sendall(head)
        assert connection.recv(100).startswith(b"HTTP/1.1 400")


def test_addresses_are_written_as_they_are_opened() -> None:
    assert Address("::1", 80, None).url == "http://[::1]:80/"
    assert is_loopback("127.0.0.5")
    assert is_loopback("::1")
    assert not is_loopback("0.0.0.0")
    assert not is_loopback("example.org")


def test_a_port_in_use_is_said_in_one_line() -> None:
    made, address = listen("127.0.0.1", 0)
    with made, pytest.raises(KatachiError, match=f"port {address.port} of 127.0.0.1 is in use"):
        listen("127.0.0.1", address.port)
    with pytest.raises(KatachiError, match="use 1 to 65535"):
        listen("127.0.0.1", 70000)
    for host in ("no.such.host.invalid", "192.0.2.1"):
        with pytest.raises(KatachiError, match=f"--host {host}: no address of this machine"):
            listen(host, 0)


def test_a_page_is_served_from_memory(tmp_path: Path) -> None:
    from katachi.interfaces.web.app import read_page

    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<p>hi")
    (tmp_path / "assets" / "x.js").write_text("1")
    files = read_page(tmp_path)
    assert files.keys() == {"/index.html", "/assets/x.js"}
    assert files["/assets/x.js"].kind == "text/javascript"
    assert read_page(tmp_path / "none") == {}
