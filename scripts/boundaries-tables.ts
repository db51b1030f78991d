/** Where a path pattern ends with `/`, everything below it is meant. */
export type Permission = {
  readonly where: string;
  /** Names as the check reports them; `*` = all. */
  readonly uses: readonly string[];
};

/** Reads entries of two lines: who may use what, and why. */
function permissions(text: string): readonly Permission[] {
  const entries = text.trim().split(/\n(?! )/);
  return entries.map((entry) => {
    const [where = "", uses = ""] = (entry.split("\n")[0] ?? "").split(": ");
    return { where, uses: uses.split(", ") };
  });
}

/** The edges: the only files that may read the environment, the clock, randomness, or end the process. */
export const EDGES = permissions(`
packages/*/src/bin/: *
  a binary's first file hands these inward
packages/cli-workflow/src/io.ts: process.env, process.cwd, process.stdout, process.stderr, Date.now, crypto.randomUUID
  the host: one value that stands for the process
packages/workflow-agent-kit/src/host.ts: process.env, process.cwd, process.exit, process.exitCode, Date.now
  the host of an author's agent, whose first file is the author's
packages/workflow-agent-kit/src/main/run.ts: process.argv
  a default argument of the kit's outermost function
packages/workflow-agent-kit/src/program.ts: process.argv, process.cwd, process.env, process.exitCode
  the process around agents that run a program, which differ in what they make of it
packages/workflow-agent-llm/src/main.ts: process.env, process.cwd, process.exitCode, Date.now, node:crypto randomUUID, node:os homedir
  the process around two binaries that differ in one word
packages/workflow-agent-office/src/host.ts: process.argv, process.env, process.cwd, process.exitCode, node:os homedir
  the process around two tools
packages/workflow-agent-cli/src/main.ts: process.env, process.cwd, process.exitCode, performance.now
  the process around six binaries that differ in one word
packages/workflow-agent-kit/src/llm/exchange.ts: Date.now
  the port of a real run: the clock that Retry-After dates are compared with
packages/workflow-util/src/process/: process.hrtime
  limits and durations of real processes, on a clock that never jumps
packages/workflow-moderator/src/engine/serve.js: process.stdin
  the edge of the evaluator process, which reads there what it evaluates
packages/json-cas-fs/src/lock/: Date.now, performance.now
  default arguments of the outermost functions; how long a caller has waited for a lock
packages/json-cas-fs/src/store/fs-store.ts: Date.now
  a default of the package's outermost factory
packages/json-cas/src/store.ts: Date.now
  a default of the package's outermost factory
packages/json-cas-fs/src/files/open.ts: Math.random
  names of temporary files and nonces: never part of a result
`);

/** Packages that the build puts into `dist`, so that nobody installs them. */
export const BUILT_IN = permissions(`
packages/json-schema/src/validate/formats.ts: typebox
  1,400 files, of which the formats are used: scripts/bins/formats.ts
`);

/** Packages that no `import` shows. */
export const UNSEEN_DEPENDENCIES = permissions(`
packages/workflow-store/package.json: @types/node
  its declarations name Buffer, which an author's project has to know
packages/workflow-agent-acp/package.json: @types/node
  its declarations name AbortSignal
`);
