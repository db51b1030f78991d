import type { AuthoredWorkflow } from "@uncaged/workflow-protocol";
import { error, pointer } from "./problem.js";
import type { GraphProblem } from "./types.js";

const WORKFLOW_NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const ROLE_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

export function checkNames({ name, roles }: AuthoredWorkflow): readonly GraphProblem[] {
  const problems = WORKFLOW_NAME.test(name)
    ? []
    : [
        error(
          "invalid",
          "/name",
          `the name ${quoted(name)} must be lower-case words joined by "-", like solve-issue`,
        ),
      ];
  const badRoles = Object.keys(roles).filter((role) => !ROLE_NAME.test(role));
  return [
    ...problems,
    ...badRoles.map((role) =>
      error(
        "invalid",
        pointer("roles", role),
        `the role name ${quoted(role)} must start with a letter and have at most 64 letters, digits, "_" and "-"`,
      ),
    ),
  ];
}

function quoted(name: string): string {
  return JSON.stringify(name);
}
