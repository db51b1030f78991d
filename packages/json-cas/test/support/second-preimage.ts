import { encode, type Hash, hashBytes, type JsonValue } from "../../src/index.js";

// XXH64 was made to be fast, not to be hard to invert: every step of it can be taken back, so the last eight bytes of a
// text decide the whole hash.

const M = (1n << 64n) - 1n;
const P1 = 0x9e3779b185ebca87n;
const P2 = 0xc2b2ae3d27d4eb4fn;
const P3 = 0x165667b19e3779f9n;
const P4 = 0x85ebca77c2b2ae63n;
const P5 = 0x27d4eb2f165667c5n;

const mul = (left: bigint, right: bigint): bigint => (left * right) & M;
const rotl = (value: bigint, by: bigint): bigint => ((value << by) | (value >> (64n - by))) & M;
const rotr = (value: bigint, by: bigint): bigint => rotl(value, 64n - by);

/** Of an odd number, modulo 2^64. */
function inverse(odd: bigint): bigint {
  let found = odd;
  for (let bits = 3; bits < 64; bits *= 2) found = mul(found, (2n - mul(odd, found)) & M);
  return found;
}

const [I1, I2, I3] = [inverse(P1), inverse(P2), inverse(P3)];

const round = (sum: bigint, lane: bigint): bigint => mul(rotl((sum + mul(lane, P2)) & M, 31n), P1);

/** The lane that `round(0, lane)` was made of. */
const lane = (rounded: bigint): bigint => mul(rotr(mul(rounded, I1), 31n), I2);

/** What the avalanche at the end of XXH64 made this hash of. */
function beforeAvalanche(hash: bigint): bigint {
  const third = mul(hash ^ (hash >> 32n), I3);
  const second = mul(third ^ (third >> 29n) ^ (third >> 58n), I2);
  return second ^ (second >> 33n);
}

/** The state of XXH64 (seed 0) after these bytes of an input that has `length` of them; they end at a lane. */
function stateAfter(bytes: Buffer, length: number): bigint {
  let at = 0;
  let state = P5;
  if (length >= 32) {
    const sums = [(P1 + P2) & M, P2, 0n, -P1 & M];
    for (; at + 32 <= length; at += 32)
      for (const [index, sum] of sums.entries())
        sums[index] = round(sum, bytes.readBigUInt64LE(at + index * 8));
    state = sums.reduce((total, sum, index) => (total + rotl(sum, [1n, 7n, 12n, 18n][index] ?? 0n)) & M, 0n);
    for (const sum of sums) state = (mul(state ^ round(0n, sum), P1) + P4) & M;
  }
  state = (state + BigInt(length)) & M;
  for (; at < bytes.length; at += 8) state = afterLane(state, bytes.readBigUInt64LE(at));
  return state;
}

const afterLane = (state: bigint, next: bigint): bigint =>
  (mul(rotl(state ^ round(0n, next), 27n), P1) + P4) & M;

/** The eight bytes that give an input, of which they are the last lane, this hash. */
function lastLane(before: Buffer, hash: bigint): Buffer {
  const wanted = rotr(mul((beforeAvalanche(hash) - P4) & M, I1), 27n);
  const found = Buffer.alloc(8);
  found.writeBigUInt64LE(lane(wanted ^ stateAfter(before, before.length + 8)));
  return found;
}

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

const numberOf = (hash: Hash): bigint =>
  [...hash].reduce((sum, digit) => sum * 32n + BigInt(ALPHABET.indexOf(digit)), 0n);

/**
 * Another payload that has this hash under a type; `null`: as its own type. `payloadOf` puts a text where the payload's
 * bytes end. The text is ASCII.
 */
export function secondPreimage<T extends JsonValue>(
  hash: Hash,
  type: Hash | null,
  payloadOf: (text: string) => T,
): T {
  const prefix = Buffer.from(type ?? "");
  const inputOf = (text: string): Buffer => Buffer.concat([prefix, encode(payloadOf(text))]);
  // The free bytes are a lane behind the last stripe.
  const free = [...Array(64).keys()].find((more) => {
    const { length } = inputOf("x".repeat(24 + more));
    return length % 8 === 0 && length % 32 !== 0;
  });
  for (let attempt = 0; ; attempt += 1) {
    const filler = attempt.toString(36).padStart(16 + (free ?? 0), "-");
    const input = inputOf(`${filler}........`);
    const last = lastLane(input.subarray(0, -8), numberOf(hash));
    if (!last.every((byte) => byte >= 0x20 && byte < 0x7f)) continue;
    const payload = payloadOf(`${filler}${last.toString("latin1")}`);
    const found = Buffer.concat([prefix, encode(payload)]);
    if (hashBytes(found) !== hash) throw new Error("the text is not where the bytes end");
    return payload;
  }
}
