import type { Result } from "@uncaged/workflow-protocol";
import type { AgentContext, AgentReply } from "../author/index.js";
import type { ProgramReport } from "../check-program.js";
import { writeStderr } from "../host.js";
import { printText } from "../print.js";
import { createAgent } from "./run.js";

/** An agent that has its work done by a program of others. */
export type ProgramAgent = {
  /** `uwf-<name>` */
  readonly name: string;
  readonly version: string;
  /** What `--help` prints. */
  readonly help: string;
  /** `usage: …` */
  readonly usage: string;
  /** `--check` with the words behind it; runs nothing. A sentence if they are wrong. */
  readonly check: (
    words: readonly string[],
    around: { readonly cwd: string; readonly path: string },
  ) => Result<ProgramReport, string>;
  readonly run: (context: AgentContext, around: ProgramPort) => AgentReply | Promise<AgentReply>;
};

/** The process around such an agent. */
export type ProgramPort = {
  readonly cwd: string;
  /** A line, or several, to our stderr. */
  readonly stderr: (lines: string) => void;
};

/** The agent cannot work. */
const NOT_READY = 6;

/**
 * The `main` of its binary: `--help`, `--check` as the first word, or a step. `--check` exits with 0 if the program can be
 * started, 6 if not, and 2 if the options are wrong. Of `.env` it gets what the agent's `env` in config.yaml lists.
 */
export function runProgramAgent(agent: ProgramAgent): void {
  const [first, ...words] = process.argv.slice(2);
  if (first === "--check") {
    process.exitCode = check(agent, words);
  } else {
    const { name, version, help } = agent;
    const port = { cwd: process.cwd(), stderr };
    void createAgent({ name, version, help, dotEnv: "listed", run: (context) => agent.run(context, port) })();
  }
}

function stderr(lines: string): void {
  writeStderr(`${lines}\n`);
}

function check(agent: ProgramAgent, words: readonly string[]): number {
  const checked = agent.check(words, { cwd: process.cwd(), path: process.env.PATH ?? "" });
  if (!checked.ok) {
    stderr(`error[USAGE]: ${checked.error}\nhint: ${agent.usage}`);
    return 2;
  }
  return printText(`${JSON.stringify(checked.value, null, 2)}\n`, checked.value.installed ? 0 : NOT_READY);
}
