/** The tab where runs are watched, and a small one is begun. */
import { useEffect, useState } from "preact/hooks";
import { ask, Dropped } from "../connection";
import { notify } from "../live";
import { Bar, Card, Fault, Waiting } from "../parts";
import { count } from "../numbers";
import { match, newMatch } from "../play/match";
import type { Column, Metrics, RunDetail, RunInfo, Runs, Sample } from "../protocol";
import { goTo } from "../session";
import { text } from "../text";
import { Chart } from "./chart";
import { Samples } from "./samples";

const PRESET = "shape5";

export function LearningTab() {
  const [runs, setRuns] = useState<RunInfo[] | null>(null);
  const [chosen, setChosen] = useState<string | null>(null);
  const [error, setError] = useState("");
  const load = () =>
    ask<Runs>("runs").then(
      (answer) => {
        setRuns(answer.runs);
        setChosen((now) => now ?? answer.runs[0]?.id ?? null);
      },
      (fault: Error) => setError(fault.message),
    );
  useEffect(() => void load(), []);
  const start = async () => {
    try {
      const { id } = await ask<{ id: string }>("start", { preset: PRESET, seed: Math.floor(1e6 * Math.random()) });
      setChosen(id);
      await load();
    } catch (fault) {
      notify((fault as Error).message, { isError: true });
    }
  };
  const isLearning = !!runs?.some((run) => run.is_running && run.is_pages);
  return (
    <div class="page learning">
      <div class="stack">
        <Card title={text.learning.begin} test="begin">
          <p>{text.learning.beginHelp}</p>
          <button class="primary" data-test="train" disabled={isLearning} onClick={() => void start()}>
            {isLearning ? text.learning.isLearning : text.learning.train}
          </button>
        </Card>
        <Card title={text.learning.runs} test="runs">
          <Fault line={error} />
          {!runs && !error && <Waiting />}
          {runs && !runs.length && <p class="about">{text.learning.noRuns}</p>}
          <ul class="plain-list run-list">
            {runs?.map((run) => (
              <li key={run.id}>
                <button
                  class="run"
                  aria-pressed={run.id === chosen}
                  data-test={`run-${run.id}`}
                  onClick={() => setChosen(run.id)}
                >
                  <strong>{run.title}</strong>
                  <small>{text.learning.about(run)}</small>
                </button>
              </li>
            ))}
          </ul>
        </Card>
      </div>
      {chosen && <Run key={chosen} id={chosen} onEnd={() => void load()} />}
    </div>
  );
}

interface Watched {
  run: RunInfo;
  metrics: Metrics[];
  columns: Column[];
  samples: Sample[];
  rating: RunDetail["rating"];
}

/** One run, followed while it learns. */
function Run({ id, onEnd }: { id: string; onEnd: () => void }) {
  const [seen, setSeen] = useState<Watched | null>(null);
  const [error, setError] = useState("");
  useEffect(() => {
    const stop = new AbortController();
    const add = (news: Partial<RunDetail>) => setSeen((now) => joined(now, news));
    ask<{ run: RunInfo }, Partial<RunDetail>>("watch", { id }, { onPart: add, signal: stop.signal }).then(
      (end) => {
        add(end);
        onEnd();
      },
      (fault: Error) => fault instanceof Dropped || setError(fault.message),
    );
    return () => stop.abort();
  }, [id]);
  if (!seen) return <Card test="run">{error ? <Fault line={error} /> : <Waiting />}</Card>;
  const { run, metrics, columns, samples, rating } = seen;
  const speed = metrics.findLast((row) => typeof row.speed === "number")?.speed;
  const play = () => {
    newMatch();
    match.set({ player: run.player ?? "", size: run.size ?? 9, handicap: 0 });
    goTo("play");
  };
  const end = () =>
    ask("stop", { id }).catch((fault: Error) => notify(fault.message, { isError: true }));
  return (
    <Card title={run.title} test="run">
      <p data-test="run-status">
        {text.learning.status(run)}
        {typeof speed === "number" && ` · ${text.learning.speed(count(speed))}`}
        {rating && <strong data-test="run-rating"> · {text.learning.rating(rating)}</strong>}
      </p>
      {run.is_running && <Bar done={run.done} of={run.of ?? 0} label={text.learning.progress} />}
      <Fault line={error} />
      <div class="buttons">
        <button class="primary" data-test="play-run" disabled={!run.player} onClick={play}>
          {text.learning.play}
        </button>
        {run.is_running && run.is_pages && (
          <button data-test="stop-run" onClick={() => void end()}>
            {text.learning.stop}
          </button>
        )}
      </div>
      <div class="charts">
        {groupsOf(columns).map((group) => (
          <Chart
            key={group[0]?.name}
            columns={group}
            rows={metrics}
            of={run.is_running ? run.of : null}
            title={titleOf(group)}
          />
        ))}
      </div>
      {!metrics.length && <p class="about">{text.learning.noMetrics}</p>}
      <Samples samples={samples} />
    </Card>
  );
}

function joined(now: Watched | null, news: Partial<RunDetail>): Watched | null {
  const run = news.run ?? now?.run;
  if (!run) return now;
  // After a break everything comes once more.
  const first = news.metrics?.[0]?.done ?? Infinity;
  const isAgain = first <= (now?.metrics.at(-1)?.done ?? -1);
  const old = isAgain ? null : now;
  return {
    run,
    metrics: [...(old?.metrics ?? []), ...(news.metrics ?? [])],
    columns: news.columns?.length ? news.columns : (now?.columns ?? []),
    samples: [...(old?.samples ?? []), ...(news.samples ?? [])],
    rating: news.rating ?? now?.rating ?? null,
  };
}

/** Curves that belong together: the same name but for a number at the end. */
function groupsOf(columns: Column[]): Column[][] {
  const groups = new Map<string, Column[]>();
  for (const column of columns) {
    const stem = column.name.replace(/_\d+$/, "").replace(/^(val|train)_/, "");
    groups.set(stem, [...(groups.get(stem) ?? []), column]);
  }
  return [...groups.values()].slice(0, 8).map((group) => group.slice(0, 4));
}

function titleOf(group: Column[]): string {
  const [first] = group;
  if (!first) return "";
  return group.length > 1 ? first.title.replace(/^[^:]*: /, "").replace(/^(validation|training) /, "") : first.title;
}
