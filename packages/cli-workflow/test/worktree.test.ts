import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { RUNTIMES, type Runtime, reap, type Sandbox, sandbox, until } from "./support/uwf.js";

const BIN = resolve(import.meta.dirname, "../../workflow-agent-exec/bin");

const META = `{ type: object, required: [ok], properties: { ok: { type: boolean }, output: { type: string } } }`;

const WORKFLOW = `name: fixes
description: Two steps
roles:
  ${["coder", "tester"]
    .map(
      (name) =>
        `${name}: { description: d, goal: g, capabilities: [], procedure: p, output: o, meta: ${META} }`,
    )
    .join("\n  ")}
conditions: {}
graph:
  $START: [{ role: coder, condition: null }]
  coder: [{ role: tester, condition: null }]
  tester: [{ role: $END, condition: null }]
`;

/** A repository with one commit, in the sandbox's working folder, and the workflow. */
async function project(runtime?: Runtime) {
  const box = sandbox(runtime);
  box.write("a.txt", "one\n");
  box.write(".gitignore", ".env\nbuild/\n");
  const git = (args: readonly string[], at = box.cwd): string => {
    const env = { PATH: process.env.PATH ?? "", HOME: box.home, LC_ALL: "C", ...PERSON };
    const ran = spawnSync("git", args, { cwd: at, env, encoding: "utf8" });
    if (ran.status !== 0) throw new Error(`git ${args.join(" ")}: ${ran.stderr}`);
    return ran.stdout.trim();
  };
  git(["init", "--quiet", "--initial-branch=main"]);
  git(["add", "."]);
  git(["commit", "--quiet", "-m", "first"]);
  await box.prepare(["workflow", "put", join(box.home, writeWorkflow(box))]);
  const start = async () => (await box.prepare(["thread", "start", "fixes", "-p", "Fix it"])).thread;
  const treeOf = (thread: string) => join(`${box.cwd}.worktrees`, thread);
  const step = (thread: string, script: string, options = "", env: Readonly<Record<string, string>> = {}) =>
    box.uwf(
      ["thread", "step", thread, "--agent", `${wrapper(options)} '${BIN}/uwf-exec' -- sh -c '${script}'`],
      {
        env,
      },
    );
  const prune = () => {
    const { PATH, HOME, UWF_RUNTIME } = box.environment;
    const env = { PATH, HOME, UWF_RUNTIME };
    const ran = spawnSync(join(BIN, "uwf-worktree"), ["--prune"], { cwd: box.cwd, env, encoding: "utf8" });
    expect(ran.stderr).toBe("");
    return JSON.parse(ran.stdout) as {
      readonly removed: readonly string[];
      readonly kept: readonly { readonly path: string; readonly reason: string }[];
    };
  };
  return { box, git, start, step, treeOf, prune };
}

const PERSON = {
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@localhost",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@localhost",
};

function wrapper(options: string): string {
  return `'${BIN}/uwf-worktree' ${options} --`;
}

function writeWorkflow({ home }: Sandbox): string {
  writeFileSync(join(home, "fixes.yaml"), WORKFLOW);
  return "fixes.yaml";
}

describe("uwf-worktree", () => {
  it.each(RUNTIMES)("lets 8 threads work on one repository at once (%s)", async (runtime) => {
    const { box, git, start, step, treeOf } = await project(runtime);
    const threads: string[] = [];
    for (let count = 0; count < 8; count += 1) threads.push(await start());
    const script = "echo $UWF_THREAD $UWF_ROLE >> work.txt; echo changed > a.txt; pwd; echo PWD=$PWD";
    for (const round of [1, 2]) {
      const ran = await Promise.all(threads.map((thread) => step(thread, script, "--snapshot")));
      expect(ran.map(({ code, stderr }) => (code === 0 ? 0 : stderr))).toEqual(threads.map(() => 0));
      for (const thread of threads) {
        const tree = treeOf(thread);
        const lines = ["coder", "tester"].slice(0, round).map((role) => `${thread} ${role}\n`);
        expect(readFileSync(join(tree, "work.txt"), "utf8")).toBe(lines.join(""));
        expect(readdirSync(tree).sort()).toEqual([".git", ".gitignore", "a.txt", "work.txt"]);
        expect(git(["log", "--format=%s", "main..HEAD"], tree).split("\n")).toEqual(
          ["uwf: tester", "uwf: coder"].slice(2 - round),
        );
        expect(git(["status", "--porcelain"], tree)).toBe("");
      }
    }
    const { steps } = await box.json(["thread", "steps", threads[0] ?? ""]);
    const tree = treeOf(threads[0] ?? "");
    expect(steps.find(({ role }) => role === "coder")?.output.output).toContain(`${tree}\nPWD=${tree}\n`);
    expect(git(["status", "--porcelain"])).toBe("");
    expect(git(["log", "--format=%s"])).toBe("first");
    expect(readdirSync(dirname(box.cwd)).sort()).toEqual(["home", "project", "project.worktrees", "storage"]);
    expect(readdirSync(box.cwd).sort()).toEqual([".git", ".gitignore", "a.txt"]);
  });

  it("works in the same folder of the worktree, in which nothing that git sets for hooks leads out", async () => {
    const { box, git, start, treeOf } = await project();
    box.write("packages/app/x.txt", "x");
    git(["add", "."]);
    git(["commit", "--quiet", "-m", "app"]);
    const cwd = join(box.cwd, "packages/app");
    const { thread } = await box.json(["thread", "start", "fixes", "-p", "Fix it", "--cwd", cwd]);
    expect(thread).not.toBe(await start());
    const script = "git rev-parse --show-toplevel; pwd";
    const env = { GIT_DIR: join(box.cwd, ".git"), GIT_WORK_TREE: box.cwd, GIT_INDEX_FILE: "index" };
    const agent = `${wrapper("")} '${BIN}/uwf-exec' -- sh -c '${script}'`;
    await box.json(["thread", "step", thread, "--agent", agent], { env });
    const { steps } = await box.json(["thread", "steps", thread]);
    const tree = treeOf(thread);
    expect(steps.find(({ role }) => role === "coder")?.output.output).toBe(`${tree}\n${tree}/packages/app\n`);
  });

  it("copies what .worktreeinclude names and git ignores, and runs the setup until it has succeeded once", async () => {
    const { box, git, start, step, treeOf } = await project();
    box.write(".worktreeinclude", ".env\nbuild/keep\na.txt\nunknown.txt\n");
    git(["add", "."]);
    git(["commit", "--quiet", "-m", "include"]);
    box.write(".env", "A=1\n");
    box.write("build/keep", "k");
    box.write("build/drop", "d");
    mkdirSync(join(box.cwd, "build/deep"));
    symlinkSync("/etc/passwd", join(box.cwd, "build/deep/link"));
    box.write("unknown.txt", "not ignored");
    const thread = await start();
    const setup = `--setup "echo out; echo run >> setup.log; [ -e ${box.home}/go ] || exit 3"`;
    const broken = await step(thread, "true", setup);
    expect(broken).toMatchObject({ code: 6, stdout: "" });
    expect(broken.stderr).toContain("exited with 3");
    expect(broken.stderr).toContain("out\n");
    writeFileSync(join(box.home, "go"), "");
    for (const script of ["echo A=2 > .env", "cat .env"]) {
      const ran = await step(thread, script, setup);
      expect(ran.code, ran.stderr).toBe(0);
    }
    const tree = treeOf(thread);
    expect(readFileSync(join(tree, "setup.log"), "utf8")).toBe("run\nrun\n");
    expect(readFileSync(join(tree, ".env"), "utf8")).toBe("A=2\n");
    expect(readdirSync(join(tree, "build"))).toEqual(["keep"]);
    expect(existsSync(join(tree, "unknown.txt"))).toBe(false);
    expect(readFileSync(join(box.cwd, ".env"), "utf8")).toBe("A=1\n");
  });

  it("passes on the agent's exit code, and its end by a signal", async () => {
    const { box, start } = await project();
    const thread = await start();
    const agent = (script: string) => `${wrapper("--snapshot")} sh -c '${script}'`;
    const ran = await box.uwf(["thread", "step", thread, "--agent", agent("echo said >&2; exit 7")]);
    expect(ran.code).toBe(6);
    expect(ran.stderr).toContain("exited with 7");
    expect(ran.stderr).toContain("said");
    const ended = await box.uwf(["thread", "step", thread, "--agent", agent("kill -9 $$")]);
    expect(ended.stderr).toContain("SIGKILL");
    const missing = await box.uwf(["thread", "step", thread, "--agent", `${wrapper("")} uwf-nowhere`]);
    expect(missing.code).toBe(4);
    expect(missing.stderr).toContain("uwf-nowhere");
  });

  it("ends with its agent when uwf interrupts both", async () => {
    const { box, start, treeOf } = await project();
    const thread = await start();
    const agent = `${wrapper("")} sh -c 'echo $$ > pid; exec sleep 600'`;
    const child = reap(box.start(["thread", "step", thread, "--agent", agent]));
    const file = join(treeOf(thread), "pid");
    await until("the agent works", () => existsSync(file) && readFileSync(file, "utf8") !== "");
    const pid = Number(readFileSync(file, "utf8"));
    const end = new Promise((done) => child.once("exit", done));
    child.kill("SIGTERM");
    await end;
    expect(existsSync(`/proc/${pid}/cwd`)).toBe(false);
  });

  it("makes the worktree anew when its making was interrupted, or it was removed; the branch stays", async () => {
    const { box, git, start, step, treeOf } = await project();
    const thread = await start();
    const tree = treeOf(thread);
    git([
      "worktree",
      "add",
      "--quiet",
      "--lock",
      "--reason",
      "initializing",
      "-b",
      `uwf/${thread}`,
      tree,
      "main",
    ]);
    rmSync(join(tree, "a.txt"));
    expect((await step(thread, "cat a.txt && echo more > b.txt", "--snapshot")).code).toBe(0);
    rmSync(tree, { recursive: true });
    expect((await step(thread, "cat b.txt")).code).toBe(0);
    expect(existsSync(join(tree, "b.txt"))).toBe(true);
    const { steps } = await box.json(["thread", "steps", thread]);
    expect(steps.flatMap(({ role, output }) => (role === undefined ? [] : [output.ok]))).toEqual([
      true,
      true,
    ]);
  });
});

describe("what uwf-worktree refuses, with exit 4, before any agent runs", () => {
  type Project = Awaited<ReturnType<typeof project>>;
  const cases: readonly (readonly [string, string, (made: Project, thread: string) => unknown])[] = [
    ["a dirty base", "has changes that are not committed", ({ box }) => box.write("a.txt", "two\n")],
    ["a detached HEAD", "is detached", ({ git }) => git(["checkout", "--quiet", "--detach"])],
    [
      "a repository without a commit",
      "there is no commit HEAD",
      ({ box, git }) => {
        rmSync(join(box.cwd, ".git"), { recursive: true });
        git(["init", "--quiet"]);
      },
    ],
    ["no repository", "is in no repository", ({ box }) => rmSync(join(box.cwd, ".git"), { recursive: true })],
    [
      "a bare repository",
      "is a bare repository",
      ({ box, git }) => {
        const bare = join(box.home, "bare");
        git(["clone", "--quiet", "--bare", box.cwd, bare]);
        rmSync(box.cwd, { recursive: true });
        renameSync(bare, box.cwd);
      },
    ],
    [
      "a branch that is checked out elsewhere",
      "is checked out in",
      ({ box, git }, thread) =>
        git(["worktree", "add", "--quiet", "-b", `uwf/${thread}`, join(box.home, "other")]),
    ],
    [
      "a folder in the place of the worktree",
      "is a folder that is no worktree of this repository",
      ({ treeOf }, thread) => {
        mkdirSync(treeOf(thread), { recursive: true });
        writeFileSync(join(treeOf(thread), "mine.txt"), "");
      },
    ],
    [
      "a link in the place of the worktree",
      "is not a folder",
      ({ box, treeOf }, thread) => {
        mkdirSync(dirname(treeOf(thread)));
        symlinkSync(box.home, treeOf(thread));
      },
    ],
    [
      "another repository in the place of the worktree",
      "is no worktree of the repository",
      ({ git, treeOf }, thread) => {
        git(["worktree", "add", "--quiet", "-b", `uwf/${thread}`, treeOf(thread)]);
        rmSync(join(treeOf(thread), ".git"));
        git(["init", "--quiet"], treeOf(thread));
      },
    ],
    [
      "a worktree on another branch",
      "is on mine, not on uwf/",
      ({ git, treeOf }, thread) => {
        git(["worktree", "add", "--quiet", "-b", `uwf/${thread}`, treeOf(thread)]);
        git(["switch", "--quiet", "-c", "mine"], treeOf(thread));
      },
    ],
    [
      "a folder that is not in the commit",
      "there is no folder new/ in its worktree",
      ({ box }) => {
        box.write("new/x.txt", "");
      },
    ],
  ];

  it.each(cases)("%s", async (name, sentence, arrange) => {
    const made = await project();
    const { box, start, step } = made;
    const thread = await start();
    await arrange(made, thread);
    const into = name === "a folder that is not in the commit" ? ["--cwd", join(box.cwd, "new")] : [];
    const agent = `${wrapper("")} sh -c 'echo ran > ${box.home}/ran'`;
    const ran = await box.uwf(["thread", "step", thread, ...into, "--retries", "2", "--agent", agent]);
    expect(ran).toMatchObject({ code: 4, stdout: "" });
    expect(ran.stderr).toContain(sentence);
    expect(ran.stderr).toContain("hint: ");
    expect(existsSync(join(box.home, "ran"))).toBe(false);
    if (sentence === "is detached" || name === "a dirty base") {
      expect((await step(thread, "cat a.txt", "--base HEAD")).code).toBe(0);
      const { steps } = await box.json(["thread", "steps", thread]);
      expect(steps.at(-1)?.output.output ?? steps[0]?.output.output).toContain("one");
    }
  });

  it("no git, an old git, an unknown base, and words without an agent", async () => {
    const { box, start, step } = await project();
    const thread = await start();
    const bin = join(box.home, "bin");
    mkdirSync(bin);
    for (const name of ["sh", "readlink", "node"]) {
      const file = name === "node" ? process.execPath : `/bin/${name}`;
      symlinkSync(file, join(bin, name));
    }
    const none = await step(thread, "true", "", { PATH: bin });
    expect(none).toMatchObject({ code: 4, stderr: expect.stringContaining("git is not on PATH") });
    writeFileSync(join(bin, "git"), "#!/bin/sh\necho git version 2.20.1\n");
    chmodSync(join(bin, "git"), 0o755);
    const old = await step(thread, "true", "", { PATH: bin });
    expect(old).toMatchObject({ code: 4, stderr: expect.stringContaining("git version 2.20.1 is too old") });
    const base = await step(thread, "true", "--base nowhere");
    expect(base).toMatchObject({ code: 4, stderr: expect.stringContaining("there is no commit nowhere") });
    const agent = `'${BIN}/uwf-worktree' uwf-exec`;
    const words = await box.uwf(["thread", "step", thread, "--agent", agent]);
    expect(words).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("unknown option uwf-exec before --"),
    });
    expect(existsSync(`${box.cwd}.worktrees`)).toBe(false);
  });
});

describe("uwf-worktree --prune", () => {
  it("removes clean trees, keeps what would lose work, and loses no commit", async () => {
    const { box, git, start, step, treeOf, prune } = await project();
    const clean = await start();
    const merged = await start();
    const dirty = await start();
    const detached = await start();
    const amended = await start();
    for (const thread of [clean, merged, detached, amended]) {
      expect((await step(thread, `echo ${thread} > a.txt`, "--snapshot")).code).toBe(0);
    }
    expect((await step(dirty, "echo new > new.txt")).code).toBe(0);
    git(["merge", "--quiet", `uwf/${merged}`]);
    const tree = treeOf(detached);
    git(["checkout", "--quiet", "--detach"], tree);
    git(["commit", "--quiet", "--allow-empty", "-m", "on no branch"], tree);
    git(["commit", "--quiet", "--amend", "--allow-empty", "-m", "amended"], treeOf(amended));
    const commits = git(["log", "--all", "--reflog", "--format=%H"]).split("\n");
    const all = [...commits, git(["rev-parse", "HEAD"], tree)];
    const mine = join(box.home, "mine");
    git(["worktree", "add", "--quiet", "-b", "mine", mine]);
    const { removed, kept } = prune();
    expect(removed.toSorted()).toEqual([treeOf(clean), treeOf(merged)].sort());
    const reasons = Object.fromEntries(kept.map(({ path, reason }) => [path, reason]));
    expect(reasons[treeOf(dirty)]).toBe("it has changes that are not committed");
    expect(reasons[treeOf(detached)]).toContain("no branch keeps its commit");
    expect(reasons[treeOf(amended)]).toContain("no branch keeps its commit");
    expect(kept).toHaveLength(3);
    expect(existsSync(mine)).toBe(true);
    const left = new Set([
      ...git(["log", "--all", "--reflog", "--format=%H"]).split("\n"),
      git(["rev-parse", "HEAD"], tree),
    ]);
    expect(all.filter((commit) => !left.has(commit))).toEqual([]);
    expect((await step(clean, "cat a.txt")).code).toBe(0);
    expect(readFileSync(join(treeOf(clean), "a.txt"), "utf8")).toBe(`${clean}\n`);
  });

  it("leaves a tree in which an agent works", async () => {
    const { box, start, treeOf, prune } = await project();
    const thread = await start();
    const agent = `${wrapper("")} sh -c 'touch ${box.home}/works; while [ ! -e ${box.home}/go ]; do sleep 0.05; done'`;
    const child = reap(box.start(["thread", "step", thread, "--agent", agent]));
    const end = new Promise((done) => child.once("exit", done));
    await until("the agent works", () => existsSync(join(box.home, "works")));
    expect(prune()).toEqual({
      removed: [],
      kept: [{ path: treeOf(thread), reason: "an agent works in it" }],
    });
    writeFileSync(join(box.home, "go"), "");
    await end;
    expect(prune().removed).toEqual([treeOf(thread)]);
    expect(existsSync(`${box.cwd}.worktrees`)).toBe(false);
  });
});
