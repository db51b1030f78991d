import type { Host } from "@uncaged/cli-workflow/add-on";
import { ENV, err, type Fault, fault, type Result } from "@uncaged/workflow-protocol";
import { openRemote } from "../remote.js";
import type { Remote } from "../types.js";

/**
 * Runs `work` with the remote that the environment names, and closes it. Its tables have this program's version, unless
 * `isNew` says that they may not be there yet.
 */
export async function withRemote<T>(
  { env }: Pick<Host, "env">,
  work: (remote: Remote) => Promise<Result<T, Fault>>,
  { isNew }: { readonly isNew: boolean } = { isNew: false },
): Promise<Result<T, Fault>> {
  const url = env[ENV.remoteUrl] || null;
  if (url === null) return err(fault("REMOTE_NOT_SET", {}));
  const opened = await openRemote(url, { isNew });
  if (!opened.ok) return opened;
  const remote = opened.value;
  try {
    const ready = isNew ? null : await remote.check();
    return ready?.ok === false ? ready : await work(remote);
  } finally {
    await remote.close();
  }
}
