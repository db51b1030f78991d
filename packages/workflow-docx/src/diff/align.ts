import { textOf } from "../text.js";
import type { XmlElement } from "../xml.js";
import { longestRise, matchSequences, spend, type Work } from "./sequence.js";

/** What becomes of an item of the old document, or where one of the new document comes from. */
export type Step<T> =
  | { readonly kind: "same" | "changed"; readonly old: T; readonly new: T }
  | { readonly kind: "deleted"; readonly old: T }
  | { readonly kind: "inserted"; readonly new: T };

export type Compared<T> = {
  readonly keyOf: (one: T, isOld: boolean) => string;
  /** From 0, nothing in common, to 1. Only items alike enough become one that has changed. */
  readonly likeness: (old: T, now: T) => number;
  /** Numbers of which two items that are alike share some. */
  readonly sketchOf: (one: T) => readonly number[];
  readonly work: Work;
};

/** From here on two items are one that has changed. */
const ALIKE = 0.35;

/** Gaps with more pairs than this are first cut where two items share most of their sketches. */
const FEW_PAIRS = 400;
/** Gaps that still have more pairs have nothing in common. */
const ALL_PAIRS = 40_000;

/** What it costs to look at two items, beside their words. */
const PAIR = 20;
/** What it costs to read the words of an item. */
const READ = 200;

/** So many items have a number of a sketch at most for it to say something. */
const RARE = 4;

/** Two sequences of items: equal ones first, then in the gaps between them those that are alike. */
export function align<T>(old: readonly T[], now: readonly T[], compared: Compared<T>): readonly Step<T>[] {
  return matchSequences(old, now, compared.keyOf, compared.work).flatMap((match): readonly Step<T>[] =>
    match.kind === "same" ? [match] : alignGap(match.old, match.new, compared),
  );
}

/** Items that all differ. */
function alignGap<T>(old: readonly T[], now: readonly T[], compared: Compared<T>): readonly Step<T>[] {
  if (old.length * now.length <= FEW_PAIRS) return pair(old, now, compared);
  spend(compared.work, READ * (old.length + now.length));
  if (compared.work.left <= 0) return unpaired(old, now);
  const steps: Step<T>[] = [];
  let [i, j] = [0, 0];
  for (const [x, y] of [...likePairs(old, now, compared), [old.length, now.length] as const]) {
    const [before, after] = [old.slice(i, x), now.slice(j, y)];
    const isFew = before.length * after.length <= ALL_PAIRS;
    for (const step of isFew ? pair(before, after, compared) : unpaired(before, after)) steps.push(step);
    if (x < old.length) steps.push({ kind: "changed", old: old[x] as T, new: now[y] as T });
    [i, j] = [x + 1, y + 1];
  }
  return steps;
}

/** Pairs that share most of their sketches, in the longest order that both sequences keep. */
function likePairs<T>(
  old: readonly T[],
  now: readonly T[],
  { likeness, sketchOf }: Compared<T>,
): readonly (readonly [number, number])[] {
  const places = new Map<number, number[]>();
  old.forEach((one, i) => {
    for (const number of sketchOf(one)) {
      const known = places.get(number);
      if (known === undefined) places.set(number, [i]);
      else known.push(i);
    }
  });
  const best = new Map<number, { readonly j: number; readonly votes: number }>();
  now.forEach((one, j) => {
    const votes = new Map<number, number>();
    for (const number of sketchOf(one)) {
      const found = places.get(number) ?? [];
      if (found.length <= RARE) for (const i of found) votes.set(i, (votes.get(i) ?? 0) + 1);
    }
    const [[i, count] = [-1, 0]] = [...votes].sort((a, b) => b[1] - a[1]);
    if (count > (best.get(i)?.votes ?? 0)) best.set(i, { j, votes: count });
  });
  const pairs = [...best]
    .map(([i, { j }]) => [i, j] as const)
    .filter(([i, j]) => likeness(old[i] as T, now[j] as T) >= ALIKE)
    .sort((a, b) => a[0] - b[0]);
  return longestRise(pairs);
}

/** The pairs that are most alike in all, in their order. */
function pair<T>(old: readonly T[], now: readonly T[], { likeness, work }: Compared<T>): readonly Step<T>[] {
  spend(work, PAIR * old.length * now.length);
  if (work.left <= 0) return unpaired(old, now);
  const [n, m] = [old.length, now.length];
  const width = m + 1;
  const best = new Float32Array((n + 1) * width);
  const taken = new Uint8Array((n + 1) * width);
  for (let i = n - 1; i >= 0; i--) {
    for (let j = m - 1; j >= 0; j--) {
      const skip = Math.max(best[(i + 1) * width + j] ?? 0, best[i * width + j + 1] ?? 0);
      const like = likeness(old[i] as T, now[j] as T);
      const take = like >= ALIKE ? like + (best[(i + 1) * width + j + 1] ?? 0) : 0;
      best[i * width + j] = Math.max(skip, take);
      taken[i * width + j] = take > skip ? 1 : 0;
    }
  }
  const steps: Step<T>[] = [];
  let [i, j] = [0, 0];
  while (i < n && j < m) {
    if (taken[i * width + j] === 1) steps.push({ kind: "changed", old: old[i++] as T, new: now[j++] as T });
    else if ((best[(i + 1) * width + j] ?? 0) >= (best[i * width + j + 1] ?? 0))
      steps.push({ kind: "deleted", old: old[i++] as T });
    else steps.push({ kind: "inserted", new: now[j++] as T });
  }
  return [...steps, ...unpaired(old.slice(i), now.slice(j))];
}

function unpaired<T>(old: readonly T[], now: readonly T[]): readonly Step<T>[] {
  return [
    ...old.map((one) => ({ kind: "deleted" as const, old: one })),
    ...now.map((one) => ({ kind: "inserted" as const, new: one })),
  ];
}

/** What a text is compared by: numbers of its words in rising order, and of some of its sequences of words. */
type Print = { readonly words: Int32Array; readonly sketch: readonly number[] };

const prints = new WeakMap<XmlElement, Print>();

/** Letters and words beyond which more do not say better whether two texts are alike. */
const LETTERS = 10_000;
const WORDS = 1000;

/** Words in a row that are one number of a sketch, and how many of these numbers it has: the smallest ones. */
const ROW = 3;
const SKETCH = 8;

function printOf(one: XmlElement): Print {
  const known = prints.get(one);
  if (known !== undefined) return known;
  const words = wordNumbers(textOf(one));
  const print = { words: Int32Array.from(words).sort(), sketch: sketchFrom(words) };
  prints.set(one, print);
  return print;
}

function sketchFrom(words: readonly number[]): readonly number[] {
  const rows = new Int32Array(words.length === 0 ? 0 : Math.max(words.length - ROW + 1, 1));
  for (let at = 0; at < rows.length; at++) {
    let row = 7;
    for (let next = at; next < Math.min(at + ROW, words.length); next++) row = mix(row, words[next] ?? 0);
    rows[at] = row;
  }
  return [...new Set(rows.sort().subarray(0, SKETCH))];
}

function mix(hash: number, value: number): number {
  return Math.imul(hash ^ value, 0x01000193) ^ (value >>> 15);
}

/** A number for each word. Characters of scripts without spaces between words are words. */
function wordNumbers(text: string): readonly number[] {
  const words: number[] = [];
  let word = 0;
  const end = Math.min(text.length, LETTERS);
  for (let at = 0; at < end && words.length < WORDS; at++) {
    const code = text.charCodeAt(at);
    const kind = isInNumber(text, at) ? "letter" : kindOf(code);
    if (kind === "letter") word = mix(word === 0 ? 0x811c9dc5 : word, code);
    else {
      if (word !== 0) words.push(word);
      word = 0;
      if (kind === "word") words.push(mix(0x811c9dc5, code));
    }
  }
  if (word !== 0) words.push(word);
  return words;
}

/** The comma of `2,800` is part of it: cut in two, a number would say more of a short text than its words. */
function isInNumber(text: string, at: number): boolean {
  return (
    isDigit(text.charCodeAt(at - 1)) && isDigit(text.charCodeAt(at + 1)) && ",.:'".includes(text[at] ?? " ")
  );
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function kindOf(code: number): "letter" | "word" | "other" {
  if (code < 0x80) {
    const isLetter = (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
    return isLetter || (code >= 0x30 && code <= 0x39) ? "letter" : "other";
  }
  if (code < 0xc0 || (code >= 0x2000 && code <= 0x206f) || (code >= 0x3000 && code <= 0x303f)) return "other";
  const isUnspaced = (code >= 0x0e00 && code <= 0x0eff) || (code >= 0x3040 && code <= 0x9fff);
  return isUnspaced ? "word" : "letter";
}

/** Numbers of which two texts that are alike share some, and others hardly any. */
export function sketchOf(one: XmlElement): readonly number[] {
  return printOf(one).sketch;
}

/** From 0, no word in common, to 1: Dice's coefficient of the words. */
export function likeWords(a: XmlElement, b: XmlElement, work: Work): number {
  const [one, two] = [printOf(a).words, printOf(b).words];
  if (one.length + two.length === 0) return 1;
  if (work.left <= 0) return 0;
  spend(work, one.length + two.length);
  let [i, j, common] = [0, 0, 0];
  while (i < one.length && j < two.length) {
    const difference = (one[i] ?? 0) - (two[j] ?? 0);
    if (difference === 0) common++;
    if (difference <= 0) i++;
    if (difference >= 0) j++;
  }
  return (2 * common) / (one.length + two.length);
}
