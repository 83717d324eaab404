/** Enough of the rules to show a record at once; what is legal is the server's word. */
import type { Color, Game, Matrix, Vertex } from "./protocol";

const LETTERS = "ABCDEFGHJKLMNOPQRST";

export interface Spot {
  x: number;
  y: number;
}

/** Column and row from the top left; null for a pass. */
export function spotOf(vertex: Vertex, size: number): Spot | null {
  const x = LETTERS.indexOf(vertex.charAt(0).toUpperCase());
  const row = Number(vertex.slice(1));
  return x < 0 || x >= size || !(row >= 1 && row <= size) ? null : { x, y: size - row };
}

export function vertexAt({ x, y }: Spot, size: number): Vertex {
  return `${LETTERS[x] ?? "?"}${size - y}`;
}

export const columnName = (x: number): string => LETTERS[x] ?? "?";

export const other = (color: Color): Color => (color === "black" ? "white" : "black");

export interface Shown {
  stones: Matrix;
  to_play: Color;
  last: Vertex | null;
  captures: Record<Color, number>;
}

/** Who plays the move "D4", "b:D4" or "w:pass", and where. */
export function readMove(text: string, turn: Color): { color: Color; vertex: Vertex } {
  if (text.startsWith("b:")) return { color: "black", vertex: text.slice(2) };
  if (text.startsWith("w:")) return { color: "white", vertex: text.slice(2) };
  return { color: turn, vertex: text };
}

/** The position after all moves of a game. */
export function replay(game: Game): Shown {
  const stones = emptyMatrix(game.size);
  for (const vertex of game.black) setStone(stones, vertex, 1);
  for (const vertex of game.white) setStone(stones, vertex, 2);
  const shown: Shown = { stones, to_play: game.first, last: null, captures: { black: 0, white: 0 } };
  for (const text of game.moves) {
    const { color, vertex } = readMove(text, shown.to_play);
    place(shown, vertex, color);
  }
  return shown;
}

function place(shown: Shown, vertex: Vertex, color: Color): void {
  const { stones } = shown;
  shown.to_play = other(color);
  shown.last = vertex;
  const spot = spotOf(vertex, stones.length);
  if (!spot) return;
  const [own, opponent] = color === "black" ? [1, 2] : [2, 1];
  setStone(stones, vertex, own);
  for (const next of neighbours(spot, stones.length)) {
    if (stones[next.y]?.[next.x] === opponent) shown.captures[color] += removeIfCaptured(stones, next);
  }
  shown.captures[other(color)] += removeIfCaptured(stones, spot);
}

function setStone(stones: Matrix, vertex: Vertex, stone: number): void {
  const spot = spotOf(vertex, stones.length);
  const row = spot && stones[spot.y];
  if (row) row[spot.x] = stone;
}

/** The stones of the block at a spot. */
export function blockAt(stones: Matrix, start: Spot): Spot[] {
  const stone = stones[start.y]?.[start.x];
  const seen = new Set([start.y * 64 + start.x]);
  const block = [start];
  for (const spot of block) {
    for (const next of neighbours(spot, stones.length)) {
      const key = next.y * 64 + next.x;
      if (stones[next.y]?.[next.x] === stone && !seen.has(key)) {
        seen.add(key);
        block.push(next);
      }
    }
  }
  return block;
}

function removeIfCaptured(stones: Matrix, start: Spot): number {
  const block = blockAt(stones, start);
  const isFree = (spot: Spot) =>
    neighbours(spot, stones.length).some((next) => stones[next.y]?.[next.x] === 0);
  if (block.some(isFree)) return 0;
  for (const { x, y } of block) stones[y]![x] = 0;
  return block.length;
}

function neighbours({ x, y }: Spot, size: number): Spot[] {
  return [
    { x: x - 1, y },
    { x: x + 1, y },
    { x, y: y - 1 },
    { x, y: y + 1 },
  ].filter((spot) => spot.x >= 0 && spot.y >= 0 && spot.x < size && spot.y < size);
}

export function emptyMatrix(size: number): Matrix {
  return Array.from({ length: size }, () => new Array<number>(size).fill(0));
}

/** The game with only its first `count` moves. */
export const cut = (game: Game, count: number): Game => ({
  ...game,
  moves: game.moves.slice(0, count),
});
