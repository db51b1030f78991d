import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type LockRecord, ownRecord, processStartTime } from "@uncaged/json-cas-fs";
import { MOCK, type Runtime, type World } from "../world.js";

const GATED = join(import.meta.dirname, "gated.sh");

const PATIENCE_MS = 60_000;

/** An agent that works until it is let go. */
type Gate = {
  /** The environment of a uwf whose agent is to wait. */
  readonly env: Readonly<Record<string, string>>;
  /** Resolves when the agent runs. */
  readonly reached: () => Promise<void>;
  readonly open: () => void;
};

export function closeGate(world: World, name: string): Gate {
  const file = join(world.folder, `gate-${name}`);
  writeFileSync(file, "");
  return {
    env: { UWF_FAULTS_AGENT: GATED, UWF_FAULTS_GATED: MOCK, UWF_FAULTS_GATE: file },
    reached: () => until(`the agent of ${name} runs`, () => existsSync(`${file}.open`)),
    open: () => rmSync(file),
  };
}

/** Looks until it is true. Throws after a minute. */
export async function until(what: string, isTrue: () => boolean): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!isTrue()) {
    if (performance.now() > deadline) throw new Error(`waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Why nobody holds a lock whose file is there. */
export const STALE = ["killed", "pid reused", "machine restarted", "content lost in a power cut"] as const;

type Stale = (typeof STALE)[number];

/** The record of a process that has lived and was killed. */
export async function deadRecord(): Promise<LockRecord> {
  const child = spawn("sleep", ["60"], { stdio: "ignore" });
  await once(child, "spawn");
  const pid = child.pid ?? 0;
  const startTime = processStartTime(pid);
  child.kill("SIGKILL");
  await once(child, "close");
  return { ...ownRecord(Date.now(), null), pid, startTime };
}

/** Puts a lock file there that nobody holds. */
export function plantStale(path: string, stale: Stale, dead: LockRecord): void {
  const { nonce } = ownRecord(0, null);
  writeFileSync(path, textOf(stale, { ...dead, nonce }));
  // Long before this boot: records appear complete, so an empty one this old has lost its content, and a holder of an
  // earlier boot has given no sign of life since.
  if (stale === "content lost in a power cut" || stale === "machine restarted") utimesSync(path, 1, 1);
}

function textOf(stale: Stale, dead: LockRecord): string {
  switch (stale) {
    case "killed":
      return recordText(dead);
    case "pid reused":
      return recordText({ ...dead, pid: process.pid, startTime: "1" });
    case "machine restarted":
      // Before this boot: what began after it cannot be of an earlier one.
      return recordText({
        ...livingRecord(dead.nonce),
        bootId: "00000000-0000-0000-0000-000000000000",
        acquiredAt: 1,
      });
    case "content lost in a power cut":
      return "";
  }
}

/** This process would hold it, were it not for what the caller changes. */
export function livingRecord(nonce: string): LockRecord {
  return { ...ownRecord(Date.now(), null), nonce };
}

export function recordText(record: LockRecord): string {
  return `${JSON.stringify(record)}\n`;
}

const WORKER = join(import.meta.dirname, "worker.mjs");

/** What a worker is told; see worker.mjs. */
type Wish =
  | { readonly do: "break"; readonly path: string; readonly at: number }
  | { readonly do: "release" }
  | { readonly do: "die"; readonly path: string; readonly at: number; readonly call: number };

export type Answer =
  | { readonly kind: "ready" | "busy" | "released" }
  /** `alone`: nobody else was inside. */
  | { readonly kind: "lock"; readonly alone: boolean }
  /** It has died. */
  | { readonly kind: "gone" };

export type Worker = {
  readonly pid: number;
  readonly ask: (wish: Wish) => Promise<Answer>;
  /** Kills it and waits until it is gone. */
  readonly end: () => Promise<void>;
};

/** Starts a process that takes locks with the functions of `library` (the URL of a module); resolves when it is ready. */
export async function startWorker(library: string, runtime: Runtime, cwd: string): Promise<Worker> {
  const child = spawn(programOf(runtime), [WORKER, library], { cwd, stdio: ["pipe", "pipe", "inherit"] });
  const waiting: ((answer: Answer) => void)[] = [];
  const answer = (): Promise<Answer> => new Promise((resolve) => waiting.push(resolve));
  createInterface({ input: child.stdout }).on("line", (line) => waiting.shift()?.(JSON.parse(line)));
  const gone = new Promise<void>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () => {
      for (const resolveAnswer of waiting.splice(0)) resolveAnswer({ kind: "gone" });
      resolve();
    });
  });
  child.stdin.on("error", () => {});
  await Promise.race([answer(), gone]);
  return {
    pid: child.pid ?? -1,
    ask: (wish) => {
      const answered = answer();
      child.stdin.write(`${JSON.stringify(wish)}\n`);
      return answered;
    },
    end: () => {
      child.kill("SIGKILL");
      return gone;
    },
  };
}

function programOf(runtime: Runtime): string {
  if (runtime === "bun") return process.versions.bun ? process.execPath : "bun";
  return process.versions.bun ? "node" : process.execPath;
}
