import type { Host } from "../../src/host.js";

export type TestHost = Host & {
  readonly written: { out: string; err: string };
  readonly interrupt: (signal: string) => void;
};

/** A process that is none: what it prints is kept, its signals come from the test. */
export function makeHost(
  argv: readonly string[],
  root: string,
  env: Readonly<Record<string, string>> = {},
): TestHost {
  const written = { out: "", err: "" };
  const variables: Record<string, string | undefined> = { UNCAGED_WORKFLOW_STORAGE_ROOT: root, ...env };
  let listener: (signal: string) => void = () => {};
  let clean = (text: string): string => text;
  return {
    argv,
    env: variables,
    setEnv: (name, value) => {
      variables[name] = value;
    },
    conceal: (given) => {
      clean = given;
    },
    cwd: root,
    home: root,
    now: Date.now,
    out: (text) => {
      written.out += text;
    },
    err: (text) => {
      written.err += clean(text);
    },
    onInterrupt: (given) => {
      listener = given;
    },
    graceMs: 50,
    written,
    interrupt: (signal) => listener(signal),
  };
}
