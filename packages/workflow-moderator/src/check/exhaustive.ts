import { type AuthoredWorkflow, START } from "@uncaged/workflow-protocol";
import { type Contexts, infer, tokensOf } from "../infer/index.js";
import { parse } from "./expression.js";

/** Whether after `key` one of the conditions is always true: `x` and `$not(x)` over a required boolean. */
export function isExhaustive(
  workflow: AuthoredWorkflow,
  key: string,
  names: readonly string[],
  contextsOfAll: () => Contexts,
): boolean {
  const expressions = names.flatMap((name) =>
    Object.hasOwn(workflow.conditions, name) ? (workflow.conditions[name]?.expression ?? []) : [],
  );
  if (expressions.length < Math.max(2, names.length)) return false;
  const contexts = contextsOfAll();
  const isRole = Object.hasOwn(workflow.roles, key);
  const last = key === START ? { kind: "none" } : isRole ? { kind: "role", role: key } : { kind: "any" };
  const context = contexts.after(last as Parameters<typeof contexts.after>[0]);
  const inferred = (text: string): ReturnType<typeof infer> | null => {
    const parsed = parse(text);
    return parsed.ok ? infer(text, parsed.value.ast, context, contexts.roles) : null;
  };
  const isTrue = (text: string): boolean => inferred(text)?.whole?.code === "always-true";
  if (isTrue(expressions.map((expression) => `(${expression})`).join(" or "))) return true;
  return expressions.some((a) =>
    expressions.some(
      (b) =>
        (isNegation(a, b) && inferred(a)?.isBoolean === true) ||
        oppositeOperands(a, b)?.every((operand) => isTrue(`$exists(${operand})`)) === true,
    ),
  );
}

function wordsOf(text: string): readonly string[] {
  return tokensOf(text).map((token) => token.text);
}

/** Whether `b` is `$not(a)`. */
function isNegation(a: string, b: string): boolean {
  return ["$not", "(", ...wordsOf(a), ")"].join(" ") === wordsOf(b).join(" ");
}

/** What two conditions compare with opposite operators. Where an operand is nothing, both are false. */
function oppositeOperands(a: string, b: string): readonly string[] | null {
  const [one, other] = [wordsOf(a), wordsOf(b)];
  const differing = one.flatMap((text, i) => (text === other[i] ? [] : [i]));
  const [at = -1] = differing;
  const isPlain = one.every((text) => text !== "and" && text !== "or" && text !== "?");
  if (!isPlain || one.length !== other.length || differing.length !== 1) return null;
  if (OPPOSITE.get(one[at] ?? "") !== other[at]) return null;
  return [one.slice(0, at), one.slice(at + 1)].map((words) => words.join(" "));
}

const OPPOSITE: ReadonlyMap<string, string> = new Map([
  ["=", "!="],
  ["<", ">="],
  [">", "<="],
]);
