/** Answers of the server as values of a component: asked when needed, kept, dropped when left. */
import { useEffect, useState } from "preact/hooks";
import { ask, Dropped } from "./connection";

export interface Awaited<R> {
  data: R | null;
  error: string;
  isLoading: boolean;
}

const KEEP = 400;
const kept = new Map<string, unknown>();

const keyOf = (op: string, fields: object) => op + JSON.stringify(fields);

/** Keeps an answer that came by another way, so that it need not be asked for. */
export function remember(op: string, fields: object, answer: unknown): void {
  kept.set(keyOf(op, fields), answer);
  const oldest = kept.keys().next().value;
  if (kept.size > KEEP && oldest !== undefined) kept.delete(oldest);
}

export async function askOnce<R>(op: string, fields: object, signal?: AbortSignal): Promise<R> {
  const known = kept.get(keyOf(op, fields));
  if (known !== undefined) return known as R;
  const answer = await ask<R>(op, fields, { signal });
  remember(op, fields, answer);
  return answer;
}

/** The answer to op(fields), or nothing while fields are null. A new question drops the old one. */
export function useAnswer<R>(op: string, fields: object | null): Awaited<R> {
  const key = fields && keyOf(op, fields);
  const [state, setState] = useState<{ key: string | null; data: R | null; error: string }>({
    key: null,
    data: null,
    error: "",
  });
  useEffect(() => {
    if (!fields || key === null) return;
    const stop = new AbortController();
    askOnce<R>(op, fields, stop.signal).then(
      (data) => !stop.signal.aborted && setState({ key, data, error: "" }),
      (error: Error) =>
        error instanceof Dropped || setState({ key, data: null, error: error.message }),
    );
    return () => stop.abort();
  }, [key]);
  if (key === null) return { data: null, error: "", isLoading: false };
  const known = kept.get(key);
  if (known !== undefined) return { data: known as R, error: "", isLoading: false };
  if (state.key !== key) return { data: null, error: "", isLoading: true };
  return { data: state.data, error: state.error, isLoading: false };
}
