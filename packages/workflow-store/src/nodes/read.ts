import { type CasNode, getSchema, type Hash, type JsonValue, type Store } from "@uncaged/json-cas";
import {
  type ChunkedFilePayload,
  type ContentPayload,
  err,
  type Fault,
  type FileChunkPayload,
  type FilePayload,
  fault,
  ok,
  type Ref,
  type Result,
  type StartNodePayload,
  type StepNodePayload,
  type WorkflowPayload,
} from "@uncaged/workflow-protocol";
import { attempt } from "../attempt.js";
import {
  asChunkedFile,
  asContent,
  asFile,
  asFileChunk,
  asPlayedWorkflow,
  asStart,
  asStep,
  asWorkflow,
  type Gate,
} from "./gate.js";
import { TYPE } from "./write.js";

type Typed<T> = {
  readonly hash: Ref<T>;
  readonly payload: T;
  /** Epoch ms of the first put. */
  readonly timestamp: number;
};

export type WorkflowNode = Typed<WorkflowPayload>;
export type StartNode = Typed<StartNodePayload>;
export type StepNode = Typed<StepNodePayload>;

/** What a head may point to. */
export type ChainNode = ({ readonly kind: "start" } & StartNode) | ({ readonly kind: "step" } & StepNode);

// Readers by type. Absent: NODE_MISSING. Another type: WRONG_NODE_TYPE. Right type but not its shape, or bytes that
// do not have this hash: NODE_DAMAGED.

export function readWorkflow(store: Store, hash: Hash): Result<WorkflowNode, Fault> {
  const node = readNode(store, hash);
  if (!node.ok) return node;
  const { type } = node.value;
  if (type === TYPE.playedWorkflow) return typed(hash, node.value, asPlayedWorkflow);
  return type === TYPE.workflow
    ? typed(hash, node.value, asWorkflow)
    : wrongType(store, hash, "Workflow", type);
}

export function readStart(store: Store, hash: Hash): Result<StartNode, Fault> {
  return readTyped(store, hash, TYPE.startNode, asStart);
}

export function readStep(store: Store, hash: Hash): Result<StepNode, Fault> {
  return readTyped(store, hash, TYPE.stepNode, asStep);
}

export function readContent(store: Store, hash: Hash): Result<ContentPayload, Fault> {
  const content = readTyped(store, hash, TYPE.content, asContent);
  return content.ok ? ok(content.value.payload) : content;
}

/** There are two types of files. */
export function readFileNode(store: Store, hash: Hash): Result<FilePayload | ChunkedFilePayload, Fault> {
  const node = readNode(store, hash);
  if (!node.ok) return node;
  const { type } = node.value;
  if (type !== TYPE.file && type !== TYPE.chunkedFile) return wrongType(store, hash, "file", type);
  const gate: Gate<FilePayload | ChunkedFilePayload> = type === TYPE.file ? asFile : asChunkedFile;
  const file = typed(hash, node.value, gate);
  return file.ok ? ok(file.value.payload) : file;
}

export function readFileChunk(store: Store, hash: Hash): Result<FileChunkPayload, Fault> {
  const chunk = readTyped(store, hash, TYPE.fileChunk, asFileChunk);
  return chunk.ok ? ok(chunk.value.payload) : chunk;
}

/** A step's structured output: any node's payload. */
export function readOutput(store: Store, hash: Hash): Result<JsonValue, Fault> {
  const node = readNode(store, hash);
  return node.ok ? ok(node.value.payload) : node;
}

/** A StartNode or a StepNode: what a head may point to and what can be forked. */
export function readChainNode(store: Store, hash: Hash): Result<ChainNode, Fault> {
  const node = readNode(store, hash);
  if (!node.ok) return node;
  if (node.value.type === TYPE.startNode) {
    const start = typed(hash, node.value, asStart);
    return start.ok ? ok({ kind: "start", ...start.value }) : start;
  }
  if (node.value.type !== TYPE.stepNode)
    return wrongType(store, hash, "StartNode or StepNode", node.value.type);
  const step = typed(hash, node.value, asStep);
  return step.ok ? ok({ kind: "step", ...step.value }) : step;
}

/** What people call a type: its schema's title, else `node of type <hash>`. */
export function typeName(store: Store, type: Hash): string {
  const known = TITLES.get(type);
  if (known !== undefined) return known;
  const schema = attempt(() => getSchema(store, type));
  return (schema.ok ? titleOf(schema.value) : null) ?? `node of type ${type}`;
}

const TITLES: ReadonlyMap<Hash, string> = new Map([
  [TYPE.workflow, "Workflow"],
  [TYPE.playedWorkflow, "Workflow"],
  [TYPE.startNode, "StartNode"],
  [TYPE.stepNode, "StepNode"],
  [TYPE.content, "content"],
  [TYPE.answer, "answer"],
  [TYPE.reactSession, "react-session"],
  [TYPE.extractedSession, "extracted-session"],
  [TYPE.reactTurn, "react-turn"],
  [TYPE.reactToolCall, "react-tool-call"],
  [TYPE.file, "file"],
  [TYPE.chunkedFile, "file"],
  [TYPE.fileChunk, "file-chunk"],
  [TYPE.join, "join"],
]);

function readTyped<T>(store: Store, hash: Hash, type: Hash, gate: Gate<T>): Result<Typed<T>, Fault> {
  const node = readNode(store, hash);
  if (!node.ok) return node;
  if (node.value.type !== type) return wrongType(store, hash, typeName(store, type), node.value.type);
  return typed(hash, node.value, gate);
}

function readNode(store: Store, hash: Hash): Result<CasNode, Fault> {
  const node = attempt(() => store.get(hash));
  if (!node.ok) return node;
  return node.value === null ? err(fault("NODE_MISSING", { hash, referrer: null })) : ok(node.value);
}

function typed<T>(hash: Hash, node: CasNode, gate: Gate<T>): Result<Typed<T>, Fault> {
  const payload = gate(node);
  if (!payload.ok) return err(fault("NODE_DAMAGED", { hash, file: null, reason: payload.error }));
  return ok({ hash, payload: payload.value, timestamp: node.timestamp });
}

function wrongType(store: Store, hash: Hash, expected: string, got: Hash): Result<never, Fault> {
  const name = typeName(store, got);
  // The same name with another schema: a Workflow that is no Workflow of ours.
  const isForeign = expected.split(" or ").includes(name);
  return err(fault("WRONG_NODE_TYPE", { hash, expected, got: isForeign ? `${name} of another uwf` : name }));
}

function titleOf(schema: unknown): string | null {
  if (typeof schema !== "object" || schema === null || !("title" in schema)) return null;
  return typeof schema.title === "string" ? schema.title : null;
}
