import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Runtime } from "../world/index.js";

const WORKER = join(import.meta.dirname, "worker.mjs");

/** What a worker is told; see worker.mjs. */
export type Wish =
  | { readonly do: "break"; readonly path: string; readonly at: number }
  | { readonly do: "release" }
  | { readonly do: "cycle"; readonly path: string; readonly at: number; readonly times: number }
  | { readonly do: "die"; readonly path: string; readonly at: number; readonly call: number };

export type Answer =
  | { readonly kind: "ready" | "busy" | "released" }
  /** `alone`: nobody else was inside. */
  | { readonly kind: "lock"; readonly alone: boolean }
  | { readonly kind: "cycled"; readonly taken: number; readonly overlaps: number }
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
