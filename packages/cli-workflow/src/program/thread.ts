import type { Command } from "commander";
import { load } from "./load.js";
import { amount, defined, leaf, once, orNone, seconds, wholeNumber } from "./options.js";
import type { Invoke } from "./program.js";
import { type OfRemote, REMOTE_OPTION, remoteThreadCommands } from "./remote.js";
import { type PromptOptions, promptOptions, promptRequest, steppers, waitMsOf } from "./steppers.js";

type StartOptions = PromptOptions & {
  readonly parent?: string;
  readonly maxSteps?: number;
  readonly maxCost?: number;
  readonly maxMinutes?: number;
};

type LimitOptions = {
  readonly maxSteps?: number | "none";
  readonly maxCost?: number | "none";
  readonly maxMinutes?: number | "none";
};

type ForkOptions = {
  readonly workflow?: string;
  readonly dryRun: boolean;
  readonly cwd?: string;
  readonly insteadOf?: string;
};

type UnlockOptions = { readonly force: boolean; readonly index: boolean };

export function threadCommands(group: Command, invoke: Invoke): void {
  writers(group, invoke);
  steppers(group, invoke);
  remoteThreadCommands(group, invoke);
  answers(group, invoke);
  readers(group);
}

function writers(group: Command, invoke: Invoke): void {
  const examples = [
    'uwf thread start solve-issue -p "Fix the login redirect"',
    "git log -1 --format=%B | uwf thread start solve-issue -p -",
    "uwf thread start ./solve-issue.yaml --prompt-file task.md",
    'uwf thread start solve-issue -p "Fix #41" --key issue-41',
  ];
  promptOptions(leaf(group, "start <workflow>", "create a thread without running anything", examples))
    .option(
      "--parent <thread>",
      "for agents: the thread that starts it; --key is then <head>/<role>[/<item>]",
      once("--parent"),
    )
    .option("--max-steps <count>", "steps that it may take, with all threads below it", wholeNumber(0))
    .option("--max-cost <usd>", "what its agents may cost, as far as they report it", amount)
    .option("--max-minutes <minutes>", "how long its agents may work; waiting does not count", amount)
    .action((workflow: string, options: StartOptions) =>
      invoke(load.threadStart, {
        ...promptRequest(workflow, options),
        parent: options.parent ?? null,
        ...limitsOf(options),
      }),
    );

  leaf(group, "fork <hash>", "create a thread that continues from a StartNode or StepNode", [
    "uwf thread fork 7YQ5C0QZ2T1VA",
    "uwf thread fork 7YQ5C0QZ2T1VA --workflow ./corrected.yaml --dry-run",
    "uwf thread fork 7YQ5C0QZ2T1VA --workflow solve-issue --cwd ../other-checkout",
    "uwf thread fork 7YQ5C0QZ2T1VA --instead-of 01KAJ5E8",
  ])
    .option(
      "--workflow <workflow>",
      "continue under this workflow (file, name or hash); every step must fit it",
      once("--workflow"),
    )
    .option("--dry-run", "print what would happen, write nothing", false)
    .option(
      "--instead-of <thread>",
      "archive that thread; the new one has its key, its limits and what it has spent",
      once("--instead-of"),
    )
    .option(
      "--cwd <folder>",
      "folder where its agents work (default: that of the original thread, if known)",
      once("--cwd"),
    )
    .action((hash: string, { workflow, dryRun, cwd, insteadOf }: ForkOptions) =>
      invoke(load.threadFork, {
        hash,
        workflow: workflow ?? null,
        dryRun,
        cwd: cwd ?? null,
        insteadOf: insteadOf ?? null,
      }),
    );

  defined(group, "thread note");

  leaf(group, "limit <thread>", "print what it may spend and has spent, or change the limits", [
    "uwf thread limit 01KAJ5E8",
    "uwf thread limit 01KAJ5E8 --max-cost 10 --max-steps 40",
    "uwf thread limit 01KAJ5E8 --max-minutes none",
  ])
    .option("--max-steps <count>", "steps; none: as config.yaml says", orNone(wholeNumber(0)))
    .option("--max-cost <usd>", "cost of its agents, as far as they report it", orNone(amount))
    .option("--max-minutes <minutes>", "minutes of its agents at work", orNone(amount))
    .action((thread: string, options: LimitOptions) =>
      invoke(load.threadLimit, { thread, ...limitsOf(options) }),
    );

  leaf(group, "pause <thread>", "let no further run start; the one under way finishes and counts", [
    'uwf thread pause 01KAJ5E8 -m "wait for the release"',
    "uwf thread pause 01KAJ5E8 --remote",
  ])
    .option("-m, --message <why>", "why, for those who find it paused", once("--message"))
    .option(...REMOTE_OPTION)
    .action((thread: string, { message, remote }: { readonly message?: string } & OfRemote) =>
      invoke(remote ? load.threadPauseRemote : load.threadPause, { thread, why: message ?? null }),
    );

  leaf(group, "resume [thread]", "let a paused thread go on with its next step", [
    "uwf thread resume 01KAJ5E8",
    "uwf thread resume 01KAJ5E8 --remote",
    "uwf thread resume --remote --failed",
  ])
    .option(...REMOTE_OPTION)
    .option("--failed", "all threads of the remote that were put aside because their step failed", false)
    .action((thread: string | undefined, { remote, failed }: OfRemote & { readonly failed: boolean }) =>
      thread === undefined || failed
        ? invoke(load.threadResumeFailed, { thread: thread ?? null, remote, failed })
        : invoke(remote ? load.threadResumeRemote : load.threadResume, { thread }),
    );

  leaf(group, "kill <thread>", "stop the running step, if any, and archive the thread", [
    "uwf thread kill 01KAJ5E8ZJ4N7XK3M9T2V6W8YB",
  ])
    .option(...REMOTE_OPTION)
    .action((thread: string, { remote }: OfRemote) =>
      invoke(remote ? load.threadKillRemote : load.threadKill, { thread }),
    );

  leaf(group, "rm <thread...>", "remove ended threads, with those below them, from every list", [
    "uwf thread rm 01KAJ5E8",
    "uwf thread rm 01KAJ5E8 01KAJ5F2 && uwf cas gc --yes",
  ]).action((threads: readonly string[]) => invoke(load.threadRm, { threads }));

  leaf(group, "unlock [thread]", "show who holds a thread; release the lock of a provably dead process", [
    "uwf thread unlock 01KAJ5E8ZJ4N7XK3M9T2V6W8YB",
    "uwf thread unlock 01KAJ5E8 --force",
    "uwf thread unlock --index",
  ])
    .option("--force", "release the lock even if its holder is alive or cannot be checked", false)
    .option("--index", "the lock of threads.yaml, history.jsonl and registry.yaml", false)
    .action((thread: string | undefined, { force, index }: UnlockOptions) =>
      invoke(load.threadUnlock, { thread: thread ?? null, force, index }),
    );
}

/** `undefined`: not given. */
function limitsOf({ maxSteps, maxCost, maxMinutes }: LimitOptions) {
  const given = (limit: number | "none" | undefined) => (limit === "none" ? null : limit);
  return { maxSteps: given(maxSteps), maxCostUsd: given(maxCost), maxMinutes: given(maxMinutes) };
}

type AnswerOptions = {
  readonly field?: readonly string[];
  readonly file?: string;
  readonly edit: boolean;
  readonly show: boolean;
  readonly head?: string;
  readonly role?: string;
  readonly by?: string;
  readonly takeOver: boolean;
  readonly wait?: number | true;
};

function answers(group: Command, invoke: Invoke): void {
  leaf(group, "answer <thread>", "answer as the person whom the thread waits for", [
    "uwf thread answer 01KAJ5E8 --show",
    'uwf thread answer 01KAJ5E8 --field approved=true --field comments="ship it"',
    "uwf thread answer 01KAJ5E8 -f answer.md",
    "uwf thread answer 01KAJ5E8 --edit",
  ])
    .option(
      "--field <name=value>",
      "one field of the answer; may be repeated",
      (value: string, before: readonly string[] = []) => [...before, value],
    )
    .option(
      "-f, --file <path>",
      "the answer as Markdown with a header, YAML or JSON; - is stdin",
      once("--file"),
    )
    .option("--edit", "write the answer in $VISUAL or $EDITOR", false)
    .option("--show", "print the question and the fields, change nothing", false)
    .option("--head <hash>", "only if the thread still stands there", once("--head"))
    .option("--role <role>", "only if this role is asked", once("--role"))
    .option("--by <name>", "who answers (default: $USER)", once("--by"))
    .option("--take-over", "answer in the place of an agent", false)
    .option("--wait [seconds]", "wait while another process holds the thread", (value: string) =>
      value === "" ? true : seconds(value),
    )
    .option(...REMOTE_OPTION)
    .action((thread: string, options: AnswerOptions & OfRemote) =>
      invoke(options.remote ? load.threadAnswerRemote : load.threadAnswer, {
        thread,
        fields: options.field ?? [],
        file: options.file ?? null,
        edit: options.edit,
        show: options.show,
        head: options.head ?? null,
        role: options.role ?? null,
        by: options.by ?? null,
        takeOver: options.takeOver,
        waitMs: waitMsOf(options.wait),
        remote: options.remote,
      }),
    );
}

function readers(group: Command): void {
  defined(group, "thread show");
  defined(group, "thread list");
  defined(group, "thread ps");
  defined(group, "thread live");
  defined(group, "thread steps");
  defined(group, "thread report");
  defined(group, "thread read");
  defined(group, "thread usage");
  defined(group, "thread step-details");
}
