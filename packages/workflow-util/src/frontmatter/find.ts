import { err, LIMITS, ok, type Result } from "@uncaged/workflow-protocol";
import { type Fence, findFences } from "./fences.js";
import { withoutCodeFence } from "./surroundings.js";
import type { FrontmatterBlock, FrontmatterProblem } from "./types.js";

/** So many lines `---` are looked at; what follows is a long text with rules in it, not frontmatter. */
const MAX_FENCES = 128;

/**
 * The blocks of a reply that may be its frontmatter, in order: each two consecutive lines `---` and what is between
 * them. Which one it is only the schema can tell: the leading one where that validates, else the one that does.
 */
export function findFrontmatter(
  reply: string,
): Result<readonly FrontmatterBlock[], readonly FrontmatterProblem[]> {
  const size = Buffer.byteLength(reply);
  if (size > LIMITS.reply) return problem(null, `the reply is ${size} bytes, the limit is ${LIMITS.reply}`);
  const fences = findFences(reply, MAX_FENCES);
  const [first, second] = fences;
  if (first === undefined)
    return problem(null, "the reply has no frontmatter: it must begin with a line ---");
  if (second === undefined)
    return problem(first.line, "the frontmatter that begins here is not closed by a line ---");
  const blocks = fences.slice(1).map((close, index) => blockOf(reply, fences[index] ?? first, close));
  const fitting = blocks.filter((block) => Buffer.byteLength(block.yaml) <= LIMITS.frontmatter);
  return fitting.length > 0 ? ok(fitting) : tooLarge(blocks[0]);
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

function tooLarge(block: FrontmatterBlock | undefined): Result<never, readonly FrontmatterProblem[]> {
  const size = Buffer.byteLength(block?.yaml ?? "");
  return problem(block?.line ?? null, `the frontmatter is ${size} bytes, the limit is ${LIMITS.frontmatter}`);
}

function problem(line: number | null, message: string): Result<never, readonly FrontmatterProblem[]> {
  return err([{ line, message }]);
}
