import { type Command, Option } from "commander";
import { load } from "./load.js";
import { amount, defined, leaf, once, period, seconds, wholeNumber } from "./options.js";
import type { Invoke } from "./program.js";

// The commands that run agents: `thread step`, `thread run` and `run`.

type StepOptions = {
  readonly agent?: readonly string[];
  readonly wait?: number | true;
  readonly retries?: number;
  readonly quiet: boolean;
  readonly events: boolean;
};

/** `--cwd` moves a thread that is there, and places a new one. */
type PlacedOptions = StepOptions & { readonly cwd?: string };

type BoundOptions = {
  readonly maxSteps?: number;
  readonly maxCost?: number;
  readonly timeout?: number;
  readonly until?: string;
};

type RunOptions = PlacedOptions &
  BoundOptions & {
    readonly all: boolean;
    readonly workflow?: string;
    readonly jobs?: number;
  };

export type PromptOptions = {
  readonly prompt?: string;
  readonly promptFile?: string;
  readonly cwd?: string;
  readonly key?: string;
};

type StartAndRunOptions = StepOptions & BoundOptions & PromptOptions & { readonly maxMinutes?: number };

export function steppers(group: Command, invoke: Invoke): void {
  moveOption(
    stepOptions(
      leaf(group, "step <thread>", "take one step: exactly one agent run", [
        "uwf thread step 01KAJ5E8ZJ4N7XK3M9T2V6W8YB",
        'uwf thread step 01KAJ5E8 --agent "uwf-mock --scenario demo.yaml"',
        "uwf thread step 01KAJ5E8ZJ4N7XK3M9T2V6W8YB --expect 64KB4T4A9CKTS --wait",
        "uwf thread step 01KAJ5E8 --events | jq -c 'select(.event == \"step\")'",
      ]),
    ),
  )
    .option("--expect <head>", "only from this head; exit 75 if the thread has moved on", once("--expect"))
    .action((thread: string, options: PlacedOptions & { readonly expect?: string }) =>
      invoke(load.threadStep, {
        ...stepRequest(thread, options),
        cwd: options.cwd ?? null,
        expect: options.expect ?? null,
      }),
    );

  boundOptions(
    moveOption(
      stepOptions(
        leaf(group, "run [thread]", "step until the thread is done, or every thread with --all", [
          "uwf thread run 01KAJ5E8ZJ4N7XK3M9T2V6W8YB",
          "uwf thread run --all --jobs 2",
          "uwf thread run 01KAJ5E8 --max-steps 10",
          "uwf thread run 01KAJ5E8 --until reviewer",
          "uwf thread run 01KAJ5E8 --max-cost 2.50 --timeout 30m",
          "uwf thread run 01KAJ5E8 --retries 3",
        ]),
      ),
    ),
  )
    .option("--all", "every active thread, children first; those that wait are passed over", false)
    .option("--workflow <workflow>", "with --all: only this workflow", once("--workflow"))
    .option("--jobs <count>", "with --all: this many threads at a time (default: 1)", wholeNumber(1))
    .action((thread: string | undefined, options: RunOptions) => {
      const { all, workflow, jobs, cwd, until, maxCost, events } = options;
      if (thread !== undefined && !all && workflow === undefined && jobs === undefined)
        return invoke(load.threadRun, {
          ...stepRequest(thread, options),
          ...bounds(options),
          cwd: cwd ?? null,
        });
      if (thread !== undefined || !all)
        return group.error("error: name one thread, or --all, which --workflow and --jobs go with");
      if (cwd !== undefined) return group.error("error: --cwd moves one thread, not --all of them");
      if (until !== undefined || maxCost !== undefined || events)
        return group.error("error: --until, --max-cost and --events are for one thread, not for --all");
      return invoke(load.threadRunAll, {
        ...stepRequest("", options),
        ...bounds(options),
        workflow: workflow ?? null,
        jobs: jobs ?? 1,
      });
    });

  defined(group, "thread next");
}

/** `uwf prompt`: what a role is asked, without a thread. */
export function promptCommand(program: Command, invoke: Invoke): void {
  leaf(program, "prompt <workflow> <role>", "print what the agent of a role is asked, without a thread", [
    "uwf prompt solve-issue reviewer",
    'uwf prompt ./solve-issue.yaml planner -p "Fix the login redirect"',
    "uwf prompt solve-issue planner --prompt-file task.md | wc -w",
  ])
    .option("-p, --prompt <prompt>", "the task; - reads it from stdin", once("--prompt"))
    .option("--prompt-file <path>", "read the task from a file", once("--prompt-file"))
    .action((workflow: string, role: string, { prompt, promptFile }: PromptOptions) =>
      invoke(load.prompt, { workflow, role, prompt: prompt ?? null, promptFile: promptFile ?? null }),
    );
}

/** `uwf run`: the two commands of a new thread in one. */
export function runCommand(program: Command, invoke: Invoke): void {
  const examples = [
    'uwf run solve-issue -p "Fix the login redirect"',
    'uwf run solve-issue -p "Fix #41" --key issue-41 --max-cost 5',
    "uwf run ./solve-issue.yaml --prompt-file task.md --agent uwf-claude --until reviewer",
  ];
  boundOptions(
    stepOptions(
      promptOptions(leaf(program, "run <workflow>", "start a thread and step it until it is done", examples)),
    ),
  )
    .option("--max-minutes <minutes>", "limit of the thread: how long its agents may work", amount)
    .addHelpText(
      "after",
      "\n--max-steps, --max-cost and --timeout bound this command; `uwf thread run` goes on with its thread.",
    )
    .action((workflow: string, options: StartAndRunOptions) =>
      invoke(load.run, {
        start: {
          ...promptRequest(workflow, options),
          parent: null,
          limits: { maxSteps: null, maxCostUsd: null, maxMinutes: options.maxMinutes ?? null },
        },
        run: { ...stepRequest("", options), ...bounds(options), cwd: null },
      }),
    );
}

/** Of `thread start` and `run`. */
export function promptOptions(command: Command): Command {
  return command
    .option("-p, --prompt <prompt>", "the task; - reads it from stdin", once("--prompt"))
    .option("--prompt-file <path>", "read the task from a file", once("--prompt-file"))
    .option("--cwd <folder>", "folder where its agents work (default: the current folder)", once("--cwd"))
    .option("--key <key>", "the same key gives the same thread, however often it is started", once("--key"));
}

export function promptRequest(workflow: string, { prompt, promptFile, cwd, key }: PromptOptions) {
  return {
    workflow,
    prompt: prompt ?? null,
    promptFile: promptFile ?? null,
    cwd: cwd ?? null,
    key: key ?? null,
  };
}

function stepOptions(command: Command): Command {
  return command
    .option(
      "--agent <command>",
      "an alias from config.yaml, or a command with arguments; <role>=<command> for one role",
      (value: string, before: readonly string[] = []) => [...before, value],
    )
    .option("--wait [seconds]", "wait while another process holds the thread", (value: string) =>
      value === "" ? true : seconds(value),
    )
    .option(
      "--retries <count>",
      "retry a failing agent this many times, whatever config.yaml says",
      wholeNumber(0),
    )
    .option("--quiet", "print failures and the result, and nothing of what happens before", false)
    .addOption(
      new Option("--events", "print one JSON line for each event in the place of the result")
        .default(false)
        .conflicts("quiet"),
    );
}

function moveOption(command: Command): Command {
  return command.option(
    "--cwd <folder>",
    "move the thread to this folder first; its agents work there from now on",
    once("--cwd"),
  );
}

function boundOptions(command: Command): Command {
  return command
    .option("--max-steps <count>", "stop after this many steps (default: 200)", wholeNumber(1))
    .option("--max-cost <usd>", "start no further step once the steps of this command have cost this", amount)
    .option("--timeout <time>", "start no further step after this time: 90s, 30m, 2h", period)
    .option("--until <role>", "stop before this role's agent would run; done: at the end", once("--until"));
}

export function waitMsOf(wait: number | true | undefined): number {
  if (wait === undefined) return 0;
  return wait === true ? Number.POSITIVE_INFINITY : wait * 1000;
}

function stepRequest(thread: string, { agent, wait, retries, quiet, events }: StepOptions) {
  return {
    thread,
    agents: agent ?? [],
    expect: null,
    waitMs: waitMsOf(wait),
    retries: retries ?? null,
    until: null,
    shown: events ? ("events" as const) : quiet ? ("quiet" as const) : ("usual" as const),
  };
}

/** What bounds the command, not the thread. */
function bounds({ maxSteps, maxCost, timeout, until = "done" }: BoundOptions) {
  return {
    maxSteps: maxSteps ?? null,
    maxCostUsd: maxCost ?? null,
    timeoutMs: timeout ?? null,
    until: until === "done" ? null : until,
  };
}
