/** The tab of ratings: error bars, who beat whom, and every game. */
import { useEffect, useState } from "preact/hooks";
import { useAnswer } from "../answers";
import { ask } from "../connection";
import { notify } from "../live";
import { Card, Choice, Fault, Waiting } from "../parts";
import type { GameRecord, Ladder, LadderGames, LadderInfo } from "../protocol";
import { openRecord } from "../review/record";
import { goTo } from "../session";
import { text } from "../text";

interface Pair {
  black?: string;
  white?: string;
  name: string;
  other: string;
}

export function LadderTab() {
  const { data, error } = useAnswer<{ ladders: LadderInfo[] }>("ladders", {});
  const [chosen, setChosen] = useState("");
  const id = chosen || data?.ladders[0]?.id;
  return (
    <div class="page">
      <Fault line={error} />
      {!data && !error && <Waiting />}
      {data && !data.ladders.length && <p>{text.ladder.none}</p>}
      {data && data.ladders.length > 1 && (
        <Choice label={text.ladder.choose} test="ladder" value={id ?? ""} onChange={setChosen}>
          {data.ladders.map((ladder) => (
            <option key={ladder.id} value={ladder.id}>
              {text.ladder.name(ladder)}
            </option>
          ))}
        </Choice>
      )}
      {id && <OneLadder key={id} id={id} />}
    </div>
  );
}

function OneLadder({ id }: { id: string }) {
  const { data, error } = useAnswer<Ladder>("ladder", { id });
  const [pair, setPair] = useState<Pair | null>(null);
  if (!data) return error ? <Fault line={error} /> : <Waiting />;
  return (
    <>
      <Card title={data.title} test="ranking">
        <p class="about">{text.ladder.about(data)}</p>
        <Ranking ladder={data} />
        {data.notes.map((note) => (
          <p key={note} class="about">
            {note}
          </p>
        ))}
      </Card>
      <Card title={text.ladder.cross} test="cross">
        <p class="about">{text.ladder.crossHelp}</p>
        <CrossTable ladder={data} pair={pair} onPair={setPair} />
        {pair && <Games key={`${id} ${pair.name} ${pair.other}`} id={id} pair={pair} hasGames={data.has_games} />}
      </Card>
    </>
  );
}

function Ranking({ ladder }: { ladder: Ladder }) {
  const ends = ladder.ranking.flatMap(({ elo, low, high }) => [elo, low, high]);
  const known = ends.filter((end): end is number => end !== null);
  const least = Math.min(...known);
  const width = Math.max(...known) - least || 1;
  const x = (elo: number) => `${(2 + (96 * (elo - least)) / width).toFixed(2)}%`;
  return (
    <ol class="ranking">
      {ladder.ranking.map(({ name, elo, low, high }) => (
        <li key={name}>
          <span class="ranking-name">{name}</span>
          <span class="ranking-elo">{ratingText(elo, low, high)}</span>
          <svg height="16" aria-hidden="true">
            {low !== null && high !== null && (
              <>
                <line class="error-bar" x1={x(low)} x2={x(high)} y1="8" y2="8" />
                <line class="error-bar" x1={x(low)} x2={x(low)} y1="3" y2="13" />
                <line class="error-bar" x1={x(high)} x2={x(high)} y1="3" y2="13" />
              </>
            )}
            {elo !== null && <circle class="dot" cx={x(elo)} cy="8" r="4.5" />}
          </svg>
        </li>
      ))}
    </ol>
  );
}

function ratingText(elo: number | null, low: number | null, high: number | null): string {
  if (elo === null) return text.ladder.unrated;
  const half = low === null || high === null ? 0 : Math.round((high - low) / 2);
  return half ? `${Math.round(elo)} ± ${half}` : `${Math.round(elo)} (${text.ladder.anchor})`;
}

interface CrossProps {
  ladder: Ladder;
  pair: Pair | null;
  onPair: (pair: Pair) => void;
}

function CrossTable({ ladder, pair, onPair }: CrossProps) {
  const names = ladder.ranking.map(({ name }) => name);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={text.ladder.cross}>
      <table class="cross">
        <thead>
          <tr>
            <td />
            {names.map((name, index) => (
              <th key={name} scope="col" title={name}>
                {index + 1}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {names.map((name, row) => (
            <tr key={name}>
              <th scope="row">
                {row + 1}. {name}
              </th>
              {names.map((other, col) => {
                const cell = ladder.cross[row]?.[col];
                if (!cell?.of) return <td key={other}>{row === col ? "·" : ""}</td>;
                const share = cell.won / cell.of;
                return (
                  <td key={other}>
                    <button
                      class="cross-cell"
                      style={{ "--share": share }}
                      aria-pressed={pair?.name === name && pair.other === other}
                      aria-label={text.ladder.cell(name, other, cell)}
                      data-test={`pair-${row + 1}-${col + 1}`}
                      onClick={() => onPair({ name, other })}
                    >
                      {Math.round(100 * share)}
                    </button>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const PAGE = 20;

function Games({ id, pair, hasGames }: { id: string; pair: Pair; hasGames: boolean }) {
  const [isSwapped, setSwapped] = useState(false);
  const [offset, setOffset] = useState(0);
  const [black, white] = isSwapped ? [pair.other, pair.name] : [pair.name, pair.other];
  const { data, error } = useAnswer<LadderGames>(
    "ladder_games",
    hasGames ? { id, black, white, offset, count: PAGE } : null,
  );
  // Where one colour has no games the other one has.
  const [isTried, setTried] = useState(false);
  useEffect(() => {
    if (data && !data.total && !isTried) setSwapped(true);
    if (data) setTried(true);
  }, [data]);
  const open = async (number: number) => {
    try {
      openRecord(await ask<GameRecord>("ladder_game", { id, number }));
      goTo("review");
    } catch (fault) {
      notify((fault as Error).message, { isError: true });
    }
  };
  if (!hasGames) return <p>{text.ladder.noGames}</p>;
  return (
    <section data-test="games">
      <h3>{text.ladder.games(black, white, data?.total ?? 0)}</h3>
      <Fault line={error} />
      <div class="buttons">
        <button class="small" data-test="games-swap" onClick={() => (setSwapped(!isSwapped), setOffset(0))}>
          {text.ladder.swap}
        </button>
        <button class="small" data-test="games-previous" disabled={!offset} onClick={() => setOffset(offset - PAGE)}>
          {text.library.previous}
        </button>
        <button
          class="small"
          data-test="games-next"
          disabled={!data || offset + PAGE >= data.total}
          onClick={() => setOffset(offset + PAGE)}
        >
          {text.library.next}
        </button>
      </div>
      <ul class="game-list">
        {data?.games.map((game) => (
          <li key={game.number}>
            <button class="link" data-test={`game-${game.number}`} onClick={() => void open(game.number)}>
              {text.ladder.game(game)}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
