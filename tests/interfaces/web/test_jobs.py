"""Fair work: one step of each client in turn, and nothing for those who have left."""

import asyncio
import threading
from collections.abc import Iterator

import httpx
import pytest

from katachi.interfaces.web.clients import MOST_UNSENT, MOST_WAITING
from katachi.interfaces.web.jobs import FairQueue, Job, Outcome
from katachi.interfaces.web.operations import (
    OPERATIONS,
    Answers,
    AsyncAnswers,
    Context,
    Lane,
    Nothing,
    Part,
    Request,
    Result,
    operation,
)
from tests.interfaces.web.conftest import RunningSite, wait_until


def job_of(steps: Answers, outcomes: list[Outcome] | None = None) -> Job:
    job = Job(outcomes.append if outcomes is not None else lambda _: None)
    job.steps = steps
    return job


def counting(name: str, order: list[str], count: int) -> Answers:
    for _ in range(count):
        order.append(name)
        yield None
    order.append(name)
    yield Result({})


def test_clients_have_their_steps_in_turn() -> None:
    queue = FairQueue(1)
    order: list[str] = []
    done: list[Outcome] = []
    queue.add("greedy", job_of(counting("greedy", order, 50), done))
    queue.add("greedy", job_of(counting("greedy", order, 50), done))
    for number in range(9):
        queue.add(number, job_of(counting(str(number), order, 5), done))
    queue.begin()
    assert wait_until(lambda: len(done) == 11)
    first = order[:60]
    assert all(first.count(str(number)) == 6 for number in range(9))
    assert first.count("greedy") == 6


def test_a_client_has_one_step_at_a_time() -> None:
    running = most = 0
    lock = threading.Lock()
    done: list[Outcome] = []

    def steps() -> Answers:
        nonlocal running, most
        for _ in range(20):
            with lock:
                running += 1
                most = max(most, running)
            threading.Event().wait(0.001)
            with lock:
                running -= 1
            yield None
        yield Result({})

    queue = FairQueue(4)
    for _ in range(4):
        queue.add("one", job_of(steps(), done))
    queue.begin()
    assert wait_until(lambda: len(done) == 4)
    assert most == 1


def endless(log: list[str]) -> Answers:
    try:
        while True:
            log.append("step")
            yield Part({})
    finally:
        log.append("closed")


def test_a_cancelled_job_is_closed_and_sends_nothing_more() -> None:
    queue = FairQueue(1)
    log: list[str] = []
    outcomes: list[Outcome] = []
    job = job_of(endless(log), outcomes)
    queue.begin()
    queue.add("page", job)
    assert wait_until(lambda: len(outcomes) > 3)
    queue.cancel("page", job)
    assert wait_until(lambda: "closed" in log)
    count = len(outcomes)
    assert log[-1] == "closed"
    assert len(outcomes) == count


def test_who_leaves_has_nothing_done_any_more() -> None:
    queue = FairQueue(2)
    log: list[str] = []
    for _ in range(3):
        queue.add("page", job_of(endless(log)))
    queue.begin()
    assert wait_until(lambda: len(log) > 10)
    queue.drop("page")
    assert wait_until(lambda: log.count("closed") == 3)
    assert wait_until(lambda: not queue.is_busy("page"))


def test_a_job_that_has_not_begun_is_dropped_without_a_step() -> None:
    queue = FairQueue(1)
    order: list[str] = []
    job = job_of(counting("x", order, 3))
    queue.add("page", job)
    queue.cancel("page", job)
    queue.begin()
    done: list[Outcome] = []
    queue.add("page", job_of(counting("y", order, 0), done))
    assert wait_until(lambda: bool(done))
    assert order == ["y"]


def test_who_takes_nothing_is_passed_over_until_it_does() -> None:
    is_free = False
    queue = FairQueue(1, lambda client: client != "slow" or is_free)
    log: list[str] = []
    order: list[str] = []
    queue.begin()
    queue.add("slow", job_of(endless(log)))
    done: list[Outcome] = []
    queue.add("other", job_of(counting("other", order, 5), done))
    assert wait_until(lambda: bool(done))
    assert log == []
    is_free = True
    queue.wake("slow")
    assert wait_until(lambda: bool(log))
    queue.drop("slow")


def test_an_error_ends_a_job_and_no_thread() -> None:
    def broken() -> Answers:
        yield Part({})
        raise ZeroDivisionError

    queue = FairQueue(1)
    outcomes: list[Outcome] = []
    queue.begin()
    queue.add("page", job_of(broken(), outcomes))
    queue.add("page", job_of(iter(()), outcomes))
    queue.add("page", job_of(iter([Result({})]), outcomes))
    assert wait_until(lambda: len(outcomes) == 4)
    assert {type(each) for each in outcomes} == {Part, ZeroDivisionError, AssertionError, Result}


class CountRequest(Request):
    """How many steps, and how long each is."""

    steps: int
    name: str = ""


LOG: list[str] = []


@pytest.fixture
def _own_operations() -> Iterator[None]:
    """Operations that count their steps."""
    LOG.clear()

    @operation("test_steps", CountRequest)
    def steps(request: CountRequest, _context: Context) -> Answers:
        try:
            for number in range(request.steps):
                LOG.append(request.name)
                threading.Event().wait(0.002)
                yield Part({"number": number, "text": "x" * 20_000})
            yield Result({})
        finally:
            LOG.append("closed")

    @operation("test_deaf", Nothing, lane=Lane.CLOCK)
    def deaf(_request: Nothing, context: Context) -> Answers:
        while not context.is_stopped():
            threading.Event().wait(0.01)
        LOG.append("heard")
        yield Result({})

    @operation("test_wait", Nothing, is_endless=True)
    async def wait(_request: Nothing, _context: Context) -> AsyncAnswers:
        try:
            yield Part({})
            await asyncio.sleep(1000)
        finally:
            LOG.append("woken")

    yield
    for name in ("test_steps", "test_deaf", "test_wait"):
        del OPERATIONS[name]


@pytest.mark.usefixtures("_own_operations")
def test_ten_pages_get_on_alike(server: RunningSite) -> None:
    pages = [server.page() for _ in range(10)]
    opened = [page.__enter__() for page in pages]
    opened[0].send("test_steps", steps=400, name="greedy")
    for number, each in enumerate(opened[1:]):
        each.send("test_steps", steps=30, name=str(number))
    for each in opened[1:]:
        while "result" not in each.receive():
            pass
    # Others arrive one after another, so the first has had some steps before the last has come.
    assert LOG.count("greedy") < 120
    for page in pages:
        page.__exit__(None, None, None)


@pytest.mark.usefixtures("_own_operations")
def test_a_page_that_leaves_has_its_work_dropped(server: RunningSite) -> None:
    with server.page() as page:
        page.send("test_steps", steps=100_000)
        page.send("test_deaf")
        assert "part" in page.receive()
    assert wait_until(lambda: "closed" in LOG and "heard" in LOG)


@pytest.mark.usefixtures("_own_operations")
def test_a_cancelled_request_sends_nothing_more(server: RunningSite) -> None:
    with server.page() as page:
        number = page.send("test_steps", steps=100_000)
        page.receive()
        page.socket.send(f'{{"op": "cancel", "id": {number}}}')
        following = page.send("status")
        while (answer := page.receive())["id"] != following:
            assert answer["id"] == number
        assert wait_until(lambda: LOG[-1] == "closed")
        assert page.ask("status") == {"compiling": None}


@pytest.mark.usefixtures("_own_operations")
def test_what_only_waits_is_cancelled_too(server: RunningSite) -> None:
    with server.page() as page:
        number = page.send("test_wait")
        page.receive()
        page.socket.send(f'{{"op": "cancel", "id": {number}}}')
        assert wait_until(lambda: LOG == ["woken"])
        page.send("test_wait")
        page.receive()
    assert wait_until(lambda: LOG == ["woken", "woken"])
    answer = httpx.post(f"{server.url}api/v1/test_wait")
    assert answer.status_code == 400
    assert "WebSocket" in answer.json()["error"]


@pytest.mark.usefixtures("_own_operations")
def test_a_page_asks_for_so_much_at_once(server: RunningSite) -> None:
    with server.page() as page:
        numbers = [page.send("test_deaf") for _ in range(MOST_WAITING)]
        text, field = page.refusal("status")
        assert "too many requests at once" in text
        assert field is None
        page.socket.send(f'{{"op": "cancel", "id": {numbers[0]}}}')
        assert page.ask("status") == {"compiling": None}


@pytest.mark.usefixtures("_own_operations")
def test_a_page_that_does_not_read_costs_no_memory(server: RunningSite) -> None:
    with server.page(max_queue=1) as page:
        page.send("test_steps", steps=100_000)

        def unsent() -> int:
            return max((len(each.unsent) for each in list(server.site.pages)), default=0)

        assert wait_until(lambda: unsent() >= MOST_UNSENT)
        threading.Event().wait(0.2)
        assert unsent() <= MOST_UNSENT + 1


@pytest.mark.usefixtures("_own_operations")
def test_a_page_that_takes_nothing_is_left(
    server: RunningSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("katachi.interfaces.web.app.SLOWEST", 0.2)
    with server.page(max_queue=1) as page:
        # The server knows this page once it has answered it; pages of other tests may still go.
        page.ask("status")
        before = len(server.site.pages)
        page.send("test_steps", steps=100_000)
        assert wait_until(lambda: len(server.site.pages) < before)
        assert wait_until(lambda: LOG[-1:] == ["closed"])


def test_a_player_stops_thinking_when_its_page_leaves(server: RunningSite) -> None:
    lane = server.site.hall.lanes[Lane.CLOCK]
    with server.page() as page:
        for player in ("search:shape", "tree", "playouts", "dyna"):
            page.ask("move", game={"size": 5, "moves": ["C3"]}, player=player, seconds=0.01)
    for player in ("search:shape", "tree", "playouts", "dyna"):
        with server.page() as page:
            page.send("move", game={"size": 5, "moves": ["C3"]}, player=player, seconds=10)
            assert wait_until(lambda: lane.count_running() > 0)
        assert wait_until(lambda: lane.count_running() == 0)
