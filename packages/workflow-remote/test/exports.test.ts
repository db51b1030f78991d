import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

it("exports what its README says, and nothing else", async () => {
  const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");
  const names = Object.keys(await import("../src/index.js")).sort();
  expect(names).toEqual(["VERSION", "openRemote"]);
  for (const name of names) expect(readme).toContain(`\`${name}`);
});
