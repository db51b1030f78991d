import { type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import { loadDotEnv, openStorage, resolveStorageRoot, type Storage } from "@uncaged/workflow-store";
import type { Env, Host } from "../host/index.js";

export type Opened = { readonly storage: Storage; readonly env: Env };

/** The storage root and the environment with its `.env`; variables that are already set win, `.env` elsewhere is not read. */
export async function openRoot(host: Host): Promise<Result<Opened, Fault>> {
  const root = resolveStorageRoot(host);
  if (!root.ok) return root;
  const storage = openStorage(root.value, { now: host.now });
  const dotEnv = await loadDotEnv(storage);
  if (!dotEnv.ok) return dotEnv;
  const added = Object.entries(dotEnv.value.variables).filter(([name]) => host.env[name] === undefined);
  const env = { ...Object.fromEntries(added), ...host.env };
  for (const [name, value] of added) host.setEnv(name, value);
  return ok({ storage, env });
}
