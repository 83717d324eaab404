/** The moves so far, and their graph. */
import { useState } from "preact/hooks";
import { Card } from "../parts";
import type { Game } from "../protocol";
import { openGame } from "../review/record";
import { Graph } from "../see/graph";
import { reviews, startReview, valuesOf } from "../see/values";
import { goTo } from "../session";
import { useStore } from "../store";
import { text } from "../text";

export function GamePanel({ game, names }: { game: Game; names: string[] }) {
  useStore(reviews);
  const [isOpen, setOpen] = useState(false);
  const series = names.map((name) => ({ name, values: valuesOf(name, game) }));
  const open = (isNowOpen: boolean) => {
    setOpen(isNowOpen);
    if (isNowOpen) names.forEach((name) => startReview(name, game));
  };
  if (!game.moves.length) return null;
  const jump = (number: number) => {
    openGame(game, null, "", number);
    goTo("review");
  };
  return (
    <Card title={text.play.movesWith(game.komi)} test="game">
      <details open={isOpen} onToggle={(event) => open(event.currentTarget.open)}>
        <summary data-test="graph-open">{text.graph.title}</summary>
        {isOpen && <Graph series={series} current={game.moves.length} onJump={jump} />}
      </details>
      <ol class="moves" data-test="moves" tabIndex={0} aria-label={text.play.moves}>
        {game.moves.map((move, index) => (
          <li key={index}>
            <span>{index + 1}</span> {move}
          </li>
        ))}
      </ol>
    </Card>
  );
}
