import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openStorage } from "../../src/index.js";
import { prepareRoot } from "../../src/storage.js";
import { bad, good, snapshot, tempRoot } from "../support/index.js";

const now = () => 1;

describe("openStorage", () => {
  it("touches nothing, not even a root that does not exist", () => {
    const root = join(tempRoot(), "not-yet");
    const storage = openStorage(root, { now });
    expect(storage.root).toBe(root);
    expect(storage.cas.has("0000000000000" as never)).toBe(false);
    expect(existsSync(root)).toBe(false);
  });

  it("keeps every path below the root", () => {
    const { paths } = openStorage("/r", { now });
    expect(Object.values(paths).every((path) => path.startsWith("/r/"))).toBe(true);
    expect(paths).toMatchObject({
      threads: "/r/threads.yaml",
      history: "/r/history.jsonl",
      dotEnv: "/r/.env",
    });
  });
});

describe("prepareRoot", () => {
  it("makes the root with its parents, once", () => {
    const root = join(tempRoot(), "a", "b");
    good(prepareRoot(openStorage(root, { now })));
    const before = snapshot(root);
    good(prepareRoot(openStorage(root, { now })));
    expect(snapshot(root)).toEqual(before);
  });

  it("refuses a root that is a file, and leaves it", () => {
    const root = join(tempRoot(), "file");
    writeFileSync(root, "mine");
    expect(bad(prepareRoot(openStorage(root, { now }))).code).toBe("STORAGE_ROOT_UNUSABLE");
    expect(bad(prepareRoot(openStorage(join(root, "below"), { now }))).code).toBe("STORAGE_ROOT_UNUSABLE");
  });
});
