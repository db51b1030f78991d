import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EXAMPLES, MOCK, RUNTIMES, sandbox } from "../support/uwf.js";

describe.each(RUNTIMES)("on %s, a hostile current folder", (runtime) => {
  it("has no effect on uwf or its agents, neither by .env, bunfig.toml, tsconfig.json nor package.json", async () => {
    const box = sandbox(runtime);
    box.write(
      ".env",
      `UNCAGED_WORKFLOW_STORAGE_ROOT=${box.cwd}/stolen\nUWF_MOCK_SCENARIO=/nowhere\nHOSTILE=1\n`,
    );
    box.write("bunfig.toml", 'preload = ["./evil.ts"]\n');
    const paths = { "*": ["./evil.ts"], "../dist/bun/uwf.js": ["./evil.ts"] };
    box.write("tsconfig.json", JSON.stringify({ compilerOptions: { baseUrl: ".", paths } }));
    box.write("package.json", JSON.stringify({ name: "uwf", scripts: { uwf: "touch owned" }, imports: {} }));
    box.write("evil.ts", 'require("node:fs").writeFileSync("owned", "yes");\n');
    await box.json(["workflow", "put", join(EXAMPLES, "analyze-topic.yaml")]);
    const { thread } = await box.json(["thread", "start", "analyze-topic", "-p", "x"]);
    const agent = `'${MOCK}' --scenario '${join(EXAMPLES, "analyze-topic.scenario.yaml")}'`;
    const withoutRoot = { UNCAGED_WORKFLOW_STORAGE_ROOT: "", WORKFLOW_STORAGE_ROOT: box.root };
    const output = await box.json(["thread", "step", thread, "--agent", agent], { env: withoutRoot });
    expect(output.done).toBe(true);
    expect(existsSync(join(box.cwd, "owned"))).toBe(false);
    expect(existsSync(join(box.cwd, "stolen"))).toBe(false);
  });
});
