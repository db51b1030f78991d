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
import { firstOf, gather, propertiesOf, statedTypes } from "@uncaged/json-schema";
import {
  type AuthoredWorkflow,
  type HumanPlayer,
  isWorkflowName,
  nearWorkflowName,
  type RolePlayer,
} from "@uncaged/workflow-protocol";
import { withAnswerFields } from "../answer.js";
import {
  checked,
  defaulted,
  FILLED_TEXT,
  FLAG,
  type Kind,
  optional,
  orNull,
  readFields,
  record,
  required,
  schemaOf,
  WORD,
} from "../fields.js";
import { addError, asMap, below, describe, type Findings, refuseValue, segmentsOf } from "../shape.js";

// A role's `agent`: a person or child threads.

const DURATION: Kind<number> = {
  read: asDuration,
  schema: { type: "string", pattern: "^\\d+(\\.\\d+)?[smhd]$" },
  standIn: 0,
};

const HUMAN = {
  timeout: optional(
    DURATION,
    "How long the person has, from the moment they are asked: 90s, 15m, 2h, 3d. Belongs together with default.",
    "3d",
  ),
  default: optional(
    { read: asMap, schema: { type: "object" }, standIn: {} },
    "The answer after the timeout. It satisfies the role's meta. Silence is an answer only here.",
    { approved: false },
  ),
};

/** As the agent's own limit. */
const MOST_JOBS = 32;

const JOBS = checked<number>(
  1,
  { type: "integer", minimum: 1, maximum: MOST_JOBS },
  `a whole number from 1 to ${MOST_JOBS}`,
);

const NAME: Kind<string> = { ...WORD, read: asWorkflow };

const LIST_FIELD = checked<string>(
  "",
  { type: "string", pattern: "^[^.]+(\\.[^.]+)+$" },
  (value) => `each must be a role and a field of it, as in planner.phases, found ${describe(value)}`,
);

const PROMPT_KIND = checked<"role" | "task">(
  "role",
  { enum: ["role", "task"] },
  (value) => `prompt must be role or task, found ${describe(value)}`,
);

export const CHILDREN = {
  workflow: required(
    NAME,
    "The workflow that plays the role: a name in .workflows/ of the thread's folder (files as they were when the thread began), a registered name, or a hash, in this order; no path. Its child thread runs to its end in one step.",
    "develop",
  ),
  each: optional(
    { ...LIST_FIELD, text: "prose" },
    "A child for each item of this list: <role>.<field> in the newest output of an earlier role.",
    "planner.phases",
  ),
  jobs: defaulted(
    JOBS,
    "Children at a time; 1 if not given. Agents in one folder overwrite each other's work.",
    2,
  ),
  partial: defaulted(FLAG, "true: a failed child becomes null in results instead of failing the role.", true),
  output: optional(
    FILLED_TEXT,
    "JSONata over the child's {start, steps} that makes the role's output; by default the fields of its last output.",
    "steps[-1].output",
  ),
  prompt: defaulted(
    { ...PROMPT_KIND, text: "prose" },
    "What the child is asked: the role's texts with the task (role), or the thread's task alone.",
    "task",
  ),
};

const ANYTIME: HumanPlayer = { timeoutSeconds: null, default: null };

const PERSON = record("person", HUMAN);

const BY_PERSON: Kind<HumanPlayer> = { read: readHuman, schema: orNull(PERSON.schema), standIn: ANYTIME };

const BY_HUMAN = {
  human: required(
    BY_PERSON,
    "A person answers with `uwf thread answer`; without a timeout the thread waits for ever.",
    { timeout: "3d", default: { approved: false } },
  ),
};

/** `agent`: who plays the role. `human` is short for a person without a time limit. */
export const PLAYER: Kind<RolePlayer> = {
  read: readPlayer,
  schema: { anyOf: [{ const: "human" }, schemaOf("person", BY_HUMAN), schemaOf("child threads", CHILDREN)] },
  standIn: { human: ANYTIME },
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
  if (!Object.hasOwn(value, "workflow")) return readFields(findings, path, value, BY_HUMAN);
  // Whether `each` is a list is checked with the other roles.
  const { workflow: name, ...others } = readFields(findings, path, value, CHILDREN);
  return { workflow: { name, ...others } };
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
  let schema: JsonValue = meta;
  for (const [at, field] of fields.entries()) {
    const { conjuncts } = gather(meta, schema);
    const known = propertiesOf(conjuncts);
    const inner = known.get(field);
    if (inner === undefined) {
      const near = suggest(field, known.keys());
      const isClosed = known.size > 0 && firstOf(conjuncts, "additionalProperties") === false;
      if (near === null && !isClosed) return null;
      const meant = near === null ? null : [role, ...fields.slice(0, at), near, ...fields.slice(at + 1)];
      return { message: `the meta of ${role} has no field ${field}`, suggestion: meant?.join(".") ?? null };
    }
    schema = inner;
  }
  const types = statedTypes(gather(meta, schema).conjuncts) ?? ["array"];
  if (types.includes("array")) return null;
  const message = `it is of type ${types.join(" or ")} in the meta of ${role}, not a list (array)`;
  return { message, suggestion: null };
}

function readHuman(findings: Findings, path: string, value: JsonValue | undefined): HumanPlayer | null {
  if (value === true)
    return refuseValue(findings, path, "without a time limit it is just `agent: human`, found true", "{}");
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
