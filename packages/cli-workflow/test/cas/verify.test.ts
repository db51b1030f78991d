import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sandbox } from "../support/uwf.js";
import { startTurns, zoo } from "../support/workflows.js";

describe("uwf cas verify", () => {
  it("breaks the locks of dead holders and dead breakers with --repair", async () => {
    const box = sandbox();
    await startTurns(box);
    const bootId = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const record = { pid: 2 ** 22 + 1, startTime: "1", bootId, pidNamespace: null, acquiredAt: 1 };
    const text = JSON.stringify({ ...record, host: hostname(), nonce: "gone" });
    const locks = ["index.lock.1-1-0123456789a", "thread-01KAJ5E8ZJ4N7XK3M9T2V6W8YB.lock"].map((name) =>
      box.write(join(box.root, "locks", name), text),
    );
    expect(await box.json(["cas", "verify", "--repair"])).toMatchObject({ repaired: { litter: 2 } });
    expect(locks.some(existsSync)).toBe(false);
  });

  it("--repair removes the folder of a thread whose start died before its head was there, and no other", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const [died, empty, worked] = ["A", "B", "C"].map((end) => `01KAJ5E8ZJ4N7XK3M9T2V6W8Y${end}`);
    const kept = (id = ""): string => box.write(join(box.root, "runs", id, "cwd.json"), '{"cwd":"/"}\n');
    kept(died);
    mkdirSync(join(box.root, "runs", empty ?? ""));
    kept(worked);
    mkdirSync(join(box.root, "runs", worked ?? "", "token"));
    expect(await box.json(["cas", "verify", "--repair"])).toMatchObject({ repaired: { litter: 2 } });
    expect(readdirSync(join(box.root, "runs")).sort()).toEqual([thread, worked].sort());
    expect(await box.json(["cas", "verify", "--repair"])).toMatchObject({ repaired: { litter: 0 } });
    expect(await box.json(["thread", "show", thread])).toMatchObject({ cwd: box.cwd });
  });

  it("hints at what builds an index that is gone", async () => {
    const box = sandbox();
    await startTurns(box);
    rmSync(join(box.root, "cas/_index"), { recursive: true });
    const ran = await box.uwf(["cas", "verify"]);
    expect(ran.code).toBe(7);
    expect(ran.stderr).toContain("`uwf cas verify --repair` or `uwf cas reindex` rebuilds it");
    expect(await box.json(["cas", "verify", "--repair"])).toMatchObject({ damaged: 0 });
    expect((await box.uwf(["cas", "verify"])).stderr).toBe("");
  });

  it("--repair sweeps what dead processes left in the storage root", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const litter = ["locks/index.lock.1-1-0123456789a.tmp", "threads.yaml.1-1-0123456789a.tmp"].map((name) =>
      join(box.root, name),
    );
    for (const file of litter) {
      writeFileSync(file, "");
      utimesSync(file, 1, 1);
    }
    expect(await box.json(["cas", "verify", "--repair"])).toMatchObject({
      damaged: 0,
      repaired: { litter: 2 },
    });
    expect(litter.some(existsSync)).toBe(false);
    await box.json(["thread", "step", thread, "--agent", zoo("valid")]);
  });
});
