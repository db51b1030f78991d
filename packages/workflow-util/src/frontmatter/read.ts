import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "@uncaged/json-cas";
import { err, ok, type Result } from "@uncaged/workflow-protocol";
import {
  type Claim,
  claimsIn,
  closingProblem,
  type Fields,
  hasPlainKey,
  type IsField,
  keysIn,
  openingClaim,
} from "./claims.js";
import { contradictedField } from "./contradiction.js";
import {
  type Fence,
  type Frontmatter,
  type FrontmatterBlock,
  type FrontmatterProblem,
  frontmatterSentence,
  MAX_FENCES,
  type Marked,
  markedBlocks,
  replyTooLarge,
  unmarked,
} from "./find.js";
import { parseFrontmatterBlock } from "./parse.js";

type Problems = readonly FrontmatterProblem[];

/**
 * The header of a reply and the rest. A block at the beginning is the header, whether it can be read or not. Where prose
 * comes first, the header is the only part of the reply that names a field: two of them, if they do not say the same,
 * and a part that is not written as a header, make the reply ambiguous. Nothing is chosen by what it says.
 */
export function readHeader(reply: string, fields: Fields): Result<Frontmatter, Problems> {
  const strange = replyTooLarge(reply) ?? strangeText(reply);
  if (strange !== null) return err([strange]);
  const isField = fields?.isField ?? null;
  const marked = markedBlocks(reply);
  const [first] = marked.blocks;
  if (first?.leading === true && isHeader(first, isField)) return readBlock(reply, marked, first, isField);
  const opening = openingClaim(reply, isField);
  if (opening !== null) return err([asProblem(opening)]);
  const claims = isField === null ? [] : claimsIn(reply, marked, isField);
  if (fields === null || claims.length === 0) return err(withoutHeader(marked, reply, isField));
  if (marked.fences.length === MAX_FENCES)
    return problem(null, `the reply has ${MAX_FENCES} lines --- or more, and no header at its beginning`);
  const [only] = claims;
  const read =
    claims.length === 1 && only !== undefined
      ? readClaim(reply, marked, only, fields.isField)
      : readAlike(reply, marked, claims, fields.isField);
  return read.ok ? notContradicted(reply, marked, { claims, header: read.value }, fields) : read;
}

/** `readHeader` for fields without names: only the beginning counts. The errors are sentences. */
export function parseFrontmatterMarkdown(reply: string): Result<Frontmatter, readonly string[]> {
  const read = readHeader(reply, null);
  return read.ok ? read : err(read.error.map(frontmatterSentence));
}

/** A map, or what names fields and cannot be read; not prose between two rules. */
function isHeader(block: FrontmatterBlock, isField: IsField): boolean {
  if (isField !== null && keysIn(block.yaml).some(isField)) return true;
  return hasPlainKey(block.yaml) || parseFrontmatterBlock(block).ok;
}

/** The words around a header that comes after prose may say the opposite: then it is quoted, or they are. */
function notContradicted(
  reply: string,
  marked: Marked,
  { claims, header }: { readonly claims: readonly Claim[]; readonly header: Frontmatter },
  fields: NonNullable<Fields>,
): Result<Frontmatter, Problems> {
  const [open, close] = fencesAround(marked, claims.at(-1)?.block ?? null);
  const around = { before: reply.slice(0, open.start), after: reply.slice(close.end) };
  const field = contradictedField(around, header.data, fields);
  return field === null
    ? ok(header)
    : problem(
        open.line,
        `this header and the text around it give ${field} two values: send one, and begin the reply with the header`,
      );
}

function readClaim(
  reply: string,
  marked: Marked,
  claim: Claim,
  isField: IsField,
): Result<Frontmatter, Problems> {
  return claim.block === null ? err([asProblem(claim)]) : readBlock(reply, marked, claim.block, isField);
}

/** Several headers that say the same are one. */
function readAlike(
  reply: string,
  marked: Marked,
  claims: readonly Claim[],
  isField: IsField,
): Result<Frontmatter, Problems> {
  const read = claims.map((claim) => readClaim(reply, marked, claim, isField));
  const [first] = read;
  const last = read.at(-1);
  if (
    first?.ok === true &&
    last?.ok === true &&
    read.every((one) => one.ok && saysTheSame(one.value, first.value))
  )
    return last;
  const lines = claims.map(({ line }) => line).join(", ");
  const many = `${claims.length} parts of the reply can be its header (on lines ${lines}): send one, and begin the reply with it`;
  return err([{ line: null, message: many }, ...(last?.ok === false ? last.error : [])]);
}

function saysTheSame(one: Frontmatter, other: Frontmatter): boolean {
  return isDeepStrictEqual(one.data, other.data);
}

function readBlock(
  reply: string,
  marked: Marked,
  block: FrontmatterBlock,
  isField: IsField,
): Result<Frontmatter, Problems> {
  const read = parseFrontmatterBlock(block);
  const [open, close] = fencesAround(marked, block);
  if (!read.ok) {
    // An indented line --- belongs to a text.
    const flaw = closingProblem(reply.slice(0, close.start).replace(/^[ \t]+---/gm, "    "), open, isField);
    return err(flaw === null ? read.error : [{ line: block.line, message: flaw }, ...read.error]);
  }
  const isLast = marked.fences.at(-1) === close;
  const cut = isLast
    ? null
    : cutAt(block.yaml, reply.slice(close.end, close.end + 1000), read.value, isField);
  return cut === null
    ? ok({ data: read.value, body: block.body })
    : err([{ line: close.line, message: cut }]);
}

function fencesAround({ blocks, fences }: Marked, block: FrontmatterBlock | null): readonly [Fence, Fence] {
  const at = block === null ? -1 : blocks.indexOf(block);
  const [open, close] = fences.slice(at, at + 2);
  if (open === undefined || close === undefined) throw new Error("a block stands between two lines ---");
  return [open, close];
}

/** How a header goes on behind a line `---` that was meant as part of a text in it; `null` if it does not. */
function cutAt(yaml: string, after: string, data: JsonObject, isField: IsField): string | null {
  const [line = ""] = after.split("\n").filter((each) => each.trim() !== "");
  const lastLine = yaml.trimEnd().split("\n").at(-1) ?? "";
  if (/^[ \t]/.test(line) && /^\s|[|>][-+\d]*\s*$/.test(lastLine))
    return "this line --- ends the header inside a text: indent it like the lines of the text";
  const [key] = /^\S/.test(line) ? keysIn(line) : [];
  return key !== undefined && isField?.(key) === true && !Object.hasOwn(data, key)
    ? `this line --- ends the header, and the field ${key} follows it: write all fields before it`
    : null;
}

/** What is wrong with a reply in which nothing names a field. */
function withoutHeader(marked: Marked, reply: string, isField: IsField): Problems {
  const [open] = marked.fences;
  const [first] = marked.blocks;
  if (open === undefined || first === undefined) {
    const flaw = open === undefined ? null : closingProblem(reply, open, isField);
    return [flaw === null ? unmarked(marked.fences) : { line: open?.line ?? null, message: flaw }];
  }
  const read = first.leading ? parseFrontmatterBlock(first) : null;
  if (read?.ok === false) return read.error;
  const message =
    "the reply has no header: it must begin with a line ---, and no text between two such lines has a field";
  return [{ line: null, message }];
}

/** A reply whose characters or lines are not what they should be. */
function strangeText(reply: string): FrontmatterProblem | null {
  const start = reply.slice(0, 400);
  if (start.split("\0").length - 1 > start.length / 3)
    return { line: null, message: "the reply is UTF-16 or binary data: write it as UTF-8" };
  if (reply.includes("\r") && !reply.includes("\n"))
    return { line: null, message: "the lines of the reply end with CR alone: end them with LF" };
  return null;
}

function asProblem({ line, problem: message }: Claim): FrontmatterProblem {
  return { line, message };
}

function problem(line: number | null, message: string): Result<never, Problems> {
  return err([{ line, message }]);
}
