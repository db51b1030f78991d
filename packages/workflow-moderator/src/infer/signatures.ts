import {
  ANY,
  BOOLEAN,
  listOf,
  NUMBER,
  numberIn,
  object,
  orNothing,
  type Shape,
  STRING,
  something,
  union,
  type Value,
} from "./value.js";

export type Takes = "text" | "number" | "numbers";

/** A function that gives nothing for nothing; called with fewer arguments it takes the context as one. */
export type Signature = { readonly takes: readonly (Takes | null)[]; readonly gives: Value };

const COUNT = numberIn(0, Number.POSITIVE_INFINITY);
const TEXTS = sequenceOf(STRING);

/** A text that a regular expression was found in. */
export const MATCH: Value = object(shapeOf(["match", "start", "end", "index", "groups", "next"]));

/** An object of unknown fields. */
export const OBJECT: Value = object(shapeOf([]));

export const SIGNATURES: Readonly<Record<string, Signature>> = {
  contains: { takes: ["text", null], gives: BOOLEAN },
  match: { takes: ["text", null], gives: orNothing(sequenceOf(MATCH)) },
  length: { takes: ["text"], gives: COUNT },
  lowercase: { takes: ["text"], gives: STRING },
  uppercase: { takes: ["text"], gives: STRING },
  trim: { takes: ["text"], gives: STRING },
  pad: { takes: ["text", "number"], gives: STRING },
  substring: { takes: ["text", "number"], gives: STRING },
  substringBefore: { takes: ["text", "text"], gives: STRING },
  substringAfter: { takes: ["text", "text"], gives: STRING },
  replace: { takes: ["text", null, null], gives: STRING },
  split: { takes: ["text", null], gives: TEXTS },
  join: { takes: [null], gives: STRING },
  base64encode: { takes: ["text"], gives: STRING },
  base64decode: { takes: ["text"], gives: STRING },
  encodeUrl: { takes: ["text"], gives: STRING },
  encodeUrlComponent: { takes: ["text"], gives: STRING },
  decodeUrl: { takes: ["text"], gives: STRING },
  decodeUrlComponent: { takes: ["text"], gives: STRING },
  formatNumber: { takes: ["number", "text"], gives: STRING },
  formatBase: { takes: ["number"], gives: STRING },
  formatInteger: { takes: ["number", "text"], gives: STRING },
  parseInteger: { takes: ["text", "text"], gives: orNothing(NUMBER) },
  fromMillis: { takes: ["number"], gives: STRING },
  toMillis: { takes: ["text"], gives: orNothing(NUMBER) },
  abs: { takes: ["number"], gives: COUNT },
  floor: { takes: ["number"], gives: NUMBER },
  ceil: { takes: ["number"], gives: NUMBER },
  round: { takes: ["number"], gives: NUMBER },
  sqrt: { takes: ["number"], gives: COUNT },
  power: { takes: ["number", "number"], gives: NUMBER },
  number: { takes: [null], gives: NUMBER },
  sum: { takes: ["numbers"], gives: NUMBER },
  max: { takes: ["numbers"], gives: orNothing(NUMBER) },
  min: { takes: ["numbers"], gives: orNothing(NUMBER) },
  average: { takes: ["numbers"], gives: orNothing(NUMBER) },
  keys: { takes: [null], gives: orNothing(TEXTS) },
  merge: { takes: [null], gives: OBJECT },
  sift: { takes: [null, null], gives: orNothing(OBJECT) },
  zip: { takes: [null], gives: listOf(() => something(ANY)) },
};

/** One item, or a list of several. */
function sequenceOf(item: Value): Value {
  return union(
    item,
    listOf(() => item),
  );
}

function shapeOf(names: readonly string[]): Shape {
  const value = (): Value => something(ANY);
  return {
    what: "an object",
    kind: "object",
    names: () => names,
    field: () => ({ presence: "maybe", value }),
  };
}
