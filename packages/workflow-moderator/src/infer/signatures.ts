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
type Signature = { readonly takes: readonly (Takes | null)[]; readonly gives: Value };

const COUNT = numberIn(0, Number.POSITIVE_INFINITY);
const TEXTS = sequenceOf(STRING);

/** A text that a regular expression was found in. */
export const MATCH: Value = object(shapeOf(["match", "start", "end", "index", "groups", "next"]));

/** An object of unknown fields. */
export const OBJECT: Value = object(shapeOf([]));

/** The same for each of several functions. */
function all(names: string, takes: Signature["takes"], gives: Value): Readonly<Record<string, Signature>> {
  return Object.fromEntries(names.split(" ").map((name) => [name, { takes, gives }]));
}

export const SIGNATURES: Readonly<Record<string, Signature>> = {
  ...all("lowercase uppercase trim base64encode base64decode", ["text"], STRING),
  ...all("encodeUrl encodeUrlComponent decodeUrl decodeUrlComponent", ["text"], STRING),
  ...all("pad substring", ["text", "number"], STRING),
  ...all("substringBefore substringAfter", ["text", "text"], STRING),
  ...all("replace", ["text", null, null], STRING),
  ...all("contains", ["text", null], BOOLEAN),
  ...all("match", ["text", null], orNothing(sequenceOf(MATCH))),
  ...all("split", ["text", null], TEXTS),
  ...all("join", [null], STRING),
  ...all("length", ["text"], COUNT),
  ...all("formatNumber formatInteger", ["number", "text"], STRING),
  ...all("formatBase fromMillis", ["number"], STRING),
  ...all("parseInteger", ["text", "text"], orNothing(NUMBER)),
  ...all("toMillis", ["text"], orNothing(NUMBER)),
  ...all("abs sqrt", ["number"], COUNT),
  ...all("floor ceil round", ["number"], NUMBER),
  ...all("power", ["number", "number"], NUMBER),
  ...all("number", [null], NUMBER),
  ...all("sum", ["numbers"], NUMBER),
  ...all("max min average", ["numbers"], orNothing(NUMBER)),
  ...all("keys", [null], orNothing(TEXTS)),
  ...all("merge", [null], OBJECT),
  ...all("sift", [null, null], orNothing(OBJECT)),
  ...all(
    "zip",
    [null],
    listOf(() => something(ANY)),
  ),
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

/** The functions of jsonata 2.2; a test compares them with jsonata. */
export const JSONATA_FUNCTIONS: readonly string[] = [
  ..."abs append assert average base64decode base64encode boolean ceil clone contains count decodeUrl".split(
    " ",
  ),
  ..."decodeUrlComponent distinct each encodeUrl encodeUrlComponent error exists filter floor".split(" "),
  ..."formatBase formatInteger formatNumber fromMillis join keys length lookup lowercase map match max".split(
    " ",
  ),
  ..."merge min not number pad parseInteger power reduce replace reverse round sift single sort split".split(
    " ",
  ),
  ..."spread sqrt string substring substringAfter substringBefore sum toMillis trim type uppercase zip".split(
    " ",
  ),
];
