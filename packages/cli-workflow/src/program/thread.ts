import type { Command } from "commander";
import { load } from "./load.js";
import { leaf, once, seconds, WHEN, wholeNumber } from "./options.js";
import type { Invoke } from "./program.js";

type StepOptions = {
  readonly agent?: string;
  readonly cwd?: string;
  readonly wait?: number | true;
  readonly retries?: number;
};

type StartOptions = { readonly prompt?: string; readonly promptFile?: string; readonly cwd?: string };

type ForkOptions = { readonly workflow?: string; readonly dryRun: boolean; readonly cwd?: string };

type UnlockOptions = { readonly force: boolean; readonly index: boolean };

export function threadCommands(group: Command, invoke: Invoke): void {
  writers(group, invoke);
  steppers(group, invoke);
  readers(group, invoke);
}

function writers(group: Command, invoke: Invoke): void {
  leaf(group, "start <workflow>", "create a thread without running anything", [
    'uwf thread start solve-issue -p "Fix the login redirect"',
    "git log -1 --format=%B | uwf thread start solve-issue -p -",
    "uwf thread start ./solve-issue.yaml --prompt-file task.md",
  ])
    .option("-p, --prompt <prompt>", "the task; - reads it from stdin", once("--prompt"))
    .option("--prompt-file <path>", "read the task from a file", once("--prompt-file"))
    .option("--cwd <folder>", "folder where its agents work (default: the current folder)", once("--cwd"))
    .action((workflow: string, options: StartOptions) =>
      invoke(load.threadStart, {
        workflow,
        prompt: options.prompt ?? null,
        promptFile: options.promptFile ?? null,
        cwd: options.cwd ?? null,
      }),
    );

  leaf(group, "fork <hash>", "create a thread that continues from a StartNode or StepNode", [
    "uwf thread fork 7YQ5C0QZ2T1VA",
    "uwf thread fork 7YQ5C0QZ2T1VA --workflow ./corrected.yaml --dry-run",
    "uwf thread fork 7YQ5C0QZ2T1VA --workflow solve-issue --cwd ../other-checkout",
  ])
    .option(
      "--workflow <workflow>",
      "continue under this workflow (file, name or hash); every step must fit it",
      once("--workflow"),
    )
    .option("--dry-run", "print what would happen, write nothing", false)
    .option(
      "--cwd <folder>",
      "folder where its agents work (default: that of the original thread, if known)",
      once("--cwd"),
    )
    .action((hash: string, { workflow, dryRun, cwd }: ForkOptions) =>
      invoke(load.threadFork, { hash, workflow: workflow ?? null, dryRun, cwd: cwd ?? null }),
    );

  leaf(group, "kill <thread>", "stop the running step, if any, and archive the thread", [
    "uwf thread kill 01KAJ5E8ZJ4N7XK3M9T2V6W8YB",
  ]).action((thread: string) => invoke(load.threadKill, { thread }));

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

function steppers(group: Command, invoke: Invoke): void {
  stepOptions(
    leaf(group, "step <thread>", "take one step: exactly one agent run", [
      "uwf thread step 01KAJ5E8ZJ4N7XK3M9T2V6W8YB",
      'uwf thread step 01KAJ5E8 --agent "uwf-mock --scenario demo.yaml"',
    ]),
  ).action((thread: string, options: StepOptions) => invoke(load.threadStep, stepRequest(thread, options)));

  stepOptions(
    leaf(group, "run <thread>", "step until the thread is done", [
      "uwf thread run 01KAJ5E8ZJ4N7XK3M9T2V6W8YB",
      "uwf thread run 01KAJ5E8 --max-steps 10",
      "uwf thread run 01KAJ5E8 --retries 3",
    ]),
  )
    .option("--max-steps <count>", "stop after this many steps", wholeNumber(1))
    .action((thread: string, options: StepOptions & { readonly maxSteps?: number }) =>
      invoke(load.threadRun, { ...stepRequest(thread, options), maxSteps: options.maxSteps ?? null }),
    );

  leaf(group, "next <thread>", "print the next role and how it was decided, without running anything", [
    "uwf thread next 01KAJ5E8ZJ4N7XK3M9T2V6W8YB",
  ]).action((thread: string) => invoke(load.threadNext, { thread }));
}

function stepOptions(command: Command): Command {
  return command
    .option("--agent <command>", "an alias from config.yaml, or a command with arguments", once("--agent"))
    .option(
      "--cwd <folder>",
      "move the thread to this folder first; its agents work there from now on",
      once("--cwd"),
    )
    .option("--wait [seconds]", "wait while another process holds the thread", (value: string) =>
      value === "" ? true : seconds(value),
    )
    .option(
      "--retries <count>",
      "retry a failing agent this many times, whatever config.yaml says",
      wholeNumber(0),
    );
}

function stepRequest(thread: string, options: StepOptions) {
  const waitMs =
    options.wait === undefined ? 0 : options.wait === true ? Number.POSITIVE_INFINITY : options.wait * 1000;
  return {
    thread,
    agent: options.agent ?? null,
    cwd: options.cwd ?? null,
    waitMs,
    retries: options.retries ?? null,
  };
}

type ReadOptions = {
  readonly quota: number;
  readonly before?: string;
  readonly start: boolean;
  readonly detail: boolean;
};

function readers(group: Command, invoke: Invoke): void {
  leaf(group, "show <thread>", "print the state of a thread", ["uwf thread show 01KAJ5E8"]).action(
    (thread: string) => invoke(load.threadShow, { thread }),
  );

  lists(group, invoke);

  leaf(group, "steps <thread>", "print the start and every step, oldest first", [
    "uwf thread steps 01KAJ5E8 | jq '.steps[-1].output'",
  ]).action((thread: string) => invoke(load.threadSteps, { thread }));

  leaf(group, "read <thread>", "print the history as Markdown", [
    "uwf thread read 01KAJ5E8",
    "uwf thread read 01KAJ5E8 --quota 20000",
    "uwf thread read 01KAJ5E8 --before 7YQ5C0QZ2T1VA --start",
    "uwf thread read 01KAJ5E8 --detail --quota 100000",
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
    .action((thread: string, { quota, before, start, detail }: ReadOptions) =>
      invoke(load.threadRead, { thread, quota, before: before ?? null, start, detail }),
    );

  leaf(group, "usage <thread>", "print tokens and cost of every step, failed runs included", [
    "uwf thread usage 01KAJ5E8 | jq .total",
    "uwf thread usage 01KAJ5E8 --table",
  ])
    .option("--table", "print a table instead of a document", false)
    .action((thread: string, { table }: { readonly table: boolean }) =>
      invoke(load.threadUsage, { thread, table }),
    );

  leaf(group, "step-details <hash>", "print what happened inside a step", [
    "uwf thread step-details 7YQ5C0QZ2T1VA",
  ]).action((hash: string) => invoke(load.threadStepDetails, { hash }));
}

type ListOptions = {
  readonly all: boolean;
  readonly workflow?: string;
  readonly since?: string;
  readonly limit?: number;
  readonly offset: number;
};

function lists(group: Command, invoke: Invoke): void {
  leaf(group, "list", "print the active threads, oldest first", [
    "uwf thread list",
    "uwf thread list --all --limit 20",
    "uwf thread list --workflow solve-issue --since 2d",
  ])
    .option("--all", "include ended threads", false)
    .option("--workflow <workflow>", "only this workflow: a registered name or a hash", once("--workflow"))
    .option("--since <when>", `only threads started since: ${WHEN}`, once("--since"))
    .option("--limit <count>", "show at most this many, newest kept", wholeNumber(0))
    .option("--offset <count>", "skip this many newer ones", wholeNumber(0), 0)
    .action(({ all, workflow, since, limit, offset }: ListOptions) =>
      invoke(load.threadList, {
        all,
        workflow: workflow ?? null,
        since: since ?? null,
        limit: limit ?? null,
        offset,
      }),
    );
}
