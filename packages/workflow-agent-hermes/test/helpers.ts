import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FIXTURES = join(import.meta.dirname, "fixtures");

/** A file captured from a real hermes. */
export function captured(name: string): string {
  return readFileSync(join(FIXTURES, name), "utf8");
}

/** What one call of the fake does. */
export type Act = {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
};

export type FakeHermes = {
  /** To stand first on PATH. */
  readonly bin: string;
  /** The words of each call, in order. */
  readonly calls: () => readonly (readonly string[])[];
  /** What the n-th call got on stdin. */
  readonly stdin: (call: number) => string;
};

export type Script = {
  /** The n-th `hermes chat` plays the n-th act, the last one repeats. */
  readonly chat: readonly Act[];
  /** The n-th `hermes sessions export` prints the n-th text, the last one repeats. */
  readonly exports: readonly string[];
};

// Counts its calls by the files it leaves; words are separated by NUL.
const PROGRAM = `#!/bin/sh
dir=$(dirname "$0")/..
n=$(ls "$dir/calls" | wc -l | tr -d ' ')
printf '%s\\0' "$@" > "$dir/calls/$(printf %04d "$n")"
cat > "$dir/stdin.$n"
play() {
  k=$(cat "$dir/$1.count" 2>/dev/null || echo 0)
  echo $((k + 1)) > "$dir/$1.count"
  while [ "$k" -gt 0 ] && [ ! -d "$dir/$1.$k" ]; do k=$((k - 1)); done
  cat "$dir/$1.$k/stderr" >&2
  cat "$dir/$1.$k/stdout"
  exit "$(cat "$dir/$1.$k/code")"
}
case "$1 $2" in
  "sessions export") play export ;;
  *) play chat ;;
esac
`;

/** An executable of our own named \`hermes\` that replays what is given. */
export function makeHermes(root: string, { chat, exports }: Partial<Script>): FakeHermes {
  const dir = join(root, "fake");
  const bin = join(dir, "bin");
  mkdirSync(bin, { recursive: true });
  mkdirSync(join(dir, "calls"));
  writeFileSync(join(bin, "hermes"), PROGRAM);
  chmodSync(join(bin, "hermes"), 0o755);
  for (const [index, act] of (chat ?? []).entries()) writeAct(join(dir, `chat.${index}`), act);
  for (const [index, stdout] of (exports ?? [""]).entries()) {
    writeAct(join(dir, `export.${index}`), { stdout, stderr: "", code: 0 });
  }
  const names = (): readonly string[] => readdirSync(join(dir, "calls")).sort();
  return {
    bin,
    calls: () =>
      names().map((name) =>
        readFileSync(join(dir, "calls", name), "utf8")
          .split("\0")
          .slice(0, -1),
      ),
    stdin: (call) => readFileSync(join(dir, `stdin.${call}`), "utf8"),
  };
}

function writeAct(dir: string, { stdout, stderr, code }: Act): void {
  mkdirSync(dir);
  writeFileSync(join(dir, "stdout"), stdout);
  writeFileSync(join(dir, "stderr"), stderr);
  writeFileSync(join(dir, "code"), String(code));
}

/** What `--format stream-json` prints: these events between the first record and the last one. */
export function streamed(result: Record<string, unknown>, ...events: readonly object[]): Act {
  const records = [
    { type: "system", subtype: "init", model: "fake-model", session_id: "s-1" },
    ...events,
    { type: "result", session_id: SESSION, exit_code: 0, ...result },
  ];
  const stdout = records.map((record) => `${JSON.stringify({ ...record, timestamp: 1 })}\n`).join("");
  const code = (result.exit_code as number | undefined) ?? 0;
  return { stdout, stderr: `\nsession_id: ${SESSION}\n`, code };
}

export const SESSION = "20261121_101349_a31266";
