/** The big board: Shudan's stones under our marks, for mouse, touch and keyboard. */
import { Goban } from "@sabaki/shudan";
import { memo } from "preact/compat";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { announce } from "../live";
import type { Color, Matrix, Vertex } from "../protocol";
import { spotOf, vertexAt, type Spot } from "../rules";
import { text } from "../text";
import { Cursor, Marks, type MarksProps } from "./marks";

interface BoardProps extends Omit<MarksProps, "size"> {
  toPlay: Color;
  label: string;
  dimmed?: Vertex[];
  isBusy?: boolean;
  /** Whether a stone may go there: shown under the pointer. */
  canPlay?: (vertex: Vertex) => boolean;
  onVertex?: (vertex: Vertex) => void;
  onHover?: (vertex: Vertex | null) => void;
  /** Arrow keys walk through a game: the cursor then moves with Shift. */
  cursorNeedsShift?: boolean;
}

const STEPS: Record<string, Spot> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};

/** Coordinates are shown from this many pixels a line. */
const COORDINATES = 21;

/** Below this many pixels a finger may miss: the first tap aims, the second plays. */
const FINGER = 30;

export function Board(props: BoardProps) {
  const { stones, onVertex, canPlay } = props;
  const size = stones.length;
  const frame = useRef<HTMLDivElement>(null);
  const { vertexSize, coordinates } = useLayout(frame, size);
  const [hover, setHover] = useState<Spot | null>(null);
  const [aim, setAim] = useState<Spot | null>(null);
  const touched = useRef(false);
  useEffect(() => setAim(null), [stones]);
  useEffect(() => setHover(null), [size]);

  const moveHover = (spot: Spot | null) => {
    if (spot?.x === hover?.x && spot?.y === hover?.y) return;
    setHover(spot);
    props.onHover?.(spot && vertexAt(spot, size));
  };
  const play = (spot: Spot) => {
    setAim(null);
    onVertex?.(vertexAt(spot, size));
  };
  const click = (event: MouseEvent) => {
    const spot = spotUnder(event);
    if (!spot || !onVertex) return;
    const needsAim = touched.current && vertexSize < FINGER && canPlay?.(vertexAt(spot, size));
    if (needsAim && (aim?.x !== spot.x || aim.y !== spot.y)) setAim(spot);
    else play(spot);
  };
  const moveAim = (step: Spot) => {
    const from = aim ?? (props.last ? spotOf(props.last, size) : null);
    const middle = { x: size >> 1, y: size >> 1 };
    const clip = (number: number) => Math.max(0, Math.min(size - 1, number));
    const next = from && aim ? { x: clip(from.x + step.x), y: clip(from.y + step.y) } : (from ?? middle);
    setAim(next);
    announce(text.board.point(vertexAt(next, size), stones[next.y]?.[next.x] ?? 0));
  };
  const key = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (step && !event.ctrlKey && !event.metaKey && event.shiftKey === !!props.cursorNeedsShift) {
      moveAim(step);
    } else if ((event.key === "Enter" || event.key === " ") && aim) play(aim);
    else if (event.key === "Escape" && aim) setAim(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const shown = aim ?? hover;
  const ghost = shown && onVertex && (!canPlay || canPlay(vertexAt(shown, size)));
  const isEmpty = shown && !stones[shown.y]?.[shown.x];
  return (
    <div class="board-frame" ref={frame}>
      <div
        class={`board ${coordinates ? "with-coordinates" : ""}`}
        style={{ fontSize: vertexSize }}
        role="application"
        aria-roledescription={text.board.role}
        aria-label={props.label}
        aria-busy={props.isBusy}
        aria-describedby="board-keys"
        tabIndex={0}
        data-test="board"
        onKeyDown={key}
        onPointerDown={(event) => (touched.current = event.pointerType === "touch")}
        onPointerMove={(event) => event.pointerType === "mouse" && moveHover(spotUnder(event))}
        onPointerLeave={() => moveHover(null)}
        onMouseDown={(event) => event.preventDefault()}
        onClick={click}
      >
        <Stones {...{ stones, vertexSize, coordinates, dimmed: props.dimmed }} />
        <MemoMarks {...marksOf(props)} size={size} />
        {shown && (
          <Cursor
            size={size}
            spot={shown}
            stone={ghost && isEmpty && canPlay ? props.toPlay : null}
            isAimed={!!aim}
          />
        )}
      </div>
      {aim && touched.current && canPlay?.(vertexAt(aim, size)) && (
        <button class="primary aim-play" data-test="board-confirm" onClick={() => play(aim)}>
          {text.board.playHere(vertexAt(aim, size))}
        </button>
      )}
    </div>
  );
}

/** The point an event is on, by Shudan's own vertices. */
function spotUnder(event: MouseEvent): Spot | null {
  const vertex = (event.target as Element).closest<HTMLElement>(".shudan-vertex");
  return vertex && { x: Number(vertex.dataset.x), y: Number(vertex.dataset.y) };
}

function marksOf(props: BoardProps): Omit<MarksProps, "size"> {
  const { stones, last, ownership, isSigned, labels, marks, windows, line } = props;
  return { stones, last, ownership, isSigned, labels, marks, windows, line };
}

const MemoMarks = memo(Marks);

interface StonesProps {
  stones: Matrix;
  vertexSize: number;
  coordinates: boolean;
  dimmed?: Vertex[];
}

const Stones = memo(function Stones({ stones, vertexSize, coordinates, dimmed = [] }: StonesProps) {
  const size = stones.length;
  const signMap = useMemo(
    () => stones.map((row) => row.map((stone) => (stone === 1 ? 1 : stone === 2 ? -1 : 0))),
    [stones],
  );
  const dimmedVertices = dimmed.flatMap((vertex): [number, number][] => {
    const spot = spotOf(vertex, size);
    return spot ? [[spot.x, spot.y]] : [];
  });
  return (
    <Goban
      signMap={signMap as (0 | 1 | -1)[][]}
      vertexSize={vertexSize}
      showCoordinates={coordinates}
      dimmedVertices={dimmedVertices}
    />
  );
});

/** Pixels from line to line so that the board, with its border, fills its frame. */
function useLayout(frame: { current: HTMLDivElement | null }, size: number) {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const measure = () => setWidth(element.clientWidth);
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, [frame]);
  // The border is 5 pixels; beside it are coordinates of 0.7 or a margin of 0.25 lines.
  const withCoordinates = Math.floor((width - 10) / (size + 1.4));
  const without = Math.floor((width - 10) / (size + 0.5));
  const coordinates = withCoordinates >= COORDINATES;
  return { coordinates, vertexSize: Math.max(6, coordinates ? withCoordinates : without) };
}
