import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { RUNTIMES, type Sandbox, sandbox } from "../../../cli-workflow/test/support/uwf.js";
import { startTurns, zoo } from "../../../cli-workflow/test/support/workflows.js";

const PACKAGES = resolve(import.meta.dirname, "../../..");

/** Installs a package as npm would, without its dependencies. */
function install(box: Sandbox, name: string, parts: readonly string[]): string {
  const to = join(box.home, "installed/node_modules/@uncaged", name);
  for (const part of [...parts, "package.json"])
    cpSync(join(PACKAGES, name, part), join(to, part), { recursive: true });
  return to;
}

/** Runs that uwf in the place of the repository's. */
function through(uwf: string) {
  return (line: string) => ["/bin/sh", "-c", `exec "${join(uwf, "bin/uwf")}" ${line}`];
}

describe.each(RUNTIMES)("%s: an uwf without the package of remotes", (runtime) => {
  const alone = (): { readonly box: Sandbox; readonly line: (line: string) => readonly string[] } => {
    const box = sandbox(runtime);
    return { box, line: through(install(box, "cli-workflow", ["bin", "dist/bin", "dist/bun"])) };
  };

  it("steps, reads and helps as ever", async () => {
    const { box, line } = alone();
    const thread = await startTurns(box);
    const stepped = await box.uwf([], { through: line(`thread step ${thread} --agent "${zoo("valid")}"`) });
    expect([stepped.code, stepped.stderr]).toEqual([0, ""]);
    const helped = await box.uwf([], { through: line("remote init --help") });
    expect(helped.stdout).toContain("Comes with @uncaged/workflow-remote");
  });

  it.each(["remote init", "worker", "thread submit turns -p x", "thread list --remote", "log --remote"])(
    "says for %s which package to install",
    async (words) => {
      const { box, line } = alone();
      const env = { UWF_REMOTE_URL: `pglite:${join(box.home, "tables")}` };
      const ran = await box.uwf([], { through: line(words), env });
      expect([ran.code, ran.stdout]).toEqual([4, ""]);
      expect(ran.stderr).toContain(
        "error[REMOTE_NOT_INSTALLED]: remotes need the package @uncaged/workflow-remote",
      );
      expect(ran.stderr).toContain("npm install <checkout>/tarballs/*.tgz");
    },
  );

  it("finds it once it is installed beside", async () => {
    const { box, line } = alone();
    const remote = install(box, "workflow-remote", ["dist"]);
    mkdirSync(join(remote, "node_modules/@electric-sql"), { recursive: true });
    for (const driver of ["@electric-sql/pglite"])
      symlinkSync(
        join(PACKAGES, "workflow-remote/node_modules", driver),
        join(remote, "node_modules", driver),
      );
    const env = { UWF_REMOTE_URL: `pglite:${join(box.home, "tables")}` };
    const ran = await box.uwf([], { through: line("remote init"), env });
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
    expect(JSON.parse(ran.stdout)).toMatchObject({ from: 0 });
    const listed = await box.uwf([], { through: line("thread list --remote"), env });
    expect(JSON.parse(listed.stdout)).toEqual([]);
  });
});
