import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { remoteBox } from "./support.js";

const nameOf = (root: string): string => JSON.parse(readFileSync(join(root, "root.json"), "utf8")).name;

it("a copy of a worker's root works under a name of its own, and says that it is one", async () => {
  const box = await remoteBox(null);
  const { root, env } = box.worker("first", "valid");
  await box.submit();
  const once = ["worker", "--max-steps", "1"];
  const first = await box.uwf(once, { env });
  expect(first.code).toBe(0);
  expect(first.stderr).not.toContain("was copied or moved here");
  const copy = join(root, "..", "copy");
  execFileSync("cp", ["-a", root, copy]);
  const second = await box.uwf(["worker", "--until-idle"], {
    env: { ...env, UNCAGED_WORKFLOW_STORAGE_ROOT: copy },
  });
  expect(second.code).toBe(0);
  expect(second.stderr).toContain(`this storage root was copied or moved here from ${root}`);
  expect(nameOf(copy)).not.toBe(nameOf(root));
  // Each of the steps was begun once.
  expect(new Set(box.agentRuns()).size).toBe(box.agentRuns().length);
});
