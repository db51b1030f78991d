import { chmodSync, copyFileSync, existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { vi } from "vitest";
import { MOCK, type Sandbox } from "./uwf.js";

const UWF = resolve(import.meta.dirname, "../../bin/uwf");

const WITHIN = { timeout: 10_000 };

const MOCK_DIST = resolve(MOCK, "../../dist");

/** uwf-mock behind a launcher of its own, which writes down when it is loaded, and when it runs. */
export type SpyAgent = {
  readonly command: string;
  readonly file: string;
  /** `loaded <args>` and `ran <args>`, in order. */
  readonly lines: () => readonly string[];
  /** Waits until the program is loaded; gives the number of its process. */
  readonly loaded: () => Promise<number>;
  /** Waits until the process that was loaded last is no more. */
  readonly gone: () => Promise<void>;
};

export function spyAgent(box: Sandbox): SpyAgent {
  const file = join(box.cwd, "spy.log");
  for (const [folder, head, foot] of [
    ["bin", "", ""],
    ["bun", "// @bun @bun-cjs\n(function(exports, require, module, __filename, __dirname) {", "})"],
  ] as const) {
    const note = (word: string): string =>
      `fs.appendFileSync(${JSON.stringify(file)}, "${word} " + process.pid + " " + process.argv.slice(2).join(" ") + "\\n");`;
    box.write(
      `spy/dist/${folder}/uwf.js`,
      `${head}
const fs = require("node:fs");
const { main } = require(${JSON.stringify(join(MOCK_DIST, folder, "uwf-mock.js"))});
${note("loaded")}
exports.main = () => {
  ${note("ran")}
  main();
};
${foot}`,
    );
  }
  box.write("spy/dist/bin/package.json", '{ "type": "commonjs" }');
  box.write("spy/bin/package.json", '{ "type": "commonjs" }');
  const command = join(box.cwd, "spy/bin/uwf");
  copyFileSync(UWF, command);
  chmodSync(command, 0o755);
  const noted = (): readonly (readonly string[])[] =>
    existsSync(file)
      ? readFileSync(file, "utf8")
          .trim()
          .split("\n")
          .map((line) => line.split(" "))
      : [];
  const pidOf = (): number | null => {
    const last = noted().findLast(([word]) => word === "loaded");
    return last === undefined ? null : Number(last[1]);
  };
  return {
    command,
    file,
    lines: () => noted().map(([word, _pid, ...args]) => [word, ...args].join(" ")),
    loaded: async () => (await vi.waitUntil(pidOf, WITHIN)) ?? Number.NaN,
    gone: async () => {
      const pid = pidOf();
      await vi.waitUntil(() => pid === null || !isAlive(pid), WITHIN);
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
