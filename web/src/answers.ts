/** Answers of the server as values of a component: asked when needed, kept, dropped when left. */
import { useEffect, useState } from "preact/hooks";
import { ask, Dropped, type AskOptions } from "./connection";

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

export async function askOnce<R>(
  op: string,
  fields: object,
  options: AskOptions<Partial<R>> = {},
): Promise<R> {
  const known = kept.get(keyOf(op, fields));
  if (known !== undefined) return known as R;
  const answer = await ask<R, Partial<R>>(op, fields, options);
  remember(op, fields, answer);
  return answer;
}

interface Heard<R> {
  key: string | null;
  data: R | null;
  error: string;
  isLoading: boolean;
}

/** The answer to op(fields), or nothing while fields are null. A new question drops the old one.
 * A part of which `isWhole` is true is the answer as far as it is known. */
export function useAnswer<R>(
  op: string,
  fields: object | null,
  isWhole: (part: Partial<R>) => boolean = () => false,
): Awaited<R> {
  const key = fields && keyOf(op, fields);
  const [state, setState] = useState<Heard<R>>({ key: null, data: null, error: "", isLoading: true });
  useEffect(() => {
    if (!fields || key === null) return;
    const stop = new AbortController();
    const hear = (data: R | null, error: string, isLoading: boolean) =>
      stop.signal.aborted || setState({ key, data, error, isLoading });
    const onPart = (part: Partial<R>) => isWhole(part) && hear(part as R, "", true);
    askOnce<R>(op, fields, { onPart, signal: stop.signal }).then(
      (data) => hear(data, "", false),
      (error: Error) => error instanceof Dropped || hear(null, error.message, false),
    );
    return () => stop.abort();
  }, [key]);
  if (key === null) return { data: null, error: "", isLoading: false };
  const known = kept.get(key);
  if (known !== undefined) return { data: known as R, error: "", isLoading: false };
  if (state.key !== key) return { data: null, error: "", isLoading: true };
  return state;
}
