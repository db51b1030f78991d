import { existsSync } from "node:fs";
import { basename, resolve } from "node:path";
import { openModel } from "@uncaged/workflow-agent-kit";
import {
  type CasRef,
  ENV,
  err,
  type Fault,
  fault,
  ok,
  type Result,
  type WorkflowPayload,
} from "@uncaged/workflow-protocol";
import { playsByThreads, type Storage } from "@uncaged/workflow-store";
import { resolveCommand } from "@uncaged/workflow-util";
import { CODING_AGENTS, ownAgent } from "./agents.js";
import { parseWords } from "./children/index.js";
import type { Host } from "./host.js";
import {
  type AgentCommand,
  buildWalls,
  checkDrivenProgram,
  findAgentProgram,
  planRun,
  readSettings,
  type Settings,
  type StepRequest,
  strangerIn,
} from "./step/index.js";
import { assembledOf, type ResolvedWorkflow, resolveWorkflow } from "./workflow.js";

// Whether everybody who may play in a thread can: asked before the thread exists, so that a mistyped agent leaves none.

type CastContext = {
  readonly storage: Storage;
  readonly host: Host;
  /** Where the thread's agents will work. */
  readonly workFolder: string;
};

type CastRequest = StepRequest & { readonly maxSteps: number | null };

/** What the first steps of a thread would fail with, as far as it can be known before. Starts no agent. */
export function checkCast(
  place: CastContext,
  resolved: ResolvedWorkflow,
  request: CastRequest,
): Promise<Result<void, Fault>> {
  return checkWorkflow({ ...place, seen: new Set(), working: new Set() }, resolved, request);
}

type Check = CastContext & {
  /** Workflows that are checked, or being checked: they may start one another. */
  readonly seen: Set<CasRef>;
  /** Coding agents that have said that their program is installed. */
  readonly working: Set<string>;
};

async function checkWorkflow(
  check: Check,
  resolved: ResolvedWorkflow,
  request: CastRequest,
): Promise<Result<void, Fault>> {
  const { hash, payload: workflow } = assembledOf(resolved);
  if (check.seen.has(hash)) return ok(undefined);
  check.seen.add(hash);
  const stranger = strangerIn(workflow, request);
  if (stranger !== null) return err(stranger);
  // The steps warn of the same.
  const settings = await readSettings({ ...check, warn: () => {} }, workflow, check.workFolder);
  if (!settings.ok) return settings;
  const { config, redactor } = settings.value.configured;
  for (const role of rolesAhead(workflow, request)) {
    const cast = { role, workflow, config, project: settings.value.project, request };
    const planned = planRun(cast);
    if (!planned.ok) return err(redactor.fault(planned.error));
    const { agent, human } = planned.value;
    if (human !== null) continue;
    const able = await checkAgent(check, settings.value, { role, workflow: workflow.name }, agent);
    if (!able.ok) return err(redactor.fault(able.error));
  }
  return ok(undefined);
}

/** The roles that may play within the bounds of the command, nearest first. */
function rolesAhead(
  { graph }: WorkflowPayload,
  { until, maxSteps }: Pick<CastRequest, "until" | "maxSteps">,
): readonly string[] {
  const found = new Set<string>();
  let last: readonly string[] = ["$START"];
  for (let steps = 0; last.length > 0 && steps < (maxSteps ?? Number.POSITIVE_INFINITY); steps += 1) {
    const next = last.flatMap((role) => (graph[role] ?? []).map((transition) => transition.role));
    last = [...new Set(next)].filter((role) => !role.startsWith("$") && role !== until && !found.has(role));
    for (const role of last) found.add(role);
  }
  return [...found];
}

type Part = { readonly role: string; readonly workflow: string };

async function checkAgent(
  check: Check,
  settings: Settings,
  part: Part,
  agent: AgentCommand,
): Promise<Result<void, Fault>> {
  const { host, workFolder: folder } = check;
  const { config } = settings.configured;
  const program = findAgentProgram({ host, config, workFolder: folder }, agent);
  if (!program.ok) return program;
  const walls =
    agent.sandbox === null ? ok(null) : await buildWalls(check, agent, agent.sandbox, program.value);
  if (!walls.ok) return walls;
  if (playsByThreads(agent.program)) return checkChild(check, agent);
  const name = basename(agent.program);
  if (CODING_AGENTS.includes(name)) return checkDriven(check, agent.program);
  const needs = ownAgent(name)?.needs ?? null;
  if (needs === "scenario") return checkScenario(check, agent);
  if (needs === "model") return checkModel(check, part, agent);
  const [inner, ...args] = agent.args.includes("--") ? agent.args.slice(agent.args.indexOf("--") + 1) : [];
  if (inner === undefined) return ok(undefined);
  if (name === "uwf-worktree" && !inner.includes("/"))
    return checkAgent(check, settings, part, { ...agent, program: inner, args, sandbox: null });
  // A path may be made by an earlier role.
  return needs === "command" && !inner.includes("/") ? onPath(host, inner) : ok(undefined);
}

function onPath({ env, cwd }: Host, program: string): Result<void, Fault> {
  const found = resolveCommand(program, { path: env.PATH ?? "", cwd });
  return found.ok ? ok(undefined) : found;
}

/** `claude` of `uwf-claude`: the agent itself knows where to look. */
async function checkDriven({ host, working }: Check, program: string): Promise<Result<void, Fault>> {
  if (working.has(program)) return ok(undefined);
  const able = await checkDrivenProgram(host, program);
  if (able.ok) working.add(program);
  return able;
}

/** The scenario that uwf-mock would play. */
function checkScenario(
  { host, workFolder: folder }: Check,
  { program, args }: AgentCommand,
): Result<void, Fault> {
  const named = optionValue("--scenario", args) ?? host.env[ENV.mockScenario] ?? "";
  if (named === "") {
    const hint = `name it: --agent "${program} --scenario <file>"`;
    return err(fault("AGENT_UNUSABLE", { command: program, reason: "no scenario is named", hint }));
  }
  const path = resolve(folder, named);
  return existsSync(path)
    ? ok(undefined)
    : err(fault("FILE_NOT_FOUND", { path, reason: "it does not exist" }));
}

/** The model that the agent would take, with its provider's key. Sends no request. */
async function checkModel(
  { storage, host, workFolder: folder }: Check,
  { role, workflow }: Part,
  { args, env: passed }: AgentCommand,
): Promise<Result<void, Fault>> {
  const inherited = Object.entries(host.env).filter(([name]) => passed === null || passed.includes(name));
  const env = { ...Object.fromEntries(inherited), [ENV.storageRoot]: storage.root };
  const overrides = [role, workflow].filter((name) => name !== "extract");
  const place = { env, cwd: folder, home: host.env.HOME ?? null };
  const opened = await openModel(place, { alias: optionValue("--model", args), overrides });
  return opened.ok ? ok(undefined) : opened;
}

function optionValue(option: string, args: readonly string[]): string | null {
  const at = args.findLastIndex((word) => word === option || word.startsWith(`${option}=`));
  const word = args[at];
  if (word === undefined) return null;
  return word === option ? (args[at + 1] ?? null) : word.slice(option.length + 1);
}

/** The workflow that plays the role, with its own cast: `--agent` does not reach it. */
async function checkChild(check: Check, { args }: AgentCommand): Promise<Result<void, Fault>> {
  const parsed = parseWords(args);
  // Else each item names its own.
  if (!parsed.ok || parsed.words.workflow === null) return ok(undefined);
  const resolver = { storage: check.storage, cwd: check.workFolder, warn: () => {} };
  const child = await resolveWorkflow(resolver, parsed.words.workflow);
  if (!child.ok) return child;
  const checked = await checkWorkflow(check, child.value, OF_CHILD);
  return !checked.ok && checked.error.code === "NO_AGENT"
    ? err({ ...checked.error, ofChild: true })
    : checked;
}

/** What uwf-workflow steps its children with. */
const OF_CHILD: CastRequest = {
  thread: "",
  agents: [],
  answer: null,
  cwd: null,
  expect: null,
  waitMs: 0,
  retries: null,
  until: null,
  maxSteps: null,
};

/** Whether a coding agent or another program would be found now, and the program that it drives; the fault if not. */
export async function checkAgentProgram(
  host: Host,
  [program, ...args]: readonly [string, ...string[]],
): Promise<Result<void, Fault>> {
  const found = findAgentProgram(
    { host, config: null, workFolder: host.cwd },
    { program, isTyped: true, args },
  );
  return found.ok ? checkDrivenProgram(host, program) : found;
}
