/** The controls of what is seen, the legend, and the values that go with it. */
import { Bar, Card, Choice, Fault, Segments, Switch, Waiting } from "../parts";
import { count, forMover, lossText, moverText, percent, signed } from "../numbers";
import type { Analysis, Candidate, Color, Vertex } from "../protocol";
import { match } from "../play/match";
import { choices, evaluatorInfo, OVERLAYS, playerTitle, server } from "../session";
import { useStore } from "../store";
import { text } from "../text";
import { LONGEST_LINE, type Seen } from "./seen";

interface SeePanelProps {
  seen: Seen;
  size: number;
  picked: Vertex | null;
  onPick: (vertex: Vertex | null) => void;
  onWhy: (vertex: Vertex) => void;
}

export function SeePanel({ seen, size, picked, onPick, onWhy }: SeePanelProps) {
  const { overlay, areCandidatesShown } = useStore(choices);
  const main = seen.analyses[0]?.data ?? null;
  return (
    <Card title={text.see.title} test="see">
      <Evaluators size={size} names={seen.names} />
      <Segments
        label={text.see.overlay}
        test="overlay"
        options={OVERLAYS.map((value) => ({ value, name: text.see.overlays[value] }))}
        value={overlay}
        onChange={(next) => choices.set({ overlay: next })}
      />
      {overlay !== "none" && <Legend seen={seen} />}
      <Switch
        label={text.see.candidates}
        test="candidates-switch"
        isOn={areCandidatesShown}
        onChange={(isOn) => choices.set({ areCandidatesShown: isOn })}
      />
      <Fault line={seen.error} />
      {areCandidatesShown && seen.isDeep && !main && !seen.error && <Waiting />}
      {areCandidatesShown && main && (
        <Candidates analysis={main} picked={picked} onPick={onPick} onWhy={onWhy} />
      )}
    </Card>
  );
}

/** One to three evaluators: the first is drawn on the big board. */
function Evaluators({ size, names }: { size: number; names: string[] }) {
  const { hello } = useStore(server);
  const { player: opponent, game } = useStore(match);
  const isOwn = (name: string) => name.startsWith("run:") && game.size === size;
  const fitting = hello?.evaluators.filter((e) => e.sizes?.includes(size) ?? true) ?? [];
  const change = (index: number, name: string) => {
    const next = names.map((now, i) => (i === index ? name : now));
    if (index === names.length) next.push(name);
    choices.set({ evaluators: [...new Set(next.filter(Boolean))] });
  };
  const rows = names.length < 3 && fitting.length > names.length ? [...names, ""] : names;
  return (
    <div class="evaluators">
      {rows.map((name, index) => (
        <Choice
          key={index}
          label={index ? text.see.compare : text.see.evaluator}
          isLabelHidden={index > 1}
          test={`evaluator-${index + 1}`}
          value={name}
          onChange={(next) => change(index, next)}
        >
          {index > 0 && <option value="">{name ? text.see.remove : text.see.nobody}</option>}
          {[...new Set([name, opponent])]
            .filter((one) => isOwn(one) && (one === name || !names.includes(one)))
            .map((one) => (
              <option key={one} value={one}>
                {playerTitle(one)}
              </option>
            ))}
          {fitting
            .filter((e) => e.name === name || !names.includes(e.name))
            .map((e) => (
              <option key={e.name} value={e.name}>
                {e.name}
              </option>
            ))}
        </Choice>
      ))}
      <p class="about">{evaluatorInfo(names[0] ?? "")?.about}</p>
    </div>
  );
}

function Legend({ seen }: { seen: Seen }) {
  const { overlay } = useStore(choices);
  const isDifference = overlay === "difference";
  return (
    <div class="legend" data-test="legend">
      <p>
        {text.see.explain(overlay, seen.about)}
        {seen.points !== null && (
          <strong data-test="overlay-points">
            {" "}
            {isDifference ? text.see.shift(signed(seen.points)) : text.see.points(seen.points, seen.overlay?.length ?? 0)}
          </strong>
        )}
      </p>
      <svg viewBox="0 0 24 3" aria-hidden="true">
        {[-1, -0.6, -0.3, -0.1, 0.1, 0.3, 0.6, 1].map((sure, index) => {
          const side = 1.7 * Math.sqrt(Math.abs(sure));
          return (
            <rect
              key={sure}
              class={sure > 0 ? "owner-black" : "owner-white"}
              x={1.5 + index * 3 - side / 2}
              y={1.5 - side / 2}
              width={side}
              height={side}
            />
          );
        })}
      </svg>
      <div class="legend-ends">
        <span>{isDifference ? text.see.toWhite : text.see.sureWhite}</span>
        <span>{isDifference ? text.see.toBlack : text.see.sureBlack}</span>
      </div>
      {seen.source && <p class="about">{seen.source}</p>}
      {seen.isDeep && seen.territory.isLoading && <Waiting />}
    </div>
  );
}

interface CandidatesProps {
  analysis: Analysis;
  picked: Vertex | null;
  onPick: (vertex: Vertex | null) => void;
  onWhy: (vertex: Vertex) => void;
}

function Candidates({ analysis, picked, onPick, onWhy }: CandidatesProps) {
  const { to_play, unit, visits, most_visits } = analysis;
  const isSearched = visits !== null;
  return (
    <>
      <table class="candidates" data-test="candidates">
        <caption>
          {text.see.value(to_play)} <strong>{moverText(analysis, to_play)}</strong>
        </caption>
        <thead>
          <tr>
            <th>{text.see.move}</th>
            <th>{text.see.chance}</th>
            {analysis.candidates.some((c) => c.lead !== null) && <th>{text.see.lead}</th>}
            {!isSearched && <th>{unit === "points" ? text.see.lossPoints : text.see.loss}</th>}
            <th data-test={isSearched ? "visits" : undefined}>{isSearched ? text.see.visits : text.see.share}</th>
            <th>
              <span class="hidden">{text.why.title}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {analysis.candidates.map((candidate) => (
            <CandidateRow
              key={candidate.vertex}
              {...{ candidate, analysis, to_play }}
              isPicked={candidate.vertex === picked}
              onPick={() => onPick(candidate.vertex === picked ? null : candidate.vertex)}
              onWhy={() => onWhy(candidate.vertex)}
            />
          ))}
        </tbody>
      </table>
      {isSearched && <Search analysis={analysis} picked={picked} visits={visits} most={most_visits ?? visits} />}
    </>
  );
}

interface SearchProps {
  analysis: Analysis;
  picked: Vertex | null;
  visits: number;
  most: number;
}

/** How far a search is, and the moves that it expects after the picked move, or the best one. */
function Search({ analysis, picked, visits, most }: SearchProps) {
  const shown = analysis.candidates.find(({ vertex }) => vertex === picked) ?? analysis.candidates[0];
  const [first, ...rest] = shown?.line.slice(0, LONGEST_LINE) ?? [];
  return (
    <div class="search">
      {first && rest.length > 0 && (
        <p data-test="line">
          {text.see.line(first)} <strong>{rest.join(" ")}</strong>
        </p>
      )}
      <p class="about" data-test="searched">
        {text.see.read(visits, most)} {text.see.visitsHelp}
      </p>
      {visits < most && <Bar done={visits} of={most} label={text.see.visits} />}
    </div>
  );
}

interface CandidateRowProps {
  candidate: Candidate;
  analysis: Analysis;
  to_play: Color;
  isPicked: boolean;
  onPick: () => void;
  onWhy: () => void;
}

function CandidateRow({ candidate, analysis, to_play, isPicked, onPick, onWhy }: CandidateRowProps) {
  const { win_rate, lead } = forMover(candidate, to_play);
  const { vertex, visits } = candidate;
  const most = Math.max(1, analysis.candidates[0]?.visits ?? 1);
  const share = visits === null ? candidate.share : visits / most;
  return (
    <tr class={isPicked ? "picked" : ""}>
      <th scope="row">
        <button class="link" aria-pressed={isPicked} data-test={`candidate-${vertex}`} onClick={onPick}>
          {vertex}
        </button>
      </th>
      <td>{win_rate === null ? "–" : percent(win_rate)}</td>
      {analysis.candidates.some((c) => c.lead !== null) && (
        <td>{lead === null ? "–" : signed(lead)}</td>
      )}
      {visits === null && <td>{lossText(candidate.loss, analysis.unit)}</td>}
      <td>
        {share === null ? (
          "–"
        ) : (
          <span class="share" style={{ "--share": share }}>
            {visits === null ? percent(share) : count(visits)}
          </span>
        )}
      </td>
      <td>
        <button class="small" data-test={`why-${vertex}`} aria-label={text.why.of(vertex)} onClick={onWhy}>
          {text.why.button}
        </button>
      </td>
    </tr>
  );
}
