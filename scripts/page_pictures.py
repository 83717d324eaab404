"""Makes the README's pictures of the page, in a real browser.

    python scripts/page_pictures.py [FOLDER]

Writes play.png (a game with its territory), why.png (a move and the shapes that speak for it) and
learning.png (a run that has learned) into docs/pictures, or into FOLDER. Needs Chromium and
playwright (`make setup`).
"""

import base64
import struct
import sys
import tempfile
import zlib
from pathlib import Path

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.interfaces.web.browser.screen import Screen, browsing, find_browser, serving

ROOT = Path(__file__).parents[1]
WIDTH, HEIGHT = 1200, 800
MOVES = 11
"""Moves of each side in the game that is shown."""
ADVISER, OPPONENT = "search:shape", "search:territory"
COLORS = 256
"""Of the palette."""
SEED = 1

# The pixels of a picture, four bytes each, in base64.
PIXELS = """async (png) => {
    const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
    const picture = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    const context = canvas.getContext("2d");
    context.drawImage(picture, 0, 0);
    const { data } = context.getImageData(0, 0, picture.width, picture.height);
    let binary = "";
    for (let i = 0; i < data.length; i += 8192)
        binary += String.fromCharCode(...data.subarray(i, i + 8192));
    return [picture.width, picture.height, btoa(binary)];
}"""


def play_game(screen: Screen) -> None:
    """A game of 9x9 in which a player of ours advises the person."""
    screen.open().start_game(OPPONENT, 9)
    for number in range(MOVES):
        screen.my_turn()
        game = {"size": 9, "komi": 7.5, "moves": screen.moves()}
        fields = {"game": game, "player": ADVISER, "seconds": 0.5}
        answer = screen.page.request.post(f"{screen.url}api/v1/move", data=fields).json()
        screen.point(answer["result"]["vertex"]).click()
        screen.wait_for_moves(2 * number + 2)


def picture_play(screen: Screen) -> bytes:
    """The game with the territory that its evaluator sees."""
    screen.choose("overlay-now")
    screen.part("overlay-points").wait_for()
    screen.page.mouse.move(5, 5)
    return screen.page.screenshot()


def picture_why(screen: Screen) -> bytes:
    """The best move of the shapes, where one of them is, and their sum."""
    screen.page.set_viewport_size({"width": WIDTH, "height": 1010})
    screen.choose("overlay-none")
    screen.part("evaluator-1").select_option("shape")
    screen.part("candidates-switch").click()
    screen.page.locator('[data-test="candidates"] [data-test^="why-"]').first.click()
    screen.shows("why-sum", "They sum exactly")
    screen.part("why-shape-1").click()
    screen.page.mouse.move(5, 5)
    screen.page.evaluate(
        "() => document.querySelector('[data-test=why-sum]').scrollIntoView({ block: 'end' })"
    )
    screen.page.mouse.wheel(0, 75)
    screen.page.wait_for_timeout(800)
    return screen.page.screenshot()


def picture_learning(screen: Screen) -> bytes:
    """A run from its first game to its last."""
    screen.page.set_viewport_size({"width": WIDTH, "height": 740})
    fields = {"preset": "shape5", "seed": SEED}
    screen.page.request.post(f"{screen.url}api/v1/start", data=fields)
    screen.open("learning")
    screen.page.set_default_timeout(120_000)
    screen.wait_for(
        "() => /Done/.test(document.querySelector('[data-test=run-status]')?.innerText ?? '')"
    )
    screen.part("sample-move").fill("16")
    screen.page.mouse.move(5, 5)
    return screen.page.screenshot()


def reduced(screen: Screen, png: bytes) -> bytes:
    """The picture with a palette of the colours that it uses most."""
    encoded = base64.b64encode(png).decode()
    width, height, pixels = screen.page.evaluate(PIXELS, encoded)
    rgb = np.frombuffer(base64.b64decode(pixels), np.uint8).reshape(-1, 4)[:, :3].astype(np.int64)
    boxes = (rgb >> 2) @ [1 << 12, 1 << 6, 1]
    _, inverse, counts = np.unique(boxes, return_inverse=True, return_counts=True)
    sums = [np.bincount(inverse, rgb[:, channel]) / counts for channel in range(3)]
    means = np.stack(sums, axis=1)
    palette = means[np.argsort(-counts)[:COLORS]].round()
    nearest = ((means[:, None] - palette[None]) ** 2).sum(axis=2).argmin(axis=1)
    return png_from_indices(nearest[inverse].reshape(height, width), palette)


def png_from_indices(indices: npt.NDArray[np.int64], palette: npt.NDArray[np.float64]) -> bytes:
    """A PNG of 8 bits a pixel."""
    height, width = indices.shape
    rows = np.zeros((height, width + 1), np.uint8)
    rows[:, 1:] = indices
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = {
        b"IHDR": header,
        b"PLTE": palette.astype(np.uint8).tobytes(),
        b"IDAT": zlib.compress(rows.tobytes(), 9),
        b"IEND": b"",
    }
    chunks = [
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in parts.items()
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def main() -> None:
    """Writes the three pictures."""
    program = find_browser()
    if program is None:
        sys.exit("page_pictures: needs Chromium (apt-get install chromium)")
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    with (
        browsing(program) as browser,
        tempfile.TemporaryDirectory() as name,
        serving(Path(name)) as served,
    ):
        page = browser.new_context(
            viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light"
        ).new_page()
        screen = Screen(page, served.url)
        play_game(screen)
        for kind, take in (
            ("play", picture_play),
            ("why", picture_why),
            ("learning", picture_learning),
        ):
            (folder / f"{kind}.png").write_bytes(reduced(screen, take(screen)))


if __name__ == "__main__":
    main()
