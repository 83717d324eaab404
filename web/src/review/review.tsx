/** The tab where a record is walked and its moves are judged. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { useAnswer } from "../answers";
import { Board } from "../board/board";
import type { Mark } from "../board/marks";
import { notify } from "../live";
import { isTyping } from "../parts";
import type { Position, Vertex } from "../protocol";
import { cut, replay } from "../rules";
import { SeePanel } from "../see/see-panel";
import { useSeen } from "../see/seen";
import { SideBySide } from "../see/side-by-side";
import { NOTHING_SHOWN, WhyPanel, type Question, type Shown } from "../see/why-panel";
import { useStore } from "../store";
import { text } from "../text";
import { Mistakes } from "./mistakes";
import { OpenPanel, RecordPanel } from "./record-panel";
import { gameOf, goToNode, lineOf, pathTo, reviewed, step, switchBranch, tryMove } from "./record";
import { Walk } from "./walk";

const EMPTY = { size: 19, komi: 7.5, black: [], white: [], first: "black", moves: [], handicap: 0 } as const;

export function ReviewTab() {
  const now = useStore(reviewed);
  const { record, at, tip } = now;
  const line = useMemo(() => lineOf(now), [record, tip]);
  const game = useMemo(
    () => (record ? gameOf(record, pathTo(record, at)) : { ...EMPTY, black: [], white: [], moves: [] }),
    [record, at],
  );
  const whole = useMemo(() => (record ? gameOf(record, line) : game), [record, line]);
  const shown = useMemo(() => replay(game), [game]);
  const next = nextOf(now, line);
  const position = useAnswer<{ position: Position }>("position", record ? { game } : null);
  const legal = useMemo(() => new Set(position.data?.position.legal), [position.data]);
  const [picked, setPicked] = useState<Vertex | null>(null);
  const [question, setQuestion] = useState<Question | null>(null);
  const [why, setWhy] = useState<Shown>(NOTHING_SHOWN);
  const seen = useSeen(record ? game : null, picked, next);
  const evaluator = seen.names[0];
  const closeWhy = () => (setQuestion(null), setWhy(NOTHING_SHOWN));
  useEffect(() => {
    setPicked(null);
    closeWhy();
  }, [record, at]);
  useEffect(() => {
    if (record) window.scrollTo(0, 0);
  }, [record?.title, record?.players]);
  useWalkKeys(!!record, () => setPicked(null));

  const canPlay = (vertex: Vertex) => legal.has(vertex);
  const click = (vertex: Vertex) =>
    canPlay(vertex) ? tryMove(vertex, shown.to_play) : notify(text.play.illegal(vertex));
  const askWhy = (vertex: Vertex) => evaluator && setQuestion({ game, evaluator, vertex });
  const move = game.moves.at(-1)?.replace(/^[bw]:/, "") ?? null;
  const askWhyPlayed = () =>
    evaluator && move && setQuestion({ game: cut(game, game.moves.length - 1), evaluator, vertex: move });
  const pickedMarks: Mark[] =
    picked && picked !== "pass" && !question ? [{ vertex: picked, kind: "picked" }] : [];
  return (
    <div class="split">
      <div class={record ? "board-side stay" : "board-side"}>
        <Board
          stones={shown.stones}
          last={shown.last}
          toPlay={shown.to_play}
          label={text.board.label(game.size, game.moves.length, shown.to_play)}
          ownership={seen.overlay}
          isSigned={seen.isSigned}
          labels={question ? why.labels : seen.labels}
          line={question ? [] : seen.line}
          windows={why.windows}
          marks={[...why.marks, ...pickedMarks]}
          canPlay={record ? canPlay : undefined}
          onVertex={record ? click : undefined}
          cursorNeedsShift
        />
        {record && <Walk onWhy={askWhyPlayed} canAskWhy={!!move} />}
      </div>
      <div class="panel">
        {record ? <RecordPanel whole={whole} evaluator={evaluator ?? ""} /> : <OpenPanel />}
        {question && <WhyPanel question={question} onShow={setWhy} onClose={closeWhy} />}
        {record && <Mistakes whole={whole} line={line} names={seen.names} number={game.moves.length} />}
        {record && (
          <SeePanel seen={seen} size={game.size} picked={picked} onPick={setPicked} onWhy={askWhy} />
        )}
        <SideBySide seen={seen} stones={shown.stones} last={shown.last} />
      </div>
    </div>
  );
}

function nextOf({ record, at }: { record: ReturnType<typeof reviewed.get>["record"]; at: number }, line: number[]): Vertex | null {
  const index = line[line.indexOf(at) + 1];
  const vertex = index === undefined ? null : (record?.nodes[index]?.vertex ?? null);
  return vertex === "pass" ? null : vertex;
}

function useWalkKeys(isOn: boolean, onStep: () => void): void {
  useEffect(() => {
    if (!isOn) return;
    const actions: Record<string, () => void> = {
      ArrowLeft: () => step(-1),
      ArrowRight: () => step(1),
      ArrowUp: () => switchBranch(-1),
      ArrowDown: () => switchBranch(1),
      PageUp: () => step(-10),
      PageDown: () => step(10),
      Home: () => goToNode(-1),
      End: () => goToNode(reviewed.get().tip),
    };
    const press = (event: KeyboardEvent) => {
      const action = actions[event.key];
      const isRadio = (event.target as Element | null)?.matches("input[type=radio]");
      if (!action || isTyping(event) || isRadio || event.shiftKey) return;
      event.preventDefault();
      onStep();
      action();
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [isOn]);
}
