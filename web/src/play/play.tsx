/** The tab where a person plays. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useAnswer } from "../answers";
import { Board } from "../board/board";
import type { Label, Mark } from "../board/marks";
import { ask } from "../connection";
import { notify } from "../live";
import { download, isTyping } from "../parts";
import type { Analysis, Game, Position, Vertex } from "../protocol";
import { blockAt, replay, spotOf, vertexAt } from "../rules";
import { openGame } from "../review/record";
import { choices, evaluatorsFor, goTo, playerTitle } from "../session";
import { SeePanel } from "../see/see-panel";
import { useSeen } from "../see/seen";
import { SideBySide } from "../see/side-by-side";
import { NOTHING_SHOWN, WhyPanel, type Question, type Shown } from "../see/why-panel";
import { useStore } from "../store";
import { text } from "../text";
import { Controls, Players, ScorePanel } from "./controls";
import { GamePanel } from "./game-panel";
import * as playing from "./match";
import { match, thinking } from "./match";
import { SetupPanel } from "./setup-panel";

export function PlayTab() {
  const now = useStore(match);
  const { isThinking } = useStore(thinking);
  const { areCandidatesShown } = useStore(choices);
  const isSetup = now.phase === "setup";
  const game = useMemo(
    () => (isSetup ? playing.emptyGame(now.size, now.komi) : now.game),
    [isSetup, now.size, now.komi, now.game],
  );
  const shown = useMemo(() => replay(game), [game]);
  const position = useAnswer<{ position: Position }>("position", isSetup ? null : { game });
  const legal = useMemo(() => new Set(position.data?.position.legal), [position.data]);
  const [picked, setPicked] = useState<Vertex | null>(null);
  const [hints, setHints] = useState<Label[]>([]);
  const [question, setQuestion] = useState<Question | null>(null);
  const [why, setWhy] = useState<Shown>(NOTHING_SHOWN);
  const wish = useRef<{ game: Game; vertex: Vertex } | null>(null);
  const seen = useSeen(isSetup || now.phase === "scoring" ? null : game, picked, null);

  useEffect(() => playing.advance(), []);
  useEffect(() => {
    if (isSetup) return;
    const board = document.querySelector<HTMLElement>("[data-test=board]");
    window.scrollTo(0, 0);
    // The start button is gone with the form: the keyboard goes on at the board.
    if (document.activeElement === document.body) board?.focus({ preventScroll: true });
  }, [isSetup]);
  useEffect(() => {
    setPicked(null);
    setHints([]);
    setQuestion(null);
    setWhy(NOTHING_SHOWN);
  }, [game]);

  const canPlay = (vertex: Vertex) => playing.isHumansTurn(now) && legal.has(vertex);
  const play = (vertex: Vertex) =>
    canPlay(vertex) ? playing.playMove(vertex) : notify(text.play.illegal(vertex));
  const click = (vertex: Vertex) => {
    if (now.phase === "scoring") toggleDead(vertex);
    else if (!playing.isHumansTurn(now)) return;
    else if (position.data) play(vertex);
    else wish.current = { game, vertex };
  };
  // A click before the server said what is legal is played when it has.
  useEffect(() => {
    const { current } = wish;
    wish.current = null;
    if (current?.game === game && position.data) play(current.vertex);
  }, [position.data]);
  const hint = async () => {
    const evaluator = evaluatorsFor(game.size, choices.get().evaluators)[0];
    if (!playing.isHumansTurn(now) || !evaluator) return;
    try {
      const { candidates } = await ask<Analysis>("analyse", { game, evaluator, count: 3 });
      if (match.get().game !== now.game) return; // a tree takes seconds, and the game may go on
      setHints(hintsOf(candidates.map(({ vertex }) => vertex)));
      notify(text.play.hinted(candidates[0]?.vertex ?? "pass", evaluator));
    } catch (error) {
      notify((error as Error).message, { isError: true });
    }
  };
  const askWhy = (vertex: Vertex) => {
    const evaluator = seen.names[0] ?? evaluatorsFor(game.size, choices.get().evaluators)[0];
    if (evaluator) setQuestion({ game, evaluator, vertex });
  };
  const pass = () => playing.playMove("pass");
  useKeys({ p: pass, u: playing.undo, h: () => void hint() });

  const labels = question ? why.labels : hints.length ? hints : areCandidatesShown ? seen.labels : [];
  const dead = now.phase === "scoring" || now.phase === "over" ? now.score?.dead : undefined;
  return (
    <div class="split">
      <div class={isSetup ? "board-side" : "board-side stay"}>
        <Board
          stones={shown.stones}
          last={shown.last}
          toPlay={shown.to_play}
          label={text.board.label(game.size, game.moves.length, isSetup ? null : shown.to_play)}
          isBusy={isThinking}
          dimmed={dead}
          ownership={dead && now.score ? ownersAsChances(now.score.owners) : seen.overlay}
          isSigned={!dead && seen.isSigned}
          labels={labels}
          line={question || hints.length ? [] : seen.line}
          windows={why.windows}
          marks={[...why.marks, ...pickedMarks(picked), ...deadMarks(dead)]}
          canPlay={now.phase === "scoring" ? undefined : canPlay}
          onVertex={isSetup || now.phase === "over" ? undefined : click}
        />
      </div>
      <div class="panel">
        {isSetup ? (
          <SetupPanel />
        ) : (
          <>
            <Players match={now} shown={shown} />
            {(now.phase === "scoring" || now.phase === "over") && (
              <ScorePanel match={now} onSave={() => void save()} onReview={review} />
            )}
            <Controls match={now} onHint={() => void hint()} onPass={pass} onSave={() => void save()} />
            {question && (
              <WhyPanel question={question} onShow={setWhy} onClose={() => (setQuestion(null), setWhy(NOTHING_SHOWN))} />
            )}
            {now.phase !== "scoring" && (
              <SeePanel seen={seen} size={game.size} picked={picked} onPick={setPicked} onWhy={askWhy} />
            )}
            <SideBySide seen={seen} stones={shown.stones} last={shown.last} />
            <GamePanel game={game} names={seen.names} />
          </>
        )}
      </div>
    </div>
  );
}

const hintsOf = (vertices: Vertex[]): Label[] =>
  vertices
    .filter((vertex) => vertex !== "pass")
    .slice(0, 3)
    .map((vertex, index) => ({ vertex, text: String(index + 1), tone: "hint" }));

const pickedMarks = (picked: Vertex | null): Mark[] =>
  picked && picked !== "pass" ? [{ vertex: picked, kind: "picked" }] : [];

const deadMarks = (dead: Vertex[] | undefined): Mark[] =>
  (dead ?? []).map((vertex) => ({ vertex, kind: "dead" }));

/** Half-size squares: the stones are what is looked at when counting. */
const ownersAsChances = (owners: number[][]): number[][] =>
  owners.map((row) => row.map((owner) => (owner === 1 ? 0.75 : owner === 2 ? 0.25 : 0.5)));

function toggleDead(vertex: Vertex): void {
  const { score, game } = match.get();
  const { stones } = replay(game);
  const spot = spotOf(vertex, game.size);
  if (!score || !spot || !stones[spot.y]?.[spot.x]) return;
  const block = blockAt(stones, spot).map((stone) => vertexAt(stone, game.size));
  const isDead = score.dead.includes(vertex);
  const rest = score.dead.filter((stone) => !block.includes(stone));
  void playing.proposeScore(isDead ? rest : [...rest, ...block]);
}

const playersOf = () => {
  const { player, human } = match.get();
  return human === "black"
    ? { black: text.play.you, white: playerTitle(player) }
    : { black: playerTitle(player), white: text.play.you };
};

async function save(): Promise<void> {
  const { game, result, score } = match.get();
  const fields = { game, players: playersOf(), ...(result ? { result } : {}), ...(score ? { dead: score.dead } : {}) };
  try {
    const written = await ask<{ text: string }>("sgf_write", fields);
    download(`katachi-${game.size}x${game.size}.sgf`, written.text);
  } catch (error) {
    notify((error as Error).message, { isError: true });
  }
}

function review(): void {
  const { game, result } = match.get();
  openGame(game, playersOf(), result);
  goTo("review");
}

/** Single keys of the tab; not while typing. */
function useKeys(keys: Record<string, () => void>): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const action = keys[event.key.toLowerCase()];
      if (!action || isTyping(event)) return;
      event.preventDefault();
      action();
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  });
}
