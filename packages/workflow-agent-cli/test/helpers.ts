import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What one call of the fake does. */
export type Act = {
  readonly stdout: string | Uint8Array;
  readonly stderr: string;
  readonly code: number;
};

export type FakeCli = {
  /** To stand first on PATH. */
  readonly bin: string;
  /** The words of each call, in order. */
  readonly calls: () => readonly (readonly string[])[];
  /** What the n-th call got on stdin. */
  readonly stdin: (call: number) => string;
};

// Counts its calls by the files it leaves; words are separated by NUL.
const PROGRAM = `#!/bin/sh
dir=$(dirname "$0")/..
n=$(ls "$dir/calls" | wc -l | tr -d ' ')
printf '%s\\0' "$@" > "$dir/calls/$(printf %04d "$n")"
cat > "$dir/stdin.$n"
k=$n
while [ "$k" -gt 0 ] && [ ! -d "$dir/act.$k" ]; do k=$((k - 1)); done
cat "$dir/act.$k/stderr" >&2
cat "$dir/act.$k/stdout"
[ -f "$dir/act.$k/stay" ] && sleep 600
exit "$(cat "$dir/act.$k/code")"
`;

/** An executable of our own of that name whose n-th call plays the n-th act; the last one repeats. */
export function makeCli(root: string, name: string, acts: readonly Act[], stays = false): FakeCli {
  const dir = join(root, "fake");
  const bin = join(dir, "bin");
  mkdirSync(bin, { recursive: true });
  mkdirSync(join(dir, "calls"));
  writeFileSync(join(bin, name), PROGRAM);
  chmodSync(join(bin, name), 0o755);
  for (const [index, { stdout, stderr, code }] of acts.entries()) {
    const folder = join(dir, `act.${index}`);
    mkdirSync(folder);
    writeFileSync(join(folder, "stdout"), stdout);
    writeFileSync(join(folder, "stderr"), stderr);
    writeFileSync(join(folder, "code"), String(code));
    if (stays) writeFileSync(join(folder, "stay"), "");
  }
  return {
    bin,
    calls: () =>
      readdirSync(join(dir, "calls"))
        .sort()
        .map((call) =>
          readFileSync(join(dir, "calls", call), "utf8")
            .split("\0")
            .slice(0, -1),
        ),
    stdin: (call) => {
      const file = join(dir, `stdin.${call}`);
      return existsSync(file) ? readFileSync(file, "utf8") : "";
    },
  };
}

/** The lines of a stream of JSON objects. */
export function lines(...records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}

export function succeeds(stdout: Act["stdout"]): Act {
  return { stdout, stderr: "", code: 0 };
}
