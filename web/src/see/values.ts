/** What evaluators said of positions, kept by position: graph and mistakes are made of it. */
import { askInBackground, Dropped } from "../connection";
import type { Game, ReviewPart, ReviewResult, Value } from "../protocol";
import { cut } from "../rules";
import { makeStore } from "../store";

export interface Review {
  parts: ReviewPart[];
  result: ReviewResult | null;
  isRunning: boolean;
  error: string;
  of: number;
}

const known = new Map<string, Value>();
const running = new Map<string, AbortController>();

export const reviews = makeStore<{ byKey: Record<string, Review> }>({ byKey: {} });

export function keyOf(evaluator: string, game: Game): string {
  const { size, komi, black, white, first, moves } = game;
  return [evaluator, size, komi, black.join(), white.join(), first, moves.join()].join("|");
}

export function keepValue(evaluator: string, game: Game, value: Value): void {
  known.set(keyOf(evaluator, game), { win_rate: value.win_rate, lead: value.lead });
}

/** Values of the start and after every move; null where nothing was said yet. */
export function valuesOf(evaluator: string, game: Game): (Value | null)[] {
  return Array.from(
    { length: game.moves.length + 1 },
    (_, number) => known.get(keyOf(evaluator, cut(game, number))) ?? null,
  );
}

export const reviewOf = (evaluator: string, game: Game): Review | null =>
  reviews.get().byKey[keyOf(evaluator, game)] ?? null;

/** Reviews every move; what comes is shown as it comes. Does nothing where it is known. */
export function startReview(evaluator: string, game: Game): void {
  const key = keyOf(evaluator, game);
  const earlier = reviews.get().byKey[key];
  if ((earlier && !earlier.error) || !game.moves.length) return;
  const stop = new AbortController();
  running.set(key, stop);
  keep(key, { parts: [], result: null, isRunning: true, error: "", of: game.moves.length });
  const onPart = (part: ReviewPart) => {
    keepValue(evaluator, cut(game, part.number), part);
    // After a break the review begins again.
    keep(key, (now) => ({ parts: part.number ? [...now.parts, part] : [part] }));
  };
  askInBackground<ReviewResult, ReviewPart>("review", { game, evaluator }, { onPart, signal: stop.signal })
    .then((result) => keep(key, { result, isRunning: false }))
    .catch((error: Error) => {
      if (error instanceof Dropped) return;
      keep(key, { error: error.message, isRunning: false });
    })
    .finally(() => running.get(key) === stop && running.delete(key));
}

/** Stops all reviews under way except those of the game by these evaluators. */
export function stopReviews(except: Game | null, names: string[] = []): void {
  const wanted = except ? names.map((name) => keyOf(name, except)) : [];
  for (const [key, stop] of running) {
    if (wanted.includes(key)) continue;
    running.delete(key);
    forget(key);
    stop.abort();
  }
}

function keep(key: string, change: Partial<Review> | ((now: Review) => Partial<Review>)): void {
  reviews.set(({ byKey }) => {
    const now = byKey[key] ?? { parts: [], result: null, isRunning: false, error: "", of: 0 };
    const next = typeof change === "function" ? change(now) : change;
    return { byKey: { ...byKey, [key]: { ...now, ...next } } };
  });
}

function forget(key: string): void {
  reviews.set(({ byKey }) => {
    const { [key]: _, ...rest } = byKey;
    return { byKey: rest };
  });
}
