import {
  existsSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type Hash, META_SCHEMA_HASH, putSchema } from "@uncaged/json-cas";
import { describe, expect, it } from "vitest";
import { createFsStore, fsStoreFile, verifyStore } from "../../src/index.js";
import { type FsCall, withFsCalls } from "../support/fs-calls.js";
import { age, ageAll, collect } from "../support/gc.js";
import { skipFsync } from "../support/no-fsync.js";
import { person, storeWithType } from "../support/store.js";

skipFsync();

/** Ada ← Bob (kept); Cy ← Dan (garbage). All of them years old. */
async function friends() {
  const { dir, store, type } = await storeWithType();
  const ada = await store.put(type, person("Ada"));
  const bob = await store.put(type, person("Bob", ada));
  const cy = await store.put(type, person("Cy"));
  const dan = await store.put(type, person("Dan", cy));
  ageAll(dir);
  return { dir, store, type, ada, bob, cy, dan };
}

function asideOf(dir: string, hash: Hash): string {
  return join(dir, `${hash}.aside`);
}

describe("collectGarbage", () => {
  it("removes what no root reaches through references and types, and its index lines", async () => {
    const { dir, store, type, ada, bob, cy, dan } = await friends();
    const other = await putSchema(store, { title: "Unused" });
    age(dir, other);
    const { figures, hashes } = await collect(dir, [bob]);
    expect([...hashes].sort()).toEqual([cy, dan, other].sort());
    expect(figures).toMatchObject({
      nodes: 7,
      reachable: 4,
      garbage: 3,
      removed: 3,
      indexLines: 3,
      refused: false,
    });
    expect(store.list()).toEqual([META_SCHEMA_HASH, type, ada, bob].sort());
    expect(verifyStore(dir, () => {})).toMatchObject({ damaged: 0, staleIndexLines: 0, temporaryFiles: 0 });
  });

  it("only lists what it would remove, unless asked to remove", async () => {
    const { dir, store, bob, cy, dan } = await friends();
    const before = store.list();
    const { figures, hashes } = await collect(dir, [bob], { remove: false });
    expect([...hashes].sort()).toEqual([cy, dan].sort());
    expect(figures).toMatchObject({ garbage: 2, removed: 0 });
    expect(store.list()).toEqual(before);
  });

  it("removes a node before what it refers to", async () => {
    const { dir, bob, cy, dan } = await friends();
    expect((await collect(dir, [bob])).hashes).toEqual([dan, cy]);
  });

  it("keeps young nodes, and what they reach", async () => {
    const { dir, store, type, bob, dan, cy } = await friends();
    await createFsStore(dir).put(type, person("Dan", cy));
    const { figures } = await collect(dir, [bob]);
    expect(figures).toMatchObject({ young: 2, garbage: 0, removed: 0 });
    expect(store.has(dan) && store.has(cy)).toBe(true);
  });

  it("keeps nodes that are put again, or get a new referrer, while it marks and sweeps", async () => {
    const { dir, store, type, bob, cy, dan } = await friends();
    const eve = await store.put(type, person("Eve"));
    age(dir, eve);
    let asked = 0;
    let fay: Hash | null = null;
    await collect(dir, [bob], {
      roots: async (tell) => {
        tell({ hash: bob, label: "given", required: true });
        asked += 1;
        if (asked === 1) fay = await createFsStore(dir).put(type, person("Fay", cy));
        if (asked === 2) await createFsStore(dir).put(type, person("Eve"));
      },
    });
    expect([cy, eve, fay].map((hash) => hash !== null && store.has(hash))).toEqual([true, true, true]);
    expect(store.has(dan)).toBe(false);
    expect(verifyStore(dir, () => {}).damaged).toBe(0);
  });

  it("keeps what has become a root between two slices", async () => {
    const { dir, store, type, bob, cy, dan } = await friends();
    for (const n of [1, 2, 3]) age(dir, await store.put(type, person(`g${n}`)));
    const roots = [bob];
    await collect(dir, roots, {
      roots: async (tell) => {
        for (const hash of roots) tell({ hash, label: "given", required: true });
      },
      startSlice: () => () => true,
      removed: () => {
        // After the first removal; whatever still stands may be pointed to.
        if (store.has(dan)) roots.push(dan);
        else if (store.has(cy)) roots.push(cy);
      },
    });
    expect(store.has(cy)).toBe(true);
    expect(verifyStore(dir, () => {}).damaged).toBe(0);
  });

  it("asks for the roots again whenever it holds them", async () => {
    const { dir, bob } = await friends();
    const order: string[] = [];
    await collect(dir, [bob], {
      roots: async (tell) => {
        order.push("roots");
        tell({ hash: bob, label: "given", required: true });
      },
      hold: async (work) => {
        order.push("hold");
        const result = await work();
        order.push("release");
        return result;
      },
      startSlice: () => () => true,
    });
    const slice = ["roots", "hold", "roots", "release"];
    expect(order).toEqual(["roots", ...slice, ...slice]);
  });

  it("comes to an end where reading the roots takes longer than a slice", async () => {
    const { dir, bob } = await friends();
    let [clock, pauses] = [0, 0];
    const { figures } = await collect(dir, [bob], {
      roots: async (tell) => {
        clock += 600;
        tell({ hash: bob, label: "given", required: true });
      },
      startSlice: () => {
        const end = clock + 500;
        return () => clock >= end;
      },
      pause: async () => {
        pauses += 1;
        if (pauses > 9) throw new Error("it does not get on");
      },
    });
    expect({ removed: figures.removed, pauses }).toEqual({ removed: 2, pauses: 0 });
  });

  it("looks once for a root that need not be there", async () => {
    const { dir, bob } = await friends();
    const gone = "0000000000001" as Hash;
    const calls = await withFsCalls(() =>
      collect(dir, [bob], {
        roots: async (tell) => {
          tell({ hash: bob, label: "heads", required: true });
          tell({ hash: gone, label: "logs", required: false });
        },
        startSlice: () => () => true,
      }),
    );
    // Its name, the one under which it is set aside, its name.
    expect(calls.filter(({ path }) => path.includes(gone))).toHaveLength(3);
  });

  it("removes nothing when a root is missing, unless it need not be there", async () => {
    const { dir, store, bob } = await friends();
    const gone = "0000000000001" as Hash;
    const before = store.list();
    const { figures, troubles } = await collect(dir, [bob, gone]);
    expect(figures).toMatchObject({ refused: true, removed: 0 });
    expect(troubles).toMatchObject([{ kind: "missing", hash: gone, stops: true }]);
    expect(store.list()).toEqual(before);
    const lenient = await collect(dir, [], {
      roots: async (tell) => {
        tell({ hash: bob, label: "heads", required: true });
        tell({ hash: gone, label: "logs", required: false });
      },
    });
    expect(lenient.figures).toMatchObject({ refused: false, removed: 2, roots: { heads: 1, logs: 1 } });
  });

  it("removes nothing when a node that is reached is missing or damaged", async () => {
    for (const harm of [(file: string) => rmSync(file), (file: string) => truncateSync(file, 9)]) {
      const { dir, store, bob, ada } = await friends();
      harm(fsStoreFile(dir, ada));
      const before = store.list();
      const { figures, troubles } = await collect(dir, [bob]);
      expect(figures).toMatchObject({ refused: true, removed: 0 });
      expect(troubles).toMatchObject([{ hash: ada, stops: true }]);
      expect(store.list()).toEqual(before);
    }
  });

  it("goes on when what only an optional root reaches is missing or damaged, and reports by which root", async () => {
    for (const harm of [(file: string) => rmSync(file), (file: string) => truncateSync(file, 9)]) {
      const { dir, store, bob, ada, cy } = await friends();
      harm(fsStoreFile(dir, ada));
      const { figures, troubles } = await collect(dir, [], {
        roots: async (tell) => tell({ hash: bob, label: "logs", required: false }),
      });
      expect(figures).toMatchObject({ refused: false, removed: 2 });
      expect(troubles).toMatchObject([{ hash: ada, stops: false, label: "logs" }]);
      expect([store.has(bob), store.has(cy)]).toEqual([true, false]);
      // What a required root reaches too stops gc, whichever other roots reach it.
      const both = await collect(dir, [], {
        roots: async (tell) => {
          tell({ hash: bob, label: "heads", required: true });
          tell({ hash: bob, label: "logs", required: false });
        },
      });
      expect(both.figures).toMatchObject({ refused: true, removed: 0 });
    }
  });

  it("removes nothing when the type of a node that is reached is gone", async () => {
    const { dir, store, bob, type } = await friends();
    rmSync(fsStoreFile(dir, type));
    expect((await collect(dir, [bob])).figures).toMatchObject({ refused: true, removed: 0 });
    expect(store.has(bob)).toBe(true);
  });

  it("removes a damaged node that nothing reaches, and its index line", async () => {
    const { dir, store, bob, cy, dan } = await friends();
    writeFileSync(fsStoreFile(dir, dan), "x");
    age(dir, dan);
    const { figures } = await collect(dir, [bob]);
    expect(figures).toMatchObject({ refused: false, removed: 2 });
    expect(store.has(cy)).toBe(false);
    expect(verifyStore(dir, () => {})).toMatchObject({ damaged: 0, staleIndexLines: 0 });
  });

  it("refuses a linked index folder before anything is removed, and writes through no linked index file", async () => {
    const { dir, store, type, bob, cy } = await friends();
    const outside = `${dir}-outside`;
    renameSync(join(dir, "_index"), outside);
    symlinkSync(outside, join(dir, "_index"));
    await expect(collect(dir, [bob])).rejects.toThrow("it is a symbolic link");
    expect(store.has(cy)).toBe(true);
    rmSync(join(dir, "_index"));
    renameSync(outside, join(dir, "_index"));
    renameSync(join(dir, "_index", type), outside);
    symlinkSync(outside, join(dir, "_index", type));
    const before = readFileSync(outside, "utf8");
    expect((await collect(dir, [bob])).figures).toMatchObject({ removed: 2 });
    expect(readFileSync(outside, "utf8")).toBe(before);
  });

  it("does not count a node that was restored in the meantime, nor removes what that refers to", async () => {
    const { dir, store, bob, cy, dan } = await friends();
    const file = fsStoreFile(dir, dan);
    let isBack = false;
    let run: Awaited<ReturnType<typeof collect>> | null = null;
    await withFsCalls(
      async () => {
        run = await collect(dir, [bob]);
      },
      ({ name, path }) => {
        if (isBack || name !== "unlinkSync" || path !== asideOf(dir, dan)) return;
        isBack = true;
        linkSync(path, file);
      },
    );
    expect(run).toMatchObject({ hashes: [], figures: { removed: 0 } });
    expect([store.has(dan), store.has(cy)]).toEqual([true, true]);
  });

  it("ends without removing more when the roots cannot be read any more", async () => {
    const { dir, store, bob } = await friends();
    let asked = 0;
    const broken = collect(dir, [bob], {
      roots: async (tell) => {
        asked += 1;
        if (asked > 1) throw new Error("the roots are damaged");
        tell({ hash: bob, label: "given", required: true });
      },
    });
    await expect(broken).rejects.toThrow("the roots are damaged");
    expect(store.list()).toHaveLength(6);
  });
});

/** Acts just before gc makes a call, once. */
function onceBefore(name: string, suffix: string, act: () => unknown) {
  let done = false;
  return (call: FsCall): void => {
    if (done || call.name !== name || !call.path.endsWith(suffix)) return;
    done = true;
    act();
  };
}

describe("a writer that puts a node while gc removes it", () => {
  it("keeps it, whenever he comes", async () => {
    const moments = [
      ["renameSync", ".aside"],
      ["lstatSync", ".aside"],
      ["unlinkSync", ".aside"],
    ] as const;
    for (const [name, suffix] of moments) {
      const { dir, store, type, bob, cy } = await friends();
      let put: Promise<Hash> | null = null;
      await withFsCalls(
        () => collect(dir, [bob]),
        onceBefore(name, suffix, () => {
          // Which of the two is being taken does not matter: he puts both.
          put = createFsStore(dir)
            .put(type, person("Cy"))
            .then(() => createFsStore(dir).put(type, person("Dan", cy)));
        }),
      );
      const dan = await (put as unknown as Promise<Hash>);
      expect({ name, cy: store.get(cy)?.payload, dan: store.get(dan)?.payload }).toEqual({
        name,
        cy: person("Cy"),
        dan: person("Dan", cy),
      });
      const problems: unknown[] = [];
      verifyStore(dir, (problem) => problems.push(problem));
      expect({ name, problems }).toEqual({ name, problems: [] });
    }
  });
});

describe("a node that is set aside", () => {
  it("is read, found and listed by its type as before", async () => {
    const { dir, store, type, cy } = await friends();
    renameSync(fsStoreFile(dir, cy), asideOf(dir, cy));
    expect(store.get(cy)?.payload).toEqual(person("Cy"));
    expect(store.has(cy)).toBe(true);
    expect(store.listByType(type)).toContain(cy);
    expect(verifyStore(dir, () => {})).toMatchObject({ damaged: 0, setAside: 1 });
  });

  it("gets its name back when it is put again, and from the next gc", async () => {
    const { dir, store, type, bob, cy, dan } = await friends();
    renameSync(fsStoreFile(dir, cy), asideOf(dir, cy));
    await store.put(type, person("Cy"));
    expect(existsSync(fsStoreFile(dir, cy))).toBe(true);
    renameSync(fsStoreFile(dir, dan), asideOf(dir, dan));
    const { figures } = await collect(dir, [bob, dan]);
    expect(figures).toMatchObject({ restored: 2, removed: 0 });
    expect(existsSync(fsStoreFile(dir, dan)) && !existsSync(asideOf(dir, dan))).toBe(true);
    expect(readFileSync(fsStoreFile(dir, dan)).length).toBeGreaterThan(0);
  });
});
