import type { AuthoredWorkflow } from "@uncaged/workflow-protocol";
import { valueOfSchema } from "./schema.js";
import {
  type Field,
  lazily,
  NOTHING,
  object,
  oneOfStrings,
  type Shape,
  STRING,
  unionOf,
  type Value,
} from "./value.js";

/** The step after which a condition is asked: of that role; none yet, at $START; any, where it cannot be told. */
export type Last = { readonly kind: "role"; readonly role: string } | { readonly kind: "none" | "any" };

/** `{start: {workflow, prompt}, steps: [{role, output, detail, agent}]}`, as it can be after `last`. */
export type Contexts = {
  readonly after: (last: Last) => Value;
  readonly roles: readonly string[];
};

export function contextsOf({ roles }: AuthoredWorkflow): Contexts {
  const names = Object.keys(roles);
  const known = { what: "role", names } as const;
  const step = new Map(
    Object.entries(roles).map(([role, { meta }]) => {
      const output = lazily(() => valueOfSchema(meta, `the output of ${role}`));
      const value = record("step", "a step", {
        role: () => oneOfStrings([role], known),
        output,
        detail: () => STRING,
        agent: () => STRING,
      });
      return [role, value];
    }),
  );
  const anyStep = unionOf(step.values());
  const start = record("start", "start", { workflow: () => STRING, prompt: () => STRING });
  const after = (last: Last): Value => {
    const lastStep = (last.kind === "role" ? step.get(last.role) : null) ?? anyStep;
    const list = {
      items: () => anyStep,
      min: last.kind === "role" ? 1 : 0,
      max: last.kind === "none" ? 0 : Number.POSITIVE_INFINITY,
      last: () => lastStep,
    };
    const steps: Value = { ...NOTHING, nothing: false, list };
    return record("context", "the context", { start: () => start, steps: () => steps });
  };
  return { after, roles: names };
}

/** An object that has exactly these fields. */
function record(kind: Shape["kind"], what: string, fields: Readonly<Record<string, () => Value>>): Value {
  return object({
    what,
    kind,
    names: () => Object.keys(fields),
    field: (name): Field => {
      const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
      return value === undefined
        ? { presence: "never", value: () => NOTHING }
        : { presence: "always", value };
    },
  });
}
