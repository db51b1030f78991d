import {
  isHash,
  isObject,
  type JsonObject,
  type JsonValue,
  suggest,
  type Violation,
  validatePayload,
  violationMessage,
} from "@uncaged/json-cas";
import {
  type AuthoredWorkflow,
  type HumanPlayer,
  isWorkflowName,
  nearWorkflowName,
  type RolePlayer,
  type WorkflowPlayer,
} from "@uncaged/workflow-protocol";
import { withAnswerFields } from "../answer.js";
import {
  FILLED_TEXT,
  filled,
  type Kind,
  optional,
  orNull,
  readFields,
  required,
  schemaOf,
} from "../fields.js";
import {
  addError,
  asBoolean,
  asMap,
  asNumber,
  below,
  describe,
  type Findings,
  refuseValue,
  segmentsOf,
} from "../shape.js";

// A role's `agent`: a person or child threads.

const HUMAN = {
  timeout: optional(
    { read: asDuration, schema: { type: "string", pattern: "^\\d+(\\.\\d+)?[smhd]$" } },
    {
      description:
        "How long the person has, from the moment they are asked: 90s, 15m, 2h, 3d. Belongs together with default.",
      example: "3d",
    },
  ),
  default: optional(
    { read: asMap, schema: { type: "object" } },
    {
      description:
        "The answer after the timeout. It satisfies the role's meta. Silence is an answer only here.",
      example: { approved: false },
    },
  ),
};

/** As the agent's own limit. */
const MOST_JOBS = 32;

export const CHILDREN = {
  workflow: filled(
    "",
    required(
      { read: asWorkflow, schema: { type: "string" }, text: "word" },
      {
        description:
          "The workflow that plays the role: a name in .workflows/ of the thread's folder (files as they were when the thread began), a registered name, or a hash, in this order; no path. Its child thread runs to its end in one step.",
        example: "develop",
      },
    ),
  ),
  each: optional(
    { read: asPlace, schema: { type: "string", pattern: "^[^.]+(\\.[^.]+)+$" }, text: "prose" },
    {
      description:
        "A child for each item of this list: <role>.<field> in the newest output of an earlier role.",
      example: "planner.phases",
    },
  ),
  jobs: filled(
    1,
    optional(
      { read: asJobs, schema: { type: "integer", minimum: 1, maximum: MOST_JOBS } },
      {
        description: "Children at a time; 1 if not given. Agents in one folder overwrite each other's work.",
        example: 2,
      },
    ),
  ),
  partial: filled(
    false,
    optional(
      { read: asBoolean, schema: { type: "boolean" } },
      {
        description: "true: a failed child becomes null in results instead of failing the role.",
        example: true,
      },
    ),
  ),
  output: optional(FILLED_TEXT, {
    description:
      "JSONata over the child's {start, steps} that makes the role's output; by default the fields of its last output.",
    example: "steps[-1].output",
  }),
  prompt: filled(
    "role",
    optional(
      { read: asPromptKind, schema: { enum: ["role", "task"] }, text: "prose" },
      {
        description:
          "What the child is asked: the role's texts with the task (role), or the thread's task alone.",
        example: "task",
      },
    ),
  ),
};

const BY_HUMAN = {
  human: required(
    { read: readHuman, schema: orNull(schemaOf("person", HUMAN)) },
    {
      description: "A person answers with `uwf thread answer`; without a timeout the thread waits for ever.",
      example: { timeout: "3d", default: { approved: false } },
    },
  ),
};

/** `agent`: who plays the role. `human` is short for a person without a time limit. */
export const PLAYER: Kind<RolePlayer> = {
  read: readPlayer,
  schema: { anyOf: [{ const: "human" }, schemaOf("person", BY_HUMAN), schemaOf("child threads", CHILDREN)] },
};

function readPlayer(findings: Findings, path: string, value: JsonValue | undefined): RolePlayer | null {
  if (value === "human") return { human: ANYTIME };
  if (!isObject(value)) {
    return refuseValue(
      findings,
      path,
      `agent must be human, or a map with human or workflow; which command plays a role is said in config.yaml, found ${describe(value)}`,
      typeof value === "string" ? suggest(value, ["human"]) : null,
    );
  }
  if (Object.hasOwn(value, "workflow")) return { workflow: readChildren(findings, path, value) };
  const { human } = readFields(findings, path, value, BY_HUMAN);
  return human === null ? null : { human };
}

const ANYTIME: HumanPlayer = { timeoutSeconds: null, default: null };

/** Child threads play the role. Whether `each` is a list is checked with the other roles. */
function readChildren(findings: Findings, path: string, map: JsonObject): WorkflowPlayer {
  const { workflow: name, ...others } = readFields(findings, path, map, CHILDREN);
  return { name, ...others };
}

function asWorkflow(findings: Findings, path: string, value: JsonValue | undefined): string | null {
  if (typeof value === "string" && (isWorkflowName(value) || isHash(value))) return value;
  // Not the file: the child is found by its name.
  const name = typeof value === "string" ? value.replace(/^.*\//, "").replace(/\.ya?ml$/, "") : "";
  const meant = isWorkflowName(name) ? name : nearWorkflowName(name);
  return refuseValue(
    findings,
    path,
    `workflow must be the name of one, or a hash, found ${describe(value)}`,
    meant,
  );
}

function asPlace(findings: Findings, path: string, value: JsonValue | undefined): string | null {
  if (typeof value === "string" && /^[^.]+(?:\.[^.]+)+$/.test(value)) return value;
  return refuseValue(
    findings,
    path,
    `each must be a role and a field of it, as in planner.phases, found ${describe(value)}`,
  );
}

function asJobs(findings: Findings, path: string, value: JsonValue | undefined): number | null {
  const isFit = (count: number): boolean => Number.isInteger(count) && count >= 1 && count <= MOST_JOBS;
  return asNumber(findings, path, value, `a whole number from 1 to ${MOST_JOBS}`, isFit);
}

function asPromptKind(
  findings: Findings,
  path: string,
  value: JsonValue | undefined,
): "role" | "task" | null {
  if (value === "role" || value === "task") return value;
  return refuseValue(findings, path, `prompt must be role or task, found ${describe(value)}`);
}

/** `each` names a list in the meta of a role. What a schema says by references is left to the step. */
export function checkEach(findings: Findings, roles: AuthoredWorkflow["roles"]): void {
  for (const [name, { agent }] of Object.entries(roles)) {
    const each = agent !== null && "workflow" in agent ? agent.workflow.each : null;
    if (each === null) continue;
    const at = below(below(below("/roles", name), "agent"), "each");
    const [role = "", ...fields] = each.split(".");
    const source = Object.hasOwn(roles, role) ? roles[role] : undefined;
    const wrong = source === undefined ? noRole(role, fields, roles) : noList(source.meta, role, fields);
    if (wrong !== null) refuseValue(findings, at, `each ${each}: ${wrong.message}`, wrong.suggestion);
  }
}

type Wrong = { readonly message: string; readonly suggestion: string | null };

function noRole(role: string, fields: readonly string[], roles: AuthoredWorkflow["roles"]): Wrong {
  const near = suggest(role, Object.keys(roles));
  return {
    message: `there is no role ${role}`,
    suggestion: near === null ? null : [near, ...fields].join("."),
  };
}

/** What is wrong with a field that should be a list; `null`: nothing, or the schema does not say. */
function noList(meta: JsonObject, role: string, fields: readonly string[]): Wrong | null {
  let schema: JsonValue | undefined = meta;
  for (const [at, field] of fields.entries()) {
    if (!isObject(schema) || !isObject(schema.properties)) return null;
    if (!Object.hasOwn(schema.properties, field)) {
      const near = suggest(field, Object.keys(schema.properties));
      if (near === null && schema.additionalProperties !== false) return null;
      const suggestion =
        near === null ? null : [role, ...fields.slice(0, at), near, ...fields.slice(at + 1)].join(".");
      return { message: `the meta of ${role} has no field ${field}`, suggestion };
    }
    schema = schema.properties[field];
  }
  if (!isObject(schema) || typeof schema.type !== "string" || schema.type === "array") return null;
  const message = `it is of type ${schema.type} in the meta of ${role}, not a list (array)`;
  return { message, suggestion: null };
}

function readHuman(findings: Findings, path: string, value: JsonValue | undefined): HumanPlayer {
  if (value === true) {
    refuseValue(findings, path, "without a time limit it is just `agent: human`, found true", "{}");
    return ANYTIME;
  }
  const { timeout, default: preset } = readFields(findings, path, value ?? {}, HUMAN);
  // Silence is an answer only where the author has said which.
  if (isObject(value) && Object.hasOwn(value, "timeout") !== Object.hasOwn(value, "default"))
    addError(
      findings,
      path,
      "timeout and default belong together: after that time nobody's answer is the default",
    );
  return { timeoutSeconds: timeout, default: preset };
}

/** Checks that the default, which counts when no person answers in time, satisfies the role's meta. */
export function checkDefaults(findings: Findings, roles: AuthoredWorkflow["roles"]): void {
  for (const [name, { agent, meta }] of Object.entries(roles)) {
    const preset = agent !== null && "human" in agent ? agent.human.default : null;
    if (preset === null) continue;
    const at = ["agent", "human", "default"].reduce(below, below("/roles", name));
    const filled = withAnswerFields(meta, preset, { by: "nobody", at: 0, timedOut: true });
    for (const violation of validatePayload(meta, filled)) refuseDefault(findings, at, preset, violation);
  }
}

/** A required field that is missing may be there under another name. */
function refuseDefault(findings: Findings, at: string, preset: JsonObject, violation: Violation): void {
  const { path, keyword } = violation;
  const field = keyword === "required" ? (segmentsOf(path).at(-1) ?? "") : "";
  const misspelt = Object.keys(preset).find((name) => suggest(name, [field]) !== null) ?? null;
  const message = `the default does not satisfy meta: ${violationMessage(violation)}`;
  const code = "invalid";
  if (misspelt === null) refuseValue(findings, `${at}${path}`, message, null, code);
  else
    findings.add({
      severity: "error",
      code,
      path: below(at, misspelt),
      offset: null,
      message,
      suggestion: field,
      also: [],
    });
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

function asDuration(findings: Findings, path: string, value: JsonValue | undefined): number | null {
  const [, count, unit = ""] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(String(value)) ?? [];
  const seconds = Number(count) * (UNITS[unit] ?? Number.NaN);
  if (typeof value === "string" && seconds > 0) return seconds;
  const message = `timeout must be a time such as 90s, 15m, 2h or 3d, found ${describe(value)}`;
  return refuseValue(findings, path, message, durationIn(String(value)));
}

/** `2d` for `2 days`; a bare number may be anything. */
function durationIn(text: string): string | null {
  const [, count, unit] = /^\s*(\d+)\s*([smhd])[a-z]*\s*$/i.exec(text) ?? [];
  return count === undefined || unit === undefined ? null : `${count}${unit.toLowerCase()}`;
}
