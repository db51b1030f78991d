import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";

// What the binaries are: one bundle for both runtimes, split and minified, away from any node_modules.

const source = resolve(import.meta.dirname, "../../src/index.ts");
const folder = mkdtempSync(join(tmpdir(), "uwf-moderator-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ENTRY = `import { decide, explain, loadChecks } from ${JSON.stringify(source)};
const [expression] = process.argv.slice(2);
const transitions = [{ role: "$END", condition: expression === undefined ? null : "c" }, { role: "a", condition: null }];
const workflow = { name: "w", description: "", roles: { a: {} }, conditions: { c: { description: "", expression } }, graph: { a: transitions } };
const context = { start: { workflow: "W", prompt: "p" }, steps: [{ role: "a", output: { approved: false, text: "aaaa" }, detail: "D", agent: "x" }] };
const decided = await decide(workflow, context);
if (process.env.WHOLE === "1") { await explain(workflow, context); (await loadChecks()).checkExpression(expression); }
process.stdout.write(decided.ok ? decided.value.kind : decided.error.reason);
`;

function build(name: string, text: string): string {
  const out = join(folder, name);
  const entry = join(folder, `${name}.ts`);
  writeFileSync(entry, text);
  const flags = [
    "--target=node",
    "--format=esm",
    "--splitting",
    // Without identifiers: bun's own `(m) => m(m.default)` around a lazy CommonJS module hides a function it calls `m`.
    "--minify-syntax",
    "--minify-whitespace",
    "--banner=// @bun",
    "--conditions=uwf-source",
  ];
  execFileSync("bun", ["build", entry, `--outdir=${out}`, ...flags], { stdio: "pipe" });
  return out;
}

function run(runtime: string, file: string, ...args: readonly string[]): string {
  const flags = runtime === "bun" ? ["--env-file=/dev/null", "--config=/dev/null"] : [];
  return execFileSync(runtime, [...flags, file, ...args], { cwd: folder, encoding: "utf8" });
}

const whole = build("whole", ENTRY);
const lean = build(
  "lean",
  ENTRY.replace("(await loadChecks()).checkExpression(expression);", "").replace(", loadChecks", ""),
);

describe.each(["node", "bun"])("in a bundle on %s", (runtime) => {
  const file = join(whole, "whole.js");

  it("evaluates a plain condition in the process", () => {
    expect(run(runtime, file, "steps[-1].output.approved = false")).toBe("end");
  });

  it("evaluates others in the evaluator process", () => {
    expect(run(runtime, file, "$contains(steps[-1].output.text, /^a+$/)")).toBe("end");
    expect(run(runtime, file, "$join(steps.role, '') = 'b'")).toBe("role");
  });

  it("ends an expression that would fill the memory or hang by counting what it makes", () => {
    expect(run(runtime, file, '$pad("x", 1000000000) = "x"')).toContain("more than 8388608 characters");
    expect(run(runtime, file, "($f := function($x) { $f($x) }; $f(1))")).toContain("more than 2000000 steps");
  });

  it("loads neither jsonata nor re2js for a workflow without conditions", () => {
    const marks = /D3137|RE2JSSyntaxException/;
    const chunks = readdirSync(lean).filter((name) => marks.test(readFileSync(join(lean, name), "utf8")));
    expect(chunks).not.toContain("lean.js");
    for (const name of chunks) writeFileSync(join(lean, name), "throw new Error('loaded');");
    expect(run(runtime, join(lean, "lean.js"))).toBe("end");
  });
});
