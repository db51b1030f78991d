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
  leaf(group, "start <workflow>", "create a thread; runs nothing", [
    'uwf thread start solve-issue -p "Fix the login redirect"',
    "git log -1 --format=%B | uwf thread start solve-issue -p -",
    "uwf thread start ./solve-issue.yaml --prompt-file task.md",
  ])
    .option("-p, --prompt <prompt>", "the task; - reads it from stdin", once("--prompt"))
    .option("--prompt-file <path>", "read the task from a file", once("--prompt-file"))
    .option("--cwd <folder>", "where its agents work; the current folder if not given", once("--cwd"))
    .action((workflow: string, options: StartOptions) =>
      invoke(load.threadStart, {
        workflow,
        prompt: options.prompt ?? null,
        promptFile: options.promptFile ?? null,
        cwd: options.cwd ?? null,
      }),
    );

  leaf(group, "fork <hash>", "a new thread that goes on from a StartNode or StepNode", [
    "uwf thread fork 7YQ5C0QZ2T1VA",
    "uwf thread fork 7YQ5C0QZ2T1VA --workflow ./corrected.yaml --dry-run",
    "uwf thread fork 7YQ5C0QZ2T1VA --workflow solve-issue --cwd ../other-checkout",
  ])
    .option(
      "--workflow <workflow>",
      "go on under this workflow: a file, a name or a hash; every step must fit it",
      once("--workflow"),
    )
    .option("--dry-run", "tell what would happen; writes nothing", false)
    .option(
      "--cwd <folder>",
      "where its agents work; that of the thread it comes from if known",
      once("--cwd"),
    )
    .action((hash: string, { workflow, dryRun, cwd }: ForkOptions) =>
      invoke(load.threadFork, { hash, workflow: workflow ?? null, dryRun, cwd: cwd ?? null }),
    );

  leaf(group, "kill <thread>", "stop a running step if there is one, and archive the thread", [
    "uwf thread kill 01KAJ5E8ZJ4N7XK3M9T2V6W8YB",
  ]).action((thread: string) => invoke(load.threadKill, { thread }));

  leaf(group, "unlock [thread]", "tell who holds a thread; release what is provably dead", [
    "uwf thread unlock 01KAJ5E8ZJ4N7XK3M9T2V6W8YB",
    "uwf thread unlock 01KAJ5E8 --force",
    "uwf thread unlock --index",
  ])
    .option("--force", "take the lock from a holder that lives or cannot be judged", false)
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
    .option("--max-steps <count>", "stop after so many steps", wholeNumber(1))
    .action((thread: string, options: StepOptions & { readonly maxSteps?: number }) =>
      invoke(load.threadRun, { ...stepRequest(thread, options), maxSteps: options.maxSteps ?? null }),
    );

  leaf(group, "next <thread>", "print the next role and how it was decided; runs nothing", [
    "uwf thread next 01KAJ5E8ZJ4N7XK3M9T2V6W8YB",
  ]).action((thread: string) => invoke(load.threadNext, { thread }));
}

function stepOptions(command: Command): Command {
  return command
    .option("--agent <command>", "an alias of config.yaml, or a command with arguments", once("--agent"))
    .option("--cwd <folder>", "move the thread there first: its agents work there from now on", once("--cwd"))
    .option("--wait [seconds]", "wait while another process holds the thread", (value: string) =>
      value === "" ? true : seconds(value),
    )
    .option(
      "--retries <count>",
      "run a failing agent so often again, whatever config.yaml says",
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
  leaf(group, "show <thread>", "print where a thread stands", ["uwf thread show 01KAJ5E8"]).action(
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
    .option("--quota <characters>", "the newest steps that fit so many characters", wholeNumber(1), 4000)
    .option("--before <hash>", "only steps strictly before this one")
    .option("--start", "print the header even with --before", false)
    .option("--detail", "what happened inside each step: prompt, turns, tool calls, usage", false)
    .action((thread: string, { quota, before, start, detail }: ReadOptions) =>
      invoke(load.threadRead, { thread, quota, before: before ?? null, start, detail }),
    );

  leaf(group, "usage <thread>", "print tokens and cost of every step, failed runs included", [
    "uwf thread usage 01KAJ5E8 | jq .total",
    "uwf thread usage 01KAJ5E8 --table",
  ])
    .option("--table", "a table to read instead of a document", false)
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
    .option("--all", "ended threads too", false)
    .option(
      "--workflow <workflow>",
      "of this workflow only: a registered name, or a hash",
      once("--workflow"),
    )
    .option("--since <when>", `started since then: ${WHEN}`, once("--since"))
    .option("--limit <count>", "the newest so many", wholeNumber(0))
    .option("--offset <count>", "pass over so many that are newer", wholeNumber(0), 0)
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
