import type { AuthoredWorkflow } from "@uncaged/workflow-protocol";
import { error, pointer } from "./problem.js";
import { isObjectSchema } from "./schema.js";
import type { GraphProblem } from "./types.js";

/** A role's output is an object; whether `meta` is a valid schema is the store's question. */
export function checkMetas({ roles }: AuthoredWorkflow): readonly GraphProblem[] {
  return Object.entries(roles)
    .filter(([, { meta }]) => !isObjectSchema(meta))
    .map(([role]) =>
      error(
        "invalid-schema",
        pointer("roles", role, "meta"),
        `the meta of ${role} must describe an object: "type: object" at its root, or in every branch of a root oneOf or anyOf`,
      ),
    );
}
