/** The messages between page and server, version 1. Chances and leads are Black's. */

export type Color = "black" | "white";
export type Vertex = string;
export type Matrix = number[][];

export interface Game {
  size: number;
  komi: number;
  black: Vertex[];
  white: Vertex[];
  first: Color;
  moves: Vertex[];
  handicap: number;
  /** A recorded game: held only to the rules that all records share. */
  record?: boolean;
}

export interface Position {
  size: number;
  stones: Matrix;
  to_play: Color;
  legal: Vertex[];
  captures: Record<Color, number>;
  last: Vertex | null;
  number: number;
  is_over: boolean;
  ko: Vertex | null;
}

export interface Compiling {
  what: string;
  done: number;
  of: number;
}

export interface PlayerInfo {
  name: string;
  about: string;
  sizes: number[] | null;
  rating: Record<string, number>;
  seconds: number | null;
  group: "learned" | "search" | "engine" | "simple";
}

export interface EvaluatorInfo {
  name: string;
  about: string;
  has_owners: boolean;
  has_moves: boolean;
  has_shapes: boolean;
  /** It reads ahead: what it says grows while it is asked. */
  has_visits?: boolean;
  sizes: number[] | null;
}

export interface Hello {
  version: string;
  api: number;
  sizes: number[];
  default_player: string;
  players: PlayerInfo[];
  evaluators: EvaluatorInfo[];
  compiling: Compiling | null;
  example_games: { id: string; title: string }[];
}

export interface Score {
  dead: Vertex[];
  owners: Matrix;
  black: number;
  white: number;
  komi: number;
  lead: number;
  result: string;
  text: string;
}

export interface MoveAnswer {
  vertex: Vertex;
  win_rate: number | null;
  position: Position;
  result: Score | null;
}

export type Unit = "points" | "chance";

export interface Value {
  win_rate: number | null;
  lead: number | null;
}

export interface Candidate extends Value {
  vertex: Vertex;
  share: number | null;
  rank: number;
  loss: number;
  line: Vertex[];
  /** How often a search tried it; null where nobody searched. */
  visits: number | null;
}

export interface Analysis extends Value {
  evaluator: string;
  to_play: Color;
  ownership: Matrix | null;
  is_estimate: boolean;
  candidates: Candidate[];
  unit: Unit;
  /** Of the position so far, and in the end; null where nobody searched. */
  visits: number | null;
  most_visits: number | null;
}

export interface Owned {
  points: number;
  ownership: Matrix;
}

export interface Territory {
  now: Owned;
  after_move: Owned;
  after_pass: Owned;
  difference: Owned;
  source: string;
}

export interface Window {
  row: number;
  col: number;
  height: number;
  width: number;
  came: boolean;
}

export interface ShapeChange {
  set: string;
  change: number;
  each: number;
  more: number;
  gain_in_chance: number;
  cells: Matrix;
  liberties: Matrix | null;
  windows: Window[];
}

export interface Explanation {
  vertex: Vertex;
  color: Color;
  rank: number | null;
  candidates: number;
  loss: number | null;
  unit: Unit;
  shapes: null | {
    chance_before: number;
    chance_after: number;
    logit_before: number;
    logit_after: number;
    sets: { name: string; change: number }[];
    total: number;
    rest: number;
    changes: ShapeChange[];
  };
  territory: null | {
    gained: Vertex[];
    lost: Vertex[];
    points_before: number;
    points_after: number;
    ownership_before: Matrix;
    ownership_after: Matrix;
  };
  reply: ({ vertex: Vertex } & Value) | null;
  best: ({ vertex: Vertex } & Value) | null;
}

export interface ReviewPart extends Value {
  number: number;
  color?: Color;
  vertex?: Vertex;
  loss?: number | null;
  rank?: number | null;
  best?: ({ vertex: Vertex } & Value) | null;
}

export interface ReviewResult {
  unit: Unit;
  mistakes: { number: number; loss: number; why: string[] }[];
  mean_loss: Record<Color, number | null>;
}

export interface RecordNode {
  parent: number;
  color: Color | null;
  vertex: Vertex | null;
  comment: string | null;
}

export interface GameRecord {
  title: string;
  size: number;
  komi: number;
  handicap: number;
  players: Record<Color, string>;
  result: string | null;
  date: string | null;
  first: Color;
  setup: Record<Color, Vertex[]>;
  comment?: string;
  notes?: string[];
  nodes: RecordNode[];
}

export interface Shape {
  set: string;
  cells: Matrix;
  liberties: Matrix | null;
  place: [number, number] | null;
  edges?: Record<"top" | "left" | "bottom" | "right", boolean>;
  /** The own stone just played, where the set knows it. */
  played?: [number, number] | null;
  gain: number | null;
  value: number | null;
  count: number | null;
  used: number | null;
}

export interface ModelInfo {
  name: string;
  about: string;
  size: number | null;
}

export interface ShapePage {
  model: string;
  models: ModelInfo[];
  size: number;
  sets: string[];
  total: number;
  shapes: Shape[];
}

export interface Filters {
  model: string;
  models: ModelInfo[];
  channels: string[];
  filters: {
    number: number;
    weight: number | null;
    strength: number;
    names: string[];
    stones: Matrix;
    maps: Matrix[];
  }[];
}

export interface Opening {
  size: number;
  title: string;
  position: Position;
  games: number;
  children: {
    vertex: Vertex;
    games: number;
    share: number;
    black_wins: number | null;
    /** -1..1: good for White, good for Black. */
    judged: number | null;
    value: number | null;
  }[];
  names: { name: string; games: number }[];
}

export interface RunInfo {
  id: string;
  title: string;
  learner: string;
  size: number | null;
  done: number;
  of: number | null;
  is_running: boolean;
  /** Begun by this server: it can be stopped from the page. */
  is_pages: boolean;
  player: string | null;
  seconds: number | null;
}

export type Metrics = Record<string, number | null>;

export interface Column {
  name: string;
  title: string;
  unit: string;
  paper: number | null;
  /** Names of the numbers that bound it, where it has an interval. */
  low: string | null;
  high: string | null;
}

export interface Sample {
  done: number;
  moves: Vertex[];
  size: number;
  komi: number;
  black: string | null;
  white: string | null;
  result: string | null;
}

export interface RunDetail {
  run: RunInfo;
  metrics: Metrics[];
  columns: Column[];
  samples: Sample[];
  rating: null | { elo: number; low: number; high: number };
}

export interface Runs {
  runs: RunInfo[];
  presets: { name: string; title: string; about: string }[];
}

export interface LadderInfo {
  id: string;
  title: string;
  size: number;
  players: number;
  games: number;
}

export interface Ladder {
  title: string;
  size: number;
  komi: number;
  time: string | null;
  ranking: {
    name: string;
    elo: number | null;
    low: number | null;
    high: number | null;
    is_anchor: boolean;
    games: number;
    share: number;
  }[];
  cross: ({ won: number; of: number } | null)[][];
  has_games: boolean;
  notes: string[];
}

export interface LadderGames {
  total: number;
  games: { number: number; black: string; white: string; result: string; moves_count: number }[];
}
