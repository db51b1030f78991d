import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { sandbox } from "./support/uwf.js";

// The examples in the help of our agents, pasted into a shell as they stand.

const packages = resolve(import.meta.dirname, "../..");

const AGENTS = [
  ["uwf-mock", "workflow-agent-mock", "Clear now."],
  ["uwf-exec", "workflow-agent-exec", "1 of 3 failed"],
] as const;

describe("the example in the help", () => {
  it.each(AGENTS)("of %s works as typed", (name, folder, shown) => {
    const box = sandbox();
    const bins = ["cli-workflow", folder].map((each) => join(packages, each, "bin"));
    const env = { ...box.environment, PATH: [...bins, box.environment.PATH].join(":") };
    const bash = (script: string): string => {
      const ran = spawnSync("bash", ["-ec", script], { cwd: box.cwd, env, encoding: "utf8" });
      expect(ran.status, ran.stderr).toBe(0);
      return ran.stdout;
    };
    const help = bash(`${name} --help`);
    const example = /^cat > [\s\S]*^uwf thread read <thread>$/m.exec(help)?.[0] ?? "";
    const [before = "", after = ""] = example.split(/(?<=^uwf thread start .*\n)/m);
    const { thread } = JSON.parse(bash(before)) as { readonly thread: string };
    const printed = bash(after.replaceAll("<thread>", thread));
    expect(printed).toContain('"done": true');
    expect(printed).toContain(shown);
  });
});
