/** Opening records, and what the open one says of itself. */
import { useState } from "preact/hooks";
import { ask, askInBackground } from "../connection";
import { notify } from "../live";
import { Bar, Card, Choice, download } from "../parts";
import type { Game, GameRecord, ReviewPart } from "../protocol";
import { server } from "../session";
import { useStore } from "../store";
import { text } from "../text";
import { chooseFile, goToNode, openFiles, openRecord, openText, reviewed, show } from "./record";

export function OpenPanel() {
  const { hello } = useStore(server);
  const examples = hello?.example_games ?? [];
  const open = async (id: string) => {
    try {
      openRecord(await ask<GameRecord>("example", { id }));
    } catch (error) {
      notify((error as Error).message, { isError: true });
    }
  };
  return (
    <Card title={text.review.open} test="open">
      <p>{text.review.dropHere}</p>
      <FileButtons />
      {examples.length > 0 && (
        <>
          <h3>{text.review.examples}</h3>
          <ul class="plain-list">
            {examples.map(({ id, title }) => (
              <li key={id}>
                <button class="link" data-test={`example-${id}`} onClick={() => void open(id)}>
                  {title}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </Card>
  );
}

function FileButtons() {
  const [isPasting, setPasting] = useState(false);
  const [pasted, setPasted] = useState("");
  const take = (event: Event) => {
    const input = event.currentTarget as HTMLInputElement;
    void openFiles([...(input.files ?? [])]);
    input.value = "";
  };
  return (
    <>
      <div class="buttons">
        <label class="button">
          {text.review.files}
          <input type="file" accept=".sgf" multiple class="hidden" data-test="files" onChange={take} />
        </label>
        <label class="button">
          {text.review.folder}
          <input
            type="file"
            class="hidden"
            data-test="folder"
            onChange={take}
            {...{ webkitdirectory: true }}
          />
        </label>
        <button data-test="paste" aria-expanded={isPasting} onClick={() => setPasting(!isPasting)}>
          {text.review.paste}
        </button>
      </div>
      {isPasting && (
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void openText(pasted);
          }}
        >
          <textarea
            rows={4}
            aria-label={text.review.pasteHere}
            placeholder="(;GM[1]SZ[9] …)"
            data-test="paste-text"
            value={pasted}
            onInput={(event) => setPasted(event.currentTarget.value)}
          />
          <button type="submit" data-test="paste-open">
            {text.review.openPasted}
          </button>
        </form>
      )}
    </>
  );
}

export function RecordPanel({ whole, evaluator }: { whole: Game; evaluator: string }) {
  const now = useStore(reviewed);
  const { record, at } = now;
  const [progress, setProgress] = useState<number | null>(null);
  if (!record) return null;
  const comment = at < 0 ? record.comment : record.nodes[at]?.comment;
  const annotate = async () => {
    setProgress(0);
    try {
      const onPart = (part: ReviewPart) => setProgress(part.number);
      const fields = { game: whole, evaluator, players: record.players };
      const { text: sgf } = await askInBackground<{ text: string }, ReviewPart>(
        "annotate",
        fields,
        { onPart },
      );
      download("annotated.sgf", sgf);
    } catch (error) {
      notify((error as Error).message, { isError: true });
    }
    setProgress(null);
  };
  return (
    <Card title={text.review.heading(record)} test="record">
      <p class="about" data-test="record-about">
        {text.review.about(record)}
      </p>
      <GameChoice />
      {comment && (
        <blockquote class="comment" data-test="comment">
          {comment}
        </blockquote>
      )}
      <div class="buttons">
        <button data-test="annotate" disabled={!whole.moves.length || progress !== null} onClick={() => void annotate()}>
          {text.review.annotate}
        </button>
        <button data-test="close-record" onClick={() => reviewed.set({ record: null, files: [], games: [] })}>
          {text.review.close}
        </button>
      </div>
      {progress !== null && <Bar done={progress} of={whole.moves.length} label={text.review.annotate} />}
      <MoveList />
    </Card>
  );
}

function GameChoice() {
  const { files, file, games, gameNumber, skipped, record } = useStore(reviewed);
  const notes = record?.notes ?? [];
  const choose = (value: string) => {
    const index = Number(value);
    const record = games[index];
    reviewed.set({ gameNumber: index });
    if (record) show(record);
  };
  return (
    <>
      {files.length > 1 && (
        <Choice
          label={text.review.fileOf(files.length)}
          test="file-choice"
          value={String(file)}
          onChange={(value) => void chooseFile(Number(value))}
        >
          {files.map(({ name }, index) => (
            <option key={index} value={index}>
              {name}
            </option>
          ))}
        </Choice>
      )}
      {games.length > 1 && (
        <Choice label={text.review.gameOf(games.length)} test="game-choice" value={String(gameNumber)} onChange={choose}>
          {games.map(({ title }, index) => (
            <option key={index} value={index}>
              {title || text.review.untitled}
            </option>
          ))}
        </Choice>
      )}
      {notes.length > 0 && <p class="about">{notes.join(" ")}</p>}
      {skipped.length > 0 && <p class="about">{text.review.skipped(skipped)}</p>}
    </>
  );
}

/** The moves of the line; a click goes there. */
function MoveList() {
  const now = useStore(reviewed);
  const { record, at, tip } = now;
  if (!record) return null;
  const path: number[] = [];
  for (let node = tip; node >= 0; node = record.nodes[node]?.parent ?? -1) path.unshift(node);
  return (
    <details>
      <summary data-test="moves-open">{text.play.moves}</summary>
      <ol class="moves" data-test="moves" tabIndex={0} aria-label={text.play.moves}>
        {path.map((index, number) => (
          <li key={index}>
            <button class="link" aria-current={index === at} onClick={() => goToNode(index)}>
              <span>{number + 1}</span> {record.nodes[index]?.vertex ?? "–"}
            </button>
          </li>
        ))}
      </ol>
    </details>
  );
}
