/** What is to be seen of a position with the reader's choices: overlay, candidates, values. */
import { useEffect, useRef } from "preact/hooks";
import { useAnswer, type Awaited } from "../answers";
import type { Label, LineStone } from "../board/marks";
import { forMover, signed } from "../numbers";
import type { Analysis, Candidate, Game, Matrix, Owned, Territory, Vertex } from "../protocol";
import { other } from "../rules";
import { choices, evaluatorInfo, evaluatorsFor, server, type Overlay } from "../session";
import { useStore } from "../store";
import { text } from "../text";
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
  /** What the search expects after the picked move, as numbered stones. */
  line: LineStone[];
  /** Whose opinion the owners are. */
  source: string;
  /** Whether the first evaluator reads ahead, which takes a while. */
  isDeep: boolean;
  error: string;
}

const LABELLED = 5;
/** Moves of an expected line that are shown. */
export const LONGEST_LINE = 12;
export const COUNT = 10;

export function useSeen(game: Game | null, picked: Vertex | null, next: Vertex | null): Seen {
  const { overlay, areCandidatesShown, evaluators } = useStore(choices);
  const { hello } = useStore(server);
  const names = hello && game ? evaluatorsFor(game.size, evaluators) : [];
  const given = picked ?? next;
  const isOfMove = overlay === "after_move" || overlay === "difference";
  const isDeep = !!evaluatorInfo(names[0] ?? "")?.has_visits;
  // What a search sees of the position as it stands comes with its candidates, and grows with them.
  const isGrowing = isDeep && overlay === "now";
  // Owners are quick to ask for; candidates are not, and wait until somebody wants them.
  const isWanted = areCandidatesShown || names.length > 1 || (isOfMove && !given) || isGrowing;
  const fieldsFor = (name?: string) =>
    game && name && isWanted ? { game, evaluator: name, count: COUNT } : null;
  const analyses = [
    useAnswer<Analysis>("analyse", fieldsFor(names[0]), hasCandidates),
    useAnswer<Analysis>("analyse", fieldsFor(names[1]), hasCandidates),
    useAnswer<Analysis>("analyse", fieldsFor(names[2]), hasCandidates),
  ].slice(0, names.length);
  useEffect(() => {
    for (const { data } of analyses) if (data && game) keepValue(data.evaluator, game, data);
  });

  const main = analyses[0]?.data ?? null;
  const isSure = !analyses[0]?.isLoading;
  const best = main?.candidates.find((c) => c.vertex !== "pass")?.vertex ?? null;
  const about = given ?? (isSure ? best : null);
  const vertex = isOfMove ? about : (given ?? "pass");
  const territory = useAnswer<Territory>(
    "territory",
    overlay !== "none" && !isGrowing && game && vertex && names[0]
      ? { game, evaluator: names[0], vertex }
      : null,
  );
  const now = isGrowing ? ownedOf(main) : overlay === "none" ? null : (territory.data?.[overlay] ?? null);
  const owned = useLatest(now, overlay, game?.size ?? 0);
  const line = areCandidatesShown && main ? lineOf(main, picked) : [];
  return {
    names,
    analyses,
    territory,
    about,
    overlay: owned?.ownership ?? null,
    points: owned?.points ?? null,
    isSigned: overlay === "difference",
    labels: areCandidatesShown && main && !line.length ? labelsOf(main) : [],
    line,
    source: (isGrowing ? main?.visits && text.see.meanOver(main.visits) : territory.data?.source) || "",
    isDeep,
    error: analyses[0]?.error || territory.error,
  };
}

const hasCandidates = (part: Partial<Analysis>) => part.candidates !== undefined;

function ownedOf(analysis: Analysis | null): Owned | null {
  const ownership = analysis?.ownership;
  return ownership ? { ownership, points: ownership.flat().reduce((sum, one) => sum + one, 0) } : null;
}

/** The line after a searched move; where moves come back to a point, the first one is shown. */
function lineOf({ candidates, to_play }: Analysis, picked: Vertex | null): LineStone[] {
  const found = candidates.find(({ vertex, visits }) => vertex === picked && visits !== null);
  const stones = (found?.line ?? []).slice(0, LONGEST_LINE).map((vertex, index): LineStone => {
    return { vertex, color: index % 2 ? other(to_play) : to_play, number: index + 1 };
  });
  const isFirst = ({ vertex }: LineStone, at: number) => stones.findIndex((one) => one.vertex === vertex) === at;
  return stones.filter(isFirst).filter(({ vertex }) => vertex !== "pass");
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
      share: candidate.visits === null ? candidate.share : candidate.visits / Math.max(1, analysis.visits ?? 1),
    }));
}

/** The mover's share of games in per cent, or points: what fits into a stone. */
export function shortValue(candidate: Candidate, { unit, to_play }: Analysis): string {
  const { win_rate, lead } = forMover(candidate, to_play);
  if (unit === "points" && lead !== null) return signed(lead, Math.abs(lead) < 9.95 ? 1 : 0);
  return win_rate === null ? "" : (100 * win_rate).toFixed(0);
}
