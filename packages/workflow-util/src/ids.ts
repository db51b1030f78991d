import { err, type Fault, fault, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";

const LENGTH = 26;

/** A ULID holds 128 bits in 130: the largest one begins with 7. */
const PREFIX = /^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{0,25}$/;

/** Crockford's alphabet leaves out what looks like 1, 0 or an obscenity. */
const BAD_CHARACTER = /[^0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]/u;

const HASH = /^[0-9A-Fa-f][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{12}$/;

/** How many characters a fault quotes of an arbitrary text. */
const QUOTED_LENGTH = 80;

/** A new id: 48 bits of time (epoch ms), 80 bits of chance. Ids of different milliseconds sort by time. */
export async function newThreadId(nowMs: number): Promise<ThreadId> {
  // ulid loads node:crypto, 6 ms on bun, and a step makes no thread.
  const { ulid } = await import("ulid");
  return ulid(nowMs) as ThreadId;
}

/** A full thread id; lower case is accepted. Fails with MALFORMED_THREAD_ID and the first thing that is wrong. */
export function parseThreadId(text: string): Result<ThreadId, Fault> {
  const thread = asThreadId(text);
  if (thread !== null) return ok(thread);
  const value = text.length > QUOTED_LENGTH ? `${text.slice(0, QUOTED_LENGTH)}…` : text;
  return err(fault("MALFORMED_THREAD_ID", { value, reason: reasonAgainst(text) }));
}

/** A complete thread id, or `null`; use `parseThreadId` to report what is wrong with it. */
export function asThreadId(text: string): ThreadId | null {
  return text.length === LENGTH && PREFIX.test(text) ? (text.toUpperCase() as ThreadId) : null;
}

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Ten characters of five bits. */
const TIME_LENGTH = 10;

/** Characters of five bits after the time. */
export const RANDOM_LENGTH: number = LENGTH - TIME_LENGTH;

/** An id whose last 80 bits are given, as 10 bytes: who makes one for the same thing again finds the first by them. */
export function keyedThreadId(nowMs: number, random: Uint8Array): ThreadId {
  const bits = random.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
  return `${timePart(nowMs)}${digits(bits, RANDOM_LENGTH)}` as ThreadId;
}

/** How an id begins that is made then. */
export function timePart(nowMs: number): string {
  return digits(BigInt(nowMs), TIME_LENGTH);
}

function digits(value: bigint, length: number): string {
  return Array.from(
    { length },
    (_, at) => ALPHABET[Number((value >> BigInt(5 * (length - 1 - at))) & 31n)],
  ).join("");
}

/** When the id was made, epoch ms, by its maker's clock. */
export function timeOfThreadId(thread: ThreadId): number {
  return [...thread.slice(0, TIME_LENGTH)].reduce((time, digit) => time * 32 + ALPHABET.indexOf(digit), 0);
}

/**
 * Whether a step was taken in another thread: a fork's first steps are older than the fork. A step that is older than
 * its own StartNode as well says nothing: the clock was set back since. All are epoch ms.
 */
export function isInherited(step: number, { created, start }: { created: number; start: number }): boolean {
  return step < created && step >= start;
}

/** Ids made in the same days begin alike, so people know them by their ends; a shorter one fits too many by chance. */
const SHORTEST_END = 4;

const END = new RegExp(`^[0-9A-HJKMNP-TV-Z]{${SHORTEST_END},${LENGTH - 1}}$`, "i");

/** Whether some thread id begins so, or ends so with at least 4 characters, in either case. */
export function isThreadIdPart(text: string): boolean {
  return PREFIX.test(text) || END.test(text);
}

/** Whether a full id has this part, in upper case, as its beginning or its end. */
export function hasThreadIdPart(id: string, part: string): boolean {
  return id.startsWith(part) || (part.length >= SHORTEST_END && id.endsWith(part));
}

function reasonAgainst(text: string): string {
  if (text === "") return "it is empty";
  if (HASH.test(text)) return `it has 13 characters, not ${LENGTH}; it looks like the hash of a node`;
  const bad = BAD_CHARACTER.exec(text);
  if (bad !== null && text.length <= LENGTH) return reasonAgainstCharacter(bad[0], bad.index);
  if (text.length !== LENGTH) return `it has ${text.length} characters, not ${LENGTH}`;
  return `it begins with ${text[0]}, the largest thread id begins with 7`;
}

function reasonAgainstCharacter(character: string, index: number): string {
  const place = `the character ${JSON.stringify(character)} at position ${index + 1}`;
  const known = /[ILOU]/i.test(character);
  return `${place} is not allowed${known ? " (I, L, O and U are never used)" : ""}`;
}
