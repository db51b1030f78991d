import type { JsonValue } from "@uncaged/json-cas";
import { type CasRef, ENV, type Fault, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import {
  checkTrust,
  keyNames,
  loadConfig,
  loadDotEnv,
  openStorage,
  type RunDir,
  readProjectEnv,
  redactorOf,
  resolveStorageRoot,
  type StartNode,
  type StepNode,
  type Storage,
  type WorkflowNode,
} from "@uncaged/workflow-store";
import { findFrontmatter, type Redactor } from "@uncaged/workflow-util";
import type { Env, Host } from "../host.js";

type Opened = {
  readonly storage: Storage;
  /** What the author's code and its children see. */
  readonly env: Env;
  /** With the complete `.env`, for the kit's own calls of a model. */
  readonly ownEnv: Env;
  readonly redactor: Redactor;
};

/** What an agent has to do with keys. */
export type KeyUse = {
  /** What of `.env` reaches it; `listed`: nothing where uwf does not limit the agent to some variables. */
  readonly dotEnv: "all" | "listed";
  /** The variables that its program reads for keys. */
  readonly keyVariables: readonly string[];
};

/**
 * The storage root and the environment with its `.env`; variables that are already set win, `.env` elsewhere is not
 * read. Where uwf limits the agent to some variables, the others of `.env` do not reach the author's code either.
 */
export async function openRoot(host: Host, agent: KeyUse): Promise<Result<Opened, Fault>> {
  const root = resolveStorageRoot(host);
  if (!root.ok) return root;
  const storage = openStorage(root.value, { now: host.now });
  const trusted = checkTrust(storage, host.env);
  if (!trusted.ok) return trusted;
  const dotEnv = await loadDotEnv(storage);
  if (!dotEnv.ok) return dotEnv;
  const keys = await namesOfKeys(storage, host.env);
  if (!keys.ok) return keys;
  const { variables } = dotEnv.value;
  const { env: given } = host;
  const names = [...new Set([...keys.value, ...agent.keyVariables])];
  const project = readProjectEnv(host.cwd);
  if (!project.ok) return project;
  const redactor = redactorOf({ variables, project: project.value, env: given, names });
  host.conceal(redactor.text);
  const added = Object.entries(variables).filter(([name]) => host.env[name] === undefined);
  const passed = added.filter(isPassed(host.env, agent.dotEnv));
  const env = withAdded(host.env, passed);
  const ownEnv = withAdded(host.env, added);
  for (const [name, value] of passed) host.setEnv(name, value);
  return ok({ storage, env, ownEnv, redactor });
}

/** `fromEntries` takes its time when it is first used: most storage roots have no `.env`. */
function withAdded(env: Env, added: readonly (readonly [string, string])[]): Env {
  return added.length === 0 ? { ...env } : { ...Object.fromEntries(added), ...env };
}

/** uwf provides them; an agent that is run by hand reads config.yaml itself. */
async function namesOfKeys(storage: Storage, env: Env): Promise<Result<readonly string[], Fault>> {
  const names = env[ENV.keyNames];
  if (names !== undefined) return ok([...listOf(names), ...keyNames(null, env)]);
  const loaded = await loadConfig(storage);
  return loaded.ok ? ok(keyNames(loaded.value.config, env)) : loaded;
}

function isPassed(env: Env, part: KeyUse["dotEnv"]): (entry: readonly [string, string]) => boolean {
  const limit = env[ENV.agentEnv];
  const names = limit === undefined ? null : new Set(listOf(limit));
  return ([name]) => (names === null ? part === "all" : names.has(name));
}

function listOf(text: string): readonly string[] {
  return text.split(",").filter((name) => name !== "");
}

/**
 * A reply without its header, which the structured output repeats; the complete reply if the header is not
 * evident.
 */
export function replyBody(reply: string, output: JsonValue): string {
  const found = findFrontmatter(reply);
  const block = found.ok ? found.value[0] : undefined;
  if (block?.leading !== true || typeof output !== "object" || output === null) return reply;
  const lines = block.yaml.split("\n");
  const states = (key: string): boolean =>
    lines.some((line) => line.startsWith(`${key}:`) || line.startsWith(`${JSON.stringify(key)}:`));
  return Object.keys(output).some(states) ? block.body : reply;
}

/** The thread as this step finds it; nothing of its history is read yet but the newest step. */
export type OpenThread = {
  readonly storage: Storage;
  /** What the author's code sees. */
  readonly env: Env;
  /** With the complete `.env`, for the kit's own calls of a model. */
  readonly ownEnv: Env;
  /** Takes keys out of everything that is stored or shown. */
  readonly redactor: Redactor;
  readonly thread: ThreadId;
  readonly head: CasRef;
  readonly workflow: WorkflowNode;
  readonly start: StartNode;
  /** `null`: this will be the first step. */
  readonly last: StepNode | null;
  /** The run that uwf started this process for; `null` when uwf did not start it. */
  readonly run: RunDir | null;
};

/** By which an agent recognises its own steps. */
export type Self = {
  /** The name that it gives itself. */
  readonly name: string;
  /** The program of the command that was chosen, without its folder. */
  readonly program: string;
};
