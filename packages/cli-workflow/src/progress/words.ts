import type { ReadValue } from "@uncaged/workflow-moderator";
import { END, FAIL } from "@uncaged/workflow-protocol";
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
import type { StepFacts } from "./types.js";

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
