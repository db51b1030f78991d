import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, test } from "vitest";
import { type ChildSpec, runMembers } from "../../src/process/index.js";

const DEADLINE_MS = 30_000;

/** A folder with programs; what a test started and left is killed by its recorded id. */
export type Zoo = {
  /** Writes an executable that /bin/sh runs. */
  readonly shell: (name: string, body: string) => string;
  /** Writes an executable that node runs. */
  readonly script: (name: string, body: string) => string;
  readonly file: (name: string) => string;
  readonly read: (name: string) => string;
  readonly spec: (command: string, change?: Partial<ChildSpec>) => ChildSpec;
  /** The pid that an agent wrote into the file, once it is there; killed after the test. */
  readonly pidIn: (name: string) => Promise<number>;
};

/** One zoo for tests that run one after another, made anew for each. */
export function useZoo(): Zoo {
  let [zoo, close] = [{} as Zoo, () => {}];
  beforeEach(() => {
    ({ zoo, close } = openZoo());
  });
  afterEach(() => close());
  return {
    shell: (...args) => zoo.shell(...args),
    script: (...args) => zoo.script(...args),
    file: (...args) => zoo.file(...args),
    read: (...args) => zoo.read(...args),
    spec: (...args) => zoo.spec(...args),
    pidIn: (...args) => zoo.pidIn(...args),
  };
}

/** A test with a zoo of its own: those that mostly wait can run at once. */
export const zooTest = test.extend<{ readonly zoo: Zoo }>({
  zoo: async ({ task: _ }, use) => {
    const { zoo, close } = openZoo();
    await use(zoo);
    close();
  },
});

function openZoo(): { readonly zoo: Zoo; readonly close: () => void } {
  const dir = mkdtempSync(join(tmpdir(), "uwf-util-test-"));
  const pids: number[] = [];
  const close = (): void => {
    for (const pid of pids) kill(pid);
    rmSync(dir, { recursive: true, force: true });
  };
  return { zoo: zooIn(dir, pids), close };
}

function zooIn(dir: string, pids: number[]): Zoo {
  const file = (name: string): string => join(dir, name);
  const executable = (name: string, text: string): string => {
    writeFileSync(file(name), text);
    chmodSync(file(name), 0o755);
    return file(name);
  };
  return {
    file,
    read: (name) => readFileSync(file(name), "utf8"),
    shell: (name, body) => executable(name, `#!/bin/sh\n${body}\n`),
    script: (name, body) => executable(name, `#!/usr/bin/env node\n${body}\n`),
    spec: (command, change = {}) => ({
      command,
      args: [],
      cwd: dir,
      env: { PATH: process.env.PATH ?? "", HOME: dir, ZOO: dir },
      stdin: { kind: "null" },
      stdout: { kind: "file", path: file("stdout") },
      stderr: { kind: "file", path: file("stderr") },
      pidFile: null,
      limits: { timeoutMs: null, idleMs: null, graceMs: 500 },
      lastActivity: null,
      onTick: null,
      resultSeen: null,
      abort: null,
      token: null,
      ...change,
    }),
    pidIn: async (name) => {
      await until(() => /^\d+\n/.test(readOr(file(name))));
      const pid = Number.parseInt(readOr(file(name)), 10);
      pids.push(pid);
      return pid;
    },
  };
}

/** Waits for a condition, not for a time. */
export async function until(condition: () => boolean): Promise<void> {
  for (const deadline = Date.now() + DEADLINE_MS; !condition(); await sleep(10)) {
    if (Date.now() > deadline) throw new Error("the awaited condition did not come true");
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !/\) Z /.test(readOr(`/proc/${pid}/stat`));
}

export function membersOf(pid: number | null, token: string | null = null): readonly number[] {
  return runMembers({ pid, startTime: null, token });
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // gone already
  }
}

function readOr(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
