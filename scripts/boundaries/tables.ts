// Who may touch the process it runs in, and what is loaded late. What may import what, each package.json says.

/** Where a path pattern ends with `/`, everything below it is meant. */
export type Permission = {
  readonly where: string;
  /** Names as the check reports them; `*` = all. */
  readonly uses: readonly string[];
  readonly because: string;
};

/** The edges: the only files that may read the environment, the clock, randomness, or end the process. */
export const EDGES: readonly Permission[] = [
  { where: "packages/*/src/bin/", uses: ["*"], because: "a binary's first file hands these inward" },
  {
    where: "packages/cli-workflow/src/io.ts",
    uses: ["process.env", "process.cwd", "process.stdout", "process.stderr", "Date.now", "crypto.randomUUID"],
    because: "the host: one value that stands for the process",
  },
  {
    where: "packages/workflow-agent-kit/src/host.ts",
    uses: ["process.env", "process.cwd", "process.exit", "process.exitCode", "Date.now"],
    because: "the host of an author's agent, whose first file is the author's",
  },
  {
    where: "packages/workflow-agent-kit/src/main/run.ts",
    uses: ["process.argv"],
    because: "a default argument of the kit's outermost function",
  },
  {
    where: "packages/workflow-agent-kit/src/main/program-agent.ts",
    uses: ["process.argv", "process.cwd", "process.env", "process.exitCode"],
    because: "the process around agents that run a program, which differ in what they make of it",
  },
  {
    where: "packages/workflow-agent-llm/src/main.ts",
    uses: [
      "process.env",
      "process.cwd",
      "process.exitCode",
      "Date.now",
      "node:crypto randomUUID",
      "node:os homedir",
    ],
    because: "the process around two binaries that differ in one word",
  },
  {
    where: "packages/workflow-agent-office/src/start.ts",
    uses: ["process.argv", "process.env", "process.cwd", "process.exitCode", "node:os homedir"],
    because: "the process around two tools",
  },
  {
    where: "packages/workflow-agent-cli/src/main.ts",
    uses: ["process.env", "process.cwd", "process.exitCode", "performance.now"],
    because: "the process around six binaries that differ in one word",
  },
  {
    where: "packages/workflow-agent-kit/src/llm/exchange.ts",
    uses: ["Date.now"],
    because: "the port of a real run: the clock that Retry-After dates are compared with",
  },
  {
    where: "packages/workflow-util/src/process/",
    uses: ["process.hrtime"],
    because: "limits and durations of real processes, on a clock that never jumps",
  },
  {
    where: "packages/workflow-moderator/src/engine/serve.js",
    uses: ["process.stdin"],
    because: "the edge of the evaluator process, which reads there what it evaluates",
  },
  {
    where: "packages/json-cas-fs/src/lock/",
    uses: ["Date.now", "performance.now"],
    because: "default arguments of the outermost functions; how long a caller has waited for a lock",
  },
  {
    where: "packages/json-cas-fs/src/store/fs-store.ts",
    uses: ["Date.now"],
    because: "a default of the package's outermost factory",
  },
  {
    where: "packages/json-cas/src/memory-store.ts",
    uses: ["Date.now"],
    because: "a default of the package's outermost factory",
  },
  {
    where: "packages/json-cas-fs/src/files/open.ts",
    uses: ["Math.random"],
    because: "names of temporary files and nonces: never part of a result",
  },
];

/** The documented places of lazy imports. `uses` are the imported specifiers. */
export const LAZY: readonly Permission[] = [
  {
    where: "packages/cli-workflow/src/commands.made.ts",
    uses: ["*"],
    because: "a command loads only its own code",
  },
  {
    where: "packages/cli-workflow/src/commands/cas/mount.ts",
    uses: ["./hooks.js", "./words.js"],
    because:
      "what uwf adds to gc, export, import, du and verify --repair is needed by these only, and words by people only",
  },
  {
    where: "packages/cli-workflow/src/remote/open.ts",
    uses: ["@uncaged/workflow-remote"],
    because: "who wants a remote installs it beside uwf; with its drivers it is twice as large as all of uwf",
  },
  {
    where: "packages/cli-workflow/src/commands/thread/",
    uses: ["./list-table.js", "./show-fields.js"],
    because: "a person also reads the next role, and deciding it needs the code of a step: 3 ms",
  },
  {
    where: "packages/cli-workflow/src/commands/thread/",
    uses: [
      "./remote-read.js",
      "./remote-change.js",
      "./remote-answer.js",
      "./run-all.js",
      "./tree.js",
      "./next-prompt.js",
    ],
    because: "--remote, --tree and --prompt of `next` each ask for another command's code",
  },
  {
    where: "packages/cli-workflow/src/commands/log.ts",
    uses: ["./log-remote.js"],
    because: "only --remote needs the code of remotes",
  },
  {
    where: "packages/cli-workflow/src/commands/setup/setup.ts",
    uses: ["./wizard.js"],
    because: "@clack/prompts costs 30 ms and only somebody who answers questions needs it",
  },
  {
    where: "packages/cli-workflow/src/ui/server.ts",
    uses: ["node:http"],
    because: "a bundle would load it at its start, and only `uwf ui` serves anything",
  },
  {
    where: "packages/cli-workflow/src/report/documents.ts",
    uses: ["./difference.js"],
    because: "only a report of a thread with Word documents reads some",
  },
  {
    where: "packages/workflow-engine/src/late-yaml.ts",
    uses: ["./yaml.js"],
    because: "yaml costs 13 ms and only --format yaml needs it",
  },
  {
    where: "packages/cli-json-cas/src/commands.made.ts",
    uses: ["*"],
    because: "a command loads only its own code, and uwf mounts this group without loading any",
  },
  {
    where: "packages/workflow-agent-kit/src/load.ts",
    uses: ["./extract.js", "./files.js", "./llm/index.js", "./resume.js"],
    because:
      "extraction is needed only for a reply in words, the chat client only where its header failed, and resuming " +
      "only by agents that can",
  },
  {
    where: "packages/workflow-moderator/src/check-lazily.ts",
    uses: ["./check/index.js"],
    because: "the checks of put bring jsonata's parser and re2js, which a step does not need",
  },
  {
    where: "packages/workflow-docx/src/fill/fill.ts",
    uses: ["docxtemplater", "pizzip"],
    because: "half a megabyte of code that only templates need",
  },
  {
    where: "packages/workflow-util/src/scenario/parse.ts",
    uses: ["./yaml.js"],
    because: "yaml costs 13 ms and a scenario in JSON needs none",
  },
  {
    where: "packages/workflow-moderator/src/engine/load.ts",
    uses: ["jsonata", "./serve.js"],
    because: "a workflow whose conditions are all null loads no jsonata",
  },
  {
    where: "packages/workflow-moderator/src/engine/serve.js",
    uses: ["re2js"],
    because: "12 ms that only an expression with a regex needs",
  },
  {
    where: "packages/workflow-store/src/hash-map-file/hand-edited.ts",
    uses: ["yaml"],
    because: "yaml costs 13 ms and files that we wrote ourselves never need it",
  },
  {
    where: "packages/workflow-store/src/documents/parse.ts",
    uses: ["./parse-text.js"],
    because: "the same, for workflow files and config.yaml",
  },
  {
    where: "packages/workflow-store/src/config/",
    uses: ["./edit.js"],
    because: "editing (yaml) only for setup",
  },
  {
    where: "packages/json-cas/src/xxh64.ts",
    uses: ["xxhash-wasm"],
    because: "bun has XXH64 built in and need not read it",
  },
  {
    where: "packages/json-cas-fs/src/store/fs-store.ts",
    uses: ["./writer.js"],
    because: "writing needs the schema validator, 5 ms that a process that only reads saves",
  },
  {
    where: "packages/workflow-engine/src/step/verify.ts",
    uses: ["./verify-stdout.js"],
    because: "the schema validator is loaded while the agent runs, when there is nothing else to do",
  },
  {
    where: "packages/cli-workflow/src/bin/uwf.ts",
    uses: ["../main.js", "../main-step.js", "../main-complete.js", "../main-help.js"],
    because: "the line that loops call needs no command line parser",
  },
  {
    where: "packages/workflow-remote/src/database.ts",
    uses: ["pg", "@electric-sql/pglite"],
    because: "one address needs one of the two drivers, and PGlite is a whole PostgreSQL",
  },
  {
    where: "packages/workflow-util/src/ids.ts",
    uses: ["ulid"],
    because: "ulid loads node:crypto, 6 ms on bun, and a step makes no thread",
  },
  {
    where: "packages/workflow-util/src/process/spawn.ts",
    uses: ["node:child_process"],
    because: "bun has a spawn of its own and would pay 6 ms",
  },
];

/** Dependencies that the build puts into `dist`, so that nobody installs them. `uses` are package names. */
export const BUILT_IN: readonly Permission[] = [
  {
    where: "packages/json-schema/src/validate/formats.ts",
    uses: ["typebox"],
    because: "1,400 files, of which the formats are used: scripts/bins/formats.ts",
  },
];

/** Dependencies that no `import` shows. `uses` are package names. */
export const UNSEEN_DEPENDENCIES: readonly Permission[] = [
  {
    where: "packages/workflow-store/package.json",
    uses: ["@types/node"],
    because: "its declarations name Buffer, which an author's project has to know",
  },
];
