import { resolve } from "node:path";
import { CasError } from "@uncaged/json-cas";
import { ENV, exitCodeOf, type Fault, fault } from "@uncaged/workflow-protocol";
import { resolveCommand } from "@uncaged/workflow-util";
import { FaultError, renderFault } from "../fault/index.js";
import { CASES } from "./cases/index.js";
import { CHECK_HELP } from "./help.js";
import { makeLab } from "./lab.js";
import { renderCase, renderSummary } from "./report.js";
import { makeScratch } from "./scratch.js";
import type { Case, CaseResult, CheckHost, CheckRequest, Lab, Report } from "./types.js";
import { skipped, wrongWith } from "./verdict.js";
import { CHECK_USAGE, parseCheckWords } from "./words.js";

/**
 * The conformance run of `uwf-agent-check`, as its exit code: 0 when no case has failed, 1 when one has, uwf's codes for
 * what cannot be run at all.
 */
export async function runCheck(argv: readonly string[], host: CheckHost): Promise<number> {
  if (argv[0] === "--help" || argv[0] === "-h") {
    host.out(CHECK_HELP);
    return 0;
  }
  const parsed = parseCheckWords(
    argv,
    CASES.map(({ name }) => name),
  );
  if (!parsed.ok) return refuse(host, fault("USAGE", { reason: parsed.error, usage: CHECK_USAGE }));
  const request = parsed.value;
  const program = resolveCommand(request.program, { path: host.env.PATH ?? "", cwd: host.cwd });
  if (!program.ok) return refuse(host, program.error);
  try {
    return await checkAll(host, request);
  } catch (error) {
    if (error instanceof FaultError) return refuse(host, error.fault);
    if (error instanceof CasError) return refuse(host, error.fault);
    throw error;
  }
}

function refuse(host: CheckHost, cause: Fault): number {
  host.err(renderFault(cause, host.env[ENV.errorFormat] === "json"));
  return exitCodeOf(cause);
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
      return refuse(host, fault("INTERRUPTED", { signal: String(host.abort.reason), recorded: null }));
    host.out(request.json ? `${JSON.stringify(report, null, 2)}\n` : renderSummary(report));
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
    if (!request.json) host.out(renderCase(result));
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
  const seconds = Number(env.UWF_GRACE_SECONDS);
  return (seconds > 0 ? seconds : GRACE_SECONDS) * 1000;
}
