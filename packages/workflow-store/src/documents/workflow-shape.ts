import { basename, dirname } from "node:path";
import { checkSchema, isObject, type JsonObject, type JsonValue } from "@uncaged/json-cas";
import {
  type AuthoredRole,
  type AuthoredWorkflow,
  type ConditionDefinition,
  END,
  FAIL,
  ROLE_NAME,
  START,
  type Transition,
  WORKFLOW_NAME,
} from "@uncaged/workflow-protocol";
import {
  exampleOf,
  type Kind,
  keysOfText,
  mapOf,
  optional,
  PROSE,
  readFields,
  record,
  required,
  TEXTS,
  type TextKind,
  WORD,
} from "../fields.js";
import {
  addError,
  asMap,
  below,
  describe,
  type Findings,
  nameOf,
  refuseValue,
  segmentsOf,
} from "../shape.js";
import { CHILDREN, checkDefaults, checkEach, PLAYER } from "./player-shape.js";

/** Stands in for a `meta` that was refused, so that the rest of the workflow can be checked. */
const ANY_OBJECT: JsonObject = { type: "object" };

/** `meta`: a valid JSON Schema. Whether it describes an object is checked later, with the rest of the role. */
function readMeta(findings: Findings, path: string, value: JsonValue | undefined): JsonObject {
  const meta = asMap(findings, path, value);
  if (meta === null) return ANY_OBJECT;
  const problems = checkSchema(meta);
  for (const { path: inside, message, suggestion } of problems)
    findings.add({
      severity: "error",
      code: "invalid-schema",
      path: `${path}${inside}`,
      // A sentence about a key names it.
      offset: message.includes(JSON.stringify(segmentsOf(inside).at(-1))) ? null : "value",
      message,
      suggestion,
      also: [],
    });
  return problems.length > 0 ? ANY_OBJECT : meta;
}

/** The workflow that a path names: `a/solve-issue.yaml` and `solve-issue/index.yaml` both say `solve-issue`. */
export function nameOfFile(path: string): string | null {
  const match = /^(.+)\.ya?ml$/.exec(basename(path));
  if (match === null) return null;
  return match[1] === "index" ? basename(dirname(path)) : (match[1] ?? null);
}

// The gate from unknown to AuthoredWorkflow. What it refuses it replaces by something harmless, so that the checks of
// the graph run all the same and a file's mistakes are reported together.

/** Where a JSON Schema is described. */
export const META_PLACE = "#/$defs/meta";

const META: Kind<JsonObject> = {
  read: readMeta,
  schema: { $ref: META_PLACE, type: "object" },
  standIn: ANY_OBJECT,
};

const ROLE = {
  description: required(
    PROSE,
    "What the role is, in one line. Agents see it above the role's texts.",
    "Accepts or rejects the change",
  ),
  goal: required(
    PROSE,
    "What the role is to achieve, in one sentence.",
    "Only a correct change gets through",
  ),
  capabilities: required(
    { ...TEXTS, text: "prose" },
    "What the role can do or use. Agents see it as a list; [] for none.",
    ["read the diff", "run the tests"],
  ),
  procedure: required(
    PROSE,
    "How the role proceeds, step by step. The longest of its texts, often a block (|).",
    "Read the diff, then run the tests. Reject what you would not maintain.",
  ),
  output: required(
    PROSE,
    "What the role delivers, in words; meta says it in types.",
    "The verdict in `approved`, the reasons in `comments`.",
  ),
  meta: required(
    META,
    "JSON Schema (2020-12) of the role's structured output, an object. A reply that violates it is not recorded. Conditions read its fields as steps[-1].output.<field>.",
    {
      type: "object",
      properties: { approved: { type: "boolean" }, comments: { type: "string" } },
      required: ["approved", "comments"],
    },
  ),
  agent: optional(
    { ...PLAYER, text: "word" },
    "Who plays the role if not the agent that config.yaml names: a person (human) or child threads of another workflow. Never a command.",
    "human",
  ),
} satisfies Readonly<Record<keyof AuthoredRole, unknown>>;

const CONDITION = {
  description: required(PROSE, "When it is true, in one sentence.", "The reviewer wants changes"),
  expression: required(
    { ...PROSE, standIn: "true" },
    "JSONata over {start: {workflow, prompt}, steps: [{role, output, detail, agent}]}, oldest step first; steps[-1] is the last one. It must give true or false.",
    "steps[-1].output.approved = false",
  ),
} satisfies Readonly<Record<keyof ConditionDefinition, unknown>>;

const ONE_CONDITION = record("condition", CONDITION);

const CONDITIONS: Kind<ConditionDefinition> = { ...ONE_CONDITION, read: readCondition };

const CONDITION_NAME: Kind<string | null> = {
  read: asConditionName,
  schema: { type: ["string", "null"] },
  standIn: null,
  text: "word",
};

const TRANSITION = {
  role: required(
    { ...WORD, standIn: END },
    `The role that comes next; ${END} ends the thread, ${FAIL} ends it as failed.`,
    "developer",
  ),
  condition: required(
    CONDITION_NAME,
    "The name of a condition; null always applies, and belongs last.",
    null,
  ),
} satisfies Readonly<Record<keyof Transition, unknown>>;

const ONE_TRANSITION = record("transition", TRANSITION);

const TRANSITIONS: Kind<readonly Transition[]> = {
  read: readTransitions,
  schema: {
    type: "array",
    minItems: 1,
    items: ONE_TRANSITION.schema,
    description: "Transitions in order: the first whose condition is true is taken.",
  },
  standIn: [ONE_TRANSITION.standIn],
};

const GRAPH = mapOf(TRANSITIONS, ROLE_NAME);

export const WORKFLOW = {
  name: required(
    { ...WORD, standIn: "unnamed", schema: { type: "string", pattern: WORKFLOW_NAME.source } },
    "The workflow's name: lower-case words joined by -. The file is called <name>.yaml.",
    "solve-issue",
  ),
  description: required(
    PROSE,
    "What the workflow does, in one sentence.",
    "Plans, implements and reviews a change until it is right.",
  ),
  roles: required(mapOf(record("role", ROLE), ROLE_NAME), "The roles by name: letters, digits, _ and -.", {
    reviewer: exampleOf(ROLE),
  }),
  conditions: required(mapOf(CONDITIONS), "The conditions that transitions name; {} if there are none.", {
    rejected: exampleOf(CONDITION),
  }),
  graph: required(
    { ...GRAPH, schema: { ...GRAPH.schema, properties: { [START]: TRANSITIONS.schema }, required: [START] } },
    `For ${START} and every role the transitions that leave it.`,
    { [START]: [{ role: "reviewer", condition: null }] },
  ),
} satisfies Readonly<Record<keyof AuthoredWorkflow, unknown>>;

/** The keys whose values are such texts, anywhere in a workflow but in a `meta`. */
export function workflowTexts(text: TextKind): readonly string[] {
  return keysOfText([WORKFLOW, ROLE, CONDITION, TRANSITION, CHILDREN], text);
}

/** `null` if a complete section is missing, so that nothing can be said about the others. */
export function readWorkflow(findings: Findings, value: JsonValue): AuthoredWorkflow | null {
  if (value === null) {
    addError(findings, "", "the file is empty");
    return null;
  }
  const workflow = readFields(findings, "", value, WORKFLOW);
  const map = isObject(value) ? value : {};
  if (![map.roles, map.conditions, map.graph].every(isObject)) return null;
  checkEach(findings, workflow.roles);
  checkDefaults(findings, workflow.roles);
  return workflow;
}

function readCondition(
  findings: Findings,
  path: string,
  value: JsonValue | undefined,
): ConditionDefinition | null {
  if (typeof value === "string") {
    const message = `${nameOf(path)} must be a map with description and expression, found ${describe(value)}`;
    const meant = `{ description: …, expression: ${quotedFor(value)} }`;
    return refuseValue(findings, path, message, meant, "wrong-type");
  }
  return ONE_CONDITION.read(findings, path, value);
}

/** As a text in a map in braces. */
function quotedFor(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}

function readTransitions(
  findings: Findings,
  path: string,
  value: JsonValue | undefined,
): readonly Transition[] | null {
  if (!Array.isArray(value)) {
    const found = `${nameOf(path)} must be a list of transitions, found ${describe(value)}`;
    const help = isObject(value) ? "; put a - before it" : "";
    const meant = typeof value === "string" ? `[${transitionTo(value)}]` : null;
    return refuseValue(findings, path, `${found}${help}`, meant, "wrong-type");
  }
  return value.map(
    (item, index) => readTransition(findings, below(path, index), item) ?? ONE_TRANSITION.standIn,
  );
}

/** As an author would write it. */
function transitionTo(role: string): string {
  return `{ role: ${role}, condition: null }`;
}

function readTransition(findings: Findings, path: string, value: JsonValue): Transition | null {
  if (typeof value === "string") {
    const message = `${nameOf(path)} must be a map with role and condition, found ${describe(value)}`;
    return refuseValue(findings, path, message, transitionTo(value), "wrong-type");
  }
  return ONE_TRANSITION.read(findings, path, withCondition(findings, path, value));
}

/** A role without a condition is meant to come always. */
function withCondition(findings: Findings, path: string, value: JsonValue): JsonValue {
  if (!isObject(value) || Object.keys(value).join() !== "role") return value;
  findings.add({
    severity: "error",
    code: "missing-key",
    path,
    offset: null,
    message: `missing key "condition" in ${nameOf(path)}; null always applies`,
    suggestion: "condition: null",
    also: [],
  });
  return { ...value, condition: null };
}

function asConditionName(findings: Findings, path: string, value: JsonValue | undefined): string | null {
  if (value === null || typeof value === "string") return value;
  const help = value === true ? "; null always applies" : "";
  return refuseValue(
    findings,
    path,
    `condition must be a condition's name or null, found ${describe(value)}${help}`,
    value === true ? "null" : null,
    "wrong-type",
  );
}
