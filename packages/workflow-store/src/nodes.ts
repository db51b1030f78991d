import {
  CasError,
  type CasNode,
  declareTypes,
  getSchema,
  type Hash,
  isHash,
  isObject,
  type JsonObject,
  type JsonValue,
  putSchema,
  type Store,
  validateBuiltIn,
  violationMessage,
} from "@uncaged/json-cas";
import {
  ANSWER_SCHEMA,
  type AnswerPayload,
  CHUNKED_FILE_SCHEMA,
  type ChunkedFilePayload,
  CONTENT_SCHEMA,
  type ContentPayload,
  EXTRACTED_SESSION_SCHEMA,
  type ExtractedSessionPayload,
  err,
  type Fault,
  FILE_CHUNK_SCHEMA,
  FILE_SCHEMA,
  type FileChunkPayload,
  type FilePayload,
  fault,
  isWorkflowName,
  JOIN_SCHEMA,
  type JoinPayload,
  LIMITS,
  ok,
  PLAYED_WORKFLOW_SCHEMA,
  REACT_SESSION_SCHEMA,
  REACT_TOOL_CALL_SCHEMA,
  REACT_TURN_SCHEMA,
  type ReactSessionPayload,
  type ReactToolCallPayload,
  type ReactTurnPayload,
  type Ref,
  type Result,
  ROLE_NAME,
  referenceFields,
  START_NODE_SCHEMA,
  STEP_NODE_SCHEMA,
  type StartNodePayload,
  type StepNodePayload,
  WORKFLOW_SCHEMA,
  type WorkflowPayload,
} from "@uncaged/workflow-protocol";
import { attempt } from "./attempt.js";

const SCHEMA = {
  workflow: WORKFLOW_SCHEMA,
  playedWorkflow: PLAYED_WORKFLOW_SCHEMA,
  startNode: START_NODE_SCHEMA,
  stepNode: STEP_NODE_SCHEMA,
  content: CONTENT_SCHEMA,
  answer: ANSWER_SCHEMA,
  reactSession: REACT_SESSION_SCHEMA,
  extractedSession: EXTRACTED_SESSION_SCHEMA,
  reactTurn: REACT_TURN_SCHEMA,
  reactToolCall: REACT_TOOL_CALL_SCHEMA,
  file: FILE_SCHEMA,
  chunkedFile: CHUNKED_FILE_SCHEMA,
  fileChunk: FILE_CHUNK_SCHEMA,
  join: JOIN_SCHEMA,
} as const;

/**
 * The types of our nodes. Constants, because every process needs them and schemas never change within a storage
 * format; a test compares them with the schemas.
 */
export const TYPE = {
  workflow: "1HMT7KFTYQX5H" as Hash,
  playedWorkflow: "8W5SXWTBHAMGB" as Hash,
  startNode: "1ACG42ARBBGGM" as Hash,
  stepNode: "48PJ12JC509YP" as Hash,
  content: "016K8DJZ2QPQ8" as Hash,
  answer: "8WJ3ZA8YHYXK4" as Hash,
  reactSession: "4QHFKNYC6XMS8" as Hash,
  extractedSession: "2QQ43G6EVWRMW" as Hash,
  reactTurn: "78KDFX8Q5DHDQ" as Hash,
  reactToolCall: "DMWA54KB46E0X" as Hash,
  file: "6NVJGNS9Z48E0" as Hash,
  chunkedFile: "4ZDRYVFBG5YVF" as Hash,
  fileChunk: "3MDY18ZKPYXXY" as Hash,
  join: "7G98W3R48R0KY" as Hash,
} as const;

type Name = keyof typeof TYPE;

const NAMES = Object.keys(TYPE) as readonly Name[];

declareTypes(NAMES.map((name) => [TYPE[name], SCHEMA[name]]));

/** Few threads need one: their schemas come with the first node. */
const RARE: readonly Name[] = ["file", "chunkedFile", "fileChunk", "join"];

/** Stores the schemas of a thread's nodes that the store does not have yet, but not the rare ones. */
export function ensureTypes(store: Store): Promise<void> {
  return ensure(
    store,
    NAMES.filter((name) => !RARE.includes(name)),
  );
}

async function ensure(store: Store, names: readonly Name[]): Promise<void> {
  for (const name of names) if (!store.has(TYPE[name])) await putSchema(store, SCHEMA[name]);
}

/** What nodes hold. There are two types of workflows, and two of files, each of one name. */
type Payloads = {
  readonly workflow: WorkflowPayload;
  readonly startNode: StartNodePayload;
  readonly stepNode: StepNodePayload;
  readonly content: ContentPayload;
  readonly answer: AnswerPayload;
  readonly reactSession: ReactSessionPayload;
  readonly extractedSession: ExtractedSessionPayload;
  readonly reactTurn: ReactTurnPayload;
  readonly reactToolCall: ReactToolCallPayload;
  readonly file: FilePayload | ChunkedFilePayload;
  readonly fileChunk: FileChunkPayload;
  readonly join: JoinPayload;
};

/** The hash of a durable node, of a file's by its type. Throws `CasError`; nothing was written then. */
export function putNode<N extends keyof Payloads>(
  store: Store,
  name: N,
  payload: Payloads[N],
): Promise<Ref<Payloads[N]>> {
  const stored =
    name === "workflow" ? storedWorkflow(payload as WorkflowPayload) : { type: TYPE[name], payload };
  return put(store, stored.type, stored.payload);
}

/** A workflow that says of no role who plays it has the older type, and its hash. */
export function storedWorkflow(workflow: WorkflowPayload): {
  readonly type: Hash;
  readonly payload: JsonObject;
} {
  const roles = Object.entries(workflow.roles);
  if (roles.some(([, { agent }]) => agent !== null)) return { type: TYPE.playedWorkflow, payload: workflow };
  const plain = roles.map(([name, { agent: _, ...role }]) => [name, role]);
  return { type: TYPE.workflow, payload: { ...workflow, roles: Object.fromEntries(plain) } };
}

/** Whatever its type; `putNode` says which payload belongs to which. */
export async function put(store: Store, type: Hash, payload: JsonValue): Promise<Hash> {
  try {
    return await store.put(type, payload);
  } catch (error) {
    // The first node of this type: store the types, then retry. Only this put pays, as no other checks for
    // its type.
    if (!(error instanceof CasError) || error.fault.code !== "UNKNOWN_TYPE") throw error;
    await ensure(store, NAMES);
    return store.put(type, payload);
  }
}

type Typed<T> = {
  readonly hash: Ref<T>;
  readonly payload: T;
  /** Epoch ms of the first put. */
  readonly timestamp: number;
};

export type StartNode = Typed<StartNodePayload>;
export type StepNode = Typed<StepNodePayload>;
export type WorkflowNode = Typed<WorkflowPayload>;

/** Absent: NODE_MISSING. Another type: WRONG_NODE_TYPE. Right type but not its shape, or bytes that do not have this hash: NODE_DAMAGED. */
export function readNode<N extends keyof Payloads>(
  store: Store,
  name: N,
  hash: Hash,
): Result<Typed<Payloads[N]>, Fault> {
  const node = getNode(store, hash);
  if (!node.ok) return node;
  const { type } = node.value;
  const expected = TYPE[name === "workflow" ? "playedWorkflow" : name];
  return isOfType(type, expected) || (name === "file" && type === TYPE.chunkedFile)
    ? typed<Payloads[N]>(hash, node.value)
    : wrongType(store, hash, typeName(store, expected), type);
}

/** A step's structured output: any node's payload. */
export function readOutput(store: Store, hash: Hash): Result<JsonValue, Fault> {
  const node = getNode(store, hash);
  return node.ok ? ok(node.value.payload) : node;
}

/** What a head may point to. */
export type ChainNode = ({ readonly kind: "start" } & StartNode) | ({ readonly kind: "step" } & StepNode);

/** A StartNode or a StepNode: what a head may point to and what can be forked. */
export function readChainNode(store: Store, hash: Hash): Result<ChainNode, Fault> {
  const node = getNode(store, hash);
  if (!node.ok) return node;
  const { type } = node.value;
  if (type === TYPE.startNode) {
    const start = typed<StartNodePayload>(hash, node.value);
    return start.ok ? ok({ kind: "start", ...start.value }) : start;
  }
  if (type !== TYPE.stepNode) return wrongType(store, hash, "StartNode or StepNode", type);
  const step = typed<StepNodePayload>(hash, node.value);
  return step.ok ? ok({ kind: "step", ...step.value }) : step;
}

function getNode(store: Store, hash: Hash): Result<CasNode, Fault> {
  const node = attempt(() => store.get(hash));
  if (!node.ok) return node;
  return node.value === null ? err(fault("NODE_MISSING", { hash, referrer: null })) : ok(node.value);
}

/** Whether a node is what a field asks for: there are two types of workflows. */
export function isOfType(type: Hash, expected: Hash): boolean {
  return type === expected || (expected === TYPE.playedWorkflow && type === TYPE.workflow);
}

// Gate: a payload from the store becomes typed here. Its hash says that the bytes are the written ones, its type
// which schema they claim; that the writer checked them against it is not known of a foreign writer.

/** Violations that are told: a foreign node may have any number. */
const TOLD = 5;

/** `T`: what the node's type holds. */
function typed<T>(hash: Hash, node: CasNode): Result<Typed<T>, Fault> {
  const damage = (reason: string) => err(fault("NODE_DAMAGED", { hash, file: null, reason }));
  const violations = validateBuiltIn(node.type, node.payload).slice(0, TOLD);
  if (violations.length > 0) return damage(violations.map(violationMessage).join("; "));
  const payload = node.type === TYPE.workflow ? withAgents(node.payload) : node.payload;
  const problem = FURTHER.get(node.type)?.(payload as never) ?? null;
  return problem === null ? ok({ hash, payload: payload as T, timestamp: node.timestamp }) : damage(problem);
}

/** Both types of workflows are one shape from here on. */
function withAgents(payload: JsonValue): WorkflowPayload {
  const workflow = payload as WorkflowPayload;
  const roles = Object.entries(workflow.roles).map(
    ([name, role]) => [name, { ...role, agent: null }] as const,
  );
  return { ...workflow, roles: Object.fromEntries(roles) };
}

/** What a schema cannot say without being another type, as a sentence. */
const FURTHER: ReadonlyMap<Hash, (payload: never) => string | null> = new Map<
  Hash,
  (payload: never) => string | null
>([
  [TYPE.workflow, strangeName],
  [TYPE.playedWorkflow, strangeName],
  [TYPE.startNode, longPrompt],
]);

/** The characters alone: the bytes of 4 MiB would have to be counted. */
function longPrompt({ prompt }: StartNodePayload): string | null {
  return prompt.length > LIMITS.prompt ? `prompt is longer than ${LIMITS.prompt} characters` : null;
}

/**
 * Names become parts of file names, words of command lines, and what a shell completes: a file with others is refused by
 * `workflow put`, and a node by this.
 */
function strangeName({ name, roles }: WorkflowPayload): string | null {
  if (!isWorkflowName(name)) return "name is not the name of a workflow";
  for (const [role, { agent }] of Object.entries(roles)) {
    if (!ROLE_NAME.test(role))
      return `roles has a role without the name of one: ${JSON.stringify(role.slice(0, 64))}`;
    const child = agent !== null && "workflow" in agent ? agent.workflow.name : null;
    if (child !== null && !isHash(child) && !isWorkflowName(child))
      return `roles.${role}.agent.workflow.name is not the name of a workflow, or a hash`;
  }
  return null;
}

/** What people call a type: its schema's title, else `node of type <hash>`. */
export function typeName(store: Store, type: Hash): string {
  const own = NAMES.find((name) => TYPE[name] === type);
  const schema = attempt(() => (own === undefined ? getSchema(store, type) : SCHEMA[own]));
  const title = schema.ok && isObject(schema.value) ? schema.value.title : null;
  return typeof title === "string" ? title : `node of type ${type}`;
}

function wrongType(store: Store, hash: Hash, expected: string, got: Hash): Result<never, Fault> {
  const name = typeName(store, got);
  // The same name with another schema: a Workflow that is no Workflow of ours.
  const isForeign = expected.split(" or ").includes(name);
  return err(fault("WRONG_NODE_TYPE", { hash, expected, got: isForeign ? `${name} of another uwf` : name }));
}

/** Of each field that refers to nodes of one type that type. */
type FieldTypes = ReadonlyMap<string, Hash>;

function fieldTypes(names: readonly Name[]): ReadonlyMap<Hash, FieldTypes> {
  const types = new Map(NAMES.map((name) => [SCHEMA[name], TYPE[name]]));
  const typesIn = (name: Name): FieldTypes =>
    new Map(
      [...referenceFields(SCHEMA[name])].flatMap(([field, schema]) => {
        const type = types.get(schema);
        return type === undefined ? [] : [[field, type] as const];
      }),
    );
  return new Map(
    names.map((name) => [TYPE[name], typesIn(name)] as const).filter(([, fields]) => fields.size > 0),
  );
}

/** What the fields of a detail's nodes lead to. */
export const DETAIL_FIELDS = fieldTypes([
  "reactSession",
  "extractedSession",
  "answer",
  "reactTurn",
  "reactToolCall",
]);

/** The same for all of our types. */
export const FIELD_TYPES = fieldTypes(NAMES);
