/** What a screen reader is told, and short notes that everybody sees. */
import { makeStore } from "./store";

export const live = makeStore({ spoken: "", note: "", isError: false });

let clearing = 0;

export const announce = (spoken: string): void => live.set({ spoken });

export function notify(note: string, { isError = false } = {}): void {
  live.set({ note, isError });
  clearTimeout(clearing);
  clearing = window.setTimeout(() => live.set({ note: "" }), isError ? 9000 : 4000);
}
