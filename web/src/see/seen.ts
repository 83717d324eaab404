/** What is to be seen of a position with the reader's choices: overlay, candidates, values. */
import { useEffect, useRef } from "preact/hooks";
import { useAnswer, type Awaited } from "../answers";
import type { Label } from "../board/marks";
import { forMover, signed } from "../numbers";
import type { Analysis, Candidate, Game, Matrix, Owned, Territory, Vertex } from "../protocol";
import { choices, evaluatorsFor, server, type Overlay } from "../session";
import { useStore } from "../store";
import { keepValue } from "./values";

export interface Seen {
  /** The chosen evaluators that know this board; the first one is drawn on the big board. */
  names: string[];
  analyses: Awaited<Analysis>[];
  territory: Awaited<Territory>;
  overlay: Matrix | null;
  /** Points that Black is expected to own, or to own more. */
  points: number | null;
  isSigned: boolean;
  /** The move that "after this move" is about. */
  about: Vertex | null;
  labels: Label[];
  error: string;
}

const LABELLED = 5;
export const COUNT = 10;

export function useSeen(game: Game | null, picked: Vertex | null, next: Vertex | null): Seen {
  const { overlay, areCandidatesShown, evaluators } = useStore(choices);
  const { hello } = useStore(server);
  const names = hello && game ? evaluatorsFor(game.size, evaluators) : [];
  const given = picked ?? next;
  const isOfMove = overlay === "after_move" || overlay === "difference";
  // Owners are quick to ask for; candidates are not, and wait until somebody wants them.
  const isWanted = areCandidatesShown || names.length > 1 || (isOfMove && !given);
  const fieldsFor = (name?: string) =>
    game && name && isWanted ? { game, evaluator: name, count: COUNT } : null;
  const analyses = [
    useAnswer<Analysis>("analyse", fieldsFor(names[0])),
    useAnswer<Analysis>("analyse", fieldsFor(names[1])),
    useAnswer<Analysis>("analyse", fieldsFor(names[2])),
  ].slice(0, names.length);
  useEffect(() => {
    for (const { data } of analyses) if (data && game) keepValue(data.evaluator, game, data);
  });

  const main = analyses[0]?.data ?? null;
  const about = given ?? main?.candidates.find((c) => c.vertex !== "pass")?.vertex ?? null;
  const vertex = isOfMove ? about : (given ?? "pass");
  const territory = useAnswer<Territory>(
    "territory",
    overlay !== "none" && game && vertex && names[0]
      ? { game, evaluator: names[0], vertex }
      : null,
  );
  const owned = useLatest(overlay === "none" ? null : (territory.data?.[overlay] ?? null), overlay, game?.size ?? 0);
  return {
    names,
    analyses,
    territory,
    about,
    overlay: owned?.ownership ?? null,
    points: owned?.points ?? null,
    isSigned: overlay === "difference",
    labels: areCandidatesShown && main ? labelsOf(main) : [],
    error: analyses[0]?.error || territory.error,
  };
}

/** What was seen last, until the next answer comes: squares that blink are hard to compare. */
function useLatest(owned: Owned | null, overlay: Overlay, size: number): Owned | null {
  const kept = useRef<{ owned: Owned | null; key: string }>({ owned: null, key: "" });
  const key = `${overlay} ${size}`;
  if (owned || kept.current.key !== key) kept.current = { owned, key };
  return kept.current.owned;
}

function labelsOf(analysis: Analysis): Label[] {
  return analysis.candidates
    .filter((candidate) => candidate.vertex !== "pass")
    .slice(0, LABELLED)
    .map((candidate, index) => ({
      vertex: candidate.vertex,
      text: shortValue(candidate, analysis),
      tone: index === 0 ? "best" : "plain",
      share: candidate.share,
    }));
}

/** The mover's share of games in per cent, or points: what fits into a stone. */
export function shortValue(candidate: Candidate, { unit, to_play }: Analysis): string {
  const { win_rate, lead } = forMover(candidate, to_play);
  if (unit === "points" && lead !== null) return signed(lead, Math.abs(lead) < 9.95 ? 1 : 0);
  return win_rate === null ? "" : (100 * win_rate).toFixed(0);
}
