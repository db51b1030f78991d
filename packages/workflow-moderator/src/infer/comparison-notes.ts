import { suggest } from "@uncaged/workflow-protocol";
import type { AstNode } from "../engine/index.js";
import { canBeEqual, canDiffer } from "./compare.js";
import { choices, type Found, literalFor, noteBad, noteGood, typesOf } from "./fixes.js";
import type { Run } from "./infer.js";
import { itemsOf } from "./path.js";
import { enumerated } from "./schema.js";
import { isNone, NUMBER, type Numbers, something, type Value } from "./value.js";

const LITERALS: ReadonlySet<string> = new Set(["string", "number", "value"]);

/** `=` and `!=` */
export function noteComparison(run: Run, node: AstNode, left: Value, right: Value): void {
  const { lhs, rhs } = node;
  if (run.notes === null || lhs === undefined || rhs === undefined) return;
  const [a, b] = [something(left), something(right)];
  if (isNone(a) || isNone(b)) return;
  const [one, other] = LITERALS.has(lhs.type) && !LITERALS.has(rhs.type) ? [rhs, lhs] : [lhs, rhs];
  const [path, literal] = one === lhs ? [a, b] : [b, a];
  const place = LITERALS.has(other.type) ? run.places.startOf(other) : run.places.startOf(node);
  if (canBeEqual(a, b)) {
    const constant = LITERALS.has(lhs.type) && LITERALS.has(rhs.type) && !canDiffer(a, b);
    if (!constant) noteGood(run.notes, place, "equal");
    else
      noteBad(run.notes, "equal", {
        code: node.value === "=" ? "always-true" : "never-true",
        offset: place,
        message: `${run.places.textOf(node)} compares two values that are the same`,
        suggestion: null,
        about: "part",
      });
    return;
  }
  const outcome = node.value === "=" ? "" : `, so != is always true where it is there`;
  const { message, code, suggestion, about } = difference(run, one, path, other, literal);
  const absent = other.value === null && (one === lhs ? left : right).nothing;
  const fix = suggestion ?? (absent ? `$not($exists(${run.places.textOf(one)}))` : null);
  noteBad(run.notes, "equal", {
    code,
    offset: place,
    message: `${message}${outcome}`,
    suggestion: fix,
    about,
  });
}

type Difference = Omit<Found, "offset">;

/** Why two values are never equal. */
function difference(run: Run, one: AstNode, path: Value, other: AstNode, literal: Value): Difference {
  const name = run.places.textOf(one);
  const shown = run.places.textOf(other);
  const ofOneType = typeNames(path).some((type) => typeNames(literal).includes(type));
  if (!ofOneType) {
    return {
      code: "cannot-be-equal",
      message: `${name} is ${typesOf(path)}, never equal to ${LITERALS.has(other.type) ? shown : `${shown}, which is ${typesOf(literal)}`}`,
      suggestion: LITERALS.has(other.type) ? fixFor(run, one, path, other, shown) : null,
      about: "part",
    };
  }
  if (path.strings !== null && literal.strings !== null) return differentTexts(name, path, other, shown);
  if (path.numbers !== null && literal.numbers !== null) {
    return {
      code: LITERALS.has(one.type) ? "never-true" : "unknown-value",
      message: LITERALS.has(one.type)
        ? `${name} is never equal to ${shown}`
        : `${name} is ${rangeOf(path.numbers)}, never ${shown}`,
      suggestion: null,
      about: "part",
    };
  }
  return {
    code: "never-true",
    message: `${name} is ${typesOf(path)}, never ${shown}`,
    suggestion: null,
    about: LITERALS.has(other.type) && path.objects.length === 0 ? "part" : "whole",
  };
}

function differentTexts(name: string, path: Value, other: AstNode, shown: string): Difference {
  const known = path.strings?.known ?? null;
  const text = String(other.value);
  const names = known?.names ?? [...(path.strings?.only ?? [])];
  if (other.type !== "string" || known === null) {
    return {
      code: "never-true",
      message: `${name} is never equal to ${shown}`,
      suggestion: null,
      about: "part",
    };
  }
  // It is a role, only not here: a condition used after several roles may test for each of them.
  if (names.includes(text)) {
    return {
      code: "never-true",
      message: `${name} is only ${choices([...(path.strings?.only ?? [])])} here, never ${shown}`,
      suggestion: null,
      about: "whole",
    };
  }
  const near = nearest(text, names);
  return {
    code: known.what === "role" ? "unknown-role" : "unknown-value",
    message:
      known.what === "role"
        ? `there is no role ${shown}; the roles are ${choices(names)}`
        : `${name} is never ${shown}; it is ${choices(names)}`,
    suggestion: near === null ? null : `'${near}'`,
    about: "part",
  };
}

/** Near, or the same word in another form: `dropped` for `drop`. */
function nearest(text: string, names: readonly string[]): string | null {
  const word = text.trim().toLowerCase();
  const isForm = (name: string): boolean =>
    name.length >= 3 && word.length >= 3 && (word.startsWith(name) || name.startsWith(word));
  const lower = (name: string): string => name.toLowerCase();
  return (
    suggest(text, names) ??
    names.find((name) => lower(name) === word) ??
    names.find((name) => isForm(lower(name))) ??
    null
  );
}

function fixFor(run: Run, one: AstNode, path: Value, other: AstNode, shown: string): string | null {
  const fix = literalFor(path, other.value);
  if (fix !== null) return fix;
  const items = path.list?.items();
  if (items !== undefined && (items.any || canBeEqual(items, enumerated([other.value])))) {
    return `${shown} in ${run.places.textOf(one)}`;
  }
  return null;
}

function typeNames(value: Value): readonly string[] {
  const names = [
    value.isNull ? "null" : null,
    value.isTrue || value.isFalse ? "boolean" : null,
    value.numbers === null ? null : "number",
    value.strings === null ? null : "string",
    value.objects.length === 0 ? null : "object",
    value.list === null ? null : "list",
    value.isFunction ? "function" : null,
  ];
  return names.filter((name) => name !== null);
}

function rangeOf({ min, max, only }: Numbers): string {
  if (only !== null && only.size < 6) return [...only].join(" or ");
  if (min === max) return String(min);
  if (max === Number.POSITIVE_INFINITY) return `at least ${min}`;
  return min === Number.NEGATIVE_INFINITY ? `at most ${max}` : `from ${min} to ${max}`;
}

/** `<`, `<=`, `>`, `>=`; `result` is `null` if they always throw. */
export function noteOrder(run: Run, node: AstNode, left: Value, right: Value, result: Value | null): void {
  const { lhs, rhs, notes } = { ...node, notes: run.notes };
  if (notes === null || lhs === undefined || rhs === undefined) return;
  const [a, b] = [something(left), something(right)];
  if (isNone(a) || isNone(b)) return;
  const counts = a.list !== null && a.strings === null;
  const offset = run.places.startOf(LITERALS.has(rhs.type) && !counts ? rhs : lhs);
  const operator = String(node.value);
  if (result === null || (!result.isTrue && !result.isFalse)) {
    const literal = rhs.type === "string" && a.numbers !== null ? literalFor(NUMBER, rhs.value) : null;
    noteBad(notes, "order", {
      code: "wrong-type",
      offset,
      message: `${operator} compares two numbers or two texts, not ${typesOf(a)} and ${typesOf(b)}`,
      suggestion: literal ?? (counts ? `$count(${run.places.textOf(lhs)})` : null),
      about: "part",
    });
    return;
  }
  const numbers = a.numbers;
  if (result.isTrue && result.isFalse) noteGood(notes, offset, "order");
  else if (!result.isTrue && numbers !== null) {
    noteBad(notes, "order", {
      code: "never-true",
      offset,
      message: `${run.places.textOf(lhs)} is ${rangeOf(numbers)}, never ${operator} ${run.places.textOf(rhs)}`,
      suggestion: null,
      about: LITERALS.has(rhs.type) && !isContext(lhs) ? "part" : "whole",
    });
  } else noteGood(notes, offset, "order");
}

/** The number of steps depends on where the condition is evaluated. */
function isContext(node: AstNode): boolean {
  return node.type === "function" && node.procedure?.value === "count";
}

/** `'a' in x`: one item of `x` must be able to be it. */
function noteSought(run: Run, literal: AstNode, among: AstNode, right: Value): void {
  const item = itemsOf(right).item;
  if (run.notes === null || item.any || isNone(item)) return;
  const value = enumerated([literal.value]);
  const offset = run.places.startOf(literal);
  if (canBeEqual(item, value)) noteGood(run.notes, offset, "equal");
  else noteBad(run.notes, "equal", { ...difference(run, among, item, literal, value), offset });
}

/** `x in ['a', 'b']`: each text must be one that `x` can be. */
export function noteInclusion(run: Run, node: AstNode, left: Value, right: Value): void {
  const { lhs, rhs } = node;
  if (run.notes === null || lhs === undefined || rhs === undefined) return;
  const a = something(left);
  if (left.any || isNone(a)) return;
  const items = rhs.type === "unary" && rhs.value === "[" ? (rhs.expressions ?? []) : [];
  if (LITERALS.has(lhs.type) && !LITERALS.has(rhs.type) && items.length === 0) {
    noteSought(run, lhs, rhs, right);
    return;
  }
  const literals = LITERALS.has(rhs.type) ? [rhs] : items.filter(({ type }) => LITERALS.has(type));
  for (const item of literals) {
    const value = enumerated([item.value]);
    const offset = run.places.startOf(item);
    if (canBeEqual(a, value)) noteGood(run.notes, offset, "equal");
    else noteBad(run.notes, "equal", { ...difference(run, lhs, a, item, value), offset });
  }
  if (literals.length > 0 || right.any) return;
  const listed = right.list?.items();
  if (listed?.any === true) return;
  // `tags in 'x'`: the list is on the left.
  const offset = run.places.startOf(lhs);
  const scalar = a.numbers !== null || a.strings !== null || a.isTrue || a.isFalse || a.isNull;
  if (scalar || a.objects.length > 0) noteGood(run.notes, offset, "in");
  else {
    noteBad(run.notes, "in", {
      code: "never-true",
      offset,
      message: `a list is never an item of ${run.places.textOf(rhs)}`,
      suggestion: right.list === null ? `${run.places.textOf(rhs)} in ${run.places.textOf(lhs)}` : null,
      about: "part",
    });
  }
}
