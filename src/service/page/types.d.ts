// What the page's modules pass to each other, and what the server answers (docs/api.md): for
// `tsc --checkJs` only; browsers never see it.

/** Who has a square, from a1 to h8 (0 nobody, 1 Black, 2 White), and who moves. */
interface Position {
  cells: number[];
  turn: number;
}

interface Statistics {
  games: number;
  wins: number;
  draws: number;
  losses: number;
  average_discs: number | null;
  first_year: number | null;
  last_year: number | null;
}

interface MoveView {
  move: string;
  known: "book" | "end" | "alternative" | "unknown";
  value?: number | null;
  level?: string;
  ways_in?: number;
  statistics?: Statistics;
  opening?: string;
}

/** A move with the best value there is for it, and what it gives away. */
interface ValuedMove extends MoveView {
  source: "book" | "end" | "alternative" | "unknown" | "searched";
  loss: number | null;
}

interface PositionView {
  position: string;
  opening: string | null;
  over: boolean;
  in_book: boolean;
  node: { value: number | null; bounds: [number, number]; leads_on: boolean; origin: string; level: string | null } | null;
  best: string | null;
  ways_in: number | null;
  statistics: Statistics | null;
  moves: MoveView[];
  settled: boolean;
  error?: unknown;
  /** Nobody has answered yet. */
  pending?: boolean;
}

interface Found {
  best: string | null;
  value: number;
  depth: number;
  selectivity: number;
  solved: boolean;
  nodes: number;
  nps: number;
  seconds: number;
  line: string;
  moves: { move: string; value: number; line: string }[];
}

interface Reason {
  position: string;
  turn: "black" | "white";
  move: string | null;
  black_value: number | null;
  rests_on: "book" | "alternative" | "end" | "evaluation" | "nothing";
  level: string | null;
  origin: string;
}

interface LineView {
  steps: { move: string | null; black_value: number | null; loss: number | null; exact: boolean; games: number }[];
  because: Reason[];
}

interface GameView {
  black: string | null;
  white: string | null;
  event: string | null;
  year: number | null;
  result: number | null;
  moves: string;
  start: string | null;
}

interface FoundGames {
  games: (GameView & { number: number })[];
  total: number;
  next: number | null;
  players: string[];
  events: string[];
}

interface Collection {
  format: string;
  total: number;
  games: GameView[];
  bad: number;
  bad_games: { file: string; game: number; move: number | null; reason: string }[];
}

interface Opening {
  name: string;
  moves: string;
  also: string[];
}

interface Player {
  name: string;
  title: string;
  year?: number;
  idea?: string;
  elo?: number;
}

interface Layer {
  discs: number;
  positions: number;
  valued: number;
  exact: number;
  games: number;
}

interface Summary {
  positions: number;
  bytes_per_position: number | null;
  layers: Layer[];
  values: { from: number; positions: number }[];
  levels: Record<string, number>;
  origins: { game: number; expansion: number; import: number };
  gaps: { moves: string; games: number; opening: string | null }[];
  best_lines: { moves: string; black_value: number; loss: number; opening: string | null }[];
  wanted: { cause: string; level: number; positions: number }[];
}

interface Stats {
  positions: number | null;
  games: number | null;
  bytes: number;
  counted: Summary | null;
  counting: boolean;
  settled: boolean;
  writable: boolean;
  cluster: boolean;
  search_seconds: number;
}

interface Job {
  id: number;
  kind: "learn" | "expand";
  about: string;
  state: "waiting" | "running" | "done" | "stopped" | "failed";
  message: string;
  done: number;
  total: number | null;
  seconds: number | null;
  resumable: boolean;
  searching: { moves: string; value: number | null }[];
}

interface Cluster {
  workers: { name: string; alive: boolean; threads: number; answered: number; rate: number; silent: number }[];
  books: { asking: boolean; figures: Record<string, number> }[];
  queue: { waiting: number; in_flight: number };
  quarantined: { worker: string }[];
  dead: unknown[];
}

/** Where the engine is asked, and how hard it looks. */
interface Question {
  position: Position;
  lines: number;
  level: number;
  seconds: number;
  /** It goes on beside the search of what is on the board. */
  beside?: boolean;
}

/** Who finds engine lines and moves: the server, or an engine in the browser. */
interface Source {
  analyse(question: Question, signal: AbortSignal, tell: (found: Found, done: boolean) => void): Promise<Found | null>;
}

interface MoveWish {
  position: Position;
  player: string;
  level: string;
  seconds: number;
  seed: number;
}

/** One of the page's views. */
interface View {
  enter(): unknown;
  /** The server answers again after it did not. Without this, the view is entered anew. */
  again?(): unknown;
  /** Another engine searches from now on. */
  searchAgain?(): void;
  leave?(): void;
  play?(index: number): void;
  point?(index: number | null): void;
  /** Whether there was something before, and after. */
  back?(): boolean;
  on?(): boolean;
  first?(): void;
  last?(): void;
  takeBack?(): void;
}
