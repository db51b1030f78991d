import type { Command } from "commander";
import { load } from "./load.js";
import { defined, leaf, once, seconds } from "./options.js";
import type { Invoke } from "./program.js";
import { type OfRemote, REMOTE_OPTION, remoteThreadCommands } from "./remote.js";
import { steppers, waitMsOf } from "./steppers.js";

export function threadCommands(group: Command, invoke: Invoke): void {
  writers(group);
  steppers(group, invoke);
  remoteThreadCommands(group, invoke);
  answers(group, invoke);
  readers(group);
}

function writers(group: Command): void {
  defined(group, "thread start");
  defined(group, "thread fork");
  defined(group, "thread note");
  defined(group, "thread limit");
  defined(group, "thread pause");
  defined(group, "thread resume");
  defined(group, "thread kill");
  defined(group, "thread rm");
  defined(group, "thread unlock");
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
