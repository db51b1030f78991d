import { textOf } from "../inline/index.js";
import type { XmlElement } from "../xml/index.js";
import { spend, type Work } from "./work.js";

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
