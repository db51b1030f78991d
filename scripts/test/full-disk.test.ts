import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { membersInOrder } from "../release/workspace.mjs";

const ROOT = resolve(import.meta.dirname, "../..");

const BINARIES = membersInOrder(ROOT).flatMap(({ folder, manifest }) =>
  Object.keys(manifest.bin ?? {}).map((name) => join("packages", folder, "bin", name)),
);

/** `/dev/full` takes nothing, as a full disk does. */
describe.skipIf(!existsSync("/dev/full"))("a binary that cannot write to stdout", () => {
  it.each(BINARIES)("%s says so and exits with 74", (binary) => {
    for (const option of ["--help", "--version"]) {
      const line = ["-c", 'exec "$0" "$1" >/dev/full', join(ROOT, binary), option];
      const { status, stderr } = spawnSync("sh", line, { encoding: "utf8" });
      expect({ option, status, stderr }).toEqual({
        option,
        status: 74,
        stderr: expect.stringMatching(
          /^error\[IO_FAILED\]: cannot write .*no space left on device.*\nhint: .*\n$/,
        ),
      });
    }
  });
});
