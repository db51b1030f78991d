import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { runKind } from "../src/frame.js";
import { leaksIn, leaksInText, secrets } from "../src/secrets.js";

const folder = mkdtempSync(join(tmpdir(), "uwf-secrets-"));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("keys", () => {
  it("reach no output, no file but .env, and no process listing", async () => {
    const { figures, violations } = await runKind(secrets, 1, { level: "sample" });
    expect(violations).toEqual([]);
    expect(figures["outputs searched"]).toBeGreaterThan(40);
    expect(figures["files searched"]).toBeGreaterThan(30);
    expect(figures["redaction marks"]).toBeGreaterThan(50);
    if (process.platform === "linux") expect(figures["looks at process listings"]).toBeGreaterThan(10);
  }, 180_000);
});

describe("the harness sees a key", () => {
  const keys = [{ variable: "A_KEY", value: "sk-AbCdEfGh+/IjKlMnOp=" }];

  it.each([
    ["sk-AbCdEfGh+/IjKlMnOp="],
    ["sk-AbCdEfGh%2B%2FIjKlMnOp%3D"],
    [Buffer.from("sk-AbCdEfGh+/IjKlMnOp=").toString("base64")],
  ])("in a log file and in an output, written as %s", (spelling) => {
    mkdirSync(join(folder, "logs"), { recursive: true });
    writeFileSync(
      join(folder, "logs", "2026-01-01.jsonl"),
      JSON.stringify({ content: `the key is ${spelling}.` }),
    );
    expect(leaksIn(folder, keys)).toHaveLength(1);
    expect(leaksInText("stderr", `error: ${spelling}`, keys)).toHaveLength(1);
  });

  it("but not in .env, and not in similar text", () => {
    rmSync(join(folder, "logs"), { recursive: true });
    writeFileSync(join(folder, ".env"), `A_KEY=${keys[0]?.value}\n`);
    writeFileSync(join(folder, "note"), "sk-AbCdEfGh and so on");
    expect(leaksIn(folder, keys)).toEqual([]);
  });
});
