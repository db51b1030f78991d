import { ENV, err, type Fault, fault, type Result } from "@uncaged/workflow-protocol";
import type { Remote } from "@uncaged/workflow-remote";
import type { Host } from "../io.js";

// Users who want a remote install the package with the drivers: it is twice as large as all of uwf.

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
  const library = await load();
  if (library === null) return err(fault("REMOTE_NOT_INSTALLED", {}));
  const opened = await library.openRemote(url, { isNew });
  if (!opened.ok) return opened;
  const remote = opened.value;
  try {
    const ready = isNew ? null : await remote.check();
    return ready?.ok === false ? ready : await work(remote);
  } finally {
    await remote.close();
  }
}

/** As Node.js and bun say it. */
const MISSING = /^Cannot find (?:module|package) ['"]@uncaged\/workflow-remote['"]/;

async function load() {
  try {
    return await import("@uncaged/workflow-remote");
  } catch (error) {
    // Anything else is a bug, or a broken installation, and its own sentence says more.
    if (error instanceof Error && MISSING.test(error.message)) return null;
    throw error;
  }
}
