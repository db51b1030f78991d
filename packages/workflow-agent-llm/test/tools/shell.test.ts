import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeShop, type TestShop } from "../helpers/shop.js";

let shop: TestShop;

beforeEach(() => {
  shop = makeShop();
});

afterEach(() => shop.remove());

const run = (command: string, more: Readonly<Record<string, number>> = {}, changes = {}): Promise<string> =>
  shop.use("shell_exec", { command, ...more }, changes);

function alive(pidFile: string): boolean {
  // A command may have been ended before it came so far.
  if (!existsSync(join(shop.cwd, pidFile))) return false;
  const pid = Number(readFileSync(join(shop.cwd, pidFile), "utf8"));
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // A zombie waits for its parent and does nothing any more.
  const stat = `/proc/${pid}/stat`;
  return existsSync(stat) && !/\) Z /.test(readFileSync(stat, "utf8"));
}

describe("shell_exec", () => {
  it("returns exit code and output, with both streams in order", async () => {
    expect(await run("echo one; echo two >&2; echo three; exit 3")).toBe("exit code 3\none\ntwo\nthree");
    expect(await run("true")).toBe("exit code 0");
    expect(await run("pwd")).toBe(`exit code 0\n${shop.cwd}`);
    expect(await run("kill -9 $$")).toBe("ended by SIGKILL");
    expect(await run("if")).toMatch(/^exit code 2\n.*[Ss]yntax error/);
  });

  it("has no input, and only the given environment", async () => {
    expect(await run("cat; echo end")).toBe("exit code 0\nend");
    expect(
      await run(
        "env | cut -d= -f1 | grep -vxE 'PATH|PWD|OLDPWD|SHLVL|_'",
        {},
        { env: { PATH: process.env.PATH, MINE: "1" } },
      ),
    ).toBe("exit code 0\nMINE");
  });

  it("keeps the end of a long output", async () => {
    const told = await run("i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done");
    expect(told).toMatch(/^exit code 0\n\[the beginning is cut off\]\n/);
    expect(told).toMatch(/line 2999$/);
    expect(told.length).toBeLessThan(1100);
    expect((await run("head -c 3000000 /dev/zero | tr '\\0' x")).length).toBeLessThan(1100);
  });

  it("shows neither keys, even cut ones, nor terminal codes", async () => {
    expect(await run("printf '\\033[31mred\\033[0m the-secret-key'")).toBe("exit code 0\nred [redacted:K]");
    const cut = await run("i=0; while [ $i -lt 2000 ]; do echo the-secret-key; i=$((i+1)); done");
    expect(cut.replaceAll("[redacted:K]", "")).not.toMatch(/secret|key$/m);
  });

  it("ends a command and its processes at its time limit, by SIGKILL if needed", async () => {
    const told = await run(
      "trap '' TERM; sleep 60 & echo $! > child; echo $$ > self; echo begun; sleep 60; sleep 60",
      { timeoutSeconds: 1 },
    );
    expect(told).toMatch(/^ended after 1 s, its time limit(?:\nbegun)?$/);
    expect([alive("child"), alive("self")]).toEqual([false, false]);
    expect(await run("sleep 60", { timeoutSeconds: 60 }, { commandMs: 300 })).toBe(
      "ended after 0.3 s, its time limit",
    );
  });

  it("leaves nothing in the background", async () => {
    expect(await run("sleep 60 & echo $! > child; echo done")).toBe("exit code 0\ndone");
    expect(alive("child")).toBe(false);
  });

  it("ends with the agent", async () => {
    const abort = new AbortController();
    const beats: number[] = [];
    const heartbeat = (): void => {
      beats.push(1);
      if (existsSync(join(shop.cwd, "child"))) abort.abort("SIGTERM");
    };
    const told = await run("sleep 60 & echo $! > child; wait", {}, { signal: abort.signal, heartbeat });
    expect(told).toBe("ended by SIGTERM, with the agent");
    expect(alive("child")).toBe(false);
    expect(beats.length).toBeGreaterThan(0);
  });

  it("refuses an empty command", async () => {
    expect(await run(" ")).toContain("command must be a non-empty string");
    expect(await shop.use("shell_exec", {})).toContain("command must be a non-empty string");
  });
});
