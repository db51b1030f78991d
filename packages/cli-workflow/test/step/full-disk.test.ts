import { spawn, spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { ended, REAL_MOCK, RUNTIMES, type Runtime, sandbox } from "../support/uwf.js";
import { TURNS } from "../support/workflows.js";

const UWF = resolve(import.meta.dirname, "../../bin/uwf");
const NAMESPACE = ["--user", "--map-root-user", "--mount"];
const canMount = spawnSync("unshare", [...NAMESPACE, "sh", "-c", "mount -t tmpfs none /mnt"]).status === 0;
const REPLY = { reply: `---\ntext: ${"made ".repeat(20)}\n---\n${"A long reply. ".repeat(2000)}` };

/** Runs the script with a small file system of its own at $DISK, where the storage root is. */
async function onSmallDisk(script: string, runtime: Runtime) {
  const box = sandbox(runtime);
  const disk = join(box.home, "disk");
  box.write("turns.yaml", TURNS);
  box.write(
    "scenario.json",
    JSON.stringify({ roles: { maker: [REPLY], checker: [{ reply: "---\napproved: true\n---\n" }] } }),
  );
  box.write(
    "counted",
    `#!/bin/sh\necho x >> '${box.cwd}/starts'\nexec '${REAL_MOCK}' --scenario '${box.cwd}/scenario.json' "$@"\n`,
  );
  const env = { ...process.env, HOME: box.home, UWF_RUNTIME: runtime, DISK: disk, UWF: UWF };
  const whole = `set -e
mkdir -p "$DISK" && mount -t tmpfs -o size=16m none "$DISK"
export UNCAGED_WORKFLOW_STORAGE_ROOT="$DISK/root"
${script}`;
  return ended(spawn("unshare", [...NAMESPACE, "sh", "-c", whole], { cwd: box.cwd, env }));
}

describe.skipIf(!canMount).each(RUNTIMES)("a file system that is nearly full (%s)", (runtime) => {
  it("ends a step with 74 after one start at most, whichever process met it; with space again the thread goes on", async () => {
    const ran = await onSmallDisk(
      `"$UWF" workflow put turns.yaml >/dev/null
for left in 0 4 8 12 16 24 32 40 48 64 96 128; do
  : > starts
  thread=$("$UWF" thread start turns -p "leave $left" | grep -o '[0-9A-Z]\\{26\\}' | head -1)
  free=$(df -k --output=avail "$DISK" | tail -1)
  head -c $(( (free - left) * 1024 )) /dev/zero > "$DISK/filler"
  code=0; "$UWF" thread step "$thread" --retries 3 --agent "sh counted" >out 2>err || code=$?
  first=$(wc -l < starts)
  rm "$DISK/filler"
  again=0; "$UWF" thread step "$thread" --agent "sh counted" >/dev/null 2>again || again=$?
  echo "$left $code $first $again $("$UWF" thread steps "$thread" | grep -c '"role"') $("$UWF" cas verify >/dev/null && echo sound)"
  [ $code = 0 ] || grep -q 'error\\[\\(AGENT_\\)\\?IO_FAILED\\]' err || { echo "$left $code $first"; cat err; }
done`,
      runtime,
    );
    expect(ran.stderr).toBe("");
    expect(ran.code).toBe(0);
    const lines = ran.stdout
      .trim()
      .split("\n")
      .map((line) => line.split(" "));
    expect(lines).toHaveLength(12);
    for (const [left, code, starts, again, steps, sound] of lines) {
      const where = `${left} KiB left`;
      expect([where, ["0", "74"].includes(code ?? "")]).toEqual([where, true]);
      expect([where, Number(starts) <= 1]).toEqual([where, true]);
      expect([where, again, steps, sound]).toEqual([where, "0", code === "0" ? "2" : "1", "sound"]);
    }
    // The sizes reach what they are for: uwf itself, an agent that had started, and neither.
    const met = new Set(lines.map(([, code, starts]) => `${code} after ${starts}`));
    expect(met).toEqual(new Set(["74 after 0", "74 after 1", "0 after 1"]));
  });

  it("starts no agent for a store that cannot be written, and none again when it becomes so", async () => {
    const ran = await onSmallDisk(
      `"$UWF" workflow put turns.yaml >/dev/null
thread=$("$UWF" thread start turns -p "write" | grep -o '[0-9A-Z]\\{26\\}' | head -1)
cas="$DISK/root/cas"
mount --bind "$cas" "$cas"
printf '#!/bin/sh\\nmount -o remount,bind,ro "%s"\\nexec sh counted "$@"\\n' "$cas" > spoils
step() {
  : > starts
  code=0; "$UWF" thread step "$thread" --retries 3 --agent "sh $1" >out 2>err || code=$?
  echo "$1 $code $(wc -l < starts) $(sed -n 's/^error.\\([A-Z_]*\\).*/\\1/p' err)"
}
step spoils
step counted
mount -o remount,bind,rw "$cas"
step counted
"$UWF" cas verify >/dev/null && echo sound`,
      runtime,
    );
    expect(ran.stderr).toBe("");
    expect(ran.stdout.trim().split("\n")).toEqual([
      "spoils 74 1 AGENT_IO_FAILED",
      "counted 74 0 IO_FAILED",
      "counted 0 1 ",
      "sound",
    ]);
  });
});
