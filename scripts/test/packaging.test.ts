import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listFiles, uncompiled } from "../release/built.js";
import { pack, unpack } from "../release/pack.js";
import { verifyPackage } from "../release/verify.js";
import { membersInOrder, readManifest } from "../release/workspace.js";
import { onPath, repository, run } from "./support/run.js";
import { temporaryDir, writeFiles } from "./support/tree.js";

// What people get: every package as a tarball, installed by npm into an empty folder, then used. Needs the
// registry (or npm's cache) for the dependencies that are not ours.

const members = membersInOrder(repository);
const temporary = mkdtempSync(join(tmpdir(), "uwf packaging-"));
const project = join(temporary, "a project");
const tarballs = new Map<string, string>();

const MINUTES = 60_000;

/** What somebody who writes an agent in TypeScript has anyhow, in the version of this repository. */
const { devDependencies: ours } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
  readonly devDependencies: Readonly<Record<string, string>>;
};
const devDependencies = { "@types/node": ours["@types/node"] };

/** An agent as an author writes it: ten lines, an output that needs no extraction. */
const AUTHORS_AGENT = `import { createAgent } from "@uncaged/workflow-agent-kit";

const main = createAgent({
  name: "uwf-count",
  run: ({ start, steps }) => ({
    kind: "output",
    value: { words: start.prompt.split(" ").length, earlier: steps.length, bun: "bun" in process.versions },
  }),
});
await main();
`;

/** The same in TypeScript, with what else an author's agent is given and gives. */
const TYPED_AGENT = `import { type AgentContext, type AgentReply, createAgent } from "@uncaged/workflow-agent-kit";

async function run({ prompt, signal }: AgentContext): Promise<AgentReply> {
  signal.throwIfAborted();
  return { kind: "text", text: prompt, session: { sessionId: "s-1" } };
}

await createAgent({ name: "uwf-typed", run, continue: null })();
`;

/** As strict as it gets; without DOM, and without a word on Node's types. */
const STRICT = {
  compilerOptions: {
    strict: true,
    exactOptionalPropertyTypes: true,
    module: "nodenext",
    target: "es2023",
    lib: ["es2023"],
    skipLibCheck: false,
    noEmit: true,
  },
  include: ["*.ts"],
};

/** Names of Node that no library of ECMAScript has. */
const OF_NODE = /"node:|\b(NodeJS|Buffer|AbortSignal|typeof fetch)\b/;

const AUTHORS_WORKFLOW = `name: count-words
description: Counts the words of the prompt, twice.
roles:
  counter:
    description: Counts words
    goal: The number of words
    capabilities: []
    procedure: Count.
    output: The number
    meta:
      type: object
      required: [words, earlier, bun]
      properties: { words: { type: integer }, earlier: { type: integer }, bun: { type: boolean } }
conditions:
  once:
    description: Counted once
    expression: steps[-1].output.earlier = 0
graph:
  $START: [{ role: counter, condition: null }]
  counter: [{ role: counter, condition: once }, { role: $END, condition: null }]
`;

/** A condition that is evaluated in a process of its own, and what it is asked about: two digits, then one. */
const PATTERN_WORKFLOW = `name: by-pattern
description: Goes on while the code has two digits.
roles:
  coder:
    description: Gives a code
    goal: A code
    capabilities: []
    procedure: Give one.
    output: The code
    meta: { type: object, required: [code], properties: { code: { type: string } } }
conditions:
  two:
    description: Two digits
    expression: $contains(steps[-1].output.code, /^[a-z]+[0-9]{2}$/)
graph:
  $START: [{ role: coder, condition: null }]
  coder: [{ role: coder, condition: two }, { role: $END, condition: null }]
`;

const PATTERN_SCENARIO = JSON.stringify({
  roles: { coder: ["abc12", "abc1"].map((code) => ({ reply: `---\ncode: ${code}\n---\n` })) },
});

const hasBun = onPath("bun") !== null;
const runtimes = ["node", ...(hasBun ? ["bun"] : [])];

describe.skipIf(!hasBun)("the packages, packed and installed by npm into an empty folder", () => {
  beforeAll(() => {
    expect(uncompiled(repository), "run `bun run build` first").toEqual([]);
    for (const member of members)
      tarballs.set(member.manifest.name, pack(member, join(temporary, "tarballs")));
    mkdirSync(project, { recursive: true });
    writeFiles(project, {
      "package.json": JSON.stringify({ name: "a-project", private: true, type: "module", devDependencies }),
      "agent.mjs": AUTHORS_AGENT,
      "count-words.yaml": AUTHORS_WORKFLOW,
      "by-pattern.yaml": PATTERN_WORKFLOW,
      "by-pattern.scenario.json": PATTERN_SCENARIO,
    });
    cpSync(join(repository, "examples"), join(project, "examples"), { recursive: true });
    const args = ["install", "--no-audit", "--no-fund", ...tarballs.values()];
    const installed = run("npm", args, { cwd: project });
    expect(installed.code, installed.stderr).toBe(0);
  }, 5 * MINUTES);

  afterAll(() => rmSync(temporary, { recursive: true, force: true }));

  it.each(members.map(({ manifest }) => manifest.name))("%s is complete", (name) => {
    const member = members.find((one) => one.manifest.name === name);
    if (member === undefined) throw new Error(name);
    expect(verifyPackage(unpack(tarballs.get(name) ?? ""), member, members)).toEqual([]);
  });

  it("takes every package of ours from its tarball, and none from the registry", () => {
    type Lock = { readonly packages: Readonly<Record<string, { readonly resolved: string | undefined }>> };
    const lock = JSON.parse(readFileSync(join(project, "package-lock.json"), "utf8")) as Lock;
    const ours = Object.entries(lock.packages).filter(([path]) => path.includes("node_modules/@uncaged/"));
    expect(ours).toHaveLength(members.length);
    for (const [path, { resolved }] of ours) expect(`${path} ${resolved}`).toMatch(/ file:/);
  });

  it("take at most 20 MB: uwf with one package of agents, and all that these need", () => {
    const packages = new Set(["@uncaged/cli-workflow", "@uncaged/workflow-agent-exec"]);
    let bytes = 0;
    for (const name of packages) {
      const folder = join(project, "node_modules", name);
      for (const need of Object.keys(readManifest(join(folder, "package.json")).dependencies ?? {}))
        packages.add(need);
      for (const file of listFiles(folder)) bytes += statSync(join(folder, file)).size;
    }
    expect(bytes).toBeGreaterThan(10e6);
    expect(bytes).toBeLessThan(20e6);
  });

  it("can import every package by its name, with types beside it", () => {
    for (const { manifest } of members) {
      const code = `const m = await import("${manifest.name}"); if (Object.keys(m).length === 0) process.exit(3);`;
      const ran = run("node", ["--input-type=module", "-e", code], { cwd: project });
      expect(`${manifest.name} ${ran.code} ${ran.stderr}`).toBe(`${manifest.name} 0 `);
      expect(existsSync(join(project, "node_modules", manifest.name, "dist/index.d.ts"))).toBe(true);
    }
  });

  it("compile in an author's strict project, each with the types that it needs", () => {
    const folder = join(project, "typed");
    mkdirSync(folder);
    const imports = members.map(({ folder: name, manifest }) => [
      `${name}.ts`,
      `import * as all from "${manifest.name}";\nexport const names = Object.keys(all);\n`,
    ]);
    writeFiles(folder, {
      "tsconfig.json": JSON.stringify(STRICT),
      "uwf-typed.ts": TYPED_AGENT,
      ...Object.fromEntries(imports),
    });
    const tsc = join(repository, "node_modules/.bin/tsc");
    const compiled = run(tsc, ["--listFiles"], { cwd: folder });
    const files = compiled.stdout.split("\n").filter((line) => line.endsWith(".d.ts"));
    expect(compiled.stdout.split("\n").filter((line) => line.includes("error TS"))).toEqual([]);
    expect(files.some((file) => file.startsWith(join(project, "node_modules/@types/node/")))).toBe(true);
    for (const { manifest } of members) {
      const own = files.filter((file) => file.includes(`/node_modules/${manifest.name}/`));
      const needs = own.some((file) => OF_NODE.test(readFileSync(file, "utf8")));
      expect(`${manifest.name} ${"@types/node" in (manifest.peerDependencies ?? {})}`).toBe(
        `${manifest.name} ${needs}`,
      );
    }
  });

  it("run on bun from the bytecode in their tarballs", () => {
    const env = { UWF_RUNTIME: "bun", BUN_JSC_verboseDiskCache: "1" };
    for (const { manifest } of members) {
      for (const name of Object.keys(manifest.bin ?? {})) {
        const ran = run(join(project, "node_modules/.bin", name), ["--version"], { cwd: project, env });
        expect(ran.stdout.endsWith(`${manifest.version}\n`), `${name}\n${ran.stderr}`).toBe(true);
        expect(`${name} ${ran.stderr}`).toMatch(/cache hit/i);
      }
    }
  });

  describe.each(runtimes)("on %s", (runtime) => {
    it("have commands that print the version of their own package", () => {
      const version = (name: string) =>
        members.find(({ manifest }) => manifest.name === name)?.manifest.version;
      const { uwf, command } = installation(runtime);
      expect(uwf("--version")).toBe(`${version("@uncaged/cli-workflow")}\n`);
      expect(command("json-cas", "--version")).toBe(`${version("@uncaged/cli-json-cas")}\n`);
    });

    it("play a whole thread with uwf-mock, and the store can be walked from its head", () => {
      const { json, uwf } = installation(runtime);
      json("workflow", "put", "examples/solve-issue.yaml");
      const { thread } = json("thread", "start", "solve-issue", "-p", "parsePort accepts 80x");
      const agent = "uwf-mock --scenario examples/solve-issue.scenario.yaml";
      const expected = expectedRoles(join(project, "examples/solve-issue.scenario.yaml"));
      const done = expected.map(() => json("thread", "step", String(thread), "--agent", agent).done);
      expect(done).toEqual(expected.map((_, index) => index === expected.length - 1));
      const { steps } = json("thread", "steps", String(thread));
      expect((steps as readonly { readonly role: string }[]).slice(1).map(({ role }) => role)).toEqual(
        expected,
      );
      expect(uwf("thread", "read", String(thread), "--start")).toContain("parsePort accepts 80x");
      const { head } = json("thread", "show", String(thread));
      expect(uwf("cas", "walk", String(head))).toContain(String(head));
    });

    it("write a workflow to begin with, whose scenarios pass", () => {
      const { json } = installation(runtime);
      const { next } = json("init", `begun-on-${runtime}`, "--from", "develop");
      const [, ...words] = String(next).split(" ");
      expect(json(...words)).toMatchObject({ passed: 3, failed: 0 });
    });

    it("run an author's ten-line agent", () => {
      const { json } = installation(runtime);
      json("workflow", "put", "count-words.yaml");
      const { thread } = json("thread", "start", "count-words", "-p", "one two three");
      const last = json("thread", "run", String(thread), "--agent", `${runtime} agent.mjs`);
      expect(last).toMatchObject({ thread, done: true });
      const { steps } = json("thread", "steps", String(thread));
      const bun = runtime === "bun";
      expect((steps as readonly { readonly output: unknown }[]).slice(1).map(({ output }) => output)).toEqual(
        [
          { words: 3, earlier: 0, bun },
          { words: 3, earlier: 1, bun },
        ],
      );
    });

    it("evaluate a condition with a pattern", () => {
      const { json } = installation(runtime);
      json("workflow", "put", "by-pattern.yaml");
      const { thread } = json("thread", "start", "by-pattern", "-p", "go");
      const agent = "uwf-mock --scenario by-pattern.scenario.json";
      const done = [1, 2].map(() => json("thread", "step", String(thread), "--agent", agent).done);
      expect(done).toEqual([false, true]);
    });

    it("leave the home folder alone when the storage root is named", () => {
      const { json, home } = installation(runtime);
      json("workflow", "put", "count-words.yaml");
      expect(existsSync(join(home, ".uncaged"))).toBe(false);
    });
  });
});

type Json = Readonly<Record<string, unknown>>;

/** The installed commands on one runtime, with a storage root and a home of their own. */
function installation(runtime: string) {
  const dir = temporaryDir();
  const home = join(dir, "home");
  mkdirSync(home);
  const env = {
    HOME: home,
    UWF_RUNTIME: runtime,
    UNCAGED_WORKFLOW_STORAGE_ROOT: join(dir, "store"),
    WORKFLOW_STORAGE_ROOT: undefined,
    PATH: `${join(project, "node_modules/.bin")}${delimiter}${process.env.PATH}`,
  };
  const command = (name: string, ...args: readonly string[]): string => {
    const ran = run(join(project, "node_modules/.bin", name), args, { cwd: project, env });
    expect(ran.code, `${name} ${args.join(" ")}\n${ran.stderr}`).toBe(0);
    return ran.stdout;
  };
  const uwf = (...args: readonly string[]): string => command("uwf", ...args);
  const json = (...args: readonly string[]): Json => JSON.parse(uwf(...args)) as Json;
  return { home, command, uwf, json };
}

/** The roles under `expect: […]` of a scenario. */
function expectedRoles(file: string): readonly string[] {
  const [, list] = /^expect: \[([^\]]+)\]$/m.exec(readFileSync(file, "utf8")) ?? [];
  if (list === undefined) throw new Error(`${file} has no line "expect: [roles]"`);
  return list.split(",").map((role) => role.trim());
}
