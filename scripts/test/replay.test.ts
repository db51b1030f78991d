import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { RUNTIMES } from "../../packages/faults/src/world.js";
import { RELEASES, recorded, replay } from "./support/replay.js";
import { repository, run } from "./support/run.js";

const folder = mkdtempSync(join(tmpdir(), "uwf-replay-"));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

// Node.js 22 and 24 do the same in npm-pack.test.ts, which has them from npm.
describe.each(RUNTIMES)("on %s, a thread that a release has recorded", (runtime) => {
  it.each(RELEASES)("is decided as it was then: %s", { timeout: 120_000 }, (release) => {
    const env = {
      HOME: folder,
      PATH: [dirname(process.execPath), process.env.PATH ?? ""].join(":"),
      UNCAGED_WORKFLOW_STORAGE_ROOT: join(folder, `${release}-${runtime}`),
      UWF_RUNTIME: runtime,
    };
    const uwf = (...args: readonly string[]) => {
      const ran = run(join(repository, "packages/cli-workflow/bin/uwf"), args, { cwd: folder, env });
      expect(ran.code, ran.stderr).toBe(0);
      return JSON.parse(ran.stdout);
    };
    const decisions = replay(release, uwf, folder);
    expect(decisions).toEqual(recorded(release));
    // It asks for each condition, and comes to both ends of one.
    const values = decisions.flatMap((each) =>
      each.values.map(([condition, value]) => `${condition} ${value}`),
    );
    for (const name of ["largest", "text", "missing", "count", "last"])
      expect(values).toEqual(expect.arrayContaining([`${name} true`, `${name} false`]));
  });
});
