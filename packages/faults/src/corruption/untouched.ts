import { computeHash, decodeNode } from "@uncaged/json-cas";
import type { Breach } from "../invariants/index.js";
import { hashOf } from "./affected.js";
import type { Look } from "./answers.js";
import { areaOf } from "./damage.js";
import { bytesOf, sameBytes } from "./snapshot.js";

// Nobody overwrites what is damaged: a person may still want to mend it. Excepted is what is derived or coordination
// (index, cache, locks), what is only ever appended to, and a node, which may be put again as it has to be.

/** Files that are not as they must be after commands have run on a damaged store. */
export function touched(look: Look): readonly Breach[] {
  const { lab, damage } = look;
  const found: Breach[] = [];
  for (const [name, whole] of lab.whole) {
    const isVictim = damage.after.has(name);
    const expected = isVictim ? (damage.after.get(name) ?? null) : whole;
    const now = bytesOf(lab.world.root, name);
    if (sameBytes(now, expected) || mayChange(look, name, expected, now)) continue;
    const promise = isVictim ? "nothing damaged is overwritten" : "nothing whole is lost";
    found.push({ promise, evidence: `${name} is now ${shown(now)}` });
  }
  return found;
}

function mayChange(look: Look, name: string, expected: Uint8Array | null, now: Uint8Array | null): boolean {
  const isVictim = look.damage.after.has(name);
  switch (areaOf(name)) {
    case "index":
    case "lock":
    case "other":
      return true;
    case "node":
      return isVictim && now !== null && isGood(name, now);
    case "log":
      return continues(expected, now);
    case "history":
      return (
        continues(expected, now) ||
        (isVictim && look.lookalike !== null && continues(wholeLines(expected), now))
      );
    case "threads":
    case "registry":
      // Whole files are for writing; one that only looks whole cannot be told from them.
      return now !== null && (!isVictim || look.lookalike !== null || expected === null);
    case "run":
    case "ending":
      return !isVictim || look.damage.area === "run";
    case "format":
      return expected === null;
    default:
      return false;
  }
}

function isGood(name: string, bytes: Uint8Array): boolean {
  try {
    const { type, payload } = decodeNode(bytes);
    return computeHash(type, payload) === hashOf(name);
  } catch {
    return false;
  }
}

function continues(before: Uint8Array | null, now: Uint8Array | null): boolean {
  if (before === null) return true;
  return now !== null && sameBytes(now.subarray(0, before.length), before);
}

/** Without a torn last line, which the next writer cuts off. */
function wholeLines(bytes: Uint8Array | null): Uint8Array | null {
  return bytes === null ? null : bytes.subarray(0, bytes.lastIndexOf(10) + 1);
}

function shown(bytes: Uint8Array | null): string {
  return bytes === null ? "gone" : JSON.stringify(Buffer.from(bytes).toString("latin1").slice(0, 300));
}
