import type { ChildSpec } from "./types.js";

// The system's strings end at NUL: what stands behind it would be lost without a word.
export function refusalOfWords({
  command,
  args,
  cwd,
  env,
}: Pick<ChildSpec, "command" | "args" | "cwd" | "env">): string | null {
  const words = [command, cwd, ...args, ...Object.keys(env), ...Object.values(env)];
  return words.some((word) => word.includes("\0"))
    ? "its arguments or its environment hold a NUL character"
    : null;
}
