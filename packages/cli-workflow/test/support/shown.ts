import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { ended } from "./ended.js";
import type { Sandbox } from "./uwf.js";

const BIN = resolve(import.meta.dirname, "../../bin");
const SCRIPT = "/usr/bin/script";

/** Terminals are made by script(1). */
export const HAS_TERMINALS: boolean = existsSync(SCRIPT);

type Terminal = { readonly columns?: number; readonly env?: Readonly<Record<string, string>> };

type Shown = {
  readonly code: number | null;
  /** Everything that the terminal got, as it came: lines end with CR LF. */
  readonly raw: string;
  /** What stands on it in the end: redrawn lines as they were left, without colours, each once. */
  readonly lines: readonly string[];
  /** What stood on a redrawn line, oldest first. */
  readonly drawn: readonly string[];
};

/** A shell's line on a terminal of so many columns. */
export async function showOn(
  box: Sandbox,
  line: string,
  { columns = 80, env = {} }: Terminal = {},
): Promise<Shown> {
  const child = spawn(SCRIPT, ["-qec", `stty cols ${columns} rows 40; ${line}`, "/dev/null"], {
    cwd: box.cwd,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...box.environment,
      PATH: `${BIN}:${box.environment.PATH}`,
      SHELL: "/bin/sh",
      TERM: "xterm",
      NO_COLOR: "1",
      ...env,
    },
  });
  const ran = await ended(child);
  const raw = ran.stdout;
  const lines = raw.split("\r\n").map((text) => withoutCodes(text.split("\r").at(-1) ?? ""));
  const drawn = raw
    .split("\r\n")
    .flatMap((text) => text.split("\r"))
    .map(withoutCodes)
    .filter((text) => /^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/.test(text));
  return { code: ran.code, raw, lines: lines.filter((text) => text !== ""), drawn };
}

function withoutCodes(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what this removes
  return text.replace(/\u001b\[[0-9;]*[A-Za-z]/g, "");
}
