import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { EXAMPLES, MOCK, sandbox } from "../support/uwf.js";

/** Folders of PATH that have bun; it is there inside package scripts. */
const bunFolders = (process.env.PATH ?? "")
  .split(delimiter)
  .filter((folder) => existsSync(join(folder, "bun")));
const PATH = [...bunFolders, dirname(process.execPath), "/usr/bin", "/bin"].join(":");

describe.each([["node"], ["bun"]])("on %s, a hostile current folder", (runtime) => {
  it.skipIf(runtime === "bun" && bunFolders.length === 0)(
    "has no effect on uwf or its agents, neither by .env nor by bunfig.toml",
    async () => {
      const box = sandbox();
      const env = { UWF_RUNTIME: runtime, PATH };
      box.write(
        ".env",
        `UNCAGED_WORKFLOW_STORAGE_ROOT=${box.cwd}/stolen\nUWF_MOCK_SCENARIO=/nowhere\nHOSTILE=1\n`,
      );
      box.write("bunfig.toml", 'preload = ["./evil.ts"]\n');
      box.write("evil.ts", 'require("node:fs").writeFileSync("owned", "yes");\n');
      await box.json(["workflow", "put", join(EXAMPLES, "analyze-topic.yaml")], { env });
      const { thread } = await box.json(["thread", "start", "analyze-topic", "-p", "x"], { env });
      const agent = `'${MOCK}' --scenario '${join(EXAMPLES, "analyze-topic.scenario.yaml")}'`;
      const withoutRoot = { ...env, UNCAGED_WORKFLOW_STORAGE_ROOT: "", WORKFLOW_STORAGE_ROOT: box.root };
      const output = await box.json(["thread", "step", thread, "--agent", agent], { env: withoutRoot });
      expect(output.done).toBe(true);
      expect(existsSync(join(box.cwd, "owned"))).toBe(false);
      expect(existsSync(join(box.cwd, "stolen"))).toBe(false);
    },
  );
});
