/** Curves with intervals: a small chart of our own. */
import { percent, short } from "../numbers";
import type { Column, Metrics } from "../protocol";
import { text } from "../text";

const WIDTH = 520;
const HEIGHT = 190;
const LEFT = 46;
const BOTTOM = 26;
const TOP = 10;
const RIGHT = 12;

interface ChartProps {
  /** One curve for each column; they share a unit. */
  columns: Column[];
  rows: Metrics[];
  of: number | null;
  title: string;
}

export function Chart({ columns, rows, of, title }: ChartProps) {
  const isShare = columns[0]?.unit === "share";
  const numbers = columns.flatMap(({ name, low, high, paper }) => [
    ...rows.flatMap((row) => [row[name], low && row[low], high && row[high]]),
    paper,
  ]);
  const known = numbers.filter((number): number is number => typeof number === "number");
  const ticks = isShare ? [0, 0.25, 0.5, 0.75, 1] : ticksOf(known);
  const [bottom, top] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  const last = rows.at(-1)?.done ?? 0;
  const end = Math.max(1, last || 0, Math.min(of ?? 0, 4 * (last || 1)));
  const x = (done: number) => LEFT + ((WIDTH - LEFT - RIGHT) * done) / end;
  const y = (number: number) =>
    HEIGHT - BOTTOM - ((HEIGHT - BOTTOM - TOP) * (number - bottom)) / (top - bottom || 1);
  const say = (number: number) => (isShare ? percent(number) : short(number));
  const ends = [0, 0.5, 1].map((part) => part * end);
  return (
    <figure class="chart">
      <figcaption>
        {title} {columns[0]?.unit && !isShare ? `(${columns[0].unit})` : ""}
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={describe(title, columns, rows, say)}>
        {ticks.map((tick) => (
          <g key={tick}>
            <path class="grid" d={`M${LEFT} ${y(tick)}H${WIDTH - RIGHT}`} />
            <text class="tick" x={LEFT - 6} y={y(tick) + 4} text-anchor="end">
              {say(tick)}
            </text>
          </g>
        ))}
        {ends.map((done, index) => (
          <text key={done} class="tick" x={x(done)} y={HEIGHT - 8} text-anchor={["start", "middle", "end"][index]}>
            {short(done)}
          </text>
        ))}
        {columns.map((column, index) => (
          <Curve key={column.name} {...{ column, rows, x, y }} order={index + 1} />
        ))}
      </svg>
      {columns.length > 1 && (
        <p class="graph-key">
          {columns.map(({ name, title: own }, index) => (
            <span key={name} class={`key-${index + 1}`}>
              {own}
            </span>
          ))}
        </p>
      )}
    </figure>
  );
}

interface CurveProps {
  column: Column;
  rows: Metrics[];
  order: number;
  x: (number: number) => number;
  y: (number: number) => number;
}

function Curve({ column: { name, low, high, paper }, rows, order, x, y }: CurveProps) {
  const points = rows.flatMap((row) => {
    const number = row[name];
    return typeof number === "number" ? [`${x(row.done ?? 0).toFixed(1)} ${y(number).toFixed(1)}`] : [];
  });
  const bound = (side: string | null) =>
    rows.flatMap((row) => {
      const number = side ? row[side] : null;
      return typeof number === "number" ? [`${x(row.done ?? 0).toFixed(1)} ${y(number).toFixed(1)}`] : [];
    });
  const band = [...bound(low), ...bound(high).reverse()];
  return (
    <g>
      {band.length > 2 && <path class={`band band-${order}`} d={`M${band.join("L")}Z`} />}
      {paper !== null && <path class="paper" d={`M${LEFT} ${y(paper)}H${WIDTH - RIGHT}`} />}
      {points.length > 1 && <path class={`series series-${order}`} d={`M${points.join("L")}`} />}
      {points.length === 1 && <circle class={`series series-${order}`} r="3" cx={points[0]?.split(" ")[0]} cy={points[0]?.split(" ")[1]} />}
    </g>
  );
}

/** Round numbers that hold all the others. */
function ticksOf(numbers: number[]): number[] {
  if (!numbers.length) return [0, 1];
  const high = Math.max(...numbers);
  const least = Math.min(...numbers);
  const low = least > 0 && least < 0.6 * high ? 0 : least;
  const rough = (high - low || Math.abs(high) || 1) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((part) => part * power >= rough) ?? 10);
  const first = Math.floor(low / step);
  const last = Math.max(first + 1, Math.ceil(high / step));
  return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
}

function describe(title: string, columns: Column[], rows: Metrics[], say: (n: number) => string): string {
  const ends = columns.map(({ name, title: own }) => {
    const number = rows.findLast((row) => typeof row[name] === "number")?.[name];
    return text.learning.curve(own, typeof number === "number" ? say(number) : "–");
  });
  return `${title}: ${ends.join(", ")}`;
}
