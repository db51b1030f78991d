import { main } from "@uncaged/cli-workflow";
import type { Ran, World } from "../world/index.js";

/** One uwf command in this process: what a reading command shows without the price of a start. */
export async function look(world: World, args: readonly string[]): Promise<Ran> {
  const said = { stdout: "", stderr: "" };
  const sink = (name: keyof typeof said) => ({
    isTerminal: () => false,
    isClosed: () => false,
    write: (text: string) => {
      said[name] += text;
    },
  });
  const code = await main(args, {
    env: { UNCAGED_WORKFLOW_STORAGE_ROOT: world.root, HOME: world.folder, PATH: "/usr/bin:/bin" },
    cwd: world.cwd,
    now: Date.now,
    pid: process.pid,
    runtime: { name: "node", version: process.version },
    stdout: sink("stdout"),
    stderr: sink("stderr"),
    newToken: () => "none",
    readStdin: () => new Uint8Array(),
    stdinIsTerminal: () => false,
    onSignal: () => () => {},
    kill: () => false,
    sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  });
  return { code, signal: null, ...said };
}
