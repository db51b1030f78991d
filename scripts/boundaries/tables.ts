// What may depend on what, and who may touch the process it runs in. The only place that says so.

/**
 * The arrows: a package may import the packages named here and no others. Folder names under packages/.
 * A package that is missing here may import nothing of ours, so a new one has to be entered.
 */
export const ARROWS: Readonly<Record<string, readonly string[]>> = {
  "json-cas": [],
  "json-cas-fs": ["json-cas"],
  "workflow-protocol": ["json-cas"],
  "workflow-util": ["json-cas", "workflow-protocol"],
  "workflow-moderator": ["workflow-protocol", "workflow-util"],
  "workflow-store": ["json-cas", "json-cas-fs", "workflow-protocol", "workflow-util"],
  "workflow-agent-kit": ["json-cas", "workflow-protocol", "workflow-store", "workflow-util"],
  "workflow-agent-hermes": ["workflow-agent-kit", "workflow-util"],
  "workflow-agent-mock": ["workflow-agent-kit", "workflow-util"],
  "cli-json-cas": ["json-cas", "json-cas-fs"],
  "cli-workflow": [
    "cli-json-cas",
    "json-cas",
    "workflow-moderator",
    "workflow-protocol",
    "workflow-store",
    "workflow-util",
  ],
};

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
    where: "packages/cli-workflow/src/io/",
    uses: ["process.env", "process.cwd", "Date.now"],
    because: "the host: one value that stands for the process",
  },
];

/** The documented places of lazy imports. `uses` are the imported specifiers. */
export const LAZY: readonly Permission[] = [
  {
    where: "packages/cli-workflow/src/program/load.ts",
    uses: ["*"],
    because: "a command loads only its own code; start-up time",
  },
];

/** Dependencies that no `import` shows. `uses` are package names. */
export const UNSEEN_DEPENDENCIES: readonly Permission[] = [];
