import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { type Hash, isObject, type JsonObject, putSchema } from "@uncaged/json-cas";
import { ENV, programOf, type RoleDefinition } from "@uncaged/workflow-protocol";
import {
  addThread,
  advanceHead,
  expandDetail,
  keyNames,
  loadConfig,
  openStorage,
  putNode,
  readNode,
  readSession,
  type SessionSummary,
  type Storage,
} from "@uncaged/workflow-store";
import { createEventLog, newThreadId } from "@uncaged/workflow-util";
import { orThrow } from "../fault.js";
import type { CheckHost, CheckThread, PlantedKey } from "./types.js";

export type Scratch = {
  readonly folder: string;
  readonly storage: Storage;
  /** In the environment and in `.env`: what an agent must not store. */
  readonly keys: readonly PlantedKey[];
  /** Variables of every run. */
  readonly env: Readonly<Record<string, string>>;
  readonly remove: () => void;
};

/** A scratch storage root, with the user's configuration if requested. Throws `FaultError` if that is invalid. */
export async function makeScratch(host: CheckHost, configFrom: string | null): Promise<Scratch> {
  const from = configFrom === null ? null : resolve(host.cwd, configFrom);
  const names = from === null ? [] : await namesOfKeys(host, from);
  const folder = realpathSync(mkdtempSync(join(host.temporary, "uwf-agent-check-")));
  const root = join(folder, "storage");
  mkdirSync(root, { mode: 0o700 });
  for (const name of from === null ? [] : ["config.yaml", ".env"]) {
    const file = join(from ?? "", name);
    if (existsSync(file)) copyFileSync(file, join(root, name));
  }
  const [inEnvironment, inFile] = ["UWF_CHECK_KEY", "UWF_CHECK_FILE_KEY"].map((name) => ({
    name,
    value: `uwf-check-${host.newToken()}`,
  })) as [PlantedKey, PlantedKey];
  appendFileSync(join(root, ".env"), `\n${inFile.name}=${inFile.value}\n`);
  return {
    folder,
    storage: openStorage(root, { now: host.now }),
    keys: [inEnvironment, inFile],
    env: {
      [inEnvironment.name]: inEnvironment.value,
      [ENV.keyNames]: [...names, inEnvironment.name].join(","),
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function namesOfKeys({ now }: CheckHost, root: string): Promise<readonly string[]> {
  return keyNames(orThrow(await loadConfig(openStorage(root, { now }))).config, {});
}

/** The role between two visits of the one under test; the check itself plays it. */
export const REVIEWER = "reviewer";

export const REVIEW_META: JsonObject = {
  type: "object",
  properties: { approved: { type: "boolean" }, comments: { type: "string" } },
  required: ["approved", "comments"],
};

type ThreadOf = { readonly role: string; readonly meta: JsonObject; readonly task: string };

/** A thread at its start, of a workflow whose first role has this meta. Throws `CasError` if that is not a schema. */
export async function makeThread({ storage }: Scratch, now: number, of: ThreadOf): Promise<CheckThread> {
  const { cas } = storage;
  const meta = await putSchema(cas, of.meta);
  const roles: Record<string, RoleDefinition> = {
    [REVIEWER]: { ...TEXTS, meta: await putSchema(cas, REVIEW_META) },
    [of.role]: { ...TEXTS, description: "Does the task", meta },
  };
  const workflow = await putNode(cas, "workflow", {
    name: "agent-check",
    description: "A conformance run of an agent",
    roles,
    conditions: {},
    graph: {
      $START: [{ role: of.role, condition: null }],
      [REVIEWER]: [{ role: of.role, condition: null }],
      [of.role]: [{ role: of.role === REVIEWER ? "$END" : REVIEWER, condition: null }],
    },
  });
  const start = await putNode(cas, "startNode", { workflow, prompt: of.task });
  const thread = await newThreadId(now);
  orThrow(await addThread(storage, thread, start));
  return { thread, start, head: start, role: of.role, meta };
}

const TEXTS = {
  description: "Reads what the other has delivered",
  goal: "Deliver what the task asks for",
  capabilities: [],
  agent: null,
  procedure: "Do the task, then reply in the format above.",
  output: "The fields of the format, filled with what is true.",
};

/** Moves the head, and logs the step with its session as uwf does: otherwise no later visit would go on in it. */
export async function advance({ storage }: Scratch, thread: CheckThread, next: Hash): Promise<CheckThread> {
  orThrow(await advanceHead(storage, { thread: thread.thread, expected: thread.head, next }));
  const { role, agent, detail } = orThrow(readNode(storage.cas, "stepNode", next)).payload;
  const { sessionId = null, cwd = null } = orThrow(readSession(storage.cas, detail)) ?? {};
  const log = createEventLog({ dir: storage.paths.logs, now: storage.now, thread: thread.thread });
  const program = programOf(agent);
  log("M4T8Q6ZC", "the check took a step", "step", {
    ...NO_RUN,
    role,
    agent: program,
    step: next,
    sessionId,
    cwd,
  });
  return { ...thread, head: next };
}

/** The check has run the agent itself. */
const NO_RUN = {
  run: null,
  head: null,
  attempt: null,
  durationMs: null,
  exitCode: null,
  signal: null,
  usage: null,
} as const;

/** The files that only uwf may change, as they are. */
export function mutableFiles({ paths }: Storage): ReadonlyMap<string, string> {
  const files = [paths.threads, paths.history, paths.registry, paths.config, paths.dotEnv];
  return new Map(files.map((file) => [file, existsSync(file) ? readFileSync(file, "latin1") : ""]));
}

type Fields = Readonly<Record<string, unknown>>;

/** What a detail says about the run, in words. */
export function readTrace(storage: Storage, detail: Hash): string {
  const expanded = expandDetail(storage.cas, detail);
  const { turns, sessionId, usage }: Fields = expanded.ok && isObject(expanded.value) ? expanded.value : {};
  if (!Array.isArray(turns)) return "its detail is a text without a trace";
  const calls = turns.flatMap((turn: Fields) => (Array.isArray(turn.toolCalls) ? turn.toolCalls : []));
  const session = typeof sessionId === "string" ? `session ${sessionId}` : "no session id";
  return `${session}, turns: ${turns.length}, tool calls: ${calls.length}, usage ${usage ? "known" : "unknown"}`;
}

/** The session that a detail is; `null` for another one. */
export function sessionIn({ cas }: Storage, detail: Hash): SessionSummary | null {
  const session = readSession(cas, detail);
  return session.ok ? session.value : null;
}
