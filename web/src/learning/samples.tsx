/** Games that a learner played on its way. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { SmallBoard } from "../board/small-board";
import { Choice } from "../parts";
import type { Game, Sample } from "../protocol";
import { cut, replay } from "../rules";
import { openGame } from "../review/record";
import { goTo } from "../session";
import { text } from "../text";

export function Samples({ samples }: { samples: Sample[] }) {
  const [chosen, setChosen] = useState<number | null>(null);
  const index = chosen ?? samples.length - 1;
  const sample = samples[index];
  const game = useMemo(() => (sample ? gameOf(sample) : null), [sample]);
  const [number, setNumber] = useState(0);
  useEffect(() => setNumber(sample?.moves.length ?? 0), [sample]);
  if (!sample || !game) return null;
  const { stones, last } = replay(cut(game, number));
  const review = () => {
    openGame(game, { black: sample.black ?? text.colours.black, white: sample.white ?? text.colours.white }, sample.result ?? "");
    goTo("review");
  };
  return (
    <section class="samples" data-test="samples">
      <h3>{text.learning.samples}</h3>
      <div class="sample">
        <SmallBoard stones={stones} last={last} label={text.learning.sample(sample.done)} />
        <div class="stack">
          <Choice
            label={text.learning.sampleAt}
            test="sample-choice"
            value={String(index)}
            onChange={(value) => setChosen(Number(value))}
          >
            {samples.map(({ done, result }, i) => (
              <option key={i} value={i}>
                {text.learning.sampleName(done, result)}
              </option>
            ))}
          </Choice>
          <label class="field">
            <span>{text.learning.moveOf(number, game.moves.length)}</span>
            <input
              type="range"
              min={0}
              max={game.moves.length}
              value={number}
              data-test="sample-move"
              onInput={(event) => setNumber(Number(event.currentTarget.value))}
            />
          </label>
          <button data-test="sample-review" onClick={review}>
            {text.play.review}
          </button>
        </div>
      </div>
    </section>
  );
}

const gameOf = (sample: Sample): Game => ({
  size: sample.size,
  komi: sample.komi ?? 7.5,
  black: [],
  white: [],
  first: "black",
  moves: sample.moves,
  handicap: 0,
});
