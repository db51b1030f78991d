import { resolve } from "node:path";
import { ENV, messageOf, ok } from "@uncaged/workflow-protocol";
import { asOnlyWorker, checkTrust, writeHealth } from "@uncaged/workflow-store";
import { OWN_UWF, uwfAt } from "../children/index.js";
import { givenFolder } from "../folder.js";
import { counted, lines } from "../human/index.js";
import type { CommandContext, CommandResult } from "../line/index.js";
import { nameRoot } from "../own-root.js";
import {
  gitWith,
  type WorkFigures,
  type WorkRequest,
  withRemote,
  work,
  workspacesOf,
} from "../remote/index.js";
import { document } from "./output.js";
import { workflowHash } from "./workflow-filter.js";

/** For whoever looks from outside how old it is: a worker that hangs, or that has no database, writes none. */
function keepHealth({ host, warn }: CommandContext, file: string | null): void {
  if (file === null) return;
  const kept = writeHealth(resolve(host.cwd, file), host.now());
  if (!kept.ok) warn(messageOf(kept.error));
}

/** Steps threads of the remote in this storage root, each step by a `uwf thread step` of its own. */
export async function worker(
  context: CommandContext,
  {
    healthFile,
    cwdBelow,
    ...request
  }: WorkRequest & { readonly healthFile: string | null; readonly cwdBelow: string | null },
): CommandResult {
  const opened = context.openStorage();
  if (!opened.ok) return opened;
  const storage = opened.value;
  const { host } = context;
  const trusted = checkTrust(storage, host.env);
  if (!trusted.ok) return trusted;
  const below = givenFolder(host.cwd, cwdBelow, "--cwd-below");
  if (!below.ok) return below;
  const workflow = request.workflow === null ? ok(null) : await workflowHash(storage, request.workflow);
  if (!workflow.ok) return workflow;
  // Agents have no business in the database.
  const env = { ...host.env, [ENV.remoteUrl]: undefined };
  const figures = await asOnlyWorker<WorkFigures>(storage, async () => {
    const root = await nameRoot(context, storage);
    if (!root.ok) return root;
    return withRemote(host, (remote) =>
      work(
        {
          ...context,
          host,
          storage,
          remote,
          root: root.value.name,
          place: root.value.place,
          cwdBelow: below.value,
          workspaces: workspacesOf(storage, gitWith(env)),
          heard: () => keepHealth(context, healthFile),
          uwf: (thread, stop) => uwfAt(OWN_UWF, { ...env, [ENV.leased]: thread }, stop),
        },
        { ...request, workflow: workflow.value },
      ),
    );
  });
  if (!figures.ok) return figures;
  const { steps, refused, failed } = figures.value;
  return document(figures.value, (screen) =>
    lines(screen, [
      `${counted(steps, "step")} pushed, ${refused} too late, ${counted(failed, "thread")} put aside`,
    ]),
  );
}
