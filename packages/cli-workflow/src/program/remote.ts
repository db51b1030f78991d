import type { Command } from "commander";
import { load } from "./load.js";
import { leaf, once, period, wholeNumber } from "./options.js";
import type { Invoke } from "./program.js";

// Threads on several machines: `remote`, `worker`, and what brings threads there and back.

/** Without a value: `UWF_REMOTE_URL` says which one. */
export const REMOTE_OPTION = ["--remote", "of the remote that UWF_REMOTE_URL names", false] as const;

export type OfRemote = { readonly remote: boolean };

const REMOTE_HELP = `
Its threads: uwf thread submit, push, fetch, and --remote on list, show, read,
steps, usage, answer, pause, resume and kill. More: uwf help remotes`;

export function remoteCommands(group: Command, invoke: Invoke): void {
  group.addHelpText("after", REMOTE_HELP);
  leaf(group, "init", "make the tables of a remote, or bring them up to date", [
    "UWF_REMOTE_URL=postgres://uwf@db/uwf uwf remote init",
  ]).action(() => invoke(load.remoteInit, {}));

  leaf(group, "status", "print how many threads are ready, running, held and failed, and which roots work", [
    "uwf remote status",
    "uwf remote status | jq .threads.ready",
  ]).action(() => invoke(load.remoteStatus, {}));

  leaf(group, "gc", "remove nodes that no thread reaches", ["uwf remote gc", "uwf remote gc --retention 90d"])
    .option(
      "--retention <time>",
      "also remove threads that ended, and roots that were lost, this long ago: 90d",
      period,
    )
    .action(({ retention }: { readonly retention?: number }) =>
      invoke(load.remoteGc, { retentionMs: retention ?? null }),
    );
}

const WORKER_HELP = `
Each step is an ordinary \`uwf thread step\`, with this root's config.yaml and
agents. A root has one worker; more machines, or more roots, work side by side.
SIGTERM: no new step; what runs is finished and pushed. A killed worker's steps
are taken up by the next worker of its root; a root that is silent for --lease
counts as lost, and its threads go to others. More: uwf help remotes`;

type WorkerOptions = {
  readonly jobs: number;
  readonly workflow?: string;
  readonly untilIdle: boolean;
  readonly maxSteps?: number;
  readonly lease?: number;
  readonly cwdBelow?: string;
  readonly healthFile?: string;
};

/** In ms. */
const LEASE = 15 * 60 * 1000;

export function workerCommand(program: Command, invoke: Invoke): void {
  leaf(program, "worker", "step the threads of a remote, until it is told to stop", [
    "uwf worker --jobs 4",
    "uwf worker --until-idle --max-steps 100",
    "uwf worker --health-file /run/uwf/health",
    "uwf worker --cwd-below /srv/work",
  ])
    .option("--jobs <count>", "this many threads at a time", wholeNumber(1, 1000), 1)
    .option(
      "--workflow <workflow>",
      "only threads of this workflow: a hash, or a registered name, which means its current version",
      once("--workflow"),
    )
    .option("--until-idle", "end when no thread is ready or running", false)
    .option("--max-steps <count>", "end after this many steps", wholeNumber(1))
    .option("--lease <time>", "silence after which this root counts as lost, 15m without it", period)
    .option(
      "--cwd-below <folder>",
      "put threads aside whose folder (submit --cwd) does not lead into this one",
      once("--cwd-below"),
    )
    .option(
      "--health-file <path>",
      "write the time into this file whenever the remote has heard of the worker: every 5 seconds",
      once("--health-file"),
    )
    .addHelpText("after", WORKER_HELP)
    .action(({ jobs, workflow, untilIdle, maxSteps, lease, cwdBelow, healthFile }: WorkerOptions) =>
      invoke(load.worker, {
        jobs,
        workflow: workflow ?? null,
        untilIdle,
        maxSteps: maxSteps ?? null,
        leaseSeconds: Math.max(1, Math.round((lease ?? LEASE) / 1000)),
        cwdBelow: cwdBelow ?? null,
        healthFile: healthFile ?? null,
      }),
    );
}
