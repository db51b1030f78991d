import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { builtIndex } from "../../../json-cas-fs/test/support/built.js";
import { temporaryDir } from "../../../json-cas-fs/test/support/temp.js";

const bun = spawnSync("bun", ["--version"]).status === 0;
const packageDir = join(import.meta.dirname, "../..");
const ABC = "console.log(hashBytes(new TextEncoder().encode('abc')));";
/** Of the vectors. */
const HASH_OF_ABC = "49F1CYPPQE2CS";

/** A module of its own on Node.js, which imports the package as it is when installed. */
function node(args: readonly string[]) {
  builtIndex();
  return spawnSync(process.execPath, args, { encoding: "utf8", cwd: packageDir });
}

describe("XXH64 on Node.js", () => {
  it("is started when the package is imported", () => {
    const ran = node(["--input-type=module", "-e", `import { hashBytes } from "@uncaged/json-cas"; ${ABC}`]);
    expect(ran).toMatchObject({ stdout: `${HASH_OF_ABC}\n`, stderr: "" });
  });

  it.skipIf(!bun)("is started in what a bundler makes of the package, too", () => {
    builtIndex();
    const [source, bundle] = ["user.mjs", "bundle.mjs"].map((name) => join(temporaryDir(), name)) as [
      string,
      string,
    ];
    const library = join(packageDir, "dist/library.js");
    writeFileSync(source, `import { hashBytes } from ${JSON.stringify(library)};\n${ABC}\n`);
    spawnSync("bun", ["build", source, "--target=node", `--outfile=${bundle}`]);
    expect(node([bundle])).toMatchObject({ stdout: `${HASH_OF_ABC}\n`, stderr: "" });
  });

  it("throws when a hash is asked for before the start, and gives no other hash", () => {
    const ran = node(["--input-type=module", "-e", `import { hashBytes } from "./dist/index.js"; ${ABC}`]);
    expect(ran).toMatchObject({ status: 1, stdout: "" });
    expect(ran.stderr).toContain("a hash was asked for before XXH64 was started");
  });
});
