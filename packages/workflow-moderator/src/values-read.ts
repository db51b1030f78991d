import type { ModeratorContext, StepContext } from "@uncaged/workflow-protocol";

/** What a condition looked at, and what was there. */
export type ReadValue = { readonly path: string; readonly value: string | number | boolean | null };

const NAMES = "(?:\\s*\\.\\s*[A-Za-z_]\\w*)+";

/** What a person can be shown of an expression, and the texts in it, which are passed over. */
const LOOKS = new RegExp(
  [
    `\\bsteps\\s*\\[\\s*-\\s*(?<back>\\d{1,3})\\s*\\](?<names>${NAMES})(?!\\w*\\s*[[({])`,
    `\\bstart(?<start>${NAMES})`,
    "\\$(?<count>count)\\(\\s*steps\\s*(?:\\[\\s*role\\s*=\\s*(?:\"(?<role>[^\"]*)\"|'(?<named>[^']*)')\\s*\\]\\s*)?\\)",
    "\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'",
  ].join("|"),
  "g",
);

/**
 * The values that a condition compares, to show a person why it holds: `approved` and `false` of
 * `steps[-1].output.approved = false`; of counts those of all steps and of a role's. Nothing for what does not exist.
 */
export function valuesRead(expression: string, context: ModeratorContext): readonly ReadValue[] {
  const values = new Map<string, ReadValue>();
  for (const { groups = {} } of expression.matchAll(LOOKS)) {
    const read = valueAt(groups, context);
    if (read !== null) values.set(read.path, read);
  }
  return [...values.values()];
}

type Groups = Readonly<Record<string, string | undefined>>;

function valueAt(
  { back, names, start, count, role, named }: Groups,
  seen: ModeratorContext,
): ReadValue | null {
  if (count !== undefined) return countOf(role ?? named ?? null, seen.steps);
  if (start !== undefined) return memberOf(seen.start, namesIn(start), "start.");
  if (back === undefined || names === undefined) return null;
  const path = namesIn(names);
  const step = seen.steps.at(-Number(back));
  if (back !== "1") return memberOf(step, path, `steps[-${back}].`);
  // The last step's output is what most conditions are about.
  const isOutput = path[0] === "output" && path.length > 1;
  return memberOf(step, path, "", isOutput ? 1 : 0);
}

function countOf(role: string | null, steps: readonly StepContext[]): ReadValue {
  if (role === null) return { path: "steps", value: steps.length };
  return { path: `steps of ${role}`, value: steps.filter((step) => step.role === role).length };
}

function namesIn(text: string): readonly string[] {
  return text.match(/\w+/g) ?? [];
}

/** `null`: it is absent, not a single value, or part of a damaged output, which the condition that reads it reports. */
function memberOf(from: unknown, names: readonly string[], prefix: string, hidden = 0): ReadValue | null {
  try {
    let value = from;
    for (const name of names) {
      const isThere = typeof value === "object" && value !== null && Object.hasOwn(value, name);
      value = isThere ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
    }
    if (value === undefined || (typeof value === "object" && value !== null)) return null;
    return { path: `${prefix}${names.slice(hidden).join(".")}`, value: value as ReadValue["value"] };
  } catch {
    return null;
  }
}
