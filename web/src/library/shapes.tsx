/** The shapes of a model: sorted, by set, or found by stones that the reader sets. */
import { useEffect, useState } from "preact/hooks";
import { useAnswer } from "../answers";
import { ShapeBoard } from "../board/small-board";
import { Card, Choice, Fault, Segments, Waiting } from "../parts";
import { count, signed } from "../numbers";
import type { Matrix, ModelInfo, Shape, ShapePage } from "../protocol";
import { text } from "../text";

type Order = "gain" | "value" | "count";
type Sign = "both" | "good" | "bad";
const PAGE = 24;
const ANY = -1;
const NO_PATTERN: Matrix = Array.from({ length: 3 }, () => [ANY, ANY, ANY]);

export function Shapes() {
  const [known, setKnown] = useState<ModelInfo[]>([]);
  const [sets, setSets] = useState<string[]>([]);
  const [model, setModel] = useState("");
  const [order, setOrder] = useState<Order>("gain");
  const [sign, setSign] = useState<Sign>("both");
  const [set, setSet] = useState("");
  const [pattern, setPattern] = useState<Matrix>(NO_PATTERN);
  const [offset, setOffset] = useState(0);
  const isPatternSet = pattern.flat().some((cell) => cell !== ANY);
  const fields = {
    ...(model ? { model } : {}),
    order,
    sign,
    offset,
    count: PAGE,
    ...(set ? { set } : {}),
    ...(isPatternSet ? { pattern: { cells: pattern } } : {}),
  };
  const { data, error, isLoading } = useAnswer<ShapePage>("shapes", fields);
  const models = data?.models ?? known;
  useEffect(() => {
    // The lists stay while the next answer is on its way.
    if (!data) return;
    setKnown(data.models);
    setSets(data.sets);
  }, [data]);
  const chooseModel = (name: string) => {
    setModel(name);
    setSet("");
  };
  const fresh = <T,>(change: (value: T) => void) => (value: T) => {
    change(value);
    setOffset(0);
  };
  return (
    <div class="library">
      <Card title={text.library.find} test="shape-controls">
        <div class="stack">
          {models.length > 1 && (
            <Choice label={text.library.model} test="shape-model" value={model || (data?.model ?? "")} onChange={fresh(chooseModel)}>
              {models.map(({ name, about }) => (
                <option key={name} value={name}>
                  {about ? `${name}: ${about}` : name}
                </option>
              ))}
            </Choice>
          )}
          <span class="label">{text.library.order}</span>
          <Segments
            label={text.library.order}
            test="shape-order"
            options={(["gain", "value", "count"] as const).map((value) => ({ value, name: text.library.orders[value] }))}
            value={order}
            onChange={fresh(setOrder)}
          />
          <Segments
            label={text.library.sign}
            test="shape-sign"
            options={(["both", "good", "bad"] as const).map((value) => ({ value, name: text.library.signs[value] }))}
            value={sign}
            onChange={fresh(setSign)}
          />
          <Choice label={text.library.set} test="shape-set" value={set} onChange={fresh(setSet)}>
            <option value="">{text.library.allSets}</option>
            {sets.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </Choice>
          <span class="label">{text.library.pattern}</span>
          <PatternGrid pattern={pattern} onChange={fresh(setPattern)} />
          <p class="about">{text.library.patternHelp}</p>
          {isPatternSet && (
            <button data-test="pattern-clear" onClick={() => fresh(setPattern)(NO_PATTERN)}>
              {text.library.clear}
            </button>
          )}
        </div>
      </Card>
      <Card title={text.library.found(data ? count(data.total) : "…")} test="shapes">
        <Fault line={error} />
        {data && !data.total && <p>{text.library.noShapes}</p>}
        {isLoading && <Waiting />}
        <ul class="shapes">
          {data?.shapes.map((shape, index) => <ShapeItem key={index} shape={shape} />)}
        </ul>
        {data && data.total > PAGE && (
          <div class="buttons">
            <button data-test="shapes-previous" disabled={!offset} onClick={() => setOffset(Math.max(0, offset - PAGE))}>
              {text.library.previous}
            </button>
            <span class="about">{text.library.range(offset + 1, Math.min(data.total, offset + PAGE), data.total)}</span>
            <button
              data-test="shapes-next"
              disabled={offset + PAGE >= data.total}
              onClick={() => setOffset(offset + PAGE)}
            >
              {text.library.next}
            </button>
          </div>
        )}
      </Card>
    </div>
  );
}

function ShapeItem({ shape }: { shape: Shape }) {
  const { value, gain } = shape;
  return (
    <li>
      <ShapeBoard
        cells={shape.cells}
        liberties={shape.liberties}
        edges={shape.edges}
        played={shape.played}
        label={text.why.shapeOf(shape.set)}
      />
      <dl>
        {value !== null && (
          <div>
            <dt>{text.library.orders.value}</dt>
            <dd class={value > 0 ? "up" : "down"}>{signed(value, 3)}</dd>
          </div>
        )}
        {gain !== null && (
          <div>
            <dt>{text.library.orders.gain}</dt>
            <dd>{signed(gain, 3)}</dd>
          </div>
        )}
        {shape.count !== null && (
          <div>
            <dt>{text.library.orders.count}</dt>
            <dd>{count(shape.count)}</dd>
          </div>
        )}
      </dl>
      <small>
        {shape.set}
        {shape.place ? ` · ${text.library.place(shape.place)}` : ""}
      </small>
    </li>
  );
}

/** Three by three points: a click goes from any to black, white, empty and back. */
function PatternGrid({ pattern, onChange }: { pattern: Matrix; onChange: (pattern: Matrix) => void }) {
  const turn: Record<number, number> = { [ANY]: 1, 1: 2, 2: 0, 0: ANY };
  const change = (row: number, col: number) =>
    onChange(
      pattern.map((cells, y) => cells.map((cell, x) => (x === col && y === row ? (turn[cell] ?? ANY) : cell))),
    );
  return (
    <div class="pattern" data-test="pattern">
      {pattern.map((cells, row) =>
        cells.map((cell, col) => (
          <button
            key={`${row},${col}`}
            type="button"
            class={`cell cell-${cell < 0 ? "any" : cell}`}
            data-test={`pattern-${row}-${col}`}
            aria-label={text.library.cell(row + 1, col + 1, cell)}
            onClick={() => change(row, col)}
          >
            <span aria-hidden="true" />
          </button>
        )),
      )}
    </div>
  );
}
