import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { membersInOrder } from "../release/workspace.js";

const ROOT = resolve(import.meta.dirname, "../..");

const BINARIES = membersInOrder(ROOT).flatMap(({ folder, manifest }) =>
  Object.keys(manifest.bin ?? {}).map((name) => join("packages", folder, "bin", name)),
);

/** Runs a binary with a redirection of the shell: `>/dev/full`. */
function run(binary: string, option: string, redirection: string): { status: number | null; stderr: string } {
  const line = ["-c", `exec "$0" "$1" ${redirection}`, join(ROOT, binary), option];
  const { status, stderr } = spawnSync("sh", line, { encoding: "utf8" });
  return { status, stderr };
}

/** `/dev/full` takes nothing, as a full disk does. */
describe.skipIf(!existsSync("/dev/full"))("a binary on a full disk", () => {
  it.each(BINARIES)("%s says that it cannot print, and exits with 74", (binary) => {
    for (const option of ["--help", "--version"]) {
      expect({ option, ...run(binary, option, ">/dev/full") }).toEqual({
        option,
        status: 74,
        stderr: expect.stringMatching(
          /^error\[IO_FAILED\]: cannot write stdout: .*no space left on device.*\nhint: .*\n$/,
        ),
      });
    }
  });

  it.each(BINARIES)("%s exits with the same code when nobody can read why", (binary) => {
    const { status, stderr } = run(binary, "--no-such-option", "");
    expect({ status, stderr }).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^error\[USAGE\]: /),
    });
    expect(run(binary, "--no-such-option", "2>/dev/full")).toEqual({ status, stderr: "" });
  });
});
