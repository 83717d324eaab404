/** The filters of the restricted Boltzmann machine, a map for each kind of stone. */
import { useState } from "preact/hooks";
import { useAnswer } from "../answers";
import { ShapeBoard } from "../board/small-board";
import { Card, Choice, Fault, Waiting } from "../parts";
import { signed } from "../numbers";
import type { Filters as FilterSet, Matrix } from "../protocol";
import { text } from "../text";

export function Filters() {
  const [model, setModel] = useState("");
  const { data, error, isLoading } = useAnswer<FilterSet>("filters", model ? { model } : {});
  return (
    <Card title={text.library.filtersOf(data?.model ?? "")} test="filters">
      <p class="about">{text.library.filtersHelp}</p>
      {data && data.models.length > 1 && (
        <Choice label={text.library.model} test="filter-model" value={data.model} onChange={setModel}>
          {data.models.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </Choice>
      )}
      <Fault line={error} />
      {isLoading && <Waiting />}
      <ul class="filters">
        {data?.filters.map(({ number, weight, names, stones, maps }) => (
          <li key={number}>
            <div class="maps">
              <figure>
                <ShapeBoard cells={stones} label={text.library.looksFor(number)} />
                <figcaption>{text.library.stones}</figcaption>
              </figure>
              {maps.map((map, index) => (
                <figure key={index}>
                  <FilterMap map={map} label={text.library.filter(number, data.channels[index] ?? "")} />
                  <figcaption>{data.channels[index]}</figcaption>
                </figure>
              ))}
            </div>
            <small>
              {text.library.number(number)}
              {names.length > 0 && ` · ${names.join(", ")}`}
              {weight !== null && ` · ${text.library.weight(signed(weight, 3))}`}
            </small>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** Squares by size: blue adds, orange takes away. */
function FilterMap({ map, label }: { map: Matrix; label: string }) {
  const height = map.length;
  const width = map[0]?.length ?? 0;
  const most = Math.max(1e-9, ...map.flat().map(Math.abs));
  return (
    <svg class="filter-map" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      <rect class="ground" width={width} height={height} />
      {map.map((row, y) =>
        row.map((number, x) => {
          const side = 0.96 * Math.sqrt(Math.abs(number) / most);
          return (
            <rect
              key={`${x},${y}`}
              class={number > 0 ? "owner-black" : "owner-white"}
              x={x + 0.5 - side / 2}
              y={y + 0.5 - side / 2}
              width={side}
              height={side}
            />
          );
        }),
      )}
    </svg>
  );
}
