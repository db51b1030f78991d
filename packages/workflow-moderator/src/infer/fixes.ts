import { type ProblemCode, suggest } from "@uncaged/workflow-protocol";
import type { AstNode } from "../engine/index.js";
import type { Run } from "./infer.js";
import type { Shape, Value } from "./value.js";

const CONTEXT = ["start", "steps"];
const START = ["prompt", "workflow"];
const STEP = ["role", "output", "detail", "agent"];

/** What is known about the place where a name was looked up. */
type Surroundings = {
  readonly roles: readonly string[];
  /** Fields of the outputs that are possible there, or, at the context, of the last output. */
  readonly outputFields: readonly string[];
};

/** What the author of an unknown name may have meant; `null`: nothing is near. */
export function nearField(name: string, shapes: readonly Shape[], around: Surroundings): string | null {
  const names = shapes.flatMap((shape) => shape.names());
  const near = suggest(name, names);
  const kind = shapes[0]?.kind;
  if (kind === "context") return nearInContext(name, around) ?? near;
  if (near !== null) return quotedName(near);
  if (kind === "step") {
    if (OF_LISTS.has(name)) return OF_LISTS.get(name) ?? null;
    if (around.roles.includes(name)) return `steps[role='${name}']`;
    if (around.outputFields.includes(name)) return `output.${quotedName(name)}`;
    if (CONTEXT.includes(name)) return `$$.${name}`;
    const field = suggest(name, around.outputFields);
    return field === null ? null : `output.${quotedName(field)}`;
  }
  if (kind === "output" && CONTEXT.includes(name)) return `$$.${name}`;
  return null;
}

/** What lists have in other languages. */
const OF_LISTS: ReadonlyMap<string, string> = new Map([
  ["length", "$count(steps)"],
  ["size", "$count(steps)"],
  ["count", "$count(steps)"],
  ["last", "steps[-1]"],
  ["first", "steps[0]"],
]);

function nearInContext(name: string, { roles, outputFields }: Surroundings): string | null {
  const literal = name.toLowerCase();
  if (["true", "false", "null"].includes(literal)) return literal;
  const inQuotes = /^[\u2018\u201c\u00ab](.*)[\u2019\u201d\u00bb]$/u.exec(name);
  if (inQuotes !== null) return `'${inQuotes[1] ?? ""}'`;
  if (START.includes(name)) return `start.${name}`;
  if (STEP.includes(name)) return `steps[-1].${name}`;
  if (roles.includes(name)) return `steps[role='${name}']`;
  if (outputFields.includes(name)) return `steps[-1].output.${quotedName(name)}`;
  return null;
}

function quotedName(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : `\`${name}\``;
}

const YES = ["true", "yes"];
const NO = ["false", "no"];

/** The value of another type that a literal may mean: `false` for `'false'`. */
export function literalFor(other: Value, literal: unknown): string | null {
  const { numbers, strings } = other;
  if (literal === null) return null;
  if (typeof literal === "string") {
    const lower = literal.trim().toLowerCase();
    if (YES.includes(lower) && other.isTrue) return "true";
    if (NO.includes(lower) && other.isFalse) return "false";
    if (lower === "null" && other.isNull) return lower;
    return numbers !== null && lower !== "" && Number.isFinite(Number(lower)) ? lower : null;
  }
  if (strings !== null && (strings.only === null || strings.only.has(String(literal))))
    return `'${String(literal)}'`;
  if (literal === 1 && other.isTrue) return "true";
  return literal === 0 && other.isFalse ? "false" : null;
}

/** In words: `true or false`, `text or null`. */
export function typesOf(value: Value): string {
  const types = [
    value.isTrue && value.isFalse ? "true or false" : null,
    value.isTrue !== value.isFalse ? String(value.isTrue) : null,
    value.numbers === null ? null : "a number",
    value.strings === null ? null : "text",
    value.list === null ? null : "a list",
    value.objects.length === 0 ? null : "an object",
    value.isNull ? "null" : null,
    value.isFunction ? "a function" : null,
  ];
  return types.filter((type) => type !== null).join(" or ");
}

const SHOWN = 6;

/** `'a', 'b' or 'c'` */
export function choices(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN).map((name) => `'${name}'`);
  if (names.length > SHOWN) return `${shown.join(", ")}, …`;
  return shown.length < 2 ? (shown[0] ?? "") : `${shown.slice(0, -1).join(", ")} or ${shown.at(-1) ?? ""}`;
}

/** A problem at a place of an expression. */
export type Found = {
  readonly code: ProblemCode;
  /** UTF-16 units from the start of the expression. */
  readonly offset: number;
  readonly message: string;
  readonly suggestion: string | null;
  /**
   * `part`: it cannot be right; `doubt`: it is likely wrong, a warning; `whole`: the result of the whole condition, reported
   * if there is no `part`.
   */
  readonly about: "part" | "doubt" | "whole";
};

/**
 * A place may be evaluated several times: once for each role that a filter meets. It is wrong if it is wrong each time, and
 * a doubt once makes it a doubt.
 */
export type Notes = Map<string, Found | null>;

export function noteGood({ notes }: Run, offset: number, kind: string): void {
  notes?.set(`${offset} ${kind}`, null);
}

export function noteBad(
  { notes }: Run,
  kind: string,
  code: ProblemCode,
  offset: number,
  message: string,
  suggestion: string | null = null,
  about: Found["about"] = "part",
): void {
  if (notes === null) return;
  const found: Found = { code, offset, message, suggestion, about };
  const key = `${offset} ${kind}`;
  const before = notes.get(key);
  if (before === null) return;
  const isBetter = before === undefined || found.about === "doubt" || found.suggestion !== null;
  if (isBetter && before?.about !== "doubt") notes.set(key, found);
}

// Fields and methods that lists and texts have in other languages, and what JSONata has for them.

const LENGTHS: ReadonlySet<string> = new Set(["length", "size", "count", "len"]);

/** `x` and the text of the arguments make the fix; `isList` decides where both a list and a text have the method. */
type Method = (x: string, given: string, isList: boolean) => string;

function all(names: string, method: Method): Readonly<Record<string, Method>> {
  return Object.fromEntries(names.split(" ").map((name) => [name, method]));
}

const METHODS: Readonly<Record<string, Method>> = {
  ...all("includes contains has indexOf search", (x, given, isList) =>
    isList ? `${given} in ${x}` : `$contains(${x}, ${given})`,
  ),
  ...all("match matches", (x, given) => `$contains(${x}, ${given})`),
  ...all("startsWith startswith", (x, given) => `$substring(${x}, 0, $length(${given})) = ${given}`),
  ...all("endsWith endswith", (x, given) => `$substring(${x}, -$length(${given})) = ${given}`),
  ...all("toLowerCase lower", (x) => `$lowercase(${x})`),
  ...all("toUpperCase upper", (x) => `$uppercase(${x})`),
  ...all("filter find", (x) => `${x}[…]`),
  ...all("some any", (x) => `$exists(${x}[…])`),
  ...all("every all", (x) => `$count(${x}[$not(…)]) = 0`),
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
