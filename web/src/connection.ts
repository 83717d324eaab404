/** WebSockets to the server: requests with parts, cancelling, and coming back after a break. */
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

export interface AskOptions<P> {
  onPart?: (part: P) => void;
  signal?: AbortSignal;
}

class Connection {
  private readonly pending = new Map<number, Pending>();
  private socket: WebSocket | null = null;
  private lastId = 0;
  private failures = 0;

  /** `onChange` hears when the connection opens, and how often it has failed since. */
  constructor(private readonly onChange: (isOpen: boolean, failures: number) => void) {}

  open(): void {
    const url = new URL("api/v1/live", location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    url.hash = "";
    url.search = "";
    this.socket = new WebSocket(url);
    this.socket.onopen = () => {
      this.failures = 0;
      this.onChange(true, 0);
      for (const waiting of this.pending.values()) this.transmit(waiting);
    };
    this.socket.onmessage = (event) => this.receive(JSON.parse(String(event.data)) as Answer);
    this.socket.onclose = () => this.comeBack();
  }

  /** The server's result; `signal` cancels, after which the promise is rejected with `Dropped`. */
  ask<R, P>(op: string, fields: object, { onPart, signal }: AskOptions<P>): Promise<R> {
    if (!this.socket) this.open();
    const id = ++this.lastId;
    return new Promise<R>((resolve, reject) => {
      if (signal?.aborted) return reject(new Dropped());
      const waiting: Pending = {
        frame: { id, op, fields },
        sent: false,
        onPart: onPart as Pending["onPart"],
        resolve: resolve as Pending["resolve"],
        reject,
      };
      this.pending.set(id, waiting);
      signal?.addEventListener("abort", () => this.drop(id));
      this.transmit(waiting);
    });
  }

  /** Tries again after 0.5 s, 1 s, 2 s ... at most 8 s. What was under way is asked again. */
  private comeBack(): void {
    for (const waiting of this.pending.values()) waiting.sent = false;
    setTimeout(() => this.open(), Math.min(8000, 500 * 2 ** this.failures));
    this.failures += 1;
    this.onChange(false, this.failures);
  }

  private transmit(waiting: Pending): void {
    if (waiting.sent || this.socket?.readyState !== WebSocket.OPEN) return;
    waiting.sent = true;
    this.socket.send(JSON.stringify(waiting.frame));
  }

  private receive(answer: Answer): void {
    const waiting = answer.id === null ? undefined : this.pending.get(answer.id);
    if (!waiting || answer.id === null) return;
    if (answer.part !== undefined) {
      waiting.onPart?.(answer.part as never);
      return;
    }
    this.pending.delete(answer.id);
    if (answer.error !== undefined) {
      waiting.reject(new ServerError(answer.error, answer.field ?? null));
    } else {
      waiting.resolve(answer.result as never);
    }
  }

  private drop(id: number): void {
    const waiting = this.pending.get(id);
    if (!waiting) return;
    this.pending.delete(id);
    if (waiting.sent && this.socket?.readyState === WebSocket.OPEN) {
      this.socket.send(JSON.stringify({ op: "cancel", id }));
    }
    waiting.reject(new Dropped());
  }
}

const front = new Connection((isOpen, failures) => link.set({ isOpen, failures }));
const back = new Connection(() => undefined);

export const connect = (): void => front.open();

export function ask<R, P = never>(
  op: string,
  fields: object = {},
  options: AskOptions<P> = {},
): Promise<R> {
  return front.ask<R, P>(op, fields, options);
}

/** The same on a second connection: the server does one thing at a time of each, and what a reader
 * waits for must not stand behind a review. */
export function askInBackground<R, P = never>(
  op: string,
  fields: object,
  options: AskOptions<P> = {},
): Promise<R> {
  return back.ask<R, P>(op, fields, options);
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
