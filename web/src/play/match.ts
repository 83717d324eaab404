/** The game in progress: whose turn, asking the player, the clock, the end. Kept in the browser. */
import { remember } from "../answers";
import { ask, Dropped } from "../connection";
import { announce, notify } from "../live";
import { clockText } from "../numbers";
import type { Color, Game, MoveAnswer, Score, Vertex } from "../protocol";
import { other, readMove, replay } from "../rules";
import { makeStore } from "../store";
import { text } from "../text";

export interface Setup {
  player: string;
  size: number;
  human: Color;
  komi: number;
  handicap: number;
  seconds: number;
  /** Main time of each side in minutes; 0 without a clock. */
  minutes: number;
}

export type Phase = "setup" | "playing" | "scoring" | "over";

export interface Match extends Setup {
  phase: Phase;
  game: Game;
  score: Score | null;
  result: string;
  /** Seconds left of each side. */
  clock: Record<Color, number>;
}

export const emptyGame = (size: number, komi: number): Game => ({
  size,
  komi,
  black: [],
  white: [],
  first: "black",
  moves: [],
  handicap: 0,
});

export const match = makeStore<Match>(
  {
    player: "",
    size: 9,
    human: "black",
    komi: 7.5,
    handicap: 0,
    seconds: 1,
    minutes: 0,
    phase: "setup",
    game: emptyGame(9, 7.5),
    score: null,
    result: "",
    clock: { black: 0, white: 0 },
  },
  "katachi.match",
);

/** Not kept: a question does not outlive its page. */
export const thinking = makeStore({ isThinking: false, error: "", winRate: null as number | null });

let question: AbortController | null = null;

export const turnOf = (game: Game): Color => {
  let turn = game.first;
  for (const move of game.moves) turn = other(readMove(move, turn).color);
  return turn;
};

export const isHumansTurn = ({ phase, game, human }: Match): boolean =>
  phase === "playing" && turnOf(game) === human;

export async function startMatch(setup: Setup): Promise<void> {
  stopThinking();
  const game = emptyGame(setup.size, setup.komi);
  if (setup.handicap > 1) {
    const { stones } = await ask<{ stones: Vertex[] }>("handicap", {
      size: setup.size,
      count: setup.handicap,
    });
    Object.assign(game, { black: stones, first: "white", handicap: setup.handicap });
  }
  const time = 60 * setup.minutes;
  match.set({
    ...setup,
    phase: "playing",
    game,
    score: null,
    result: "",
    clock: { black: time, white: time },
  });
  thinking.set({ winRate: null });
  announce(text.play.started(setup.player, setup.human));
  advance();
}

export const newMatch = (): void => {
  stopThinking();
  match.set({ phase: "setup", score: null, result: "" });
};

/** The human's move; the caller has checked that it is legal. */
export function playMove(vertex: Vertex): void {
  if (!isHumansTurn(match.get())) return;
  append(vertex);
  advance();
}

function append(vertex: Vertex): void {
  const { game } = match.get();
  announce(text.play.moved(turnOf(game), vertex));
  match.set({ game: { ...game, moves: [...game.moves, vertex] } });
}

/** Does what the position calls for: counting after two passes, or asking the player. */
export function advance(): void {
  const now = match.get();
  if (now.phase !== "playing") return;
  const { moves } = now.game;
  if (moves.length > 1 && moves.at(-1) === "pass" && moves.at(-2) === "pass") void proposeScore();
  else if (turnOf(now.game) !== now.human && !thinking.get().isThinking) void think();
}

async function think(): Promise<void> {
  const { game, player, seconds } = match.get();
  question = new AbortController();
  thinking.set({ isThinking: true, error: "" });
  try {
    const { signal } = question;
    const answer = await ask<MoveAnswer>("move", { game, player, seconds }, { signal });
    thinking.set({ isThinking: false, winRate: answer.win_rate });
    take(answer);
  } catch (error) {
    if (error instanceof Dropped) return;
    thinking.set({ isThinking: false, error: (error as Error).message });
  }
}

function take({ vertex, position }: MoveAnswer): void {
  const { human, phase } = match.get();
  if (phase !== "playing") return;
  if (vertex === "resign") return end(`${human === "black" ? "B" : "W"}+R`);
  append(vertex);
  remember("position", { game: match.get().game }, { position });
  advance();
}

export function stopThinking(): void {
  question?.abort();
  thinking.set({ isThinking: false, error: "" });
}

/** Takes back to the human's move before the last one, or a resignation, or a loss on time. */
export function undo(): void {
  const { game, human, result, clock } = match.get();
  if (!game.moves.length) return;
  stopThinking();
  if (clock[human] <= 0) match.set({ minutes: 0 });
  if (/\+[RT]$/.test(result)) {
    match.set({ phase: "playing", result: "" });
    return advance();
  }
  const moves = game.moves.slice(0, -1);
  if (turnOf({ ...game, moves }) !== human && moves.length) moves.pop();
  match.set({ game: { ...game, moves }, phase: "playing", score: null, result: "" });
  announce(text.play.undone);
  advance();
}

export function resign(): void {
  const { human } = match.get();
  stopThinking();
  end(`${human === "black" ? "W" : "B"}+R`);
}

export function end(result: string): void {
  match.set({ phase: "over", result });
  announce(text.play.ended(result));
}

/** Asks which stones are dead, or counts with those that the human marked. */
export async function proposeScore(dead?: Vertex[]): Promise<void> {
  const { game } = match.get();
  match.set({ phase: "scoring" });
  try {
    const score = await ask<Score>("score", dead ? { game, dead } : { game });
    if (match.get().game === game) match.set({ score });
    announce(score.text);
  } catch (error) {
    notify((error as Error).message, { isError: true });
  }
}

export const acceptScore = (): void => {
  const { score } = match.get();
  if (score) end(score.result);
};

export const stonesNow = () => replay(match.get().game);

/** A tick of the clock: the side to move loses time, and the game when it has none left. */
function tick(seconds: number): void {
  const { phase, minutes, game, clock } = match.get();
  if (phase !== "playing" || !minutes) return;
  const turn = turnOf(game);
  const left = clock[turn] - seconds;
  match.set({ clock: { ...clock, [turn]: Math.max(0, left) } });
  if (left > 0) {
    if (Math.ceil(left) === 30 && Math.ceil(left + seconds) > 30) announce(clockText(30));
    return;
  }
  stopThinking();
  end(`${turn === "black" ? "W" : "B"}+T`);
}

setInterval(() => tick(0.25), 250);
