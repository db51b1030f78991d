import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { builtIndex } from "../support/built.js";
import { temporaryDir } from "../support/temp.js";

describe("output", () => {
  /** A program that writes `size` bytes to stdout by `writeStdout`, then what that gave to stderr. */
  function write(size: number, shell: string): { status: number | null; stdout: string; stderr: string } {
    const module = join(temporaryDir(), "write.mjs");
    writeFileSync(
      module,
      `import { syncStdout, writeStderr, writeStdout } from ${JSON.stringify(builtIndex())};
       try {
         const reads = writeStdout(Buffer.alloc(${size}, "x"));
         syncStdout();
         writeStderr("reads: " + reads);
       } catch (error) { writeStderr(error.message); process.exitCode = 74; }`,
    );
    const line = shell.replace("write", `'${process.execPath}' '${module}'`);
    return spawnSync("sh", ["-c", line], { encoding: "utf8", maxBuffer: 1 << 24 });
  }

  it("goes to a pipe and to a file, all of it", () => {
    expect(write(1_000_000, "write")).toMatchObject({ stdout: "x".repeat(1_000_000), stderr: "reads: true" });
    const file = join(temporaryDir(), "out");
    expect(write(1_000_000, `write > '${file}'; wc -c < '${file}'`)).toMatchObject({
      stdout: expect.stringMatching(/^\s*1000000\n$/),
      stderr: "reads: true",
    });
  });

  it("is told when its reader is gone", () => {
    expect(write(1_000_000, "write | true")).toMatchObject({ stderr: "reads: false" });
  });

  it("says why it cannot be written, and is silent where that cannot be said", () => {
    const full = { status: 74, stderr: "cannot write stdout: no space left on device (ENOSPC)" };
    expect(write(1, "write > /dev/full")).toMatchObject(full);
    expect(write(1, "write > /dev/full 2> /dev/full")).toMatchObject({ status: 74, stderr: "" });
    expect(write(1, "write 2> /dev/full")).toMatchObject({ status: 0, stdout: "x" });
  });
});
