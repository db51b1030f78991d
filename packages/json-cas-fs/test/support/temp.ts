import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEachTest } from "./ends.js";

const made: string[] = [];

/** A fresh folder that is removed after the test. */
export function temporaryDir(): string {
  const dir = mkdtempSync(join(tmpdir(), "json-cas-fs-"));
  made.push(dir);
  return dir;
}

afterEachTest(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true });
});
