import { type AstNode, nodesOf } from "../engine/index.js";
import { onlyScalar } from "./compare.js";
import { boundIn, evaluate } from "./evaluate.js";
import { type Found, type Notes, typesOf } from "./fixes.js";
import { type Places, placesOf } from "./places.js";
import { isNone, something, type Value } from "./value.js";

/** The meaning of names at a place of an expression. */
export type Scope = {
  /** Where a path starts: the context, or the current item of a filter or step. */
  readonly focus: Value;
  readonly root: Value;
  readonly variables: Map<string, Value>;
  /** By path: values known from conditions that hold at this place. */
  readonly refined: ReadonlyMap<string, Value>;
};

export type Run = {
  /** Collects problems; `null`: not collected, for a part that is evaluated again. */
  readonly notes: Notes | null;
  readonly places: Places;
  /** Whether a part is evaluated again with what the parts before it imply. */
  readonly refines: boolean;
  readonly fuel: { left: number };
  /** How often each variable is bound: one that is bound twice is not followed. */
  readonly bound: ReadonlyMap<string, number>;
  readonly roles: readonly string[];
  /** Names of fields whose existence the expression asks for. */
  readonly asked: ReadonlySet<string>;
  /** A better message for an unknown name, from its surroundings. */
  readonly hints: Map<AstNode, string>;
  readonly evaluate: (run: Run, node: AstNode, scope: Scope) => Value;
};

/** What is known about a condition before it runs. */
export type Inferred = {
  /** By place: the problem there; `null`: none. */
  readonly notes: ReadonlyMap<string, Found | null>;
  /** The whole condition, if its outcome is always the same; `likely` if only its parts together imply it. */
  readonly whole: (Found & { readonly likely: boolean }) | null;
  /** Whether it can be true. */
  readonly canBeTrue: boolean;
  /** Whether it always gives `true` or `false`, or fails. */
  readonly isBoolean: boolean;
};

/** Nodes evaluated in one condition; the longest known one needs a few hundred. */
const FUEL = 20_000;

const UNKNOWN: Inferred = { notes: new Map(), whole: null, canBeTrue: true, isBoolean: false };

/** Levels of a tree; evaluating one level takes about ten calls. */
const DEEPEST = 150;

/** Too deep for recursive functions. */
export function isDeep(ast: AstNode): boolean {
  let level: readonly object[] = [ast];
  // A node and the list of its parts are two levels.
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > 2 * DEEPEST) return true;
    level = level.flatMap((part) =>
      Object.values(part).filter((inner: unknown) => typeof inner === "object" && inner !== null),
    );
  }
  return false;
}

/** The possible values of `ast` over `context`. Sound: a condition reported as never true is false for every such context. */
export function infer(text: string, ast: AstNode, context: Value, roles: readonly string[]): Inferred {
  if (isDeep(ast)) return UNKNOWN;
  const notes: Notes = new Map();
  const base = {
    places: placesOf(text),
    bound: boundIn(ast),
    fuel: { left: FUEL },
    roles,
    asked: askedIn(ast),
    hints: new Map<AstNode, string>(),
    evaluate,
  };
  const result = (run: Run): Value =>
    run.evaluate(run, ast, {
      focus: context,
      root: context,
      variables: new Map(),
      refined: new Map(),
    });
  const refined = result({ ...base, notes, refines: true });
  const plain = result({ ...base, notes: null, refines: false });
  if (base.fuel.left < 0) return UNKNOWN;
  const offset = base.places.startOf(ast);
  const shown = base.places.textOf(ast);
  const fix = searchFor(ast, base.places);
  const certain = judged(plain, offset, shown, fix);
  const whole = certain ?? judged(refined, offset, shown, fix);
  const likely = certain === null && whole?.code === "always-true";
  return {
    notes,
    whole: whole === null ? null : { ...whole, likely },
    canBeTrue: refined.any || refined.isTrue,
    isBoolean: isNone({ ...plain, isTrue: false, isFalse: false }),
  };
}

/** The last names of paths in `$exists(…)`, `… ?? …` and `… ?: …`. */
function askedIn(ast: AstNode): ReadonlySet<string> {
  const paths = [...nodesOf(ast)].flatMap(({ procedure, condition, arguments: given = [] }) => [
    ...(procedure?.value === "exists" ? given : []),
    ...(condition === undefined ? [] : [condition]),
  ]);
  const last = paths.flatMap(({ steps = [] }) => steps.at(-1) ?? []);
  return new Set(last.filter(({ stages }) => stages === undefined).map(({ value }) => String(value)));
}

function judged(value: Value, offset: number, shown: string, fix: string | null): Found | null {
  if (value.any || (value.isTrue && (value.isFalse || value.nothing))) return null;
  const others = isNone({ ...value, isTrue: false, isFalse: false, nothing: false });
  const about = { offset, suggestion: null, about: "whole" } as const;
  if (!value.isTrue && !value.isFalse) {
    if (isNone(value)) return { ...about, code: "not-boolean", message: "it always fails" };
    const given = others ? "nothing" : typesOf(something(value));
    const message = `it gives ${given}, never true or false`;
    return { ...about, code: "not-boolean", message, suggestion: fix ?? fixFor(value, shown) };
  }
  if (!others) return null;
  if (value.isTrue) return { ...about, code: "always-true", message: "it is always true" };
  return { ...about, code: "never-true", message: "it is never true" };
}

/** A match is an object; `$contains` says whether there is one. */
function searchFor(ast: AstNode, { textOf }: Places): string | null {
  const { lhs, rhs, procedure, arguments: given = [] } = ast;
  const [text, regex] = procedure?.value === "match" ? given : [lhs, rhs];
  if (text === undefined || regex?.type !== "regex") return null;
  return `$contains(${textOf(text)}, ${textOf(regex)})`;
}

/** Whether the author may have meant a test; a literal is not one. */
function fixFor(value: Value, shown: string): string | null {
  if (onlyScalar(value) !== null || value.objects.length > 0 || shown.length > LONGEST) return null;
  if (value.list !== null) return `$count(${shown}) > 0`;
  if (value.numbers !== null) return value.strings === null ? `${shown} > 0` : null;
  return value.strings === null ? null : `${shown} != ''`;
}

const LONGEST = 60;
