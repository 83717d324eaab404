/** The position as up to three evaluators see it. */
import { SmallBoard } from "../board/small-board";
import { Card } from "../parts";
import { valueText } from "../numbers";
import type { Matrix, Vertex } from "../protocol";
import { playerTitle } from "../session";
import { text } from "../text";
import type { Seen } from "./seen";

export function SideBySide({ seen, stones, last }: { seen: Seen; stones: Matrix; last: Vertex | null }) {
  if (seen.names.length < 2) return null;
  return (
    <Card title={text.see.sideBySide} test="side-by-side">
      <div class="side-by-side">
        {seen.names.map((name, index) => {
          const { data, error } = seen.analyses[index] ?? { data: null, error: "" };
          return (
            <figure key={name} data-test={`side-${index + 1}`}>
              <SmallBoard
                stones={stones}
                last={last}
                ownership={data?.ownership ?? null}
                label={text.see.boardOf(name)}
              />
              <figcaption>
                <strong>{playerTitle(name)}</strong>
                <span>{error || (data ? text.see.blackHas(valueText(data)) : text.waiting)}</span>
                {data?.candidates[0] && <span>{text.see.wouldPlay(data.candidates[0].vertex)}</span>}
              </figcaption>
            </figure>
          );
        })}
      </div>
    </Card>
  );
}
