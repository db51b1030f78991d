import type { StepDeps, StepWatch } from "@uncaged/workflow-engine";
import type { ReadValue } from "@uncaged/workflow-moderator";
import { END, FAIL, type Fault, type Result, type StepOutput } from "@uncaged/workflow-protocol";
import { readChainNode } from "@uncaged/workflow-store";
import type { TextSink } from "../io.js";
import {
  count,
  cut,
  duration,
  money,
  oneLine,
  type Paint,
  paintOn,
  type Screen,
  widthOf,
} from "../screen/index.js";
import { openRecorder, type Progress, type StepFacts, UNSAID, type WatchedDeps } from "./facts.js";

/** A number that cannot be read leaves its place. */
const NUMBER_WIDTH = 3;

/** Names may have 64 characters. */
const WIDEST_ROLE = 24;

/** Columns of a value, and of everything that decided: one line is for all of a step. */
const LONGEST_VALUE = 32;
const LONGEST_REASON = 60;

/** A recorded step: `  3 reviewer  approved: false → developer  12 s  $0.0123`. */
export function stepLine(facts: StepFacts, screen: Screen): string {
  const paint = paintOn(screen);
  const reason = reasonWords(facts);
  const way = [reason, "→", targetWords(facts.next, paint)].filter((word) => word !== "").join(" ");
  const spent = spentWords(facts);
  const { role } = facts;
  const space = " ".repeat(Math.max(0, Math.min(facts.roleWidth, WIDEST_ROLE) - role.length));
  const parts = [
    `${numberWords(facts.number)} ${paint.strong(role)}${space}`,
    way,
    ...(spent === "" ? [] : [paint.dim(spent)]),
  ];
  return `${parts.join("  ")}\n`;
}

export function numberWords(number: number | null): string {
  return String(number ?? "?").padStart(NUMBER_WIDTH);
}

/** What decided: the values that the conditions looked at; where these are not known, the condition's name. */
function reasonWords({ values, condition }: StepFacts): string {
  if (values.length === 0) return condition ?? "";
  return cut(values.map(valueWords).join(", "), LONGEST_REASON);
}

function valueWords({ path, value }: ReadValue): string {
  const text = typeof value === "string" ? oneLine(value) : String(value);
  return `${path}: ${cut(text === "" ? '""' : text, LONGEST_VALUE)}`;
}

function targetWords(next: string | null, paint: Paint): string {
  if (next === null) return paint.bad("no decision");
  if (next === END) return paint.good("done");
  return next === FAIL ? paint.bad("failed") : next;
}

/** How long it took and what it cost, as far as that is known. */
function spentWords({ durationMs, tokens, costUsd }: StepFacts): string {
  const spent = [
    durationMs === null ? "" : duration(durationMs),
    tokens === null || costUsd !== null ? "" : tokenWords(tokens),
    costUsd === null ? "" : money(costUsd),
  ];
  return spent.filter((word) => word !== "").join("  ");
}

function tokenWords(tokens: number): string {
  return `${count(tokens)} tokens`;
}

/** What is known of a run under way. */
type RunWords = {
  readonly number: number | null;
  readonly role: string;
  readonly agent: string;
  readonly elapsedMs: number;
  readonly tokens: number | null;
  /** What the agent said last. */
  readonly words: string;
};

/** One line, never wider than the screen: a line that the terminal breaks could not be redrawn. */
export function liveLine(mark: string, run: RunWords, screen: Screen): string {
  const { busy, strong, dim } = paintOn(screen);
  const room = screen.width - 1;
  const facts = [
    run.agent,
    secondsWords(run.elapsedMs),
    ...(run.tokens === null ? [] : [tokenWords(run.tokens)]),
  ].join("  ");
  const number = numberWords(run.number).trimStart();
  const plain = `${mark} ${number} ${run.role}  ${facts}`;
  const left = room - widthOf(plain);
  if (left < 0) return cut(plain, room);
  const words = oneLine(run.words);
  const shown = words === "" || left < LEAST_WORDS ? "" : `  ${dim(cut(words, left - 2))}`;
  return `${busy(mark)} ${number} ${strong(run.role)}  ${facts}${shown}`;
}

/** Fewer columns of words say nothing. */
const LEAST_WORDS = 10;

/** Whole seconds: a line that is redrawn should not flicker. */
function secondsWords(ms: number): string {
  return ms < 10_000 ? `${Math.floor(ms / 1000)} s` : duration(ms);
}

/** Seconds between two progress lines. */
const LINE_SECONDS = 10;

/**
 * `thread run` where stderr is a file or a pipe: a line now and then, the agent's stderr as it is, and one line when a
 * step is over. A program that reads stderr gets that last line only, and for a failure nothing: its object follows.
 * Where no agent was started and no step recorded (`--until`, a thread that waits or has ended), there is no line.
 */
export function openPlain(deps: WatchedDeps, thread: string): Progress {
  const { host } = deps;
  const recorder = openRecorder(deps.storage);
  let count = 0;
  let startedAt = 0;
  let shown: Elapsed | null = null;
  let role = "";
  const elapsed = (): number => Math.round((host.now() - startedAt) / 1000);
  const line = (): string => `step ${count} of ${thread}${role}, ${elapsed()} s`;
  const begin = (): StepDeps => {
    count += 1;
    startedAt = host.now();
    role = "";
    shown = deps.live ? showElapsed(host.stderr, line) : null;
    const stderr = shown?.sink ?? host.stderr;
    const output = deps.live ? stderr : null;
    const agent: StepWatch["agent"] = (event) => {
      role = event.role === null ? "" : ` (${event.role})`;
      return { output, end: () => {} };
    };
    return {
      ...deps,
      host: { ...host, stderr },
      watch: { ...recorder.watch, agent },
    };
  };
  const end: Progress["end"] = (output) => {
    shown?.stop();
    const recorded = recorder.take();
    const happened = output.ok ? recorded !== null : deps.live && role !== "";
    if (happened) deps.tell(`${summary(deps, count, output)} (${elapsed()} s)`);
    return recorded;
  };
  return { ...UNSAID, begin, end };
}

/** Keeps a progress line from breaking into another writer's line, if both come from this process. */
type Elapsed = {
  /** stderr for everybody else. */
  readonly sink: TextSink;
  readonly stop: () => void;
};

function showElapsed(stderr: TextSink, line: () => string): Elapsed {
  let insideLine = false;
  const write = (text: string): void => {
    if (text === "") return;
    stderr.write(text);
    insideLine = !text.endsWith("\n");
  };
  const timer = setInterval(() => {
    if (!insideLine) stderr.write(`${line()}\n`);
  }, LINE_SECONDS * 1000);
  return { sink: { ...stderr, write }, stop: () => clearInterval(timer) };
}

const ENDED = { end: ", done", failed: ", done: failed", killed: ", killed" } as const;

function summary(deps: StepDeps, count: number, output: Result<StepOutput, Fault>): string {
  if (!output.ok) return `step ${count}: ${output.error.code}`;
  const { head, done } = output.value;
  const node = readChainNode(deps.storage.cas, head);
  const role = node.ok && node.value.kind === "step" ? node.value.payload.role : "start";
  return `step ${count}: ${role} → ${head}${done ? ENDED[output.value.reason] : ""}`;
}
