import { type Command, Option } from "commander";
import { load } from "./load.js";
import { amount, defined, leaf, once, orNone, seconds, WHEN, wholeNumber } from "./options.js";
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

type ReportOptions = {
  readonly output?: string;
  readonly details: boolean;
  readonly explain: boolean;
  readonly force: boolean;
};

type UnlockOptions = { readonly force: boolean; readonly index: boolean };

export function threadCommands(group: Command, invoke: Invoke): void {
  writers(group, invoke);
  steppers(group, invoke);
  remoteThreadCommands(group, invoke);
  answers(group, invoke);
  readers(group, invoke);
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

type ReadOptions = {
  readonly quota: number;
  readonly before?: string;
  readonly start: boolean;
  readonly detail: boolean;
};

function readers(group: Command, invoke: Invoke): void {
  leaf(group, "show <thread>", "print the state of a thread", ["uwf thread show 01KAJ5E8"])
    .option(...REMOTE_OPTION)
    .action((thread: string, { remote }: OfRemote) =>
      invoke(remote ? load.threadShowRemote : load.threadShow, { thread }),
    );

  lists(group, invoke);

  leaf(group, "ps", "print what runs now: thread, role, agent, since when, last sign of life", [
    "uwf thread ps",
    "uwf thread ps | jq '.[] | [.thread, .run.role, .run.lastSignOfLife]'",
  ]).action(() => invoke(load.threadPs, {}));

  leaf(group, "live [thread]", "follow what runs, or one thread with those below it until it has ended", [
    "uwf thread live",
    "uwf thread live latest",
    "uwf thread live 01KAJ5E8 | jq -c '[.time, .thread, .event // .outcome, .role]'",
  ]).action((thread: string | undefined) => invoke(load.threadLive, { thread: thread ?? null }));

  leaf(group, "steps <thread>", "print the start and every step, oldest first", [
    "uwf thread steps 01KAJ5E8 | jq '.steps[-1].output'",
    "uwf thread steps 01KAJ5E8 --remote",
  ])
    .option(...REMOTE_OPTION)
    .action((thread: string, { remote }: OfRemote) =>
      invoke(remote ? load.threadStepsRemote : load.threadSteps, { thread }),
    );

  leaf(group, "report <thread>", "write what happened, why, and what it cost, as one HTML file", [
    "uwf thread report 01KAJ5E8",
    "uwf thread report 01KAJ5E8 -o report.html --force",
    "uwf thread report 01KAJ5E8 --no-details -o to-share.html",
    "uwf thread report 01KAJ5E8 -o - | wc -c",
  ])
    .option(
      "-o, --output <file>",
      "write to this file, - is stdout (default: <workflow>-<end of the id>.html)",
      once("--output"),
    )
    .option("--no-details", "for sharing: leave out prompts, tool calls, command lines, folders and stderr")
    .option("--explain", "evaluate every condition at every step, however long it takes", false)
    .option("--force", "replace a file that is there already", false)
    .action((thread: string, { output, details, explain, force }: ReportOptions) =>
      invoke(load.threadReport, { thread, output: output ?? null, details, explain, force }),
    );

  leaf(group, "read <thread>", "print the history as Markdown", [
    "uwf thread read 01KAJ5E8",
    "uwf thread read 01KAJ5E8 --quota 20000",
    "uwf thread read 01KAJ5E8 --before 7YQ5C0QZ2T1VA --start",
    "uwf thread read 01KAJ5E8 --detail --quota 100000",
    "uwf thread read 01KAJ5E8 --remote",
  ])
    .option(
      "--quota <characters>",
      "print at most this many characters, newest steps kept",
      wholeNumber(1),
      4000,
    )
    .option("--before <hash>", "only steps strictly before this one")
    .option("--start", "print the header even with --before", false)
    .option("--detail", "include what happened inside each step: prompt, turns, tool calls, usage", false)
    .option(...REMOTE_OPTION)
    .action((thread: string, { quota, before, start, detail, remote }: ReadOptions & OfRemote) =>
      invoke(remote ? load.threadReadRemote : load.threadRead, {
        thread,
        quota,
        before: before ?? null,
        start,
        detail,
      }),
    );

  leaf(group, "usage <thread>", "print tokens and cost of every step, failed runs included", [
    "uwf thread usage 01KAJ5E8 | jq .total",
    "uwf thread usage 01KAJ5E8 --table",
  ])
    .option("--table", "print a table instead of a document", false)
    .option(...REMOTE_OPTION)
    .action((thread: string, { table, remote }: { readonly table: boolean } & OfRemote) =>
      invoke(remote ? load.threadUsageRemote : load.threadUsage, { thread, table }),
    );

  leaf(group, "step-details <hash>", "print what happened inside a step", [
    "uwf thread step-details 7YQ5C0QZ2T1VA",
  ]).action((hash: string) => invoke(load.threadStepDetails, { hash }));
}

type ListOptions = {
  readonly tree: boolean;
  readonly all: boolean;
  readonly held: boolean;
  readonly workflow?: string;
  readonly since?: string;
  readonly limit?: number;
  readonly offset: number;
};

function lists(group: Command, invoke: Invoke): void {
  leaf(group, "list", "print the active threads, oldest first", [
    "uwf thread list",
    "uwf thread list --all --limit 20",
    "uwf thread list --held",
    "uwf thread list --tree",
    "uwf thread list --workflow solve-issue --since 2d",
  ])
    .option("--all", "include ended threads", false)
    .option("--held", "only threads that wait: for an answer, for other threads, paused", false)
    .addOption(
      new Option(
        "--tree",
        "who has started whom, and what each waits for; a picture, or with --format a document",
      )
        .default(false)
        .conflicts(["held", "workflow", "since", "limit"]),
    )
    .option("--workflow <workflow>", "only this workflow: a registered name or a hash", once("--workflow"))
    .option("--since <when>", `only threads started since: ${WHEN}`, once("--since"))
    .option("--limit <count>", "show at most this many, newest kept", wholeNumber(0))
    .option("--offset <count>", "skip this many newer ones", wholeNumber(0), 0)
    .addOption(
      new Option(REMOTE_OPTION[0], REMOTE_OPTION[1])
        .default(false)
        .conflicts(["tree", "workflow", "since", "offset"]),
    )
    .action(({ all, held, tree, workflow, since, limit, offset, remote }: ListOptions & OfRemote) => {
      if (remote) return invoke(load.threadListRemote, { all, held, limit: limit ?? null });
      if (tree) return invoke(load.threadTree, { all });
      return invoke(load.threadList, {
        all,
        held,
        workflow: workflow ?? null,
        since: since ?? null,
        limit: limit ?? null,
        offset,
      });
    });
}
