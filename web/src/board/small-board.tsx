/** Small boards as plain SVG: shapes, samples, evaluators side by side. */
import type { Color, Matrix } from "../protocol";
import { spotOf } from "../rules";
import { Owners } from "./marks";

interface SmallBoardProps {
  stones: Matrix;
  label: string;
  last?: string | null;
  ownership?: Matrix | null;
  isSigned?: boolean;
  class?: string;
}

/** A whole board with its edge. */
export function SmallBoard(props: SmallBoardProps) {
  const size = props.stones.length;
  const last = props.last ? spotOf(props.last, size) : null;
  const end = size - 0.5;
  const lines = range(size).map((i) => `M${i + 0.5} .5V${end}M.5 ${i + 0.5}H${end}`);
  return (
    <svg
      class={`small-board ${props.class ?? ""}`}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={props.label}
    >
      <rect class="wood" width={size} height={size} />
      <path class="lines" d={lines.join("")} stroke-width={size / 300} />
      <StoneDiscs stones={props.stones} />
      {props.ownership && <Owners matrix={props.ownership} stones={props.stones} isSigned={!!props.isSigned} />}
      {last && <circle class="last-dot" cx={last.x + 0.5} cy={last.y + 0.5} r={0.2} />}
    </svg>
  );
}

interface ShapeBoardProps {
  /** 0 empty, 1 mover's (Black's), 2 opponent's, -1 any or off the board. */
  cells: Matrix;
  liberties?: Matrix | null;
  mover?: Color;
  /** Sides where the board ends. */
  edges?: Record<"top" | "left" | "bottom" | "right", boolean>;
  played?: [number, number] | null;
  label: string;
}

/** A piece of a board: lines run on at its sides. */
export function ShapeBoard({ cells, liberties, mover = "black", edges, played, label }: ShapeBoardProps) {
  const height = cells.length;
  const width = cells[0]?.length ?? 0;
  const stones = mover === "black" ? cells : cells.map((row) => row.map(swapColor));
  const [left, right] = [edges?.left ? 0.5 : 0, edges?.right ? width - 0.5 : width];
  const [top, bottom] = [edges?.top ? 0.5 : 0, edges?.bottom ? height - 0.5 : height];
  const lines =
    range(height).map((y) => `M${left} ${y + 0.5}H${right}`).join("") +
    range(width).map((x) => `M${x + 0.5} ${top}V${bottom}`).join("");
  return (
    <svg class="shape-board" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      <rect class="wood" width={width} height={height} />
      <path class="lines" d={lines} stroke-width={0.04} />
      {cells.map((row, y) =>
        row.map((cell, x) =>
          cell < 0 ? <rect key={`${x},${y}`} class="off" x={x} y={y} width={1} height={1} /> : null,
        ),
      )}
      <StoneDiscs stones={stones} />
      {played && <circle class="last-dot" cx={played[1] + 0.5} cy={played[0] + 0.5} r={0.16} />}
      {liberties && <Liberties stones={stones} liberties={liberties} />}
    </svg>
  );
}

const swapColor = (cell: number): number => (cell === 1 ? 2 : cell === 2 ? 1 : cell);

function StoneDiscs({ stones }: { stones: Matrix }) {
  return (
    <g>
      {stones.map((row, y) =>
        row.map((stone, x) =>
          stone > 0 ? (
            <circle
              key={`${x},${y}`}
              class={stone === 1 ? "stone-black" : "stone-white"}
              cx={x + 0.5}
              cy={y + 0.5}
              r={0.46}
            />
          ) : null,
        ),
      )}
    </g>
  );
}

function Liberties({ stones, liberties }: { stones: Matrix; liberties: Matrix }) {
  return (
    <g class="liberties">
      {liberties.map((row, y) =>
        row.map((count, x) =>
          count > 0 && (stones[y]?.[x] ?? 0) > 0 ? (
            <text key={`${x},${y}`} class={stones[y]?.[x] === 1 ? "on-black" : "on-white"} x={x + 0.5} y={y + 0.52}>
              {count}
            </text>
          ) : null,
        ),
      )}
    </g>
  );
}

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
