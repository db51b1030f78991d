import { resolve } from "node:path";
import {
  type CommandContext,
  counted,
  defineCommand,
  document,
  FOLDER,
  lines,
  OPEN_REMOTE_FAULTS,
  OWN_UWF,
  PATH,
  POSITIVE,
  TIME,
  type UwfCommand,
  WORKFLOW,
  workflowHash,
} from "@uncaged/cli-workflow/add-on";
import { flag, option, text, usually, wholeNumber } from "@uncaged/command-line";
import { replaceFile } from "@uncaged/json-cas-fs";
import { givenFolder, nameRoot, uwfAt } from "@uncaged/workflow-engine";
import { ENV, err, type Fault, fault, messageOf, ok, type Result } from "@uncaged/workflow-protocol";
import { asOnlyWorker, attempt, checkTrust } from "@uncaged/workflow-store";
import type { RemoteThread } from "../types.js";
import {
  createWorkspaces,
  gitWith,
  parseGitAddress,
  type WorkFigures,
  withRemote,
  work,
} from "../work/index.js";

/** In ms. */
const LEASE = 15 * 60 * 1000;

/** Steps threads of the remote in this storage root, each step by a `uwf thread step` of its own. */
export const worker: UwfCommand = defineCommand({
  path: "worker",
  summary: "step the threads of a remote, until a signal stops it",
  options: {
    jobs: usually(wholeNumber("count", 1, 1000), 1, "this many threads at a time"),
    workflow: option(
      { ...WORKFLOW, faults: ["WORKFLOW_NOT_FOUND"] },
      "only threads of this workflow: a hash, or a registered name, which means its current version",
    ),
    untilIdle: flag("end when no thread is ready or running"),
    maxSteps: option(POSITIVE, "end after this many steps"),
    lease: option(TIME, "silence after which this root counts as lost (default: 15m)"),
    cwdBelow: option(
      { ...FOLDER, faults: ["INVALID_INPUT"] },
      "refuse threads whose folder (submit --cwd) is not inside this one, and set them aside",
    ),
    healthFile: option(
      { ...PATH, faults: [] },
      "write the time into this file every 5 seconds, while the remote can be reached",
    ),
  },
  examples: [
    "uwf worker --jobs 4",
    "uwf worker --until-idle --max-steps 100",
    "uwf worker --health-file /run/uwf/health",
    "uwf worker --cwd-below /srv/work",
  ],
  notes: `Each step is an ordinary \`uwf thread step\`, with this root's config.yaml and
agents. A root has one worker; more machines, or more roots, work side by side.
SIGTERM: no new step; what runs is finished and pushed. A killed worker's steps
are taken up by the next worker of its root; a root that is silent for --lease
counts as lost, and its threads go to others. More: uwf help remotes`,
  exits: [
    "OLDER_ROOT",
    "ROOT_NOT_TRUSTED",
    "LOCK_BUSY",
    ...OPEN_REMOTE_FAULTS,
    "NOT_ON_REMOTE",
    "WORKER_BUSY",
    "ROOT_NAME_TAKEN",
    "WORKER_UNFIT",
  ],
  sample: {
    line: "worker --until-idle",
    prints: "0 steps pushed, 0 too late, 0 threads put aside",
  },
  run: async (context, { lease, healthFile, cwdBelow, workflow: named, jobs, untilIdle, maxSteps }) => {
    const opened = context.openStorage();
    if (!opened.ok) return opened;
    const storage = opened.value;
    const { host } = context;
    const trusted = checkTrust(storage, host.env);
    if (!trusted.ok) return trusted;
    const below = givenFolder(host.cwd, cwdBelow, "--cwd-below");
    if (!below.ok) return below;
    const workflow = named === null ? ok(null) : await workflowHash(storage, named);
    if (!workflow.ok) return workflow;
    // Agents have no business in the database.
    const env = { ...host.env, [ENV.remoteUrl]: undefined };
    const leaseSeconds = Math.max(1, Math.round((lease ?? LEASE) / 1000));
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
            workspaces: createWorkspaces(storage, gitWith(env)),
            renewed: () => followHealth(context, healthFile),
            uwf: (thread, stop) => uwfAt(OWN_UWF, { ...env, [ENV.leased]: thread }, stop),
          },
          { jobs, untilIdle, maxSteps, leaseSeconds, workflow: workflow.value },
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
  },
});

/** A monitor checks the age of this file: a worker that hangs, or that has no database, does not write it. */
function followHealth({ host, warn }: CommandContext, file: string | null): void {
  if (file === null) return;
  const kept = attempt(() =>
    replaceFile(resolve(host.cwd, file), `${new Date(host.now()).toISOString()}\n`, null),
  );
  if (!kept.ok) warn(messageOf(kept.error));
}

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
