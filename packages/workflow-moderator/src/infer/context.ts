import type { JsonValue } from "@uncaged/json-schema";
import { type AuthoredWorkflow, START } from "@uncaged/workflow-protocol";
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

/** The step after which a condition is evaluated: of that role; `none`: at $START; `any`: unknown. */
export type Last = { readonly kind: "role"; readonly role: string } | { readonly kind: "none" | "any" };

/** What stands at a key of the graph. */
export function lastAt({ roles }: AuthoredWorkflow, key: string): Last {
  if (key === START) return { kind: "none" };
  return Object.hasOwn(roles, key) ? { kind: "role", role: key } : { kind: "any" };
}

/** `{start: {workflow, prompt}, steps: [{role, output, detail, agent}]}`, as it can be after `last`. */
export type Contexts = {
  readonly after: (last: Last) => Value;
  /**
   * The same without the earlier steps of roles whose meta declares no field, which may bring any; `null`: there are no such
   * roles, or no others.
   */
  readonly ofDeclared: ((last: Last) => Value) | null;
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
  const start = record("start", "start", { workflow: () => STRING, prompt: () => STRING });
  const afterAnyOf = (earlier: Value, last: Last): Value => {
    const lastStep = (last.kind === "role" ? step.get(last.role) : null) ?? earlier;
    const list = {
      items: () => earlier,
      min: last.kind === "role" ? 1 : 0,
      max: last.kind === "none" ? 0 : Number.POSITIVE_INFINITY,
      last: () => lastStep,
    };
    const steps: Value = { ...NOTHING, nothing: false, list };
    return record("context", "the context", { start: () => start, steps: () => steps });
  };
  const anyStep = unionOf(step.values());
  const declaring = [...step].filter(([role]) => namedFields(roles[role]?.meta ?? true) > 0);
  const isMixed = declaring.length > 0 && declaring.length < step.size;
  const declared = unionOf(declaring.map(([, value]) => value));
  return {
    after: (last) => afterAnyOf(anyStep, last),
    ofDeclared: isMixed ? (last) => afterAnyOf(declared, last) : null,
    roles: names,
  };
}

function namedFields(meta: JsonValue): number {
  const value = valueOfSchema(meta, "");
  return value.any ? 0 : value.objects.flatMap((shape) => shape.names()).length;
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
