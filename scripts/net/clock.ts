import { createHash, webcrypto } from "node:crypto";
import { readFileSync } from "node:fs";

// What differs between two runs of the same command without anybody having changed it: the time and random numbers. The
// recorder's runner fixes them in its own process; every bun that a recorded command starts preloads this file.

/** The variable that names the file with the time, in epoch ms. No recorded program sees it. */
export const CLOCK = "NET_CLOCK";

/** A command that waits for a time to pass must not wait for ever: the clock stands for so long, and then runs. */
const STANDS_MS = 30_000;

/** From now on it is `epochMs`, and random numbers follow from the seed. */
export function fixWorld(epochMs: number, seed: string): void {
  const from = performance.now();
  now = () => epochMs + Math.max(0, Math.floor(performance.now() - from - STANDS_MS));
  const hrtime = ([seconds, nanoseconds]: [number, number] = [0, 0]): [number, number] => {
    const ms = now() - seconds * 1000 - nanoseconds / 1e6;
    return [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)];
  };
  process.hrtime = Object.assign(hrtime, { bigint: () => BigInt(now()) * 1_000_000n });
  const stream = randomStream(seed);
  Math.random = () => Buffer.from(stream(6)).readUIntBE(0, 6) / 2 ** 48;
  const fill = <T>(array: T): T => {
    const { buffer, byteOffset, byteLength } = array as unknown as Uint8Array;
    new Uint8Array(buffer, byteOffset, byteLength).set(stream(byteLength));
    return array;
  };
  // Not randomUUID: uwf ends whatever processes have the token of a run, which no other run may have.
  for (const crypto of [globalThis.crypto, webcrypto]) Object.assign(crypto, { getRandomValues: fill });
}

function randomStream(seed: string): (count: number) => Uint8Array {
  let counter = 0;
  let rest = Buffer.alloc(0);
  return (count) => {
    while (rest.length < count) {
      counter += 1;
      rest = Buffer.concat([rest, createHash("sha256").update(`${seed} ${counter}`).digest()]);
    }
    const taken = rest.subarray(0, count);
    rest = rest.subarray(count);
    return taken;
  };
}

let now = Date.now;
const RealDate = Date;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, words: [], self) => Reflect.construct(target, words.length > 0 ? words : [now()], self),
  apply: () => new RealDate(now()).toString(),
  get: (target, key, self) => (key === "now" ? () => now() : Reflect.get(target, key, self)),
});

const file = process.env[CLOCK];
if (file !== undefined) {
  delete process.env[CLOCK];
  // Folders have other names in another record.
  const words = process.argv.slice(2).map((word) => word.replace(/^.*\//, ""));
  fixWorld(Number(readFileSync(file, "utf8")), words.join(" "));
}
