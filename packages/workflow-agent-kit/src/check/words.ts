import { err, ok, type Result } from "@uncaged/workflow-protocol";
import type { CheckRequest } from "./types.js";

export const CHECK_USAGE =
  "usage: uwf-agent-check [--json] [--keep] [--only <case,…>] [--timeout <seconds>] [--role <name>] [--meta <file.json>] [--task <text>] [--cwd <folder>] [--config-from <storage root>] [--] <command> [args…]";

const TASK =
  "Write one short sentence on why small tools are good. There is nothing to build and nothing to look up: use no tools.";

const DEFAULTS: CheckRequest = {
  program: "",
  args: [],
  only: null,
  json: false,
  keep: false,
  timeoutMs: 600_000,
  role: "writer",
  metaFile: null,
  task: TASK,
  cwd: null,
  configFrom: null,
};

/** The options, then the agent's command; `--` may stand between them. */
export function parseCheckWords(
  argv: readonly string[],
  cases: readonly string[],
): Result<CheckRequest, string> {
  let request = DEFAULTS;
  let at = 0;
  for (let word = argv[at]; word?.startsWith("-") === true && word !== "--"; word = argv[at]) {
    const flag = FLAGS[word];
    const option = OPTIONS[word];
    const value = argv[at + 1];
    if (flag === undefined && option === undefined) return err(`unknown option ${word}`);
    if (option !== undefined && (value === undefined || value === "")) return err(`${word} needs a value`);
    const fields = flag ?? option?.(value ?? "", cases);
    if (typeof fields === "string") return err(fields);
    request = { ...request, ...fields };
    at += flag === undefined ? 2 : 1;
  }
  const [program, ...args] = argv.slice(argv[at] === "--" ? at + 1 : at);
  return program === undefined ? err("no command is named") : ok({ ...request, program, args });
}

const FLAGS: Readonly<Record<string, Partial<CheckRequest>>> = {
  "--json": { json: true },
  "--keep": { keep: true },
};

type Read = (value: string, cases: readonly string[]) => Partial<CheckRequest> | string;

const OPTIONS: Readonly<Record<string, Read>> = {
  "--only": (value, cases) => {
    const only = value.split(",").map((name) => name.trim());
    const unknown = only.find((name) => !cases.includes(name));
    return unknown === undefined
      ? { only }
      : `there is no case "${unknown}"; the cases are ${cases.join(", ")}`;
  },
  "--timeout": (value) => {
    const seconds = Number(value);
    return seconds > 0
      ? { timeoutMs: Math.round(seconds * 1000) }
      : `--timeout ${value} is no number of seconds`;
  },
  "--role": (role) =>
    /^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(role) ? { role } : `--role ${role} is no name of a role`,
  "--meta": (metaFile) => ({ metaFile }),
  "--task": (task) => ({ task }),
  "--cwd": (cwd) => ({ cwd }),
  "--config-from": (configFrom) => ({ configFrom }),
};
