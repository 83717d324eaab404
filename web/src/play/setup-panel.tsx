/** Choosing player, board and terms of a new game. */
import { useState } from "preact/hooks";
import { notify } from "../live";
import { Card, Choice, Segments } from "../parts";
import type { PlayerInfo } from "../protocol";
import { playerTitle, server } from "../session";
import { useStore } from "../store";
import { text } from "../text";
import { match, startMatch, type Setup } from "./match";

const GROUPS: PlayerInfo["group"][] = ["learned", "search", "engine", "simple"];
const USUAL_SIZES = [5, 7, 9, 13, 19];
const THINKING = [0.2, 0.5, 1, 2, 5, 10];
/** Fixed handicap stones that a board has places for. */
const mostHandicap = (size: number): number => (size < 7 ? 0 : size === 7 || size % 2 === 0 ? 4 : 9);
const KOMI = 7.5;

const MINUTES = [0, 1, 2, 5, 10, 20, 30, 60];

export function SetupPanel() {
  const { hello } = useStore(server);
  const now = match.get();
  const [setup, setSetup] = useState<Setup>({
    player: now.player || hello?.default_player || "",
    size: now.size,
    human: now.human,
    komi: now.komi,
    handicap: now.handicap,
    seconds: now.seconds,
    minutes: now.minutes,
  });
  const change = (next: Partial<Setup>) => {
    const changed = { ...setup, ...next };
    if (changed.handicap > mostHandicap(changed.size)) Object.assign(changed, { handicap: 0, komi: KOMI });
    setSetup(changed);
    // The board shows the size at once.
    if (next.size) match.set({ size: next.size });
  };
  if (!hello) return null;
  const player =
    hello.players.find(({ name }) => name === setup.player) ??
    (setup.player.startsWith("run:") ? null : hello.players[0]);
  const knows = (size: number) => player?.sizes?.includes(size) ?? true;
  const size = knows(setup.size) ? setup.size : (player?.sizes?.[0] ?? setup.size);
  const start = (event: Event) => {
    event.preventDefault();
    const handicap = Math.min(setup.handicap, mostHandicap(size));
    startMatch({ ...setup, size, handicap, player: player?.name ?? setup.player }).catch((error: Error) =>
      notify(error.message, { isError: true }),
    );
  };
  return (
    <Card title={text.play.newGame} test="setup">
      <form class="stack" onSubmit={start}>
        <Choice
          label={text.play.opponent}
          test="player"
          value={player?.name ?? setup.player}
          onChange={(name) => change({ player: name })}
        >
          {setup.player.startsWith("run:") && (
            <option value={setup.player}>{playerTitle(setup.player)}</option>
          )}
          {GROUPS.map((group) => (
            <PlayerGroup key={group} group={group} size={size} players={hello.players} />
          ))}
        </Choice>
        {player && <PlayerAbout player={player} size={size} />}
        <span class="label">{text.play.board}</span>
        <div class="row">
          <Segments
            label={text.play.board}
            test="size"
            options={USUAL_SIZES.map((value) => ({ value, name: `${value}`, isOff: !knows(value) }))}
            value={size}
            onChange={(value) => change({ size: value })}
          />
          <Choice
            label={text.play.otherSize}
            isLabelHidden
            test="size-other"
            value={String(size)}
            onChange={(value) => change({ size: Number(value) })}
          >
            {hello.sizes.filter(knows).map((value) => (
              <option key={value} value={value}>
                {value} × {value}
              </option>
            ))}
          </Choice>
        </div>
        <span class="label">{text.play.colour}</span>
        <Segments
          label={text.play.colour}
          test="colour"
          options={[
            { value: "black", name: text.colours.black },
            { value: "white", name: text.colours.white },
          ]}
          value={setup.human}
          onChange={(human) => change({ human })}
        />
        <Terms setup={setup} size={size} onChange={change} />
        <button class="primary" type="submit" data-test="start">
          {text.play.start}
        </button>
      </form>
    </Card>
  );
}

interface GroupProps {
  group: PlayerInfo["group"];
  size: number;
  players: PlayerInfo[];
}

function PlayerGroup({ group, size, players }: GroupProps) {
  const members = players
    .filter((player) => player.group === group)
    .sort((a, b) => (b.rating[size] ?? -1e9) - (a.rating[size] ?? -1e9));
  if (!members.length) return null;
  return (
    <optgroup label={text.play.groups[group]}>
      {members.map(({ name, rating }) => (
        <option key={name} value={name}>
          {name}
          {rating[size] !== undefined ? ` (${Math.round(rating[size])})` : ""}
        </option>
      ))}
    </optgroup>
  );
}

function PlayerAbout({ player, size }: { player: PlayerInfo; size: number }) {
  const rating = player.rating[size];
  return (
    <p class="about" data-test="player-about">
      {player.about}.{" "}
      {rating !== undefined ? text.play.rating(Math.round(rating), size) : text.play.unrated(size)}
    </p>
  );
}

interface TermsProps {
  setup: Setup;
  size: number;
  onChange: (next: Partial<Setup>) => void;
}

function Terms({ setup, size, onChange }: TermsProps) {
  const most = mostHandicap(size);
  const setHandicap = (value: string) => {
    const handicap = Number(value);
    onChange({ handicap, komi: handicap > 1 ? 0.5 : KOMI });
  };
  return (
    <div class="terms">
      <label class="field">
        <span>{text.play.komi}</span>
        <input
          type="number"
          step="0.5"
          min="-100"
          max="100"
          data-test="komi"
          value={setup.komi}
          onChange={(event) => onChange({ komi: Number(event.currentTarget.value) || 0 })}
        />
      </label>
      <Choice label={text.play.handicap} test="handicap" value={String(Math.min(most, setup.handicap))} onChange={setHandicap}>
        {Array.from({ length: Math.max(1, most) }, (_, i) => (i ? i + 1 : 0)).map((count) => (
          <option key={count} value={count}>
            {count || text.none}
          </option>
        ))}
      </Choice>
      <Choice
        label={text.play.thinkingTime}
        test="seconds"
        value={String(setup.seconds)}
        onChange={(value) => onChange({ seconds: Number(value) })}
      >
        {THINKING.map((seconds) => (
          <option key={seconds} value={seconds}>
            {text.play.seconds(seconds)}
          </option>
        ))}
      </Choice>
      <Choice
        label={text.play.clock}
        test="clock"
        value={String(setup.minutes)}
        onChange={(value) => onChange({ minutes: Number(value) })}
      >
        {MINUTES.map((minutes) => (
          <option key={minutes} value={minutes}>
            {minutes ? text.play.minutes(minutes) : text.none}
          </option>
        ))}
      </Choice>
    </div>
  );
}
