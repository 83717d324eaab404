/** The frame: tabs, theme, banner, notes, help, and records dropped anywhere. */
import { useEffect, useRef, useState } from "preact/hooks";
import { link } from "./connection";
import { HelpDialog } from "./help";
import { LadderTab } from "./ladder/ladder";
import { LearningTab } from "./learning/learning";
import { LibraryTab } from "./library/library";
import { live } from "./live";
import { Bar, isTyping } from "./parts";
import { PlayTab } from "./play/play";
import { droppedFiles, openFiles } from "./review/record";
import { ReviewTab } from "./review/review";
import { choices, goTo, route, server, TABS, useServer, type Tab, type Theme } from "./session";
import { useStore } from "./store";
import { text } from "./text";

const PAGES: Record<Tab, () => preact.JSX.Element> = {
  play: PlayTab,
  review: ReviewTab,
  library: LibraryTab,
  learning: LearningTab,
  ladder: LadderTab,
};

export function App() {
  useServer();
  const { tab } = useStore(route);
  const { hello, compiling, error } = useStore(server);
  useTheme();
  useKeys();
  const isDragging = useDrop();
  useEffect(() => {
    document.title = `${text.tabs[tab]} · ${text.name}`;
  }, [tab]);
  const Page = PAGES[tab];
  return (
    <>
      <button class="skip" data-test="skip" onClick={focusMain}>
        {text.skip}
      </button>
      <TopBar tab={tab} />
      <Banner />
      {error && <p class="fault">{error}</p>}
      <main id="main" tabIndex={-1}>
        <h1 class="hidden">{`${text.name}: ${text.tabs[tab]}`}</h1>
        {compiling && <Compiling {...compiling} />}
        {hello && <Page />}
        <p id="board-keys" class="hidden">
          {text.board.keys}
        </p>
      </main>
      <Live />
      <HelpDialog />
      {isDragging && <div class="drop">{text.dropNow}</div>}
    </>
  );
}

/** To the board where there is one, else to the page. */
function focusMain(): void {
  const board = document.querySelector<HTMLElement>("[data-test=board]");
  (board ?? document.getElementById("main"))?.focus();
}

function TopBar({ tab }: { tab: Tab }) {
  const { theme } = useStore(choices);
  const themes: Theme[] = ["system", "light", "dark"];
  return (
    <header class="top">
      <a class="brand" href="#play" aria-label={text.name}>
        <Logo /> {text.name}
      </a>
      <nav aria-label={text.tabsLabel}>
        {TABS.map((name) => (
          <a key={name} href={`#${name}`} aria-current={name === tab ? "page" : undefined} data-test={`tab-${name}`}>
            {text.tabs[name]}
          </a>
        ))}
      </nav>
      <div class="tools">
        <select
          aria-label={text.theme.label}
          data-test="theme"
          value={theme}
          onChange={(event) => choices.set({ theme: event.currentTarget.value as Theme })}
        >
          {themes.map((name) => (
            <option key={name} value={name}>
              {text.theme[name]}
            </option>
          ))}
        </select>
        <button
          class="help"
          aria-label={text.help.button}
          data-test="help"
          onClick={() => route.set({ isHelpOpen: true })}
        >
          ?
        </button>
      </div>
    </header>
  );
}

function Logo() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#e9c88d" />
      <path d="M0 11h32M0 21h32M11 0v32M21 0v32" stroke="#6b4a20" />
      <circle cx="11" cy="21" r="7" fill="#191919" />
      <circle cx="21" cy="11" r="7" fill="#fff" stroke="#555" />
    </svg>
  );
}

function Banner() {
  const { isOpen, failures } = useStore(link);
  const { hello } = useStore(server);
  // A first connection takes a moment: no alarm before it has failed.
  if (isOpen || (!failures && !hello)) return null;
  return (
    <div class="banner" role="status" data-test="banner">
      <strong>{hello || failures > 1 ? text.link.gone : text.link.connecting}</strong> {text.link.hint}
    </div>
  );
}

function Compiling({ what, done, of }: { what: string; done: number; of: number }) {
  return (
    <section class="compiling" role="status" data-test="compiling">
      <p>
        <strong>{text.compiling.title}</strong> {what}
      </p>
      <Bar done={done} of={of} label={text.compiling.title} />
      <p class="about">{text.compiling.help}</p>
    </section>
  );
}

function Live() {
  const { spoken, note, isError } = useStore(live);
  return (
    <>
      <div class="hidden" role="log" aria-live="polite" aria-atomic="true" data-test="live">
        {spoken}
      </div>
      <div class="notes" role={isError ? "alert" : "status"} data-test="note">
        {note && <p class={isError ? "note error" : "note"}>{note}</p>}
      </div>
    </>
  );
}

function useTheme(): void {
  const { theme } = useStore(choices);
  useEffect(() => {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  }, [theme]);
}

function useKeys(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (isTyping(event)) return;
      const { overlay, areCandidatesShown } = choices.get();
      if (event.key === "?") route.set({ isHelpOpen: true });
      else if (event.key === "t") choices.set({ overlay: overlay === "none" ? "now" : "none" });
      else if (event.key === "c") choices.set({ areCandidatesShown: !areCandidatesShown });
      else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, []);
}

/** Files and folders dropped anywhere open in Review. */
function useDrop(): boolean {
  const [isDragging, setDragging] = useState(false);
  const depth = useRef(0);
  useEffect(() => {
    const hasFiles = (event: DragEvent) => !!event.dataTransfer?.types.includes("Files");
    const enter = (event: DragEvent) => hasFiles(event) && setDragging(++depth.current > 0);
    const leave = (event: DragEvent) => hasFiles(event) && setDragging(--depth.current > 0);
    const over = (event: DragEvent) => hasFiles(event) && event.preventDefault();
    const drop = (event: DragEvent) => {
      depth.current = 0;
      setDragging(false);
      if (!event.dataTransfer || !hasFiles(event)) return;
      event.preventDefault();
      void droppedFiles(event.dataTransfer).then((files) => {
        goTo("review");
        return openFiles(files);
      });
    };
    const all = { dragenter: enter, dragleave: leave, dragover: over, drop };
    const entries = Object.entries(all) as [string, (event: Event) => void][];
    entries.forEach(([name, listener]) => window.addEventListener(name, listener));
    return () => entries.forEach(([name, listener]) => window.removeEventListener(name, listener));
  }, []);
  return isDragging;
}
