/** Who plays, the clocks, the buttons of a game, and its end. */
import { Card, Fault } from "../parts";
import { clockText, leadText, percent } from "../numbers";
import type { Color } from "../protocol";
import type { Shown } from "../rules";
import { choices, playerTitle } from "../session";
import { useStore } from "../store";
import { text } from "../text";
import * as playing from "./match";
import { thinking, type Match } from "./match";

export function Players({ match, shown }: { match: Match; shown: Shown }) {
  const { isThinking, error } = useStore(thinking);
  const sides: Color[] = ["black", "white"];
  return (
    <section class="players" aria-label={text.play.players}>
      {sides.map((color) => {
        const isHuman = color === match.human;
        const hasTurn = match.phase === "playing" && shown.to_play === color;
        return (
          <div key={color} class={`player ${hasTurn ? "turn" : ""}`} data-test={`side-${color}`}>
            <span class={`disc ${color}`} aria-hidden="true" />
            <span class="who">
              <strong>{isHuman ? text.play.you : playerTitle(match.player)}</strong>
              <small>
                {text.play.captured(shown.captures[color])}
              </small>
            </span>
            {match.minutes > 0 && (
              <time class={match.clock[color] < 30 ? "short" : ""} data-test={`clock-${color}`}>
                {clockText(match.clock[color])}
              </time>
            )}
            {hasTurn && !isHuman && isThinking && <span class="dots" aria-label={text.play.thinks} />}
          </div>
        );
      })}
      <Fault line={error} />
      {error && (
        <button data-test="ask-again" onClick={playing.advance}>
          {text.play.askAgain}
        </button>
      )}
    </section>
  );
}

interface ControlsProps {
  match: Match;
  onHint: () => void;
  onPass: () => void;
  onSave: () => void;
}

export function Controls({ match, onHint, onPass, onSave }: ControlsProps) {
  const { overlay } = useStore(choices);
  const { winRate } = useStore(thinking);
  const isTurn = playing.isHumansTurn(match);
  const isPlaying = match.phase === "playing";
  const isSeen = overlay === "now";
  return (
    <Card test="controls">
      <p class="status" data-test="status">
        {statusOf(match, isTurn)}
        {isPlaying && winRate !== null && (
          <small> {text.play.opponentThinks(percent(match.human === "black" ? 1 - winRate : winRate))}</small>
        )}
      </p>
      <div class="buttons four">
        <button data-test="pass" aria-keyshortcuts="p" title={text.play.byKey("p")} disabled={!isTurn} onClick={onPass}>
          {text.play.pass}
        </button>
        <button data-test="undo" aria-keyshortcuts="u" title={text.play.byKey("u")} disabled={!match.game.moves.length} onClick={playing.undo}>
          {text.play.undo}
        </button>
        <button data-test="hint" aria-keyshortcuts="h" title={text.play.byKey("h")} disabled={!isTurn} onClick={onHint}>
          {text.play.hint}
        </button>
        <button
          data-test="territory" aria-keyshortcuts="t" title={text.play.byKey("t")}
          aria-pressed={isSeen}
          onClick={() => choices.set({ overlay: isSeen ? "none" : "now" })}
        >
          {text.play.territory}
        </button>
        <button data-test="resign" disabled={!isPlaying} onClick={playing.resign}>
          {text.play.resign}
        </button>
        <button data-test="save" disabled={!match.game.moves.length} onClick={onSave}>
          {text.play.save}
        </button>
        <button data-test="new-game" onClick={playing.newMatch}>
          {text.play.newGame}
        </button>
      </div>
    </Card>
  );
}

function statusOf(match: Match, isTurn: boolean): string {
  const last = match.game.moves.at(-1);
  if (match.phase === "scoring") return text.play.scoring;
  if (match.phase === "over") return text.play.ended(match.result);
  if (!isTurn) return text.play.thinks;
  return last === "pass" ? text.play.yourTurnAfterPass : text.play.yourTurn(match.human);
}

interface ScoreProps {
  match: Match;
  onSave: () => void;
  onReview: () => void;
}

export function ScorePanel({ match, onReview }: ScoreProps) {
  const { score, phase } = match;
  const isOver = phase === "over";
  return (
    <Card title={isOver ? text.play.result : text.play.count} test="score">
      {score && (
        <>
          <table class="score-table">
            <tbody>
              <tr>
                <th scope="row">{text.colours.black}</th>
                <td data-test="score-black">{score.black}</td>
              </tr>
              <tr>
                <th scope="row">{text.colours.white}</th>
                <td data-test="score-white">{score.white}</td>
              </tr>
              <tr>
                <th scope="row">{text.play.komiOfWhite}</th>
                <td>{score.komi}</td>
              </tr>
              <tr>
                <th scope="row">{text.play.result}</th>
                <td data-test="score-result">{score.result || leadText(score.lead)}</td>
              </tr>
            </tbody>
          </table>
          <p>{score.text}</p>
        </>
      )}
      {!score && !isOver && <p class="waiting">{text.waiting}</p>}
      {isOver ? (
        <p class="result" data-test="result">
          {match.result}
        </p>
      ) : (
        <p class="about">{text.play.deadHelp}</p>
      )}
      <div class="buttons">
        {!isOver && (
          <button class="primary" data-test="accept" disabled={!score} onClick={playing.acceptScore}>
            {text.play.accept}
          </button>
        )}
        {!isOver && (
          <button data-test="play-on" onClick={playing.undo}>
            {text.play.playOn}
          </button>
        )}
        <button class={isOver ? "primary" : ""} data-test="review-game" onClick={onReview}>
          {text.play.review}
        </button>
      </div>
    </Card>
  );
}
