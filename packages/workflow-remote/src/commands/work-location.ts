import { resolve } from "node:path";
import type { CommandContext } from "@uncaged/cli-workflow/add-on";
import { option, text } from "@uncaged/command-line";
import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import type { RemoteThread } from "../types.js";
import { parseGitAddress } from "../work/index.js";

/** Of a thread on the remote: where its agents work. */
export const PLACE_OPTIONS = {
  cwd: option(
    text("folder"),
    "folder where its agents work, on every machine; a relative one is made absolute here (default: an empty one at each worker)",
  ),
  workspace: option(
    text("url[#ref]", { faults: ["INVALID_INPUT"] }),
    "git repository where its agents work: each worker has a checkout, and each step's changes go to its branch uwf/<thread>",
  ),
};

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
