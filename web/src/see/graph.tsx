/** Chance to win, or lead, over the game; a click or an arrow key jumps to a move. */
import { Segments } from "../parts";
import { leadText, percent } from "../numbers";
import type { Value } from "../protocol";
import { choices } from "../session";
import { useStore } from "../store";
import { text } from "../text";

export interface Series {
  name: string;
  values: (Value | null)[];
}

interface GraphProps {
  series: Series[];
  current: number;
  onJump: (number: number) => void;
}

const WIDTH = 400;
const HEIGHT = 110;
/** With more moves than this, dashes would run together. */
const DENSE = 80;

export function Graph({ series, current, onJump }: GraphProps) {
  const { graph } = useStore(choices);
  const hasLeads = series.some(({ values }) => values.some((value) => value?.lead != null));
  const kind = hasLeads ? graph : "win_rate";
  const last = Math.max(1, ...series.map(({ values }) => values.length - 1));
  const numbers = series.map(({ values }) => values.map((value) => value?.[kind] ?? null));
  const reach = kind === "lead" ? reachOf(numbers.flat()) : 0.5;
  const x = (number: number) => (WIDTH * number) / last;
  const y = (number: number) => {
    const part = kind === "lead" ? number / reach : (number - 0.5) / reach;
    return HEIGHT * (0.5 - 0.48 * Math.max(-1, Math.min(1, part)));
  };
  const jump = (event: MouseEvent) => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    onJump(Math.round((last * (event.clientX - box.left)) / box.width));
  };
  const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 };
  const key = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    onJump(Math.max(0, Math.min(last, current + step)));
  };
  const now = numbers[0]?.[current] ?? null;
  const say = (number: number) => (kind === "lead" ? leadText(number) : percent(number));
  return (
    <div class="graph">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="slider"
        tabIndex={0}
        aria-label={text.graph.label(kind)}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={current}
        aria-valuetext={text.graph.at(current, now === null ? "" : say(now))}
        data-test="graph"
        onClick={jump}
        onKeyDown={key}
      >
        <rect class="graph-white" width={WIDTH} height={HEIGHT} />
        {numbers[0] && <path class="graph-area" d={areaOf(numbers[0], x, y)} />}
        <path class="graph-middle" d={`M0 ${HEIGHT / 2}H${WIDTH}`} />
        {numbers.map((line, index) => (
          <path key={index} class={`series series-${index + 1} ${last > DENSE ? "dense" : ""}`} d={pathOf(line, x, y)} />
        ))}
        <path class="graph-now" d={`M${x(current)} 0V${HEIGHT}`} />
      </svg>
      <div class="graph-foot">
        {hasLeads ? (
          <Segments
            label={text.graph.kind}
            test="graph-kind"
            options={[
              { value: "win_rate", name: text.graph.chance },
              { value: "lead", name: text.graph.lead },
            ]}
            value={kind}
            onChange={(value) => choices.set({ graph: value })}
          />
        ) : (
          <span>{text.graph.chance}</span>
        )}
        <span class="graph-key">
          {series.length > 1 &&
            series.map(({ name }, index) => (
              <span key={name} class={`key-${index + 1}`}>
                {name}
              </span>
            ))}
        </span>
        <output data-test="graph-value">{text.graph.at(current, now === null ? "" : say(now))}</output>
        {kind === "lead" && <span>{text.graph.reach(reach)}</span>}
      </div>
    </div>
  );
}

/** Half the height in points: a round number that holds all leads. */
function reachOf(numbers: (number | null)[]): number {
  const most = Math.max(5, ...numbers.map((number) => Math.abs(number ?? 0)));
  return [5, 10, 20, 40, 80, 160, 400].find((step) => step >= most) ?? most;
}

type Scale = (number: number) => number;

function pathOf(line: (number | null)[], x: Scale, y: Scale): string {
  let isDown = false;
  return line
    .map((number, index) => {
      if (number === null) {
        isDown = false;
        return "";
      }
      const step = `${isDown ? "L" : "M"}${x(index).toFixed(1)} ${y(number).toFixed(1)}`;
      isDown = true;
      return step;
    })
    .join("");
}

/** The area below the first line: what Black has, as on a bar of two colours. */
function areaOf(line: (number | null)[], x: Scale, y: Scale): string {
  const points = line.flatMap((number, index) =>
    number === null ? [] : [`${x(index).toFixed(1)} ${y(number).toFixed(1)}`],
  );
  const known = line.flatMap((number, index) => (number === null ? [] : [index]));
  if (points.length < 2) return "";
  return `M${x(known[0] ?? 0)} ${HEIGHT}L${points.join("L")}L${x(known.at(-1) ?? 0)} ${HEIGHT}Z`;
}
