import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { withKit } from "../../../cli-workflow/test/children/support.js";
import { ZOO } from "../../../cli-workflow/test/support/uwf.js";
import { TURNS } from "../../../cli-workflow/test/support/workflows.js";
import { parseGitAddress } from "../../src/work/index.js";
import { BINARIES, type Server, startPostgres } from "../support/postgres.js";
import { HUMAN, remoteBox } from "./support.js";

const DRAIN = ["worker", "--until-idle"];
const AUTHOR = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"];

/** A remote, and a repository with one file on its branch main. */
async function gitBox(url: string | null) {
  const box = await remoteBox(url);
  const git = (at: string, ...words: readonly string[]): string =>
    execFileSync("git", words, {
      cwd: at,
      env: { PATH: process.env.PATH, HOME: box.home },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    }).trim();
  const repository = join(box.home, "shop.git");
  const work = join(box.home, "shop");
  git(box.home, "init", "--quiet", "--bare", "--initial-branch=main", repository);
  git(box.home, "clone", "--quiet", repository, work);
  git(work, "checkout", "--quiet", "-B", "main");
  writeFileSync(join(work, "log"), "begun\n");
  writeFileSync(join(work, ".gitignore"), "ignored\n");
  git(work, "add", "--all");
  git(work, ...AUTHOR, "commit", "--quiet", "-m", "begin");
  git(work, "push", "--quiet", "origin", "main");
  const address = `file://${repository}`;
  const submit = async (ref = ""): Promise<string> => {
    const words = ["thread", "submit", "turns", "-p", "Do it", "--workspace", address + ref];
    return (await box.json(words, { env: box.env })).thread;
  };
  /** An agent that runs a script in its folder first; its words are thread and role. */
  const worker = (name: string, script = 'echo "$2" >> log') => {
    const made = box.worker(name, "valid");
    const play = `${script}; exec '${process.execPath}' '${ZOO}' valid "$1" "$2"`;
    const config = { agents: { zoo: { command: "/bin/sh", args: ["-c", play, "sh"] } }, defaultAgent: "zoo" };
    writeFileSync(join(made.root, "config.yaml"), JSON.stringify(config));
    return made;
  };
  const branch = (thread: string, ...words: readonly string[]): string =>
    git(repository, ...words, `uwf/${thread}`);
  const resume = (thread: string) => box.json(["thread", "resume", thread, "--remote"], { env: box.env });
  return { ...box, git, repository, address, submit, worker, branch, resume };
}

type Workspace = {
  readonly workspace: { readonly git: string; readonly ref: string | null; readonly commit: string };
};

const starting: Promise<Server> | null = BINARIES === null ? null : startPostgres();

const DATABASES: readonly (readonly [name: string, url: () => Promise<string | null>, isThere: boolean])[] = [
  ["PGlite", async () => null, true],
  ["PostgreSQL", async () => (await starting)?.database() ?? null, BINARIES !== null],
];

/** On the quicker of the databases that are there. */
const anyBox = async () => gitBox((await starting)?.database() ?? null);

for (const [name, urlOf, isThere] of DATABASES) {
  describe.skipIf(!isThere)(`a thread that works in a git repository, on ${name}`, () => {
    const newBox = async () => gitBox(await urlOf());

    it("finds at one worker what its last step has left at another, on a branch of its own", async () => {
      const box = await newBox();
      const thread = await box.submit("#main");
      const one = box.worker("one");
      await box.json([...DRAIN, "--max-steps", "1"], { env: one.env });
      const between = await box.show(thread);
      expect(between).toMatchObject({ steps: 1, workspace: { git: box.address, ref: "main" } });
      expect(box.branch(thread, "rev-parse")).toBe((between as unknown as Workspace).workspace.commit);
      const two = box.worker("two");
      expect(await box.json(DRAIN, { env: two.env })).toMatchObject({ steps: 1, failed: 0 });
      expect(box.git(box.repository, "show", `uwf/${thread}:log`)).toBe("begun\nmaker\nchecker");
      expect(box.branch(thread, "log", "--format=%an %s")).toBe(
        "uwf uwf: checker\nuwf uwf: maker\nAnn begin",
      );
      expect(box.git(box.repository, "show", "main:log")).toBe("begun");
      // It has ended: its folder goes, and the commits of the repository stay for the next thread.
      expect(readdirSync(join(two.root, "workspaces"))).toEqual(["repositories"]);
      const shown = await box.uwf(["thread", "show", thread, "--remote", "--format", "text"], {
        env: box.env,
      });
      expect(shown.stdout.replaceAll(/\s+/g, " ")).toContain(
        `works in ${box.address}, on the branch uwf/${thread}, and is at commit`,
      );
    });

    it("keeps a step whose push the repository refuses, and pushes it later without another run", async () => {
      const box = await newBox();
      const hook = box.write(join(box.repository, "hooks", "pre-receive"), "#!/bin/sh\nexit 1\n");
      execFileSync("chmod", ["755", hook]);
      const thread = await box.submit();
      const { env } = box.worker("one");
      const refused = await box.uwf(DRAIN, { env });
      expect(refused.stderr).toContain("git could not push to file://");
      expect(await box.show(thread)).toMatchObject({
        steps: 0,
        held: { for: "failure", code: "GIT_FAILED" },
      });
      expect((await box.show(thread)).leasedBy).not.toBeNull();
      rmSync(hook);
      await box.resume(thread);
      expect(await box.json(DRAIN, { env })).toEqual({ steps: 2, refused: 0, failed: 0 });
      expect(box.agentRuns()).toHaveLength(2);
      expect(box.git(box.repository, "show", `uwf/${thread}:log`)).toBe("begun\nmaker\nchecker");
    });
  });
}

describe("a workspace of a thread", () => {
  it("is refused with a password in its address, which is not repeated, and with --cwd", async () => {
    const box = await anyBox();
    const secrets = [
      "https://ann:hunter22@git.example/shop.git",
      "https://ghp_hunter22@git.example/shop.git",
    ];
    for (const address of secrets) {
      const words = ["thread", "submit", "turns", "-p", "x", "--workspace", address];
      const { code, stderr } = await box.uwf(words, { env: box.env });
      expect([code, stderr]).toEqual([4, expect.stringContaining("credential helper")]);
      expect(stderr).not.toContain("hunter22");
    }
    const both = ["thread", "submit", "turns", "-p", "x", "--workspace", box.address, "--cwd", "/srv"];
    expect((await box.uwf(both, { env: box.env })).stderr).toContain("two folders");
    expect(await box.json(["thread", "list", "--remote"], { env: box.env })).toEqual([]);
  });

  it.each([
    ["https://git.example/a/b.git", { git: "https://git.example/a/b.git", ref: null }],
    ["git@git.example:a/b.git#v1.2", { git: "git@git.example:a/b.git", ref: "v1.2" }],
    [
      "ssh://git@git.example/a/b#refs/pull/7/head",
      { git: "ssh://git@git.example/a/b", ref: "refs/pull/7/head" },
    ],
    ["./shop", null],
    ["-u", null],
    ["ext::sh -c true", null],
    ["https://git.example/a?token=x", null],
    ["ssh://git:pw@git.example/a", null],
    ["https://git.example/a#--upload-pack=x", null],
    ["https://git.example/a#main:refs/heads/x", null],
    [`https://git.example/${"a".repeat(300)}`, null],
    ["https://git.example/a..b/..c/d..", { git: "https://git.example/a..b/..c/d..", ref: null }],
    ["https://git.example/100%25.git", { git: "https://git.example/100%25.git", ref: null }],
    ["https://git.example/a/../b", null],
    ["https://git.example/a/%2E%2e%2fb", null],
    ["https://git.example/a/%252e%252e/b", null],
    ["https://git.example/a/%25252e%2525252e/b", null],
    ["https://git.example/a/.%%32e/b", null],
    ["https://git.example/a%255c..%255cb", null],
    ["git@git.example:../shop.git", null],
  ])("is %s or not", (text, address) => {
    const parsed = parseGitAddress(text);
    expect(parsed.ok ? parsed.value : null).toEqual(address);
  });

  it("at a ref that is not there puts the thread aside before an agent runs", async () => {
    const box = await anyBox();
    const thread = await box.submit("#nowhere");
    const { env } = box.worker("one");
    expect(await box.json(DRAIN, { env })).toMatchObject({ steps: 0, failed: 1 });
    expect(await box.show(thread)).toMatchObject({
      leasedBy: null,
      held: { code: "GIT_REF_UNKNOWN", question: `the repository ${box.address} has no nowhere` },
    });
    expect(box.agentRuns()).toEqual([]);
  });

  it("whose repository is away is tried again, and may begin at a tag or a commit", async () => {
    const box = await anyBox();
    box.git(box.repository, "tag", "v1", "main");
    const commit = box.git(box.repository, "rev-parse", "main");
    const threads = [await box.submit("#v1"), await box.submit(`#${commit}`)];
    renameSync(box.repository, `${box.repository}.away`);
    const { env } = box.worker("one");
    expect(await box.json(DRAIN, { env })).toMatchObject({ steps: 0, failed: 0 });
    renameSync(`${box.repository}.away`, box.repository);
    for (const thread of threads) {
      expect(await box.show(thread)).toMatchObject({ leasedBy: null, held: { code: "GIT_FAILED" } });
      await box.resume(thread);
    }
    expect(await box.json([...DRAIN, "--jobs", "2"], { env })).toMatchObject({ steps: 4, failed: 0 });
  });

  it("ends a worker that has no git, and leaves the thread to others", async () => {
    const box = await anyBox();
    const thread = await box.submit();
    const { env } = box.worker("one");
    const bin = join(box.home, "bin");
    mkdirSync(bin);
    for (const each of ["sh", "dirname", "readlink"]) symlinkSync(`/bin/${each}`, join(bin, each));
    symlinkSync(process.execPath, join(bin, "node"));
    const lacking = { ...env, UWF_RUNTIME: "node", PATH: bin };
    const { code, stderr } = await box.uwf(DRAIN, { env: lacking });
    expect([code, stderr]).toEqual([4, expect.stringContaining("git is not on PATH")]);
    expect(await box.show(thread)).toMatchObject({ held: null, leasedBy: null, steps: 0 });
  });

  it("whose branch somebody else has changed keeps the step until a person has seen to it", async () => {
    const box = await anyBox();
    const thread = await box.submit();
    const push = `cd "$(mktemp -d)" && git clone --quiet '${box.repository}' . && git ${AUTHOR.join(" ")} commit --quiet --allow-empty -m other && git push --quiet origin "HEAD:refs/heads/uwf/$1"`;
    const { env } = box.worker("one", `echo "$2" >> log; [ "$2" = checker ] || (${push})`);
    expect(await box.json(DRAIN, { env })).toMatchObject({ steps: 0, failed: 1 });
    expect(await box.show(thread)).toMatchObject({ held: { code: "GIT_BRANCH_MOVED" } });
    box.git(box.repository, "branch", "--quiet", "-D", `uwf/${thread}`);
    await box.resume(thread);
    expect(await box.json(DRAIN, { env })).toMatchObject({ steps: 2, failed: 0 });
    expect(box.agentRuns()).toHaveLength(2);
    expect(box.git(box.repository, "show", `uwf/${thread}:log`)).toBe("begun\nmaker\nchecker");
  });

  it("goes on with commits that a person has added to the branch, and keeps what git ignores", async () => {
    const box = await anyBox();
    const thread = await box.submit();
    const { env, root } = box.worker("one", 'echo "$2" >> log; echo "$2" >> ignored');
    await box.json([...DRAIN, "--max-steps", "1"], { env });
    const other = join(box.home, "other");
    box.git(box.home, "clone", "--quiet", "--branch", `uwf/${thread}`, box.repository, other);
    box.git(other, ...AUTHOR, "commit", "--quiet", "--allow-empty", "-m", "by hand");
    box.git(other, "push", "--quiet", "origin", "HEAD");
    expect(box.readAt(join(root, "workspaces", thread, "ignored"))).toBe("maker\n");
    expect(await box.json(DRAIN, { env })).toMatchObject({ steps: 1, failed: 0 });
    expect(box.branch(thread, "log", "--format=%s")).toBe("uwf: checker\nby hand\nuwf: maker\nbegin");
  });

  it("goes on when a killed git has left its lock, as soon as nobody can hold it any more", async () => {
    const box = await anyBox();
    const thread = await box.submit();
    const { root, env } = box.worker("one");
    expect(await box.json(["worker", "--max-steps", "1"], { env })).toMatchObject({ steps: 1 });
    const [name = ""] = readdirSync(join(root, "workspaces/repositories"));
    const repository = join(root, "workspaces/repositories", name);
    // As if it had been killed while it made the repository, too.
    box.git(repository, "config", "--unset-all", "remote.origin.fetch");
    const [config, index, refs] = ["config", join("worktrees", thread, "index"), "packed-refs"].map((file) =>
      join(repository, `${file}.lock`),
    ) as [string, string, string];
    const leave = (lock: string, seconds: number): void => {
      writeFileSync(lock, "");
      utimesSync(lock, seconds, seconds);
    };
    leave(config, 0);
    leave(index, Date.now() / 1000);
    expect(await box.json(DRAIN, { env })).toMatchObject({ steps: 0, failed: 0 });
    expect(await box.show(thread)).toMatchObject({ steps: 1, held: { code: "GIT_FAILED" } });
    expect([config, index].map(existsSync)).toEqual([false, true]);
    for (const lock of [index, refs]) leave(lock, 0);
    await box.resume(thread);
    expect(await box.json(DRAIN, { env })).toMatchObject({ steps: 1, failed: 0 });
    expect(box.agentRuns()).toHaveLength(2);
    expect(box.git(box.repository, "show", `uwf/${thread}:log`)).toBe("begun\nmaker\nchecker");
    expect([index, refs].filter(existsSync)).toEqual([]);
  });

  it("loses nothing when the worker is killed between a step and its push", async () => {
    const box = await anyBox();
    const thread = await box.submit();
    const one = box.worker("one");
    const preload = resolve(import.meta.dirname, "../../../cli-workflow/test/support/killed-around-step.cjs");
    const killed = { UWF_RUNTIME: "node", NODE_OPTIONS: `--require ${preload}`, UWF_TEST_KILL_AFTER: "1" };
    const dead = await box.uwf(DRAIN, { env: { ...one.env, ...killed } });
    expect(dead.code).not.toBe(0);
    expect(box.agentRuns()).toHaveLength(1);
    expect(await box.json([...DRAIN, "--max-steps", "1"], { env: one.env })).toMatchObject({ steps: 1 });
    const two = box.worker("two");
    expect(await box.json(DRAIN, { env: two.env })).toMatchObject({ steps: 1 });
    expect(box.agentRuns()).toHaveLength(2);
    expect(box.git(box.repository, "show", `uwf/${thread}:log`)).toBe("begun\nmaker\nchecker");
    expect(existsSync(join(one.root, "workspaces", thread))).toBe(true);
    // It has ended elsewhere: an idle worker sees that.
    await box.json(DRAIN, { env: one.env });
    expect(existsSync(join(one.root, "workspaces", thread))).toBe(false);
  });

  it("is worked in by the worker's git whatever an agent writes over it", async () => {
    const box = await anyBox();
    const thread = await box.submit();
    const other = join(box.home, "evil");
    const evil = `git init --quiet '${other}' && git -C '${other}' config core.fsmonitor 'touch ${box.home}/ran #' && echo 'gitdir: ${other}/.git' > .git`;
    const { env } = box.worker("one", `echo "$2" >> log; [ "$2" = checker ] || (${evil})`);
    await box.json(DRAIN, { env });
    expect(existsSync(join(box.home, "ran"))).toBe(false);
    expect(box.git(box.repository, "show", `uwf/${thread}:log`)).toContain("maker");
  });

  it("of a thread that another one has started begins with its parent's commit, on a branch of its own", async () => {
    const box = await anyBox();
    const lead = HUMAN.replace("name: turns", "name: lead")
      .replace("agent: human", "agent: { workflow: turns }")
      .replaceAll("approved", "ok")
      .replace("roles:\n", `roles:\n${TURNS.slice(TURNS.indexOf("  maker:"), TURNS.indexOf("  checker:"))}`)
      .replace("$START: [{ role: checker", "$START: [{ role: maker")
      .replace("  checker: [", "  maker: [{ role: checker, condition: null }]\n  checker: [");
    const put = ["workflow", "put", box.write("lead.yaml", lead)];
    await box.json(put);
    const words = ["thread", "submit", "lead", "-p", "Do it", "--workspace", box.address];
    const { thread } = await box.json(words, { env: box.env });
    const { env: at } = box.worker("one");
    const env = { ...at, ...withKit().env };
    for (const each of [put, ["workflow", "put", box.write("turns.yaml", TURNS)]])
      await box.json(each, { env });
    expect(await box.json([...DRAIN, "--jobs", "2"], { env })).toMatchObject({ steps: 4, failed: 0 });
    const all = await box.json<readonly { readonly thread: string }[]>(
      ["thread", "list", "--all", "--remote"],
      {
        env: box.env,
      },
    );
    const child = all.find((each) => each.thread !== thread)?.thread ?? "";
    expect(box.git(box.repository, "show", `uwf/${child}:log`)).toBe("begun\nmaker\nmaker\nchecker");
    expect(box.git(box.repository, "show", `uwf/${thread}:log`)).toBe("begun\nmaker");
  });

  it("is where uwf-worktree works, too", async () => {
    const box = await anyBox();
    const thread = await box.submit();
    const { env, root } = box.worker("one");
    const bin = resolve(import.meta.dirname, "../../../workflow-agent-exec/bin/uwf-worktree");
    const play = `pwd > where; exec '${process.execPath}' '${ZOO}' valid "$1" "$2"`;
    const args = ["--setup", "echo set up > set-up", "--", "/bin/sh", "-c", play, "sh"];
    writeFileSync(
      join(root, "config.yaml"),
      JSON.stringify({ agents: { zoo: { command: bin, args } }, defaultAgent: "zoo" }),
    );
    expect(await box.json(DRAIN, { env })).toMatchObject({ steps: 2, failed: 0 });
    const files = ["where", "set-up"].map((file) => box.git(box.repository, "show", `uwf/${thread}:${file}`));
    expect(files).toEqual([expect.stringMatching(`/workspaces/${thread}$`), "set up"]);
  });
});

describe("a thread that is paused when its worker has died", () => {
  it("has the step that had finished pushed by the next worker, and no other", async () => {
    const box = await anyBox();
    const thread = await box.submit();
    const { env } = box.worker("one");
    const preload = resolve(import.meta.dirname, "../../../cli-workflow/test/support/killed-around-step.cjs");
    const killed = { UWF_RUNTIME: "node", NODE_OPTIONS: `--require ${preload}`, UWF_TEST_KILL_AFTER: "1" };
    expect((await box.uwf(DRAIN, { env: { ...env, ...killed } })).code).not.toBe(0);
    await box.json(["thread", "pause", thread, "--remote"], { env: box.env });
    expect(await box.json(DRAIN, { env })).toMatchObject({ steps: 1 });
    expect(await box.show(thread)).toMatchObject({ steps: 1, leasedBy: null });
    expect(box.agentRuns()).toHaveLength(1);
    await box.resume(thread);
    expect(await box.json(DRAIN, { env })).toMatchObject({ steps: 1 });
    expect(box.agentRuns()).toHaveLength(2);
  });
});
