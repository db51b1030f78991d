import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { randomOf } from "../packages/faults/src/frame.js";
import { shuffled } from "../packages/faults/src/inject.js";
import { type Mutation, mutationsOf } from "./mutations.js";

// bun run test:mutants [--count 60] [--seed 1] [--only store] [--seconds 300]
// Plants single mistakes into a copy of the repository, one after the other, and names those with which no test of their
// package fails. Never in CI: a mistake may do anything that the code may, so the copy has a home of its own, and 60 of them
// take an hour.

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    // For one mistake; tests that do not end by then have found it: a loop without an end is a mistake, too.
    seconds: { type: "string", default: "300" },
  },
});

/** Where mistakes are planted: in the sources whose tests run on the sources. */
const PLACES = [
  "packages/workflow-engine/src/step",
  "packages/workflow-store/src",
  "packages/json-cas-fs/src",
  "packages/workflow-agent-kit/src",
  "packages/workflow-moderator/src",
  "packages/workflow-protocol/src",
].filter((place) => place.includes(values.only));

type Mutant = Mutation & { readonly place: string; readonly file: string };

const source = resolve(import.meta.dirname, "..");
const root = join(mkdtempSync(join(tmpdir(), "uwf-mutants-")), "copy");
process.on("exit", () => rmSync(dirname(root), { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));

copyRepository();
const random = randomOf(Number(values.seed));
const found: { readonly place: string; readonly verdict: Verdict }[] = [];
const mutants = choose(Number(values.count));
for (const name of new Set(mutants.map(({ file }) => packageOf(file)))) refuseFailing(name);
for (const mutant of mutants) {
  const verdict = judge(mutant);
  found.push({ place: mutant.place, verdict });
  const { kind, file, line, before } = mutant;
  console.log(`${verdict}: ${kind}, ${file}:${line} \`${before.replace(/\s+/g, " ").slice(0, 100)}\``);
}
console.log("\n| code | planted | found | not found |\n|---|---|---|---|");
for (const place of PLACES) {
  const here = found.filter((each) => each.place === place);
  const count = (verdict: Verdict): number => here.filter((each) => each.verdict === verdict).length;
  const counts = [here.length, count("found"), count("NOT FOUND")];
  console.log(`| ${place.replace(/^packages\/|\/src/g, "")} | ${counts.join(" | ")} |`);
}

/** The tracked files and their changes, with links to the installed packages. */
function copyRepository(): void {
  // Tests start its programs as another user.
  chmodSync(dirname(root), 0o755);
  mkdirSync(join(root, "mutants.home"), { recursive: true });
  const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: source,
  });
  const archive = join(root, "mutants.tar");
  execFileSync("tar", ["-cf", archive, "--null", "-T", "-"], { cwd: source, input: files });
  execFileSync("tar", ["-xf", archive], { cwd: root });
  execFileSync("cp", ["-a", "--link", join(source, "node_modules"), root]);
  for (const name of readdirSync(join(root, "packages"))) {
    for (const folder of ["node_modules", "dist"]) {
      const from = join(source, "packages", name, folder);
      if (existsSync(from)) execFileSync("cp", ["-a", from, join(root, "packages", name)]);
    }
  }
}

/** So many, spread over the places and their files. */
function choose(count: number): readonly Mutant[] {
  return PLACES.flatMap((place) => {
    const files = readdirSync(join(root, place), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !/(^|\/)(index|types)\.ts$/.test(name))
      .map((name) => relative(root, join(root, place, name)));
    const each = shuffled(random, files).flatMap((file): readonly Mutant[] => {
      const all = mutationsOf(file, readFileSync(join(root, file), "utf8"), random.next);
      return shuffled(random, all)
        .slice(0, 3)
        .map((mutation) => ({ ...mutation, place, file }));
    });
    return shuffled(random, each).slice(0, Math.ceil(count / PLACES.length));
  });
}

type Verdict = "found" | "NOT FOUND";

/** The tests of a package. Most of the step's are the commands', which run what is built. */
function testsOf(name: string): readonly string[] {
  const own = `packages/${name}/test`;
  return name === "workflow-engine" ? [own, "packages/cli-workflow/test/step"] : [own];
}

/** Plants the mistake, runs the tests of its package, and takes it out again. */
function judge({ file, start, end, planted }: Mutant): Verdict {
  const path = join(root, file);
  const text = readFileSync(path, "utf8");
  writeFileSync(path, text.slice(0, start) + planted + text.slice(end));
  const { status } = runTests(packageOf(file));
  writeFileSync(path, text);
  return status === 0 ? "NOT FOUND" : "found";
}

function packageOf(file: string): string {
  return file.split("/")[1] ?? "";
}

/** A package whose tests fail without a mistake would find every one. */
function refuseFailing(name: string): void {
  const { status, stdout, stderr } = runTests(name);
  if (status !== 0) throw new Error(`The tests of ${name} fail without a mistake:\n${stdout}\n${stderr}`);
}

/** Runs the tests of a package in the copy until one fails. */
function runTests(name: string): ReturnType<typeof spawnSync> {
  const words = ["run", "test", ...testsOf(name), "--bail", "1"];
  return spawnSync("bun", words, {
    cwd: root,
    env: { ...process.env, HOME: join(root, "mutants.home") },
    encoding: "utf8",
    timeout: Number(values.seconds) * 1000,
    killSignal: "SIGKILL",
  });
}
