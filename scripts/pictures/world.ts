import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Screenful } from "./types.js";

const SCRIPT = "/usr/bin/script";

/** A folder with the examples, a storage root, and agents that play scenarios; all gone after `close`. */
export type World = {
  /** Runs a command without showing it, minutes before the pictures are taken. */
  readonly run: (minutesAgo: number, line: string) => string;
  /** The same while the clock runs a hundred times as fast as ours. */
  readonly play: (minutesAgo: number, line: string) => string;
  /** Starts a command that goes on. */
  readonly start: (line: string) => ChildProcess;
  /** The same on a terminal of 80 columns, in colour. */
  readonly show: (command: string) => Screenful;
  readonly write: (file: string, text: string) => void;
  /** Where a file of that folder is. */
  readonly path: (file: string) => string;
  /** The same text with the folder that the readers see. */
  readonly withoutPaths: (text: string) => string;
  readonly close: () => void;
};

const NOW = Date.UTC(2026, 0, 31, 9, 30);

const RATE = 100;

/** Where the pictures are taken, whoever takes them. */
const FOLDER = "/home/kim/shop";

export function makeWorld(repository: string): World {
  const base = mkdtempSync(join(tmpdir(), "uwf-pictures-"));
  const cwd = join(base, "shop");
  for (const folder of [cwd, join(base, "home"), join(base, "bin")]) mkdirSync(folder);
  cpSync(join(repository, "examples"), join(cwd, "examples"), { recursive: true });
  const bins = ["cli-workflow", "workflow-agent-docx-diff", "workflow-agent-mock"].map((name) =>
    join(repository, "packages", name, "bin"),
  );
  const clock = join(repository, "scripts/pictures/clock.mjs");
  const environment = (minutesAgo: number, rate = 0) => ({
    PATH: [join(base, "bin"), ...bins, dirname(process.execPath), ...nodeFolders(), "/usr/bin", "/bin"].join(
      ":",
    ),
    HOME: join(base, "home"),
    SHELL: "/bin/sh",
    TERM: "xterm-256color",
    LC_ALL: "C.UTF-8",
    UWF_RUNTIME: "node",
    UWF_PICTURE_TIME: String(NOW - minutesAgo * 60_000),
    UWF_PICTURE_SINCE: String(Date.now()),
    UWF_PICTURE_RATE: String(rate),
    NODE_OPTIONS: `--import=file://${clock}`,
    NODE_DISABLE_COMPILE_CACHE: "1",
    UWF_MOCK_SCENARIO: ".workflows/door-sign.scenario.yaml",
    UNCAGED_WORKFLOW_STORAGE_ROOT: join(base, "storage"),
  });
  const runIn = (env: NodeJS.ProcessEnv, line: string): string =>
    spawnSync("/bin/sh", ["-c", line], { cwd, env, encoding: "utf8" }).stdout;
  const run = (minutesAgo: number, line: string): string => runIn(environment(minutesAgo), line);
  const play = (minutesAgo: number, line: string): string => runIn(environment(minutesAgo, RATE), line);
  const start = (line: string): ChildProcess =>
    spawn("/bin/sh", ["-c", `exec ${line}`], {
      cwd,
      env: environment(0),
      stdio: ["ignore", "pipe", "inherit"],
    });
  const withoutPaths = (text: string): string =>
    text.replaceAll(cwd, FOLDER).replaceAll(join(base, "bin"), "/usr/local/bin");
  const show = (command: string): Screenful => {
    const line = `stty cols 80 rows 50; ${command}`;
    const shown = spawnSync(SCRIPT, ["-qec", line, "/dev/null"], {
      cwd,
      env: environment(0),
      encoding: "utf8",
    });
    return { command, output: withoutPaths(shown.stdout) };
  };
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(cwd, file)), { recursive: true });
    writeFileSync(join(cwd, file), text);
    if (file.startsWith("../bin/")) chmodSync(join(cwd, file), 0o755);
  };
  const path = (file: string): string => join(cwd, file);
  return {
    run,
    play,
    start,
    show,
    write,
    path,
    withoutPaths,
    close: () => rmSync(base, { recursive: true, force: true }),
  };
}

/** Where node is, for a script that bun runs. */
function nodeFolders(): readonly string[] {
  return (process.env.PATH ?? "").split(":").filter((folder) => folder !== "");
}
