import { type Host, main } from "@uncaged/cli-workflow";
import { type Ran, RUNTIMES, type World } from "./world.js";

/** uwf in this process: the same program behind a host of its own, many times as fast as a process each. */
export function inProcess(world: World): (args: readonly string[]) => Promise<Ran> {
  let tokens = 0;
  const env = { ...world.environment(RUNTIMES[0]), UWF_GRACE_SECONDS: "1" };
  return async (args) => {
    const said = { stdout: "", stderr: "" };
    const sink = (stream: keyof typeof said) => ({
      write: (text: string) => {
        said[stream] += text;
      },
      isTerminal: () => false,
      isClosed: () => false,
    });
    const host: Host = {
      env,
      cwd: world.cwd,
      now: Date.now,
      pid: process.pid,
      runtime: { name: "node", version: "0.0.0" },
      stdout: sink("stdout"),
      stderr: sink("stderr"),
      newToken: () => {
        tokens += 1;
        return `token-${tokens}`;
      },
      readStdin: () => new Uint8Array(),
      stdinIsTerminal: () => false,
      onSignal: () => () => {},
      kill: () => false,
      sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    };
    const code = await main(args, host);
    return { code, signal: null, ...said };
  };
}
