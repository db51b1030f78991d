import { resolve } from "node:path";
import { CasError } from "@uncaged/json-cas";
import { ENV, err, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { resolveCommand, sanitizeTerminal } from "@uncaged/workflow-util";
import { FaultError } from "../fault.js";
import { printMore, printResult } from "../host.js";
import { readLeadingOptions } from "../options.js";
import { CASES, skipped, wrongWith } from "./cases.js";
import { makeLab } from "./play.js";
import { makeScratch } from "./scratch.js";
import type { Case, CaseResult, CheckHost, CheckRequest, Lab, Report } from "./types.js";

const CHECK_USAGE =
  "usage: uwf-agent-check [--json] [--keep] [--only <case,…>] [--timeout <seconds>] [--role <name>] [--meta <file.json>] [--task <text>] [--cwd <folder>] [--config-from <storage root>] [--] <command> [args…]";

/** What `uwf-agent-check --help` prints. */
const CHECK_HELP = `uwf-agent-check ./uwf-mine
uwf-agent-check --only good-reply,resume -- python3 uwf-mine.py

U${CHECK_USAGE.slice(1)}

Runs an agent as uwf does, on threads of a scratch storage root, and checks what it leaves: the step, its place, its
output and detail, exit codes, time limits, processes. Where the agent asks a model, that costs nine short runs,
and two more where usage grows from visit to visit.

Options:
  --json                      the report as one JSON document
  --only <case,…>             version, exit-codes, good-reply, missing-field, long-prompt, keys, resume, lost-session, kill, noise
  --timeout <seconds>         for one run, 600 by default
  --role <name>               the role that it plays, writer by default
  --meta <file.json>          the JSON Schema of the role's output; by default an object with note (text) and done (boolean)
  --task <text>               the thread's task
  --cwd <folder>              where it runs; here by default, as with uwf
  --config-from <folder>      a storage root whose config.yaml and .env it is to find
  --keep                      keep the scratch folder

Exit status: 0 nothing failed, 1 something did, else as uwf: 2 usage, 4 input, 6 the agent cannot be started.
`;

const MARKS = { ok: "ok", skipped: "skipped", failed: "FAILED" } as const;

/** One case as it is shown when it has ended. */
function renderCase(result: CaseResult): string {
  const { name, status, says } = result;
  const fix = result.status === "failed" ? `\n${" ".repeat(24)}→ ${result.fix}` : "";
  return sanitizeTerminal(`${MARKS[status].padEnd(8)} ${name.padEnd(14)} ${says}${fix}\n`);
}

function renderSummary({ cases }: Report): string {
  const count = (status: CaseResult["status"]): number => cases.filter((one) => one.status === status).length;
  const skips = count("skipped") === 0 ? "" : `, ${count("skipped")} skipped`;
  return `${count("ok")} ok${skips}, ${count("failed")} failed\n`;
}

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

/** The options, then the agent's command, optionally separated by `--`. */
function parseCheckWords(argv: readonly string[]): Result<CheckRequest, string> {
  const read = readLeadingOptions(argv, { flags: Object.keys(FLAGS), values: Object.keys(OPTIONS) });
  if (!read.ok) return read;
  let request = DEFAULTS;
  for (const [name, value] of read.value.options) {
    const fields = FLAGS[name] ?? OPTIONS[name]?.(value) ?? {};
    if (typeof fields === "string") return err(fields);
    request = { ...request, ...fields };
  }
  const [program, ...args] = read.value.command;
  return program === undefined ? err("no command is named") : ok({ ...request, program, args });
}

const FLAGS: Readonly<Record<string, Partial<CheckRequest>>> = {
  "--json": { json: true },
  "--keep": { keep: true },
};

const OPTIONS: Readonly<Record<string, (value: string) => Partial<CheckRequest> | string>> = {
  "--only": (value) => {
    const cases = CASES.map(({ name }) => name);
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
      : `--timeout ${value} is not a number of seconds`;
  },
  "--role": (role) =>
    /^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(role) ? { role } : `--role ${role} is not the name of a role`,
  "--meta": (metaFile) => ({ metaFile }),
  "--task": (task) => ({ task }),
  "--cwd": (cwd) => ({ cwd }),
  "--config-from": (configFrom) => ({ configFrom }),
};

/**
 * The conformance run of `uwf-agent-check`, as its exit code: 0 when no case has failed, 1 when one has, uwf's codes for
 * what cannot be run at all.
 */
export async function runCheck(argv: readonly string[], host: CheckHost): Promise<number> {
  if (argv[0] === "--help" || argv[0] === "-h") return printResult(host, ok(CHECK_HELP));
  const parsed = parseCheckWords(argv);
  if (!parsed.ok) return printResult(host, err(fault("USAGE", { reason: parsed.error, usage: CHECK_USAGE })));
  const request = parsed.value;
  const program = resolveCommand(request.program, { path: host.env.PATH ?? "", cwd: host.cwd });
  if (!program.ok) return printResult(host, program);
  try {
    return await checkAll(host, request);
  } catch (error) {
    if (error instanceof FaultError || error instanceof CasError) return printResult(host, err(error.fault));
    throw error;
  }
}

async function checkAll(host: CheckHost, request: CheckRequest): Promise<number> {
  const scratch = await makeScratch(host, request.configFrom);
  try {
    const lab = makeLab({
      host,
      request,
      scratch,
      cwd: resolve(host.cwd, request.cwd ?? "."),
      graceMs: graceMs(host),
    });
    const report = await runCases(host, request, lab);
    if (host.abort.aborted)
      return printResult(
        host,
        err(fault("INTERRUPTED", { signal: String(host.abort.reason), recorded: null })),
      );
    printMore(host, request.json ? `${JSON.stringify(report, null, 2)}\n` : renderSummary(report));
    return report.ok ? 0 : 1;
  } finally {
    if (request.keep) host.err(`the storage root of the check is ${scratch.storage.root}\n`);
    else scratch.remove();
  }
}

async function runCases(host: CheckHost, request: CheckRequest, lab: Lab): Promise<Report> {
  const cases: CaseResult[] = [];
  for (const one of CASES.filter(({ name }) => request.only?.includes(name) ?? true)) {
    const result = await runCase(host, one, lab);
    if (host.abort.aborted) break;
    cases.push(result);
    if (!request.json) printMore(host, renderCase(result));
  }
  const ok = cases.every(({ status }) => status !== "failed");
  return { command: [request.program, ...request.args], ok, cases };
}

async function runCase(host: CheckHost, { name, needsGood, run }: Case, lab: Lab): Promise<CaseResult> {
  const startedAt = host.now();
  const pointless = needsGood && wrongWith((await lab.good()).ran) !== null;
  const verdict = pointless ? skipped("it makes no plain step, see good-reply") : await run(lab);
  return { name, ...verdict, durationMs: Math.max(0, host.now() - startedAt) };
}

const GRACE_SECONDS = 5;

function graceMs({ env }: CheckHost): number {
  const seconds = Number(env[ENV.graceSeconds]);
  return (seconds > 0 ? seconds : GRACE_SECONDS) * 1000;
}
