import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Kind, Session } from "./frame.js";
import { MOCK, openWorld, type Ran, RUNTIMES, type RunOptions, type Runtime, type World } from "./world.js";

/** Files of a cloned repository that try to run, or to change a decision. */
export type Trap = {
  readonly name: string;
  readonly files: (mark: Mark) => Readonly<Record<string, string>>;
};

/** Texts of files that leave a canary when they are run. */
type Mark = { readonly folder: string; readonly script: string; readonly shell: string };

/** Where the canaries appear: empty while no trap was triggered. */
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
      // Workflow files may only set names, roles and prompts, config.yaml which of the user's agents play them.
      ".workflows/greedy.yaml": `name: greedy\nagents: { x: { command: ${folder}/agent.sh } }\ndefaultAgent: x\nstorageRoot: ${folder}/.owned/root\n`,
      ".workflows/../agent.sh": shell,
      ".workflows/config.yaml": `providers: { openrouter: { baseUrl: "http://127.0.0.1:9/v1" } }\nagents: { x: { command: ${folder}/agent.sh } }\ndefaultAgent: x\n`,
      ".workflows/.env": VARIABLES(folder),
    }),
  },
];

const PROMISE =
  "a project gives names, prompts and a choice among the user's agents, and nothing else of it has an effect";

const JSON_CAS = resolve(import.meta.dirname, "../../cli-json-cas/bin/json-cas");
const WORKFLOW = resolve(import.meta.dirname, "world/turns.yaml");

/** Runs uwf in folders of cloned repositories. */
export const project: Kind = {
  name: "project",
  title:
    "commands in folders full of traps: settings, packages, programs and workflows of a stranger's repository",
  sampleRounds: 1,
  weight: 1,
  goals: { "commands between traps": 200 },
  run: async (session) => {
    for (let round = 0; session.more(round); round += 1) {
      for (const runtime of RUNTIMES) {
        const world = openWorld(join(session.folder, `round-${round}-${runtime}`), runtime);
        await walkThrough(session, world, runtime);
      }
    }
  },
};

/** Relative entries of PATH before the real ones, as some users have them. */
const CARELESS = ["", ".", "./", "node_modules/.bin", "..", "./sub/../"] as const;

async function walkThrough(session: Session, world: World, runtime: Runtime): Promise<void> {
  const traps = session.level === "sample" ? TRAPS : TRAPS.filter(() => session.random.next() < 0.7);
  for (const trap of traps) plantOn(world.cwd, trap);
  session.count("traps", traps.length);
  writeLocalWorkflow(world);
  const path = `${session.random.pick(CARELESS)}:${world.environment(runtime).PATH}:${session.random.pick(CARELESS)}`;
  const run = async (args: readonly string[], options: RunOptions = {}): Promise<Ran> => {
    const ran = await world.uwf(args, { ...options, env: { PATH: path, ...options.env } });
    session.count("commands between traps");
    for (const trap of ownedBy(world.cwd)) {
      session.broken(
        PROMISE,
        `seed ${session.seed}, ${runtime}, uwf ${args.join(" ")}: caught by ${trap}, PATH ${path}`,
      );
    }
    return ran;
  };
  await tell(session, world, run);
}

/** A workflow, found by name. */
function writeLocalWorkflow({ cwd }: World): void {
  mkdirSync(join(cwd, ".workflows"), { recursive: true });
  const workflow = readFileSync(WORKFLOW, "utf8")
    .replace("name: turns", "name: local-turns")
    .replace("steps[-1].output.approved = false", "$contains($string(steps[-1].output.approved), /fal/)");
  writeFileSync(join(cwd, ".workflows", "local-turns.yaml"), workflow);
}

async function tell(
  session: Session,
  world: World,
  run: (args: readonly string[], options?: RunOptions) => Promise<Ran>,
): Promise<void> {
  const demand = async (args: readonly string[], code: number, word = ""): Promise<Ran> => {
    const ran = await run(args);
    if (ran.code !== code || !`${ran.stdout}${ran.stderr}`.includes(word)) {
      session.broken(
        PROMISE,
        `uwf ${args.join(" ")} ended with ${ran.code}, not ${code} ${word}: ${ran.stderr}`,
      );
    }
    return ran;
  };
  await demand(["workflow", "put", WORKFLOW], 0);
  await demand(["workflow", "list"], 0, "local-turns");
  const started = await demand(["thread", "start", "local-turns", "-p", "Do it"], 0);
  const { thread } = JSON.parse(started.stdout || "{}");
  // Its settings are read where a step would otherwise choose the agent, whatever else is on the line.
  const settings = join(world.cwd, ".workflows", "config.yaml");
  if (existsSync(settings)) {
    await demand(["thread", "step", thread], 4, "agents may stand only in your own config.yaml");
    await demand(["thread", "step", thread, ...world.agent], 4, "INVALID_CONFIG");
  }
  writeFileSync(settings, "agentOverrides: { local-turns: { maker: ./agent.sh } }\n");
  await demand(["thread", "step", thread], 4, "ALIAS_UNDEFINED");
  writeFileSync(settings, "limits: { default: { maxSteps: 1000 } }\n");
  await demand(["thread", "step", thread], 4, "NO_AGENT");
  await demand(["thread", "step", thread, "--agent", "uwf-hermes"], 4, "AGENT_NOT_FOUND");
  await demand(["thread", "step", thread, "--agent", `'${MOCK}'`], 0);
  await demand(["thread", "run", thread, ...world.agent], 0, '"done": true');
  await demand(["thread", "read", thread], 0, "local-turns");
  await demand(["thread", "list", "--all"], 0, thread);
  await demand(["doctor"], 0);
  if (existsSync(join(world.cwd, ".workflows", "greedy.yaml")))
    await demand(["workflow", "show", "greedy"], 4, "unknown");
  const direct = await run(["--store", join(world.root, "cas"), "verify"], { program: JSON_CAS });
  if (direct.code !== 0)
    session.broken(PROMISE, `json-cas verify ended with ${direct.code}: ${direct.stderr}`);
}
