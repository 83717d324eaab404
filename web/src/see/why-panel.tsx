/** Why a move is good or bad: shapes that came and went, points that changed hands. */
import { useEffect, useRef, useState } from "preact/hooks";
import { useAnswer } from "../answers";
import { ShapeBoard } from "../board/small-board";
import type { Label, Mark } from "../board/marks";
import { Card, Fault, Waiting } from "../parts";
import { lossText, moverText, percent, signed } from "../numbers";
import type { Color, Explanation, Game, ShapeChange, Vertex, Window } from "../protocol";
import { text } from "../text";

export interface Question {
  game: Game;
  evaluator: string;
  vertex: Vertex;
}

/** What the answer wants marked on the big board. */
export interface Shown {
  windows: Window[];
  marks: Mark[];
  labels: Label[];
}

export const NOTHING_SHOWN: Shown = { windows: [], marks: [], labels: [] };

interface WhyPanelProps {
  question: Question;
  onShow: (shown: Shown) => void;
  onClose: () => void;
}

export function WhyPanel({ question, onShow, onClose }: WhyPanelProps) {
  const { data, error } = useAnswer<Explanation>("explain", { ...question, count: 12 });
  const close = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    close.current?.closest(".card")?.scrollIntoView({ block: "nearest", behavior: "smooth" });
  }, [question]);
  useEffect(() => {
    onShow(data ? { windows: [], marks: marksOf(data), labels: labelsOf(data) } : NOTHING_SHOWN);
  }, [data]);
  const showWindows = (windows: Window[]) =>
    data &&
    onShow(
      windows.length
        ? { windows, marks: [], labels: [] }
        : { windows, marks: marksOf(data), labels: labelsOf(data) },
    );
  return (
    <Card
      title={text.why.of(question.vertex)}
      test="why"
      action={
        <button class="small" ref={close} data-test="why-close" onClick={onClose}>
          {text.close}
        </button>
      }
    >
      <Fault line={error} />
      {!data && !error && <Waiting />}
      {data && <Verdict answer={data} evaluator={question.evaluator} />}
      {data?.shapes && <Shapes shapes={data.shapes} color={data.color} onWindows={showWindows} />}
      {data?.territory && <ChangedHands answer={data} />}
      {data && !data.shapes && !data.territory && <p>{text.why.nothing}</p>}
    </Card>
  );
}

function marksOf(answer: Explanation): Mark[] {
  const signs = (vertices: Vertex[] | undefined, kind: Mark["kind"]) =>
    (vertices ?? []).map((vertex) => ({ vertex, kind }));
  return [
    { vertex: answer.vertex, kind: "picked" },
    ...signs(answer.territory?.gained, "gained"),
    ...signs(answer.territory?.lost, "lost"),
  ];
}

/** The best move and the best answer; nothing where one of them is the move itself. */
function labelsOf({ vertex, best, reply }: Explanation): Label[] {
  const found: Label[] = [];
  if (best && best.vertex !== vertex) found.push({ vertex: best.vertex, text: text.why.bestMark, tone: "best" });
  if (reply && reply.vertex !== best?.vertex) {
    found.push({ vertex: reply.vertex, text: text.why.replyMark, tone: "plain" });
  }
  return found;
}

function Verdict({ answer, evaluator }: { answer: Explanation; evaluator: string }) {
  const { best, reply, color } = answer;
  const isBest = best?.vertex === answer.vertex;
  const loss = lossText(answer.loss ?? 0, answer.unit);
  return (
    <ul class="verdict" data-test="why-verdict">
      {answer.rank !== null && <li>{text.why.rank(answer.rank, answer.candidates, evaluator)}</li>}
      {loss !== "0" && !isBest && <li>{text.why.loses(loss)}</li>}
      {best && !isBest && (
        <li data-test="why-best">{text.why.best(best.vertex, moverText(best, color))}</li>
      )}
      {reply && (
        <li data-test="why-reply">{text.why.reply(reply.vertex, moverText(reply, color))}</li>
      )}
    </ul>
  );
}

interface ShapesProps {
  shapes: NonNullable<Explanation["shapes"]>;
  color: Color;
  onWindows: (windows: Window[]) => void;
}

function Shapes({ shapes, color, onWindows }: ShapesProps) {
  const [held, setHeld] = useState<number | null>(null);
  const toggle = (index: number, change: ShapeChange) => {
    setHeld(held === index ? null : index);
    onWindows(held === index ? [] : change.windows);
  };
  const leave = () => onWindows(held === null ? [] : (shapes.changes[held]?.windows ?? []));
  return (
    <>
      <h3>{text.why.shapes}</h3>
      <p class="about">{text.why.shapesHelp}</p>
      <ul class="changes" data-test="why-shapes">
        {shapes.changes.map((change, index) => (
          <li key={index}>
            <button
              data-test={`why-shape-${index + 1}`}
              aria-pressed={held === index}
              class={change.change > 0 ? "up" : "down"}
              onMouseEnter={() => onWindows(change.windows)}
              onMouseLeave={leave}
              onFocus={() => onWindows(change.windows)}
              onBlur={leave}
              onClick={() => toggle(index, change)}
            >
              <ShapeBoard
                cells={change.cells}
                liberties={change.liberties}
                mover={color}
                label={text.why.shapeOf(change.set)}
              />
              <strong>{signed(change.change, 3)}</strong>
              <small>{text.why.times(change.more, signed(change.each, 3))}</small>
              <small>{text.why.inChance(signed(100 * change.gain_in_chance))}</small>
            </button>
          </li>
        ))}
      </ul>
      <p class="sum" data-test="why-sum">
        {text.why.sum(sumOf(shapes))}
      </p>
      <p class="about">
        {text.why.chances(percent(shapes.chance_before, 1), percent(shapes.chance_after, 1))}
      </p>
    </>
  );
}

/** The sum in the digits that are shown: what rounding leaves over goes to the others. */
function sumOf({ logit_before, logit_after, changes }: ShapesProps["shapes"]) {
  const round = (number: number) => Math.round(1000 * number);
  const before = round(logit_before);
  const after = round(logit_after);
  const listed = changes.reduce((sum, { change }) => sum + round(change), 0);
  const say = (thousandths: number) => signed(thousandths / 1000, 3);
  const rest = after - before - listed;
  return { before: say(before), listed: say(listed), rest: say(rest), after: say(after) };
}

function ChangedHands({ answer }: { answer: Explanation }) {
  const territory = answer.territory;
  if (!territory) return null;
  const { gained, lost, points_before, points_after } = territory;
  return (
    <>
      <h3>{text.why.territory}</h3>
      <p data-test="why-territory">
        {text.why.points(points_before, points_after, territory.ownership_after.length)} {text.why.hands(gained.length, lost.length)}
      </p>
      {gained.length > 0 && <p class="about">{text.why.gained} {gained.join(", ")}</p>}
      {lost.length > 0 && <p class="about">{text.why.lost} {lost.join(", ")}</p>}
    </>
  );
}
