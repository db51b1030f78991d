import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { openRemote, type Remote } from "@uncaged/workflow-remote";
import type { Server } from "../../../workflow-remote/test/support/server.js";
import type { Session, Tell } from "../frame.js";
import { ended, inProcess, openWorld, RUNTIMES, textOf, UWF, type World } from "../world.js";

const KIT = resolve(import.meta.dirname, "../../../workflow-agent-kit/bin");

/** The texts of a role. */
const ROLE = `    description: plays
    goal: Do it
    capabilities: []
    procedure: ""
    output: ""`;

/** Steps of a thread to its end: its roles play one after the other. */
export const ROLES = ["one", "two", "three", "four", "five"] as const;

const WORKFLOW = `name: five
description: Five roles, one after the other
roles:
${ROLES.map((role) => `  ${role}:\n${ROLE}\n    meta: { type: object, required: [run], properties: { run: { type: string } } }`).join("\n")}
conditions: {}
graph:
  $START: [{ role: one, condition: null }]
${ROLES.map((role, at) => `  ${role}: [{ role: ${ROLES[at + 1] ?? "$END"}, condition: null }]`).join("\n")}
`;

/** Tells the ledger and its folder of its start, works a moment, and replies what no other run replies. */
const AGENT = `#!/bin/sh
echo "$1 $UWF_HEAD $UWF_RUN $$ $(sed 's/.*"name":"\\([^"]*\\)".*/\\1/' "$UNCAGED_WORKFLOW_STORAGE_ROOT/root.json")" >>"$UWF_FAULTS_LEDGER"
echo "$UWF_RUN" >>runs
sleep 0.2
printf -- '---\\nrun: r-%s\\n---\\n' "$UWF_RUN" | uwf-agent-write --agent teller "$1" "$2"
`;

/** A start of the agent. */
export type Start = {
  readonly thread: string;
  readonly head: string;
  readonly run: string;
  readonly pid: number;
  /** The name of its storage root at the remote. */
  readonly root: string;
};

/** A storage root, and the worker that is kept running on it. */
export type Member = {
  readonly root: string;
  child: ChildProcess;
  /** Its worker is not started again. */
  isOver: boolean;
};

/** Workers of one remote, and a person who resumes what failed. */
export type Fleet = {
  readonly world: World;
  readonly server: Server;
  readonly remote: Remote;
  readonly threads: readonly string[];
  /** Where every second thread has its files. */
  readonly repository: Repository;
  readonly members: Member[];
  readonly addMember: () => Member;
  readonly start: (root: string, words: readonly string[]) => ChildProcess;
  readonly tell: Tell;
  readonly count: Session["count"];
};

export type Plan = {
  readonly threads: number;
  readonly roots: number;
  readonly jobs: number;
  readonly leaseSeconds: number;
};

/** How soon a supervisor starts a worker again, in ms. */
const RESTART_MS = 100;

/** Threads on a remote of its own, and workers that have begun with them. */
export async function openFleet(
  server: Server,
  { count, folder }: Session,
  tell: Tell,
  { threads: many, roots, jobs, leaseSeconds }: Plan,
): Promise<Fleet> {
  const url = server.database();
  const own = openWorld(folder, RUNTIMES[0]);
  const env = { UWF_REMOTE_URL: url, PATH: `${KIT}:${own.environment(RUNTIMES[0]).PATH}` };
  const world: World = { ...own, environment: (kind) => ({ ...own.environment(kind), ...env }) };
  const opened = await openRemote(url);
  if (!opened.ok) throw new Error(opened.error.code);
  const agent = join(world.cwd, "teller.sh");
  writeFileSync(agent, AGENT, { mode: 0o755 });
  const repository = openRepository(join(folder, "files.git"));
  const threads = await submit(world, repository, many);
  const members: Member[] = [];
  const start: Fleet["start"] = (root, words) =>
    spawn(UWF, words, {
      cwd: world.cwd,
      env: { ...world.environment(RUNTIMES[0]), UNCAGED_WORKFLOW_STORAGE_ROOT: root },
      stdio: ["ignore", "ignore", "pipe"],
    });
  const keepRunning = (member: Member): void => {
    void ended(member.child).then(async ({ code, signal, stderr }) => {
      if (member.isOver) return;
      // Without its database a worker cannot begin.
      if (signal !== "SIGKILL" && !stderr.includes("REMOTE_FAILED"))
        tell("a worker works until it is told to stop", `${code ?? signal}: ${stderr.slice(-600)}`);
      await new Promise((resolve) => setTimeout(resolve, RESTART_MS));
      if (member.isOver) return;
      member.child = start(member.root, words);
      count("workers that were started again");
      keepRunning(member);
    });
  };
  const words = ["worker", "--jobs", String(jobs), "--lease", `${leaseSeconds}s`];
  const addMember = (): Member => {
    const root = join(folder, "roots", String(members.length));
    mkdirSync(root, { recursive: true });
    const agents = { teller: { command: agent, args: [] } };
    writeFileSync(join(root, "config.yaml"), JSON.stringify({ agents, defaultAgent: "teller" }));
    const member: Member = { root, child: start(root, words), isOver: false };
    members.push(member);
    keepRunning(member);
    return member;
  };
  for (let each = 0; each < roots; each += 1) addMember();
  return { world, server, remote: opened.value, threads, repository, members, addMember, start, tell, count };
}

async function submit(world: World, { url }: Repository, many: number): Promise<readonly string[]> {
  const file = join(world.cwd, "five.yaml");
  writeFileSync(file, WORKFLOW);
  const uwf = inProcess(world);
  const threads: string[] = [];
  const lines = Array.from({ length: many }, (_, at) => [
    ...["thread", "submit", "five", "-p", `Do ${at}`],
    ...(at % 2 === 0 ? ["--workspace", url] : []),
  ]);
  for (const words of [["remote", "init"], ["workflow", "put", file], ...lines]) {
    const { code, stdout, stderr } = await uwf(words);
    if (code !== 0) throw new Error(`uwf ${words.join(" ")}: ${stderr}`);
    if (words[1] === "submit") threads.push(JSON.parse(stdout).thread);
  }
  return threads;
}

export function startsIn({ ledger }: World): readonly Start[] {
  const lines = textOf(ledger).split("\n").slice(0, -1);
  return lines.map((line) => {
    const [thread = "", head = "", run = "", pid = "", root = ""] = line.split(" ");
    return { thread, head, run, pid: Number(pid), root };
  });
}

/** A git repository to which workers push what their agents have left. */
type Repository = {
  readonly url: string;
  /** Throws what git says. */
  readonly git: (...words: readonly string[]) => string;
};

const AUTHOR = ["-c", "user.name=uwf", "-c", "user.email=uwf@localhost"];

/** A new one with an empty commit on its branch. */
function openRepository(folder: string): Repository {
  mkdirSync(folder, { recursive: true });
  const git: Repository["git"] = (...words) =>
    execFileSync("git", [...AUTHOR, "--git-dir=.", ...words], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: "1" },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    }).trim();
  git("init", "--quiet", "--bare", "--initial-branch=main");
  git("update-ref", "refs/heads/main", git("commit-tree", "-m", "begin", git("mktree", "--missing")));
  return { url: `file://${folder}`, git };
}
