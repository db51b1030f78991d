import type { Command } from "commander";
import { load } from "./load.js";
import { leaf } from "./options.js";
import type { Invoke } from "./types.js";

export function workflowCommands(group: Command, invoke: Invoke): void {
  leaf(group, "put <file>", "check a workflow file, store it, set its name in the registry", [
    "uwf workflow put solve-issue.yaml",
    "uwf workflow put solve-issue.yaml --strict",
  ])
    .option("--strict", "treat warnings as errors", false)
    .action((file: string, options: { readonly strict: boolean }) =>
      invoke(load.workflowPut, { file, strict: options.strict }),
    );

  leaf(group, "show <workflow>", "print a stored workflow", [
    "uwf workflow show solve-issue",
    "uwf workflow show ./solve-issue.yaml --format yaml",
  ]).action((workflow: string) => invoke(load.workflowShow, { workflow }));

  leaf(group, "list", "print registered and project-local workflows", ["uwf workflow list"]).action(() =>
    invoke(load.workflowList, {}),
  );
}
