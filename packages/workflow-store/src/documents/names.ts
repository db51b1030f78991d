import { basename, dirname } from "node:path";

const WORKFLOW_NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** Whether `name` may name a workflow; only such a name is ever turned into a path. */
export function isWorkflowName(name: string): boolean {
  return WORKFLOW_NAME.test(name);
}

/** The workflow that a path names: `a/solve-issue.yaml` and `solve-issue/index.yaml` both say `solve-issue`. */
export function nameOfFile(path: string): string | null {
  const match = /^(.+)\.ya?ml$/.exec(basename(path));
  if (match === null) return null;
  return match[1] === "index" ? basename(dirname(path)) : (match[1] ?? null);
}
