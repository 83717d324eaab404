/** Help as a dialog: keys, how to read the board, who the evaluators are. */
import { useEffect, useRef } from "preact/hooks";
import { route, server } from "./session";
import { useStore } from "./store";
import { text } from "./text";

export function HelpDialog() {
  const { isHelpOpen } = useStore(route);
  const { hello } = useStore(server);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isHelpOpen && !dialog.current?.open) dialog.current?.showModal();
    if (!isHelpOpen) dialog.current?.close();
  }, [isHelpOpen]);
  const close = () => route.set({ isHelpOpen: false });
  const clickBeside = (event: MouseEvent) => event.target === dialog.current && close();
  return (
    <dialog ref={dialog} aria-labelledby="help-title" data-test="help-dialog" onClose={close} onClick={clickBeside}>
      <div class="help-body" tabIndex={0} role="region" aria-labelledby="help-title">
        <h2 id="help-title">{text.help.title}</h2>
        <p>{text.help.intro}</p>
        <h3>{text.help.read}</h3>
        <ul>
          {text.help.readLines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
        <h3>{text.help.keys}</h3>
        <dl class="keys">
          {text.help.rows.map(([key, meaning]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
        <h3>{text.help.evaluators}</h3>
        <dl class="keys">
          {hello?.evaluators.map(({ name, about }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{about}</dd>
            </div>
          ))}
        </dl>
        {hello && <p class="about">katachi {hello.version}</p>}
      </div>
      <button class="primary" autofocus data-test="help-close" onClick={close}>
        {text.close}
      </button>
    </dialog>
  );
}
