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
packages/json-cas/src/memory-store.ts: Date.now
  a default of the package's outermost factory
packages/json-cas-fs/src/files/open.ts: Math.random
  names of temporary files and nonces: never part of a result
`);

/** The documented places of lazy imports, and the imported specifiers. */
export const LAZY = permissions(`
packages/cli-workflow/src/commands.made.ts: *
  a command loads only its own code
packages/cli-workflow/src/commands/cas/mount.ts: ./hooks.js, ./words.js
  what uwf adds to gc, export, import, du and verify --repair is needed by these only, and words by people only
packages/cli-workflow/src/main.ts: ./core.js
  all that an add-on may use is started for lines that need one
packages/cli-workflow/src/commands/thread/: ./list-table.js, ./show-fields.js
  a person also reads the next role, and deciding it needs the code of a step: 3 ms
packages/cli-workflow/src/commands/thread/: ./run-all.js, ./tree.js, ./next-prompt.js
  --tree and --prompt of next each ask for another command's code
packages/cli-workflow/src/commands/setup/setup.ts: ./wizard.js
  @clack/prompts costs 30 ms and only somebody who answers questions needs it
packages/cli-workflow/src/ui/server.ts: node:http
  a bundle would load it at its start, and only uwf ui serves anything
packages/workflow-engine/src/late-yaml.ts: ./yaml.js
  yaml costs 13 ms and only --format yaml needs it
packages/cli-json-cas/src/commands.made.ts: *
  a command loads only its own code, and uwf mounts this group without loading any
packages/workflow-agent-kit/src/load.ts: ./extract.js, ./files.js, ./llm/index.js, ./resume.js
  extraction is needed only for a reply in words, the chat client only where its header failed, and resuming only by agents that can
packages/workflow-moderator/src/check-lazily.ts: ./check/index.js
  the checks of put bring jsonata's parser and re2js, which a step does not need
packages/workflow-docx/src/fill.ts: docxtemplater, pizzip
  half a megabyte of code that only templates need
packages/workflow-util/src/scenario/parse.ts: ./yaml.js
  yaml costs 13 ms and a scenario in JSON needs none
packages/workflow-moderator/src/engine/load.ts: jsonata, ./serve.js
  a workflow whose conditions are all null loads no jsonata
packages/workflow-moderator/src/engine/serve.js: re2js
  12 ms that only an expression with a regex needs
packages/workflow-store/src/hand-edited-map.ts: yaml
  yaml costs 13 ms and files that we wrote ourselves never need it
packages/workflow-store/src/documents/parse.ts: ./parse-text.js
  the same, for workflow files and config.yaml
packages/workflow-store/src/config/: ./edit.js
  editing (yaml) only for setup
packages/json-cas/src/xxh64.ts: xxhash-wasm
  bun has XXH64 built in and need not read it
packages/cli-workflow/src/bin/uwf.ts: ../main.js, ../main-step.js, ../main-complete.js, ../main-help.js
  the line that loops call needs no command line parser
packages/workflow-remote/src/database.ts: pg, @electric-sql/pglite
  one address needs one of the two drivers, and PGlite is a whole PostgreSQL
packages/workflow-util/src/ids.ts: ulid
  ulid loads node:crypto, 6 ms on bun, and a step makes no thread
packages/workflow-util/src/process/spawn.ts: node:child_process
  bun has a spawn of its own and would pay 6 ms
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
