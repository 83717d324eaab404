/** What is drawn over the stones: owners, labels, windows of shapes, the cursor. */
import type { Color, Matrix, Vertex, Window } from "../protocol";
import { spotOf, type Spot } from "../rules";

export interface Label {
  vertex: Vertex;
  text: string;
  tone: "best" | "plain" | "hint";
  /** 0..1, drawn as an arc around the disc. */
  share?: number | null;
}

/** A move of a line that is expected, drawn as a stone with its number. */
export interface LineStone {
  vertex: Vertex;
  color: Color;
  number: number;
}

export interface Mark {
  vertex: Vertex;
  kind: "gained" | "lost" | "picked" | "dead" | "reply";
}

export interface MarksProps {
  size: number;
  stones: Matrix;
  last?: Vertex | null;
  ownership?: Matrix | null;
  /** Numbers are -1..1 already, not chances 0..1. */
  isSigned?: boolean;
  labels?: Label[];
  marks?: Mark[];
  windows?: Window[];
  line?: LineStone[];
}

/** Squares whose area is how sure it is: blue for Black, orange for White; stones stay visible. */
export function Owners({ matrix, stones, isSigned }: { matrix: Matrix; stones: Matrix; isSigned: boolean }) {
  return (
    <g class="owners">
      {matrix.map((row, y) =>
        row.map((number, x) => {
          const sure = isSigned ? number : 2 * number - 1;
          const most = stones[y]?.[x] ? 0.44 : 0.66;
          const side = most * Math.sqrt(Math.min(1, Math.abs(sure)));
          return side < 0.11 ? null : (
            <rect
              key={`${x},${y}`}
              class={sure > 0 ? "owner-black" : "owner-white"}
              x={x + 0.5 - side / 2}
              y={y + 0.5 - side / 2}
              width={side}
              height={side}
            />
          );
        }),
      )}
    </g>
  );
}

export function Marks(props: MarksProps) {
  const { size, stones, last, ownership, isSigned = false } = props;
  return (
    <svg class="marks" viewBox={`0 0 ${size} ${size}`} aria-hidden="true">
      {ownership && <Owners {...{ matrix: ownership, stones, isSigned }} />}
      {last && <LastMove vertex={last} stones={stones} />}
      {props.windows?.map((window, index) => <WindowFrame key={index} window={window} />)}
      {props.labels?.map((label) => <LabelDisc key={label.vertex} label={label} size={size} />)}
      {props.line?.map((stone) => <NumberedStone key={stone.vertex} stone={stone} size={size} />)}
      {props.marks?.map((mark, index) => <MarkSign key={index} mark={mark} size={size} />)}
    </svg>
  );
}

function LastMove({ vertex, stones }: { vertex: Vertex; stones: Matrix }) {
  const spot = spotOf(vertex, stones.length);
  if (!spot) return null;
  const onBlack = stones[spot.y]?.[spot.x] === 1;
  return (
    <circle
      class={onBlack ? "last on-black" : "last on-white"}
      cx={spot.x + 0.5}
      cy={spot.y + 0.5}
      r={0.23}
    />
  );
}

function WindowFrame({ window: { row, col, height, width, came } }: { window: Window }) {
  return (
    <rect
      class={came ? "window came" : "window went"}
      x={col + 0.04}
      y={row + 0.04}
      width={width - 0.08}
      height={height - 0.08}
      rx={0.12}
    />
  );
}

function LabelDisc({ label: { vertex, text, tone, share }, size }: { label: Label; size: number }) {
  const spot = spotOf(vertex, size);
  if (!spot) return null;
  return (
    <g class={`label ${tone}`} transform={`translate(${spot.x + 0.5} ${spot.y + 0.5})`}>
      <circle r={0.45} />
      {!!share && <path class="share-arc" d={arcOf(share)} />}
      <text y={0.02} font-size={[0.46, 0.46, 0.46, 0.38, 0.32, 0.27][Math.min(5, text.length)]}>
        {text}
      </text>
    </g>
  );
}

function NumberedStone({ stone: { vertex, color, number }, size }: { stone: LineStone; size: number }) {
  const spot = spotOf(vertex, size);
  if (!spot) return null;
  return (
    <g class={`numbered ${color}`} transform={`translate(${spot.x + 0.5} ${spot.y + 0.5})`}>
      <circle r={0.45} />
      <text y={0.02} font-size={number < 10 ? 0.52 : 0.44}>
        {number}
      </text>
    </g>
  );
}

/** An arc from the top, clockwise, as long as the share of a circle. */
function arcOf(share: number): string {
  const angle = 2 * Math.PI * Math.min(share, 0.999);
  const end = `${(0.45 * Math.sin(angle)).toFixed(3)} ${(-0.45 * Math.cos(angle)).toFixed(3)}`;
  return `M0 -.45A.45 .45 0 ${share > 0.5 ? 1 : 0} 1 ${end}`;
}

const SIGNS: Record<Mark["kind"], string> = {
  gained: "M-.2 0H.2M0-.2V.2",
  lost: "M-.2 0H.2",
  picked: "M-.42-.2V-.42H-.2M.2-.42H.42V-.2M.42.2V.42H.2M-.2.42H-.42V.2",
  dead: "M-.22-.22L.22.22M-.22.22L.22-.22",
  reply: "M0-.28L.26.18H-.26Z",
};

function MarkSign({ mark: { vertex, kind }, size }: { mark: Mark; size: number }) {
  const spot = spotOf(vertex, size);
  if (!spot) return null;
  const place = `translate(${spot.x + 0.5} ${spot.y + 0.5})`;
  return (
    <g class={`mark ${kind}`} transform={place}>
      <path class="under" d={SIGNS[kind]} />
      <path class="over" d={SIGNS[kind]} />
    </g>
  );
}

interface CursorProps {
  size: number;
  spot: Spot;
  /** The stone that would be played here; null where none can be. */
  stone: Color | null;
  isAimed: boolean;
}

export function Cursor({ size, spot, stone, isAimed }: CursorProps) {
  const place = `translate(${spot.x + 0.5} ${spot.y + 0.5})`;
  return (
    <svg class="marks" viewBox={`0 0 ${size} ${size}`} aria-hidden="true">
      {isAimed && (
        <path class="aim" d={`M${spot.x + 0.5} 0V${size}M0 ${spot.y + 0.5}H${size}`} />
      )}
      <g transform={place}>
        {stone && <circle class={`ghost ${stone}`} r={0.44} />}
        {isAimed && <circle class="aim-ring" r={0.47} />}
      </g>
    </svg>
  );
}
