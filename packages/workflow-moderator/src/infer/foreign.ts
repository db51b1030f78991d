import type { AstNode } from "../engine/index.js";
import type { Run } from "./infer.js";
import type { Value } from "./value.js";

// Fields and methods that lists and texts have in other languages, and what JSONata has for them.

const LENGTHS: ReadonlySet<string> = new Set(["length", "size", "count", "len"]);

/** `x` and the text of the arguments make the fix; `isList` decides where both a list and a text have the method. */
type Method = (x: string, given: string, isList: boolean) => string;

const contained: Method = (x, given, isList) => (isList ? `${given} in ${x}` : `$contains(${x}, ${given})`);
const kept: Method = (x) => `${x}[…]`;

const METHODS: Readonly<Record<string, Method>> = {
  includes: contained,
  contains: contained,
  has: contained,
  indexOf: contained,
  search: contained,
  match: (x, given) => `$contains(${x}, ${given})`,
  matches: (x, given) => `$contains(${x}, ${given})`,
  test: (x, given) => `$contains(${given}, ${x})`,
  startsWith: (x, given) => `$substring(${x}, 0, $length(${given})) = ${given}`,
  startswith: (x, given) => `$substring(${x}, 0, $length(${given})) = ${given}`,
  endsWith: (x, given) => `$substring(${x}, -$length(${given})) = ${given}`,
  endswith: (x, given) => `$substring(${x}, -$length(${given})) = ${given}`,
  toLowerCase: (x) => `$lowercase(${x})`,
  lower: (x) => `$lowercase(${x})`,
  toUpperCase: (x) => `$uppercase(${x})`,
  upper: (x) => `$uppercase(${x})`,
  toString: (x: string) => `$string(${x})`,
  trim: (x) => `$trim(${x})`,
  strip: (x) => `$trim(${x})`,
  split: (x, given) => `$split(${x}, ${given})`,
  join: (x, given) => `$join(${x}, ${given})`,
  replace: (x, given) => `$replace(${x}, ${given})`,
  exists: (x) => `$exists(${x})`,
  keys: (x) => `$keys(${x})`,
  not: (x) => `$not(${x})`,
  at: (x, given) => `${x}[${given}]`,
  filter: kept,
  find: kept,
  some: (x) => `$exists(${x}[…])`,
  any: (x) => `$exists(${x}[…])`,
  every: (x) => `$count(${x}[$not(…)]) = 0`,
  all: (x) => `$count(${x}[$not(…)]) = 0`,
  map: (x) => `${x}.(…)`,
};

/** Remembers the fix for a step of a path that is no field: `.length`, `.includes('x')`. */
export function hintForeign(run: Run, path: AstNode, step: AstNode, item: Value, isList: boolean): void {
  const called = step.type === "function" ? step.procedure?.steps : undefined;
  const x = (): string => run.places.textBefore(path, called?.[0] ?? step);
  const count = (): string => (isList || item.strings === null ? `$count(${x()})` : `$length(${x()})`);
  if (step.type === "name" && LENGTHS.has(String(step.value))) {
    if (isList || item.strings !== null) run.hints.set(step, count());
    return;
  }
  const name = String(called?.[0]?.value);
  if (called?.length !== 1) return;
  if (LENGTHS.has(name)) run.hints.set(step, count());
  const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
  if (method === undefined) return;
  const given = (step.arguments ?? []).map((argument) => run.places.textOf(argument)).join(", ");
  run.hints.set(step, method(x(), given, isList));
}
