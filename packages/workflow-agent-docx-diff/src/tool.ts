import { basename, join } from "node:path";
import { err, ok, type Result, sanitizeTerminal } from "@uncaged/json-cas";
import {
  type Difference,
  type DifferenceLine,
  type Document,
  diffDocuments,
  differenceHtml,
  differenceLines,
  differenceSummary,
  differenceText,
  markedText,
  saveDocument,
  type TextPiece,
} from "@uncaged/workflow-docx";
import { ENV } from "@uncaged/workflow-util";
import { wrapAnsi } from "fast-wrap-ansi";
import picocolors from "picocolors";
import {
  exitCodeOf,
  failed,
  isFolder,
  isSameFile,
  readDocument,
  renderFault,
  type ToolFault,
  writeResult,
} from "./files.js";
import { HELP, parseLine, type Request, wantsJsonErrors } from "./tool-line.js";

/** The process around the tool. */
export type Host = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** What stdout is; `null`: no terminal. */
  readonly screen: Screen | null;
  /** To stdout. A reader that is gone is no error. Throws `CasError` `IO_FAILED`. */
  readonly write: (bytes: Uint8Array) => void;
  readonly writeError: (text: string) => void;
};

/** Runs one command line and gives the exit code: 0 the same, 1 different. */
export function main(argv: readonly string[], host: Host): number {
  const asJson = wantsJsonErrors(argv, host.env);
  try {
    const done = run(argv, host);
    if (done.ok) return done.value;
    host.writeError(renderFault(done.error, asJson));
    return exitCodeOf(done.error);
  } catch (error) {
    const fault = { code: "BUG", reason: error instanceof Error ? error.message : String(error) } as const;
    host.writeError(renderFault(fault, asJson));
    if (host.env[ENV.debug] === "1" && error instanceof Error) host.writeError(`${error.stack ?? ""}\n`);
    return exitCodeOf(fault);
  }
}

function run(argv: readonly string[], host: Host): Result<number, ToolFault> {
  const line = parseLine(argv);
  if (line.kind === "wrong") return usage(line.reason);
  if (line.kind !== "compare")
    return print(host, line.kind === "help" ? HELP : `docx-diff ${host.version}\n`, 0);
  const { request } = line;
  const refused = refusal(request, host);
  if (refused !== null) return usage(refused);
  const source = readDocument(request.source);
  if (!source.ok) return source;
  const modified = readDocument(request.modified);
  if (!modified.ok) return modified;
  return compare(request, source.value, modified.value, host);
}

/** What can be said before anything is read. */
function refusal({ source, modified, format, outFile }: Request, { screen }: Host): string | null {
  if (outFile === null)
    return format === "docx" && screen !== null
      ? "a document cannot be shown on a terminal: name a file for it with --out-file"
      : null;
  if (isFolder(outFile)) {
    const file = join(outFile, `changes.${format === "text" ? "txt" : format}`);
    return `${outFile} is a folder: name a file in it, such as ${file}`;
  }
  const same = [source, modified].find((path) => path !== "-" && isSameFile(path, outFile));
  return same === undefined ? null : `${outFile} is one of the two documents, and would be replaced`;
}

function compare(
  request: Request,
  source: Document,
  modified: Document,
  host: Host,
): Result<number, ToolFault> {
  const { format, outFile, author } = request;
  const difference = diffDocuments(source, modified, { author, date: null });
  const exitCode = difference.isEqual ? 0 : 1;
  const made = resultOf(request, difference, outFile === null ? host.screen : null);
  if (!made.ok) return made;
  if (outFile === null) return print(host, made.value, exitCode);
  const written = writeResult(outFile, bytesOf(made.value));
  if (!written.ok) return written;
  if (format === "text") return ok(exitCode);
  return print(host, `${differenceSummary(difference)}; wrote ${outFile}\n`, exitCode);
}

function resultOf(
  { format, source, modified }: Request,
  difference: Difference,
  screen: Screen | null,
): Result<string | Uint8Array, ToolFault> {
  const { isEqual, changes, others, tracked } = difference;
  switch (format) {
    case "text":
      return ok(shownDifference(difference, screen));
    case "html":
      return ok(differenceHtml(difference, { old: nameOf(source), new: nameOf(modified) }));
    case "json": {
      const blocks = changes.map(({ pieces: _, ...change }) => change);
      const parts = others.map(({ pieces: _, ...other }) => other);
      const summary = differenceSummary(difference);
      const document = { equal: isEqual, source, modified, summary, changes: blocks, others: parts };
      return ok(`${JSON.stringify(document, null, 2)}\n`);
    }
    case "docx":
      return tracked.ok ? ok(saveDocument(tracked.value)) : err({ file: modified, ...tracked.error });
  }
}

function nameOf(path: string): string {
  return path === "-" ? "stdin" : basename(path);
}

function print(host: Host, text: string | Uint8Array, exitCode: number): Result<number, ToolFault> {
  try {
    host.write(bytesOf(text));
    return ok(exitCode);
  } catch (error) {
    return failed("write", "stdout", error);
  }
}

function bytesOf(text: string | Uint8Array): Uint8Array {
  return typeof text === "string" ? Buffer.from(text, "utf8") : text;
}

function usage(reason: string): Result<never, ToolFault> {
  return err({ code: "USAGE", reason });
}

/** Where a person reads the result. */
export type Screen = {
  /** Columns. */
  readonly width: number;
  readonly colour: boolean;
};

/** What differs, and a line that sums it up; `screen: null` for a program or a file: no colours, no line broken. */
function shownDifference(difference: Difference, screen: Screen | null): string {
  const summary = differenceSummary(difference);
  if (difference.isEqual) return `${summary}\n`;
  if (screen === null) return `${differenceText(difference, { maxCharacters: null })}\n${summary}\n`;
  const { bold, dim } = picocolors.createColors(screen.colour);
  const lines = differenceLines(difference);
  const shown = lines.map((line, at) => {
    const above = at === 0 ? null : (lines[at - 1]?.heading ?? null);
    if (line.heading === above) return lineOnScreen(line, screen);
    const heading = wrapAnsi(bold(plain(line.heading ?? "")), screen.width);
    return `${at === 0 ? "" : "\n"}${heading}\n${lineOnScreen(line, screen)}`;
  });
  return `${shown.join("")}\n${dim(summary)}\n`;
}

/** Columns before a text, with the number of its block: `  12  `, `old 4  `. */
const GUTTER = 8;

/** Lines longer than this are hard to read. */
const WIDEST = 100;

/** No text is broken to less. */
const NARROWEST = 16;

function lineOnScreen({ label, pieces, isFormatOnly }: DifferenceLine, screen: Screen): string {
  const { dim } = picocolors.createColors(screen.colour);
  const room = Math.max(Math.min(screen.width, WIDEST) - GUTTER, NARROWEST);
  const note = isFormatOnly ? dim(" (only its format)") : "";
  const text = pieces.length === 0 ? "" : wrapAnsi(painted(pieces, screen) + note, room, { hard: true });
  const indented = text.replaceAll("\n", `\n${" ".repeat(GUTTER)}`);
  const name = plain(label);
  if (name.length <= GUTTER - 2) return `${dim(name.padStart(GUTTER - 2))}  ${indented}\n`;
  return `  ${dim(name)}\n${text === "" ? "" : `${" ".repeat(GUTTER)}${indented}\n`}`;
}

function painted(pieces: readonly TextPiece[], { colour }: Screen): string {
  const { red, green, strikethrough } = picocolors.createColors(colour);
  return pieces
    .map((piece) => {
      const { text, change } = piece;
      // A space has no visible colour.
      if (change === null || !colour || text.trim() === "") {
        const marked = plain(markedText([piece]));
        return change === null || !colour ? marked : (change === "del" ? red : green)(marked);
      }
      return change === "del" ? red(strikethrough(plain(text))) : green(plain(text));
    })
    .join("");
}

/** Tabs have no width that could be counted. */
function plain(text: string): string {
  return sanitizeTerminal(text.replaceAll("\t", "    "));
}
