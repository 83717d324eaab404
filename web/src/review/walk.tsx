/** Buttons below the board: through the game, to variations, and why. */
import { useStore } from "../store";
import { text } from "../text";
import { childrenOf, goToNode, lineOf, pathTo, reviewed, step } from "./record";

export function Walk({ onWhy, canAskWhy }: { onWhy: () => void; canAskWhy: boolean }) {
  const now = useStore(reviewed);
  const { record, at, tip } = now;
  if (!record) return null;
  const line = lineOf(now);
  const index = line.indexOf(at);
  return (
    <div class="walk">
      <div class="walk-buttons" role="group" aria-label={text.review.walk}>
        <button data-test="first" aria-label={text.review.first} disabled={index < 0} onClick={() => goToNode(-1)}>
          «
        </button>
        <button data-test="previous" aria-label={text.review.previous} disabled={index < 0} onClick={() => step(-1)}>
          ‹
        </button>
        <output data-test="move-number">{text.review.place(pathTo(record, at).length, line.length)}</output>
        <button data-test="next" aria-label={text.review.next} disabled={at === tip} onClick={() => step(1)}>
          ›
        </button>
        <button data-test="last" aria-label={text.review.last} disabled={at === tip} onClick={() => goToNode(tip)}>
          »
        </button>
        <button class="small" data-test="why-played" disabled={!canAskWhy} onClick={onWhy}>
          {text.review.whyThis}
        </button>
      </div>
      <Branches />
    </div>
  );
}

/** What else was played here, and what follows, where there is a choice. */
function Branches() {
  const { record, at } = useStore(reviewed);
  if (!record) return null;
  const parent = record.nodes[at]?.parent;
  const beside = parent === undefined ? [] : childrenOf(record, parent);
  const after = childrenOf(record, at);
  const button = (index: number) => (
    <button
      key={index}
      class="small"
      aria-pressed={index === at}
      data-test={`branch-${index}`}
      onClick={() => goToNode(index)}
    >
      {record.nodes[index]?.vertex ?? text.review.noMove}
    </button>
  );
  if (beside.length < 2 && after.length < 2) return null;
  return (
    <div class="branches" data-test="branches">
      {beside.length > 1 && (
        <p>
          {text.review.beside} {beside.map(button)}
        </p>
      )}
      {after.length > 1 && (
        <p>
          {text.review.after} {after.map(button)}
        </p>
      )}
    </div>
  );
}
