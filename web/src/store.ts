/** A value that components follow, and that may be kept in the browser between visits. */
import { useEffect, useState } from "preact/hooks";

export interface Store<T> {
  get(): T;
  set(next: Partial<T> | ((now: T) => Partial<T>)): void;
  follow(listener: () => void): () => void;
}

export function makeStore<T extends object>(start: T, keptAs?: string): Store<T> {
  let now: T = { ...start, ...(keptAs ? read<T>(keptAs) : {}) };
  const listeners = new Set<() => void>();
  return {
    get: () => now,
    set(next) {
      now = { ...now, ...(typeof next === "function" ? next(now) : next) };
      if (keptAs) write(keptAs, now);
      listeners.forEach((listener) => listener());
    },
    follow(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useStore<T>(store: Store<T>): T {
  const [, redraw] = useState(0);
  useEffect(() => {
    // What changed between the first paint and this effect would be missed otherwise.
    redraw((count) => count + 1);
    return store.follow(() => redraw((count) => count + 1));
  }, [store]);
  return store.get();
}

function read<T>(key: string): Partial<T> {
  try {
    const text = localStorage.getItem(key);
    const value: unknown = text ? JSON.parse(text) : {};
    return value && typeof value === "object" ? (value as Partial<T>) : {};
  } catch {
    return {};
  }
}

function write(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Private windows may refuse; the page then forgets, nothing more.
  }
}
