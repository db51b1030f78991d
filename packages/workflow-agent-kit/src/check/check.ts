import { resolve } from "node:path";
import { CasError } from "@uncaged/json-cas";
import { ENV, err, fault, ok } from "@uncaged/workflow-protocol";
import { resolveCommand, sanitizeTerminal } from "@uncaged/workflow-util";
import { FaultError } from "../fault.js";
import { printMore, printResult } from "../print.js";
import { CASES } from "./cases.js";
import { makeLab } from "./lab.js";
import { makeScratch } from "./scratch.js";
import type { Case, CaseResult, CheckHost, CheckRequest, Lab, Report } from "./types.js";
import { CHECK_USAGE, parseCheckWords, skipped, wrongWith } from "./verdict.js";

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

/**
 * The conformance run of `uwf-agent-check`, as its exit code: 0 when no case has failed, 1 when one has, uwf's codes for
 * what cannot be run at all.
 */
export async function runCheck(argv: readonly string[], host: CheckHost): Promise<number> {
  if (argv[0] === "--help" || argv[0] === "-h") return printResult(host, ok(CHECK_HELP));
  const parsed = parseCheckWords(
    argv,
    CASES.map(({ name }) => name),
  );
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
