/** The graph of the game and its largest mistakes, by each evaluator. */
import { useEffect } from "preact/hooks";
import { Bar, Card, Fault } from "../parts";
import { lossText } from "../numbers";
import type { Game, ReviewResult } from "../protocol";
import { readMove } from "../rules";
import { Graph } from "../see/graph";
import { reviewOf, reviews, startReview, stopReviews, valuesOf, type Review } from "../see/values";
import { useStore } from "../store";
import { text } from "../text";
import { goToNode, reviewed } from "./record";

interface MistakesProps {
  whole: Game;
  line: number[];
  names: string[];
  /** Moves played so far. */
  number: number;
}

const SHOWN = 8;

const largest = ({ mistakes }: ReviewResult) =>
  [...mistakes].sort((a, b) => b.loss - a.loss).slice(0, SHOWN);

export function Mistakes({ whole, line, names, number }: MistakesProps) {
  useStore(reviews);
  const { record, tip, mainTip } = useStore(reviewed);
  const isMain = tip === mainTip;
  useEffect(() => {
    stopReviews(whole, names);
    // Tried moves change the line at every click: those are reviewed when asked for.
    if (isMain) names.forEach((name) => startReview(name, whole));
  }, [whole, names.join(), isMain]);
  useEffect(() => () => stopReviews(null), []);
  const isKnown = names.every((name) => reviewOf(name, whole));
  const moves = line.filter((node) => record?.nodes[node]?.vertex);
  const jump = (target: number) => goToNode(target <= 0 ? -1 : (moves[target - 1] ?? -1));
  const series = names.map((name) => ({ name, values: valuesOf(name, whole) }));
  return (
    <Card title={text.review.game} test="mistakes">
      <Graph series={series} current={number} onJump={jump} />
      {!isKnown && whole.moves.length > 0 && (
        <button data-test="review-line" onClick={() => names.forEach((name) => startReview(name, whole))}>
          {text.review.reviewLine}
        </button>
      )}
      {names.map((name) => (
        <OfEvaluator key={name} name={name} review={reviewOf(name, whole)} whole={whole} onJump={jump} />
      ))}
    </Card>
  );
}

interface OfEvaluatorProps {
  name: string;
  review: Review | null;
  whole: Game;
  onJump: (number: number) => void;
}

function OfEvaluator({ name, review, whole, onJump }: OfEvaluatorProps) {
  if (!review) return null;
  const { result, parts, isRunning, of, error } = review;
  return (
    <div class="mistakes" data-test={`mistakes-${name}`}>
      <h3>{text.review.largest(name)}</h3>
      <Fault line={error} />
      {isRunning && (
        <>
          <Bar done={parts.length} of={of} label={text.review.reviewing} />
          <p class="waiting">{text.review.progress(parts.length, of)}</p>
        </>
      )}
      {result && (
        <ol class="plain-list">
          {largest(result).map(({ number, loss, why }) => {
            const part = parts.find((one) => one.number === number);
            const move = readMove(whole.moves[number - 1] ?? "", part?.color ?? "black");
            const color = part?.color ?? move.color;
            return (
              <li key={number}>
                <button class="mistake" data-test={`mistake-${number}`} onClick={() => onJump(number)}>
                  <span class={`disc ${color}`} aria-hidden="true" />
                  <span class="mistake-move">
                    <strong>{text.review.moveAt(number, part?.vertex ?? move.vertex)}</strong>
                    <small>
                      {part?.best ? text.review.better(part.best.vertex) : ""} {why[0] ?? ""}
                    </small>
                  </span>
                  <strong class="loss">{lossText(loss, result.unit)}</strong>
                </button>
              </li>
            );
          })}
        </ol>
      )}
      {result && (
        <p class="about">{text.review.means(result)}</p>
      )}
    </div>
  );
}
