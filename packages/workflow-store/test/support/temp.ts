import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { skipFsync } from "./no-fsync.js";

skipFsync();

/** A folder of its own for one test, gone when the test is over. */
export function tempRoot(): string {
  const root = mkdtempSync(join(realpathSync(tmpdir()), "uwf-store-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

/** Every path below a folder with its content and change time: equal snapshots mean that nothing was written. */
export function snapshot(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => {
      const stat = statSync(join(root, name));
      const content = stat.isFile() ? readFileSync(join(root, name), "base64") : "";
      return `${name} ${stat.mtimeMs} ${content}`;
    });
}
