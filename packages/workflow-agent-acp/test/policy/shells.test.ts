import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { IF_WHOLE, WHOLE } from "../../../json-cas-fs/test/support/runtimes.js";
import { answerPermission } from "../../src/policy/index.js";

// The proof against the shells themselves: lines put together at random, and whatever the fence allows is run. Outside
// lies a secret that no output may hold, and nothing may change; a program inside leaves a mark when it is run.

const SECRET = "TOP-SECRET-7731";
const PATH = "/usr/bin:/bin";

let root: string;
let cwd: string;
let home: string;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "uwf-acp-shells-")));
  cwd = join(root, "project");
  home = join(root, "home");
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

function build(): void {
  for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true, force: true });
  for (const folder of ["project/src/deep", "project/build", "project/tree/src", "home", "out/below"]) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  for (const file of ["home/secret", "out/secret", "out/below/secret", "secret"]) {
    writeFileSync(join(root, file), `${SECRET}\n`);
  }
  for (const file of ["src/a.ts", "src/b.ts", "README.md", "tree/x"])
    writeFileSync(join(cwd, file), "text\n");
  writeFileSync(join(cwd, "run"), "#!/bin/sh\nprintf 'TOP-SECRET-%s' 7731\n", { mode: 0o755 });
  symlinkSync("../out", join(cwd, "link"));
  symlinkSync("../out/below", join(cwd, "deeplink"));
  symlinkSync("../missing", join(cwd, "dangling"));
  symlinkSync("../../out/secret", join(cwd, "build/a.ts"));
  symlinkSync("../../../out", join(cwd, "tree/src/deep"));
  symlinkSync("src", join(cwd, "inner"));
}

/** What lies outside, by name and content. */
function outside(): string {
  const below = (folder: string): readonly string[] =>
    readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (path === "project") return [];
      return entry.isDirectory() ? [path, ...below(path)] : [path, readFileSync(join(root, path), "utf8")];
    });
  return below(".").join("\n");
}

function isAllowed(line: string): boolean {
  const options = [{ optionId: "once", kind: "allow_once", name: "" }];
  const toolCall = { toolCallId: "t", kind: "execute", rawInput: { command: line } };
  const policy = {
    allow: new Set<never>(),
    deny: new Set<never>(),
    commands: [],
    entered: [],
    cwd,
    path: PATH,
  };
  return answerPermission({ toolCall, options }, null, policy).rejected === null;
}

/** Numbers that look like chance, the same in each run. */
function chances(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const PROGRAMS =
  "cat|ls|ls -R|head -3|grep -r T|grep -rn T|find|wc|sort|echo|printf|rm -rf|rm|cp|cp -r|cp -a|mv|touch|mkdir -p|tee|sed -n 1,5p|diff|rg T|cd|test -f|stat|tail|bash -c|sh -c|uniq|cut -c1-9|chmod +x|./run|run|env|eval|git status|xargs cat|nl|tac|du -a|file|basename|find . -name".split(
    "|",
  );

const PATHS =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell's
  "src|src/a.ts|src/b.ts|README.md|build|build/a.ts|tree|tree/src|link|link/secret|link/../secret|deeplink/../secret|dangling|inner|inner/..|inner/../README.md|..|../secret|../out|src/../..|src/*.ts|*|*.md|build/*|l*|./*|~|~/secret|$HOME|${HOME}/secret|\"$HOME/secret\"|'src/a.ts'|\"src/a.ts\"|'../secret'|sr'c'/a.ts|.\"./secret\"|\\../secret|..\\/secret|{src,../out}|[.][.]/secret|new|src/new|new/x|-R|-L|--|-exec|-f|`pwd`|$(cat ../secret)|.|x=../secret|'cat ../secret'|\"cat src/a.ts\"|--files0-from=../secret|$'..'/secret|.?/secret|.*|??/secret|src//a.ts|./src/./a.ts|tree/src/deep|tree/src/deep/secret|new/deep/secret|src/src/deep/secret".split(
    "|",
  );

const JOINTS = [" && ", "; ", " | ", " || ", ";", "|", " & ", "\n", " > ", " >> ", " < ", " 2> ", ">", "<"];

function lineBy(chance: (below: number) => number): string {
  const one = (list: readonly string[]): string => list[chance(list.length)] ?? "";
  const command = (): string =>
    [one(PROGRAMS), ...new Array(chance(4)).fill("").map(() => one(PATHS))].join(" ");
  let line = command();
  for (let more = chance(4); more > 0; more -= 1) {
    const joint = one(JOINTS);
    line += joint + (/[<>]/.test(joint) ? one(PATHS) : command());
  }
  return line;
}

const RUNS = Number(process.env.UWF_FENCE_RUNS ?? (WHOLE ? 150 : 40));
const SEED = Number(process.env.UWF_FENCE_SEED ?? 20260);
const FOUND = ["/bin/sh", "/bin/bash", "/bin/zsh"].filter((shell) => existsSync(shell));
const SHELLS = [...new Set(FOUND.map((shell) => realpathSync(shell)))];

describe("an allowed line", () => {
  it.each(SHELLS)(`never leaves the folder when %s runs it${IF_WHOLE}`, { timeout: 120_000 }, (shell) => {
    build();
    const pristine = join(root, "../", `${root.split("/").at(-1)}-kept`);
    cpSync(cwd, pristine, { recursive: true, verbatimSymlinks: true });
    const before = outside();
    const chance = chances(SEED);
    let ran = 0;
    try {
      while (ran < RUNS) {
        const line = lineBy(chance);
        if (!isAllowed(line)) continue;
        ran += 1;
        const env = { PATH, HOME: home, LC_ALL: "C.UTF-8" };
        const { stdout, stderr } = spawnSync(shell, ["-c", line], { cwd, env, input: "", encoding: "utf8" });
        expect(`${stdout}${stderr}`, line).not.toContain(SECRET);
        expect(outside(), line).toBe(before);
        rmSync(cwd, { recursive: true, force: true });
        cpSync(pristine, cwd, { recursive: true, verbatimSymlinks: true });
      }
    } finally {
      rmSync(pristine, { recursive: true, force: true });
    }
    expect(ran).toBe(RUNS);
  });
});
