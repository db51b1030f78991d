import { resolve } from "node:path";
import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import type { RemoteThread } from "@uncaged/workflow-remote";
import type { CommandContext } from "../../line/index.js";
import { parseGitAddress } from "../../remote/index.js";

type LocationRequest = {
  /** Where its agents work, at every worker; `null`: each in an empty folder. */
  readonly cwd: string | null;
  /** A repository where they work, `<url>` or `<url>#<ref>`; `null`: none. */
  readonly workspace: string | null;
};

/** Where agents work at every worker. */
type WorkLocation = Pick<RemoteThread, "cwd" | "workspace">;

export function readWorkLocation(
  { host }: CommandContext,
  { cwd, workspace }: LocationRequest,
): Result<WorkLocation, Fault> {
  // It has to be there on the workers' machines, not on this one.
  if (workspace === null) return ok({ cwd: cwd === null ? null : resolve(host.cwd, cwd), workspace: null });
  if (cwd !== null) {
    const reason = "its agents would have two folders, that of --cwd and that of --workspace";
    return err(fault("INVALID_INPUT", { what: "--workspace", reason, hint: "leave one of them out" }));
  }
  const address = parseGitAddress(workspace);
  return address.ok ? ok({ cwd: null, workspace: { ...address.value, commit: null } }) : address;
}
