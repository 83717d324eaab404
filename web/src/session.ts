/** What the whole page shares: what the server offers, what the reader chose, the route. */
import { useEffect } from "preact/hooks";
import { ask, link } from "./connection";
import type { Compiling, EvaluatorInfo, Hello } from "./protocol";
import { makeStore, useStore } from "./store";
import { text } from "./text";

export type Theme = "system" | "light" | "dark";
export type Overlay = "none" | "now" | "after_move" | "after_pass" | "difference";
export const OVERLAYS: Overlay[] = ["none", "now", "after_move", "after_pass", "difference"];
export const TABS = ["play", "review", "library", "learning", "ladder"] as const;
export type Tab = (typeof TABS)[number];

export const server = makeStore<{ hello: Hello | null; compiling: Compiling | null; error: string }>({
  hello: null,
  compiling: null,
  error: "",
});

export const choices = makeStore(
  {
    theme: "system" as Theme,
    overlay: "none" as Overlay,
    areCandidatesShown: false,
    evaluators: [] as string[],
    graph: "win_rate" as "win_rate" | "lead",
  },
  "katachi.choices",
);

export const route = makeStore({ tab: tabOf(location.hash), isHelpOpen: false });

function tabOf(hash: string): Tab {
  const name = hash.replace(/^#\/?/, "").split("/")[0];
  return TABS.find((tab) => tab === name) ?? "play";
}

window.addEventListener("hashchange", () => route.set({ tab: tabOf(location.hash) }));

export function goTo(tab: Tab): void {
  location.hash = tab;
}

/** Asks for hello after every (re)connection, and for status while kernels are cold. */
export function useServer(): void {
  const { isOpen } = useStore(link);
  const { compiling } = useStore(server);
  useEffect(() => {
    if (!isOpen) return;
    ask<Hello>("hello").then(welcome, (error: Error) => server.set({ error: error.message }));
  }, [isOpen]);
  useEffect(() => {
    if (!compiling || !isOpen) return;
    const timer = setTimeout(() => {
      void ask<{ compiling: Compiling | null }>("status").then((status) => server.set(status));
    }, 700);
    return () => clearTimeout(timer);
  }, [compiling, isOpen]);
}

function welcome(hello: Hello): void {
  server.set({ hello, compiling: hello.compiling, error: "" });
  const names = hello.evaluators.map((evaluator) => evaluator.name);
  const isKnown = (name: string) => names.includes(name) || name.startsWith("run:");
  const kept = choices.get().evaluators.filter(isKnown);
  const first = hello.evaluators.find((e) => e.has_owners && e.has_shapes) ?? hello.evaluators[0];
  if (!kept.length && first) kept.push(first.name);
  choices.set({ evaluators: kept.slice(0, 3) });
}

/** How a player is called on the page: runs have names only a machine likes. */
export const playerTitle = (name: string): string =>
  name.startsWith("run:") ? text.play.learner(name.slice(4, 8)) : name;

export function evaluatorInfo(name: string): EvaluatorInfo | null {
  return server.get().hello?.evaluators.find((evaluator) => evaluator.name === name) ?? null;
}

/** The evaluators that know a board of this size, as chosen; never empty where any is known. */
export function evaluatorsFor(size: number, chosen: string[]): string[] {
  const knows = (name: string) => evaluatorInfo(name)?.sizes?.includes(size) ?? true;
  const fitting = chosen.filter(knows);
  const fallback = server.get().hello?.evaluators.find((e) => e.sizes?.includes(size) ?? true);
  return fitting.length ? fitting : fallback ? [fallback.name] : [];
}
