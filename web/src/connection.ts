/** One WebSocket a page: requests with parts, cancelling, and coming back after a break. */
import { makeStore } from "./store";

export class ServerError extends Error {
  constructor(
    message: string,
    readonly field: string | null,
  ) {
    super(message);
  }
}

/** The request was dropped by the page itself; nobody needs to hear of it. */
export class Dropped extends Error {}

interface Pending {
  frame: object;
  sent: boolean;
  onPart?: (part: never) => void;
  resolve: (result: never) => void;
  reject: (error: Error) => void;
}

interface Answer {
  id: number | null;
  part?: unknown;
  result?: unknown;
  error?: string;
  field?: string | null;
}

export const link = makeStore({ isOpen: false, failures: 0 });

const pending = new Map<number, Pending>();
let socket: WebSocket | null = null;
let lastId = 0;

export function connect(): void {
  const url = new URL("api/v1/live", location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  url.hash = "";
  url.search = "";
  socket = new WebSocket(url);
  socket.onopen = () => {
    link.set({ isOpen: true, failures: 0 });
    for (const waiting of pending.values()) transmit(waiting);
  };
  socket.onmessage = (event) => receive(JSON.parse(String(event.data)) as Answer);
  socket.onclose = () => comeBack();
}

/** Tries again after 0.5 s, 1 s, 2 s ... at most 8 s. Requests that were under way are sent again. */
function comeBack(): void {
  for (const waiting of pending.values()) waiting.sent = false;
  const { failures } = link.get();
  link.set({ isOpen: false, failures: failures + 1 });
  setTimeout(connect, Math.min(8000, 500 * 2 ** failures));
}

function transmit(waiting: Pending): void {
  if (waiting.sent || socket?.readyState !== WebSocket.OPEN) return;
  waiting.sent = true;
  socket.send(JSON.stringify(waiting.frame));
}

function receive(answer: Answer): void {
  const waiting = answer.id === null ? undefined : pending.get(answer.id);
  if (!waiting || answer.id === null) return;
  if (answer.part !== undefined) {
    waiting.onPart?.(answer.part as never);
    return;
  }
  pending.delete(answer.id);
  if (answer.error !== undefined) {
    waiting.reject(new ServerError(answer.error, answer.field ?? null));
  } else {
    waiting.resolve(answer.result as never);
  }
}

export interface AskOptions<P> {
  onPart?: (part: P) => void;
  signal?: AbortSignal;
}

/** The server's result; `signal` cancels, after which the promise is rejected with `Dropped`. */
export function ask<R, P = never>(
  op: string,
  fields: object = {},
  { onPart, signal }: AskOptions<P> = {},
): Promise<R> {
  const id = ++lastId;
  return new Promise<R>((resolve, reject) => {
    if (signal?.aborted) return reject(new Dropped());
    const waiting: Pending = {
      frame: { id, op, fields },
      sent: false,
      onPart: onPart as Pending["onPart"],
      resolve: resolve as Pending["resolve"],
      reject,
    };
    pending.set(id, waiting);
    signal?.addEventListener("abort", () => drop(id));
    transmit(waiting);
  });
}

/** The same by a request of its own, for what is too long for a frame. */
export async function post<R>(op: string, fields: object): Promise<R> {
  const reply = await fetch(new URL(`api/v1/${op}`, location.href), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(fields),
  });
  const answer = (await reply.json()) as Omit<Answer, "id">;
  if (answer.error !== undefined) throw new ServerError(answer.error, answer.field ?? null);
  return answer.result as R;
}

function drop(id: number): void {
  const waiting = pending.get(id);
  if (!waiting) return;
  pending.delete(id);
  if (waiting.sent && socket?.readyState === WebSocket.OPEN) {
    socket.send(JSON.stringify({ op: "cancel", id }));
  }
  waiting.reject(new Dropped());
}
