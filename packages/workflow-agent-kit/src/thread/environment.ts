import { ENV, type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import {
  checkTrust,
  keyNames,
  loadConfig,
  loadDotEnv,
  openStorage,
  resolveStorageRoot,
  type Storage,
  secretsIn,
} from "@uncaged/workflow-store";
import { createRedactor, type Redactor } from "@uncaged/workflow-util";
import type { Env, Host } from "../host/index.js";

export type Opened = {
  readonly storage: Storage;
  /** What the author's code and its children see. */
  readonly env: Env;
  /** With the whole `.env`, for the kit's own calls of a model. */
  readonly ownEnv: Env;
  readonly redactor: Redactor;
};

/** `listed`: nothing of it where uwf does not limit the agent to some variables. */
export type DotEnvPart = "all" | "listed";

/**
 * The storage root and the environment with its `.env`; variables that are already set win, `.env` elsewhere is not
 * read. Where uwf limits the agent to some variables, the others of `.env` do not reach the author's code either.
 */
export async function openRoot(host: Host, part: DotEnvPart): Promise<Result<Opened, Fault>> {
  const root = resolveStorageRoot(host);
  if (!root.ok) return root;
  const storage = openStorage(root.value, { now: host.now });
  const trusted = checkTrust(storage, host.env);
  if (!trusted.ok) return trusted;
  const dotEnv = await loadDotEnv(storage);
  if (!dotEnv.ok) return dotEnv;
  const names = await namesOfKeys(storage, host.env);
  if (!names.ok) return names;
  const { variables } = dotEnv.value;
  const redactor = createRedactor(secretsIn(variables, host.env, names.value));
  host.conceal(redactor.text);
  const added = Object.entries(variables).filter(([name]) => host.env[name] === undefined);
  const passed = added.filter(isPassed(host.env, part));
  const env = withAdded(host.env, passed);
  const ownEnv = withAdded(host.env, added);
  for (const [name, value] of passed) host.setEnv(name, value);
  return ok({ storage, env, ownEnv, redactor });
}

/** `fromEntries` takes its time when it is first used: most storage roots have no `.env`. */
function withAdded(env: Env, added: readonly (readonly [string, string])[]): Env {
  return added.length === 0 ? { ...env } : { ...Object.fromEntries(added), ...env };
}

/** uwf says them; an agent that somebody runs by hand looks into config.yaml itself. */
async function namesOfKeys(storage: Storage, env: Env): Promise<Result<readonly string[], Fault>> {
  const told = env[ENV.keyNames];
  if (told !== undefined) return ok(listOf(told));
  const loaded = await loadConfig(storage);
  return loaded.ok ? ok(keyNames(loaded.value.config)) : loaded;
}

function isPassed(env: Env, part: DotEnvPart): (entry: readonly [string, string]) => boolean {
  const limit = env[ENV.agentEnv];
  const names = limit === undefined ? null : new Set(listOf(limit));
  return ([name]) => (names === null ? part === "all" : names.has(name));
}

function listOf(text: string): readonly string[] {
  return text.split(",").filter((name) => name !== "");
}
