/** The record under review: a tree of moves, where we are in it, and where it came from. */
import { ask, post } from "../connection";
import { announce, notify } from "../live";
import type { Color, Game, GameRecord, RecordNode, Vertex } from "../protocol";
import { other, readMove } from "../rules";
import { stopReviews } from "../see/values";
import { makeStore } from "../store";
import { text } from "../text";

export interface Reviewed {
  record: GameRecord | null;
  /** The node we are at; -1 is the start. */
  at: number;
  /** The end of the line that is walked: "forward" goes towards it. */
  tip: number;
  /** The end of the main line as it was opened: it is reviewed without being asked. */
  mainTip: number;
  /** Files and games that can be chosen. */
  files: File[];
  file: number;
  games: GameRecord[];
  gameNumber: number;
  skipped: string[];
}

export const reviewed = makeStore<Reviewed>({
  record: null,
  at: -1,
  tip: -1,
  mainTip: -1,
  files: [],
  file: 0,
  games: [],
  gameNumber: 0,
  skipped: [],
});

export const childrenOf = (record: GameRecord, node: number): number[] =>
  record.nodes.flatMap(({ parent }, index) => (parent === node ? [index] : []));

/** The nodes from the start to a node. */
export function pathTo(record: GameRecord, node: number): number[] {
  const path = [];
  for (let at = node; at >= 0; at = record.nodes[at]?.parent ?? -1) path.unshift(at);
  return path;
}

/** The last node of the line through a node: first children from there on. */
export function tipFrom(record: GameRecord, node: number): number {
  const first = new Map<number, number>();
  record.nodes.forEach(({ parent }, index) => first.has(parent) || first.set(parent, index));
  let at = node;
  for (let next = first.get(at); next !== undefined; next = first.get(at)) at = next;
  return at;
}

/** The moves of a path as a game of the contract; nodes without a move add nothing. */
export function gameOf(record: GameRecord, path: number[]): Game {
  const moves: string[] = [];
  let turn = record.first;
  for (const index of path) {
    const node = record.nodes[index];
    if (!node?.vertex || !node.color) continue;
    moves.push(node.color === turn ? node.vertex : `${node.color.charAt(0)}:${node.vertex}`);
    turn = other(node.color);
  }
  return {
    size: record.size,
    komi: record.komi,
    black: record.setup.black,
    white: record.setup.white,
    first: record.first,
    moves,
    handicap: record.handicap,
    record: true,
  };
}

export function show(record: GameRecord, at = -1): void {
  const start = record.nodes[0]?.vertex === null ? 0 : -1;
  const tip = tipFrom(record, -1);
  reviewed.set({ record, at: Math.max(at, start), tip, mainTip: tip });
}

export function goToNode(node: number): void {
  const { record, tip } = reviewed.get();
  if (!record || node < -1 || node >= record.nodes.length) return;
  const isOnLine = node === -1 || pathTo(record, tip).includes(node);
  reviewed.set({ at: node, tip: isOnLine ? tip : tipFrom(record, node) });
  const move = record.nodes[node];
  if (move?.vertex && move.color) announce(text.play.moved(move.color, move.vertex));
}

/** The line that is walked, as nodes from the start. */
export const lineOf = ({ record, tip }: Reviewed): number[] => (record ? pathTo(record, tip) : []);

/** Steps along the line; past its ends nothing happens. */
export function step(count: number): void {
  const now = reviewed.get();
  const line = lineOf(now);
  const index = line.indexOf(now.at) + count;
  goToNode(index < 0 ? -1 : (line[Math.min(index, line.length - 1)] ?? -1));
}

/** To the next or last variation beside this move. */
export function switchBranch(direction: 1 | -1): void {
  const { record, at } = reviewed.get();
  const parent = record?.nodes[at]?.parent;
  if (!record || parent === undefined) return;
  const siblings = childrenOf(record, parent);
  const next = siblings[siblings.indexOf(at) + direction];
  if (next !== undefined) goToNode(next);
}

/** Tries a move: an existing branch, or a new one. */
export function tryMove(vertex: Vertex, color: Color): void {
  const { record, at } = reviewed.get();
  if (!record) return;
  const known = childrenOf(record, at).find((index) => {
    const node = record.nodes[index];
    return node?.vertex === vertex && node.color === color;
  });
  if (known !== undefined) return goToNode(known);
  const node: RecordNode = { parent: at, color, vertex, comment: null };
  reviewed.set({ record: { ...record, nodes: [...record.nodes, node] } });
  goToNode(record.nodes.length);
}

/** Opens a game of the page itself. */
export function openGame(
  game: Game,
  players: Record<Color, string> | null,
  result: string,
  at?: number,
): void {
  let turn = game.first;
  const nodes = game.moves.map((move, index): RecordNode => {
    const { color, vertex } = readMove(move, turn);
    turn = other(color);
    return { parent: index - 1, color, vertex, comment: null };
  });
  const names = players ?? { black: text.colours.black, white: text.colours.white };
  const record: GameRecord = {
    title: `${names.black} – ${names.white}`,
    size: game.size,
    komi: game.komi,
    handicap: game.handicap,
    players: names,
    result: result || null,
    date: null,
    first: game.first,
    setup: { black: game.black, white: game.white },
    nodes,
  };
  reviewed.set({ files: [], games: [record], gameNumber: 0, skipped: [] });
  show(record, at === undefined ? -1 : at - 1);
}

export function openRecord(record: GameRecord): void {
  reviewed.set({ files: [], games: [record], gameNumber: 0, skipped: [] });
  show(record);
}

/** Opens files: the first is read now, the others when they are chosen. */
export async function openFiles(files: File[]): Promise<void> {
  const records = files.filter((file) => /\.sgf$/i.test(file.name));
  if (!records.length) return notify(text.review.noSgf, { isError: true });
  records.sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));
  reviewed.set({ files: records });
  await chooseFile(0);
}

export async function chooseFile(index: number): Promise<void> {
  const file = reviewed.get().files[index];
  if (!file) return;
  reviewed.set({ file: index });
  // The record that is left would keep the server busy.
  stopReviews(null);
  await readRecord(fieldsOf(await file.arrayBuffer()));
}

export const openText = (pasted: string): Promise<void> => {
  reviewed.set({ files: [] });
  return readRecord({ text: pasted });
};

interface SgfFields {
  text: string;
  base64?: boolean;
}

/** Characters: a frame may have a megabyte, and a character several bytes. */
const LONGEST_FRAME = 250_000;

async function readRecord(fields: SgfFields): Promise<void> {
  try {
    type Answer = { games: GameRecord[]; skipped: string[] };
    const isLong = fields.text.length > LONGEST_FRAME;
    const answer = isLong
      ? await post<Answer>("sgf_read", fields)
      : await ask<Answer>("sgf_read", fields);
    const first = answer.games[0];
    if (!first) throw new Error(answer.skipped[0] ?? text.review.noGame);
    reviewed.set({ games: answer.games, gameNumber: 0, skipped: answer.skipped });
    show(first);
  } catch (error) {
    notify((error as Error).message, { isError: true });
  }
}

/** UTF-8 as it is; anything else as base64, so that the server sees the record's own charset. */
function fieldsOf(buffer: ArrayBuffer): SgfFields {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(buffer) };
  } catch {
    const bytes = new Uint8Array(buffer);
    let binary = "";
    for (let i = 0; i < bytes.length; i += 8192) {
      binary += String.fromCharCode(...bytes.subarray(i, i + 8192));
    }
    return { text: btoa(binary), base64: true };
  }
}

/** All files of a drop, folders walked. */
export async function droppedFiles(data: DataTransfer): Promise<File[]> {
  const entries = [...data.items].map((item) => item.webkitGetAsEntry?.() ?? null);
  if (!entries.some((entry) => entry?.isDirectory)) return [...data.files];
  const found = await Promise.all(entries.map((entry) => (entry ? filesIn(entry) : [])));
  return found.flat();
}

async function filesIn(entry: FileSystemEntry): Promise<File[]> {
  if (entry.isFile) {
    return new Promise((resolve, reject) =>
      (entry as FileSystemFileEntry).file((file) => resolve([file]), reject),
    );
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: File[] = [];
  for (;;) {
    // A reader gives at most 100 entries at a time.
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (!batch.length) return found;
    found.push(...(await Promise.all(batch.map(filesIn))).flat());
  }
}
