/** The opening tree as a board to walk on: what was played, and what it led to. */
import { useMemo, useState } from "preact/hooks";
import { useAnswer } from "../answers";
import { Board } from "../board/board";
import type { Label } from "../board/marks";
import { Card, Fault, Waiting } from "../parts";
import { count, percent, signed } from "../numbers";
import type { Game, Opening, Vertex } from "../protocol";
import { replay } from "../rules";
import { text } from "../text";

export function Openings() {
  const [moves, setMoves] = useState<Vertex[]>([]);
  const { data, error, isLoading } = useAnswer<Opening>("opening", { moves });
  const size = data?.size ?? 19;
  const shown = useMemo(() => replay(gameOf(size, moves)), [size, moves]);
  const children = data?.children ?? [];
  const labels = children.slice(0, 12).map(
    ({ vertex, share }, index): Label => ({
      vertex,
      text: share >= 0.005 ? `${Math.round(100 * share)}` : "<1",
      tone: index ? "plain" : "best",
    }),
  );
  const known = new Set(children.map(({ vertex }) => vertex));
  const play = (vertex: Vertex) => setMoves([...moves, vertex]);
  return (
    <div class="split">
      <div class="board-side">
        <Board
          stones={shown.stones}
          last={shown.last}
          toPlay={shown.to_play}
          label={text.library.openingBoard}
          labels={labels}
          canPlay={(vertex) => known.has(vertex)}
          onVertex={(vertex) => known.has(vertex) && play(vertex)}
        />
      </div>
      <div class="panel">
        <Card title={text.library.openings} test="opening">
          <p class="about">{text.library.openingHelp}</p>
          <p class="path" data-test="opening-path">
            <button class="small" data-test="opening-start" disabled={!moves.length} onClick={() => setMoves([])}>
              {text.library.start}
            </button>
            {moves.map((vertex, index) => (
              <button
                key={index}
                class="small"
                data-test={`opening-step-${index + 1}`}
                aria-current={index === moves.length - 1}
                onClick={() => setMoves(moves.slice(0, index + 1))}
              >
                {vertex}
              </button>
            ))}
          </p>
          <Fault line={error} />
          {isLoading && <Waiting />}
          {data && <p data-test="opening-games">{text.library.games(data.games)}</p>}
          {data && data.names.length > 0 && moves.length > 0 && (
            <p class="about">{text.library.names(data.names.slice(0, 6).map(({ name }) => name))}</p>
          )}
          {data && children.length > 0 && <ChildTable opening={data} onPlay={play} />}
          {data && !children.length && <p>{text.library.noMore}</p>}
        </Card>
      </div>
    </div>
  );
}

const gameOf = (size: number, moves: Vertex[]): Game => ({
  size,
  komi: 7.5,
  black: [],
  white: [],
  first: "black",
  moves,
  handicap: 0,
});

function ChildTable({ opening, onPlay }: { opening: Opening; onPlay: (vertex: Vertex) => void }) {
  const hasWins = opening.children.some((child) => child.black_wins !== null);
  const hasJudged = opening.children.some((child) => child.judged !== null);
  const hasValues = opening.children.some((child) => child.value !== null);
  return (
    <table class="candidates" data-test="opening-moves">
      <thead>
        <tr>
          <th>{text.see.move}</th>
          <th>{text.library.played}</th>
          <th>{text.see.share}</th>
          {hasWins && <th>{text.library.blackWins}</th>}
          {hasJudged && <th>{text.library.judged}</th>}
          {hasValues && <th>{text.library.net}</th>}
        </tr>
      </thead>
      <tbody>
        {opening.children.map(({ vertex, games, share, black_wins, judged, value }) => (
          <tr key={vertex}>
            <th scope="row">
              <button class="link" data-test={`opening-${vertex}`} onClick={() => onPlay(vertex)}>
                {vertex}
              </button>
            </th>
            <td>{count(games)}</td>
            <td>
              <span class="share" style={{ "--share": share }}>
                {percent(share)}
              </span>
            </td>
            {hasWins && <td>{black_wins === null ? "–" : percent(black_wins)}</td>}
            {hasJudged && <td>{judged === null ? "–" : signed(judged, 2)}</td>}
            {hasValues && <td>{value === null ? "–" : percent(value)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
