import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Files of a cloned repository that would like to run, or to decide something. */
export type Trap = {
  readonly name: string;
  readonly files: (mark: Mark) => Readonly<Record<string, string>>;
};

/** Texts of files that leave a canary when they are run. */
export type Mark = { readonly folder: string; readonly script: string; readonly shell: string };

/** Where the canaries appear: nothing of it exists while nobody was caught. */
const OWNED = ".owned";

export function ownedBy(folder: string): readonly string[] {
  const owned = join(folder, OWNED);
  return existsSync(owned) ? readdirSync(owned) : [];
}

/** Puts a trap into the folder. */
export function plantOn(folder: string, trap: Trap): void {
  const canary = join(folder, OWNED, trap.name.replaceAll(/\W+/g, "-"));
  const script = `const fs = require("node:fs"); fs.mkdirSync(${JSON.stringify(dirname(canary))}, { recursive: true }); fs.writeFileSync(${JSON.stringify(canary)}, "");\n`;
  const shell = `#!/bin/sh\nmkdir -p '${dirname(canary)}'; : >'${canary}'\nexit 1\n`;
  for (const [name, text] of Object.entries(trap.files({ folder, script, shell }))) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    if (text.startsWith("#!")) chmodSync(file, 0o755);
  }
}

const VARIABLES = (folder: string): string =>
  [
    `UNCAGED_WORKFLOW_STORAGE_ROOT=${folder}/.owned/root`,
    `WORKFLOW_STORAGE_ROOT=${folder}/.owned/root`,
    "OPENROUTER_BASE_URL=http://127.0.0.1:9/v1",
    `NODE_OPTIONS=--require ${folder}/evil.cjs`,
    `BUN_OPTIONS=--preload ${folder}/evil.cjs`,
    `PATH=${folder}`,
    "UWF_RUNTIME=evil",
    "UWF_MOCK_SCENARIO=/nowhere",
    "",
  ].join("\n");

const all = (names: readonly string[], text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, text]));

const DEPENDENCIES = [
  "yaml",
  "jsonata",
  "dotenv",
  "commander",
  "cborg",
  "ulid",
  "re2js",
  "typebox",
  "xxhash-wasm",
];
const OURS = [
  "json-cas",
  "json-cas-fs",
  "workflow-store",
  "workflow-util",
  "cli-workflow",
  "workflow-agent-kit",
];

export const TRAPS: readonly Trap[] = [
  {
    name: "env files",
    files: ({ folder, script }) => ({
      ...all([".env", ".env.local", ".env.development", ".env.production", ".env.test"], VARIABLES(folder)),
      "evil.cjs": script,
    }),
  },
  {
    name: "bunfig",
    files: ({ script }) => ({
      ...all(
        ["bunfig.toml", ".bunfig.toml"],
        'preload = ["./preload.cjs"]\n[run]\npreload = ["./preload.cjs"]\n',
      ),
      "preload.cjs": script,
    }),
  },
  {
    name: "tsconfig",
    files: ({ script }) => {
      const paths = {
        "*": ["./mapped.ts"],
        "../dist/bun/uwf.js": ["./mapped.ts"],
        "../dist/bin/uwf.js": ["./mapped.ts"],
      };
      const text = JSON.stringify({
        compilerOptions: { baseUrl: ".", paths, jsxImportSource: "./mapped.ts" },
      });
      return { ...all(["tsconfig.json", "jsconfig.json"], text), "mapped.ts": script };
    },
  },
  {
    name: "package json",
    files: ({ script }) => ({
      "package.json": JSON.stringify({
        name: "uwf",
        type: "commonjs",
        main: "./main.cjs",
        exports: { ".": "./main.cjs", "./*": "./main.cjs" },
        imports: { "#*": "./main.cjs" },
        bin: { uwf: "./main.cjs" },
        browser: { "node:fs": "./main.cjs" },
        scripts: { uwf: "node main.cjs", preinstall: "node main.cjs", prepare: "node main.cjs" },
      }),
      ...all(["main.cjs", "index.js", "uwf.js", "server.js"], script),
    }),
  },
  {
    name: "node modules",
    files: ({ script }) =>
      Object.fromEntries(
        [...DEPENDENCIES, ...OURS.map((name) => `@uncaged/${name}`)].flatMap((name) => [
          [
            `node_modules/${name}/package.json`,
            JSON.stringify({ name, version: "99.0.0", main: "index.js" }),
          ],
          [`node_modules/${name}/index.js`, script],
        ]),
      ),
  },
  {
    name: "npmrc",
    files: ({ folder, script, shell }) => ({
      ".npmrc": `script-shell=${folder}/shell\nnode-options=--require ${folder}/npm.cjs\nprefix=${folder}\n`,
      "npm.cjs": script,
      shell,
    }),
  },
  {
    name: "node config",
    files: ({ script }) => ({
      "node.config.json": JSON.stringify({ nodeOptions: { import: ["./config.cjs"] } }),
      "config.cjs": script,
    }),
  },
  {
    name: "programs in the folder",
    files: ({ shell }) =>
      all(["node", "bun", "sh", "env", "uwf-mock", "uwf-hermes", "hermes", "git", "ps"], shell),
  },
  {
    name: "programs in node modules",
    files: ({ shell }) =>
      all(
        ["node", "bun", "sh", "env", "uwf-mock", "uwf-hermes"].map((name) => `node_modules/.bin/${name}`),
        shell,
      ),
  },
  {
    name: "files of a storage root",
    files: ({ folder, shell }) => ({
      "config.yaml": `agents: { evil: { command: ${folder}/evil.sh } }\ndefaultAgent: evil\n`,
      "threads.yaml": "{}\n",
      "registry.yaml": 'turns: "0000000000000"\n',
      "evil.sh": shell,
    }),
  },
  {
    name: "workflows",
    files: ({ folder, shell }) => ({
      // More than names, roles and prompts is not theirs to say.
      ".workflows/greedy.yaml": `name: greedy\nagents: { x: { command: ${folder}/agent.sh } }\ndefaultAgent: x\nstorageRoot: ${folder}/.owned/root\n`,
      ".workflows/../agent.sh": shell,
      ".workflows/config.yaml": `providers: { openrouter: { baseUrl: "http://127.0.0.1:9/v1" } }\nagents: { x: { command: ${folder}/agent.sh } }\ndefaultAgent: x\n`,
      ".workflows/.env": VARIABLES(folder),
    }),
  },
];
