import type { JsonObject } from "@uncaged/json-cas";
import { err, LIMITS, ok, type Result } from "@uncaged/workflow-protocol";

/** A part of a reply that may be its frontmatter: the text between two lines `---`. */
export type FrontmatterBlock = {
  /** Only blank lines, a byte order mark or the opening of a code fence come before it. */
  readonly leading: boolean;
  /** The reply's line of the opening `---`, counted from 1. */
  readonly line: number;
  /** The lines between the two `---`, with LF ends. */
  readonly yaml: string;
  /**
   * The rest of the reply: what follows, preceded by what comes before if that is prose. A code fence around the
   * block is removed.
   */
  readonly body: string;
};

/** Why a reply has no frontmatter, or a block is not one. */
export type FrontmatterProblem = {
  /** Line of the reply, counted from 1; `null` if it concerns all of it. */
  readonly line: number | null;
  readonly message: string;
};

export type Frontmatter = { readonly data: JsonObject; readonly body: string };

/** A line `---` of a text. */
export type Fence = {
  /** Offset of the line. */
  readonly start: number;
  /** Offset after its line end. */
  readonly end: number;
  /** Counted from 1. */
  readonly line: number;
};

const LF = 10;

/** The lines `---` of a text (blanks after it are fine), at most `limit`; one pass, whatever the text. */
function findFences(text: string, limit: number): readonly Fence[] {
  const fences: Fence[] = [];
  let line = 1;
  let start = text.startsWith("\ufeff") ? 1 : 0;
  while (start < text.length && fences.length < limit) {
    const next = text.indexOf("\n", start);
    const end = next < 0 ? text.length : next + 1;
    if (isFence(text, start, end)) fences.push({ start, end, line });
    start = end;
    line += 1;
  }
  return fences;
}

// Looks at the characters in place: a text of 16 MiB may have millions of lines.
function isFence(text: string, start: number, end: number): boolean {
  if (!text.startsWith("---", start)) return false;
  for (let index = start + 3; index < end; index += 1) {
    const code = text.charCodeAt(index);
    if (code !== LF && code !== 13 && code !== 32 && code !== 9) return false;
  }
  return true;
}

/** The marker of a code fence that the line opens (` ```yaml `, `~~~`), `null` when it opens none. */
export function codeFenceOf(line: string): string | null {
  const [, marker = null] = /^(`{3,}|~{3,})[^`]*$/.exec(line) ?? [];
  return marker;
}

/** Whether the line closes a code fence of that marker: the same character, at least as often, and nothing else. */
export function closesCodeFence(line: string, marker: string): boolean {
  return line.startsWith(marker) && line.replaceAll(marker.charAt(0), "") === "";
}

/** The text around a block, without a code fence around it. */
type Surroundings = { readonly before: string; readonly after: string };

/**
 * A code fence that opens on the line before the block belongs to it. It closes right after the block, or, if it
 * contains all of the rest, with the last line.
 */
function withoutCodeFence(before: string, after: string): Surroundings {
  const prose = before.trimEnd();
  const lastLine = prose.slice(prose.lastIndexOf("\n") + 1);
  const marker = codeFenceOf(lastLine.replace("\ufeff", "").trim());
  if (marker === null) return { before, after };
  return { before: prose.slice(0, prose.length - lastLine.length), after: withoutClosing(after, marker) };
}

function withoutClosing(after: string, marker: string): string {
  const text = after.trimStart();
  const end = text.indexOf("\n") < 0 ? text.length : text.indexOf("\n");
  if (closesCodeFence(text.slice(0, end).trim(), marker)) return text.slice(end + 1);
  const tail = after.trimEnd();
  const last = tail.slice(tail.lastIndexOf("\n") + 1);
  return closesCodeFence(last.trim(), marker) ? tail.slice(0, tail.length - last.length) : after;
}

/** So many lines `---` are looked at; what follows is a long text with rules in it, not frontmatter. */
export const MAX_FENCES = 128;

/** The lines `---` of a reply, and the text between each two of them, whatever its size. */
export type Marked = { readonly fences: readonly Fence[]; readonly blocks: readonly FrontmatterBlock[] };

export function markedBlocks(reply: string): Marked {
  const fences = findFences(reply, MAX_FENCES);
  const blocks = fences.slice(1).map((close, index) => blockOf(reply, fences[index] ?? close, close));
  return { fences, blocks };
}

/** Why the reply is larger than any reply may be; `null` if it is not. */
export function replyTooLarge(reply: string): FrontmatterProblem | null {
  const size = Buffer.byteLength(reply);
  return size > LIMITS.reply
    ? { line: null, message: `the reply is ${size} bytes, the limit is ${LIMITS.reply}` }
    : null;
}

/** Why the block is larger than frontmatter may be; `null` if it is not. */
export function blockTooLarge({ line, yaml }: FrontmatterBlock): FrontmatterProblem | null {
  const size = Buffer.byteLength(yaml);
  return size > LIMITS.frontmatter
    ? { line, message: `the frontmatter is ${size} bytes, the limit is ${LIMITS.frontmatter}` }
    : null;
}

/** The blocks of a reply that may be its frontmatter, in order: each is what stands between two consecutive lines `---`. */
export function findFrontmatter(
  reply: string,
): Result<readonly FrontmatterBlock[], readonly FrontmatterProblem[]> {
  const large = replyTooLarge(reply);
  if (large !== null) return err([large]);
  const { fences, blocks } = markedBlocks(reply);
  const [first] = blocks;
  if (first === undefined) return err([unmarked(fences)]);
  const fitting = blocks.filter((block) => blockTooLarge(block) === null);
  const tooLarge = blockTooLarge(first);
  return fitting.length > 0 || tooLarge === null ? ok(fitting) : err([tooLarge]);
}

/** What is missing where there are not two lines `---`. */
export function unmarked([first]: readonly Fence[]): FrontmatterProblem {
  return first === undefined
    ? { line: null, message: "the reply has no frontmatter: it must begin with a line ---" }
    : { line: first.line, message: "the frontmatter that begins here is not closed by a line ---" };
}

/** The problem as a sentence. */
export function frontmatterSentence({ line, message }: FrontmatterProblem): string {
  return line === null ? message : `line ${line}: ${message}`;
}

function blockOf(reply: string, open: Fence, close: Fence): FrontmatterBlock {
  const { before, after } = withoutCodeFence(reply.slice(0, open.start), reply.slice(close.end));
  const prose = before.replace("\ufeff", "").trimEnd();
  const rest = withoutBlankLines(after);
  return {
    leading: prose === "",
    line: open.line,
    yaml: reply.slice(open.end, close.start).replaceAll("\r\n", "\n"),
    body: prose === "" ? rest : rest === "" ? prose : `${prose}\n\n${rest}`,
  };
}

// The first line with something in it keeps its indentation.
function withoutBlankLines(text: string): string {
  const start = text.length - text.trimStart().length;
  if (start === text.length) return "";
  return text.slice(text.lastIndexOf("\n", start - 1) + 1);
}
