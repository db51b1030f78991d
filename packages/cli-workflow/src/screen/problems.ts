import { type Problem, problemHelp } from "@uncaged/workflow-protocol";
import { sanitizeTerminal } from "@uncaged/workflow-util";
import { paintOn, type Screen } from "./screen.js";
import { cut, widthOf } from "./table.js";

/** A file as a person knows it. */
export type ShownFile = {
  readonly name: string;
  readonly text: string;
};

/** What is wrong with a file: each problem with its lines, a caret below the place, and what was probably meant. */
export function renderProblems(screen: Screen, file: ShownFile, problems: readonly Problem[]): string {
  if (problems.length === 0) return "";
  // As the parser counts them: a byte order mark is no column, and only a line feed ends a line.
  const lines = file.text.replace(/^\ufeff/, "").split("\n");
  return problems.map((problem) => `${renderProblem(screen, file.name, lines, problem)}\n`).join("");
}

function renderProblem(screen: Screen, name: string, lines: readonly string[], problem: Problem): string {
  const paint = paintOn(screen);
  const { severity, code, line, column, message } = problem;
  const place = line === null ? name : `${name}:${line}:${column ?? 1}`;
  const kind = (severity === "error" ? paint.bad : paint.warn)(`${severity}[${code}]`);
  const head = `${paint.strong(sanitizeTerminal(place))}: ${kind}: ${sanitizeTerminal(message)}\n`;
  const help = sanitizeTerminal(problemHelp(problem));
  const marked = line === null ? undefined : lines[line - 1];
  if (line === null || marked === undefined) return help === "" ? head : `${head}  ${help}\n`;
  return head + renderFrame(screen, lines, { line, column: column ?? 1, help, severity });
}

type Mark = {
  readonly line: number;
  readonly column: number;
  readonly help: string;
  readonly severity: Problem["severity"];
};

/** Lines above the marked one: enough to see what it belongs to. */
const ABOVE = 1;

function renderFrame(
  screen: Screen,
  lines: readonly string[],
  { line, column, help, severity }: Mark,
): string {
  const paint = paintOn(screen);
  const digits = String(line).length;
  const gutter = (number: number | null): string =>
    paint.dim(`  ${(number === null ? "" : String(number)).padStart(digits)} | `);
  const room = Math.max(screen.width - digits - GUTTER, NARROWEST);
  const marked = lines[line - 1] ?? "";
  const from = windowStart(marked, column - 1, room);
  const shown = (text: string): string =>
    cut((from > 0 ? "…" : "") + visible(text.slice(from, from + FAR)), room);
  const above = Array.from({ length: Math.min(ABOVE, line - 1) }, (_, at) => line - ABOVE + at)
    .filter((number) => (lines[number - 1] ?? "").trim() !== "")
    .map((number) => `${gutter(number)}${paint.dim(shown(lines[number - 1] ?? ""))}`.trimEnd());
  const before = widthOf((from > 0 ? "…" : "") + visible(marked.slice(from, column - 1)));
  const length = Math.min(widthOf(visible(wordAt(marked, column - 1))), Math.max(room - before, 1));
  const carets = " ".repeat(before) + (severity === "error" ? paint.bad : paint.warn)("^".repeat(length));
  const fits = before + length + 1 + widthOf(help) <= room;
  return [
    ...above,
    `${gutter(line)}${shown(marked)}`.trimEnd(),
    `${gutter(null)}${carets}${fits && help !== "" ? ` ${help}` : ""}`,
    ...(fits || help === "" ? [] : [`${gutter(null)}${help}`]),
    "",
  ].join("\n");
}

/** Spaces and the bar beside a line number. */
const GUTTER = 5;

const NARROWEST = 20;

/** Characters of a line that are looked at; more than any screen has. */
const FAR = 2000;

/** Where the shown part of a line begins, so that its mark and something before it are seen. */
function windowStart(line: string, at: number, room: number): number {
  if (widthOf(visible(line.slice(0, Math.min(at + MARGIN, FAR)))) <= room && at < FAR) return 0;
  return Math.max(0, at - Math.floor(room / 2));
}

/** What should be seen behind a mark. */
const MARGIN = 12;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this replaces
const CONTROL = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Every character keeps its place: a tab is an arrow, what a terminal would obey is a dot. */
function visible(text: string): string {
  return text.replace(/\r$/, "").replaceAll("\t", "→").replace(CONTROL, "·");
}

/** The word, quoted text or mark that begins there: what the caret underlines. */
export function wordAt(line: string, at: number): string {
  const rest = line.slice(at, at + FAR);
  return (
    /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|\$?[\p{L}\p{N}_$]+(?:-[\p{L}\p{N}_]+)*|[=!<>&|:.]+)/u.exec(rest)?.[0] ??
    (rest.slice(0, 1) || " ")
  );
}
