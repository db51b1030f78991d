import { execFileSync } from "node:child_process";
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import type { CasError } from "@uncaged/json-cas";
import { describe, expect, it } from "vitest";
import {
  isMissing,
  isNotRegular,
  isTemporaryName,
  openRegular,
  readWithin,
  temporaryPath,
  uniqueName,
} from "../../src/index.js";
import { errnoError, withFsCalls } from "../support/fs-calls.js";
import { temporaryDir } from "../support/temp.js";

/** The error that `action` throws; a test that expects one fails without it. */
function thrown(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

describe("readWithin", () => {
  function read(content: Buffer, limit: number): Buffer | null {
    const file = join(temporaryDir(), "a");
    writeFileSync(file, content);
    const fd = openSync(file, "r");
    try {
      return readWithin(fd, limit);
    } finally {
      closeSync(fd);
    }
  }

  it.each([0, 1, 1000])(
    "gives %i bytes where so many are allowed, and none where it is one fewer",
    (size) => {
      const content = Buffer.alloc(size, "x");
      expect(read(content, size)).toEqual(content);
      if (size > 0) expect(read(content, size - 1)).toBeNull();
    },
  );

  // 256 KiB are read at a time.
  it.each([262_143, 262_144, 262_145, 600_000, 1_048_577])("puts %i bytes together", (size) => {
    const content = Buffer.from(Array.from({ length: size }, (_, at) => at % 251));
    expect(read(content, size)?.equals(content)).toBe(true);
    expect(read(content, 2 * size)?.equals(content)).toBe(true);
    expect(read(content, size - 1)).toBeNull();
  });

  it("reads no further than one byte past the limit", () => {
    const file = join(temporaryDir(), "endless");
    const fd = openSync(file, "w+");
    ftruncateSync(fd, 2 ** 40);
    expect(readWithin(fd, 300_000)).toBeNull();
    const rest = Buffer.alloc(1);
    writeSync(fd, "!", 300_001);
    expect([readSync(fd, rest, 0, 1, null), rest.toString()]).toEqual([1, "!"]);
    closeSync(fd);
  });

  it("begins where the descriptor is", () => {
    const file = join(temporaryDir(), "a");
    writeFileSync(file, "one two");
    const fd = openSync(file, "r");
    readSync(fd, Buffer.alloc(4), 0, 4, null);
    expect(readWithin(fd, 10)?.toString()).toBe("two");
    closeSync(fd);
  });

  it("waits for the writer of a pipe that does not block", async () => {
    const file = join(temporaryDir(), "a");
    writeFileSync(file, "late");
    const fd = openSync(file, "r");
    let refused = 0;
    await withFsCalls(
      () => expect(readWithin(fd, 10)?.toString()).toBe("late"),
      ({ name }) => {
        if (name === "readSync" && ++refused < 3) throw errnoError("EAGAIN", "read");
      },
    );
    expect(refused).toBe(4);
    closeSync(fd);
  });
});

describe("openRegular", () => {
  it("opens a file, and one behind a link only if that is wanted", () => {
    const dir = temporaryDir();
    writeFileSync(join(dir, "file"), "content");
    symlinkSync("file", join(dir, "link"));
    for (const [name, links] of [
      ["file", "refused"],
      ["file", "followed"],
      ["link", "followed"],
    ] as const) {
      const fd = openRegular(join(dir, name), links);
      expect(readWithin(fd, 10)?.toString()).toBe("content");
      closeSync(fd);
    }
    const error = thrown(() => openRegular(join(dir, "link"), "refused"));
    expect([isNotRegular(error), (error as CasError).message]).toEqual([
      true,
      `cannot read ${join(dir, "link")}: it is not a regular file (EINVAL)`,
    ]);
  });

  it("refuses folders, named pipes and sockets at once", async () => {
    const dir = temporaryDir();
    mkdirSync(join(dir, "folder"));
    execFileSync("mkfifo", [join(dir, "pipe")]);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(dir, "socket"), resolve));
    for (const name of ["folder", "pipe", "socket"])
      expect(isNotRegular(thrown(() => openRegular(join(dir, name), "followed")))).toBe(true);
    await new Promise((resolve) => server.close(resolve));
  });

  it("leaves what the system refuses to the caller: it is no answer about the file", () => {
    const error = thrown(() => openRegular(join(temporaryDir(), "none"), "refused"));
    expect(error).toMatchObject({ code: "ENOENT" });
    expect(isNotRegular(error)).toBe(false);
  });
});

describe("isMissing", () => {
  it("is true only where nothing is", async () => {
    const dir = temporaryDir();
    writeFileSync(join(dir, "file"), "");
    symlinkSync("nowhere", join(dir, "dangling"));
    const missing = ["none", "none/below", "file", "dangling"].map((name) => isMissing(join(dir, name)));
    expect(missing).toEqual([true, true, false, false]);
    await withFsCalls(
      () => expect(isMissing(join(dir, "none"))).toBe(false),
      ({ name }) => {
        if (name === "lstatSync") throw errnoError("EACCES", "lstat");
      },
    );
  });
});

describe("the name of a temporary file", () => {
  it("stands beside the file, is recognised, and never comes twice", () => {
    const path = temporaryPath("/x/threads.yaml");
    expect(path).toMatch(/^\/x\/threads\.yaml\..+\.tmp$/);
    expect(isTemporaryName(path)).toBe(true);
    expect(new Set(Array.from({ length: 1000 }, uniqueName)).size).toBe(1000);
  });

  it.each(["threads.yaml", "a.tmp", "threads.yaml.1-1-short.tmp", "threads.yaml.1-1-0123456789a.tmp.bak"])(
    "is not %s",
    (name) => expect(isTemporaryName(name)).toBe(false),
  );
});
