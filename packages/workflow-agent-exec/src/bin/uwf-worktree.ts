import { createAgent, type Fault, printText, renderFault, writeStderr } from "@uncaged/workflow-agent-kit";
import { asThreadId, definedOnly, ENV, endingSignals, packageVersion } from "@uncaged/workflow-util";
import {
  type End,
  gitWith,
  HELP,
  parseWords,
  prune,
  repositoryAt,
  runInTree,
  USAGE,
} from "../worktree/index.js";

export function main(): void {
  const argv = process.argv.slice(2);
  if (argv[0] === "--prune") process.exitCode = pruneMain(argv.slice(1));
  else void stepMain(argv);
}

const env = definedOnly(process.env);

async function stepMain(argv: readonly string[]): Promise<void> {
  const thread = asThreadId(argv.at(-2) ?? "");
  const role = argv.at(-1);
  // The kit refuses it, and answers --help and --version.
  if (thread === null || role === undefined) return refuse({ code: "USAGE", reason: "", usage: USAGE });
  const parsed = parseWords(argv.slice(0, -2));
  if (!parsed.ok) return refuse({ code: "USAGE", reason: parsed.reason, usage: USAGE });
  // A signal to the group reaches the agent by itself; when it ends, so do we.
  const signals = endingSignals(env);
  const ignore = (): void => {};
  for (const signal of signals) process.on(signal, ignore);
  const port = { cwd: process.cwd(), env, pid: process.pid, say };
  const ended = await runInTree(parsed.words, { thread, role }, port);
  for (const signal of signals) process.off(signal, ignore);
  if (ended.ok) endLike(ended.end);
  else await refuse(ended.fault);
}

function endLike({ code, signal }: End): void {
  if (signal === null) process.exitCode = code ?? 1;
  else process.kill(process.pid, signal);
}

/** As an agent of the kit fails: uwf gets the fault with its code and hint. */
function refuse(fault: Fault): Promise<void> {
  return createAgent({
    name: "uwf-worktree",
    version: packageVersion(import.meta.dirname),
    help: HELP,
    dotEnv: "listed",
    run: () => ({ kind: "failed", fault }),
  })();
}

function say(line: string): void {
  writeStderr(`uwf-worktree: ${line}\n`);
}

function pruneMain(rest: readonly string[]): number {
  const asJson = process.env[ENV.errorFormat] === "json";
  if (rest.length > 0) {
    writeStderr(renderFault({ code: "USAGE", reason: "--prune takes no arguments", usage: USAGE }, asJson));
    return 2;
  }
  const git = gitWith(env);
  const repository = repositoryAt(git, process.cwd());
  const pruned = repository.ok ? prune(git, repository.value, isAlive) : repository;
  if (!pruned.ok) {
    const { reason, hint } = pruned.problem;
    writeStderr(
      renderFault({ code: "INVALID_INPUT", what: "the repository", reason: `${reason}; ${hint}` }, asJson),
    );
    return 4;
  }
  return printText(`${JSON.stringify(pruned.value, null, 2)}\n`, 0);
}

/** Another user's process is alive too. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
