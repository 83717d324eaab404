/** The filters of the restricted Boltzmann machine, a map for each kind of stone. */
import { useAnswer } from "../answers";
import { Card, Fault, Waiting } from "../parts";
import { signed } from "../numbers";
import type { Filters as FilterSet, Matrix } from "../protocol";
import { server } from "../session";
import { useStore } from "../store";
import { text } from "../text";

export function Filters() {
  const { hello } = useStore(server);
  const model = hello?.evaluators.find((e) => /crbm|rbm/.test(e.name))?.name ?? "crbm";
  const { data, error, isLoading } = useAnswer<FilterSet>("filters", { model });
  return (
    <Card title={text.library.filtersOf(model)} test="filters">
      <p class="about">{text.library.filtersHelp}</p>
      <Fault line={error} />
      {isLoading && <Waiting />}
      <ul class="filters">
        {data?.filters.map(({ number, weight, maps }) => (
          <li key={number}>
            <div class="maps">
              {maps.map((map, index) => (
                <figure key={index}>
                  <FilterMap map={map} label={text.library.filter(number, data.channels[index] ?? "")} />
                  <figcaption>{data.channels[index]}</figcaption>
                </figure>
              ))}
            </div>
            <small>
              {text.library.number(number)}
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
