import {
  listThreads,
  newestLogTime,
  readChainNode,
  readHistory,
  type Storage,
} from "@uncaged/workflow-store";
import type { Host } from "../../io/index.js";
import { type Found, fine, warning } from "./findings.js";

/** Before uwf was written. */
const TOO_EARLY = Date.UTC(2025, 0, 1);

/** Two processes write in the same moment, and a clock is set by some ms. */
const TOLERANCE_MS = 5_000;

/** The newest threads have the newest heads, mostly. */
const MAX_HEADS = 50;

const FIX = "set the machine's clock by NTP (`timedatectl status`)";

/** Whether now comes after what was written before. */
export async function checkClock(host: Host, storage: Storage | null): Promise<readonly Found[]> {
  const now = host.now();
  if (now < TOO_EARLY) return [warning("clock", `the clock says ${text(now)}, which cannot be`, FIX)];
  const newest = storage === null ? null : await newestTime(storage);
  if (newest === null || newest.time <= now + TOLERANCE_MS)
    return [fine("clock", `the clock says ${text(now)}`)];
  const message = `the clock says ${text(now)}, but ${newest.what} is of ${text(newest.time)}`;
  return [warning("clock", message, FIX)];
}

type Newest = { readonly what: string; readonly time: number };

async function newestTime(storage: Storage): Promise<Newest | null> {
  const logged = newestLogTime(storage);
  const history = readHistory(storage);
  const ended = history.ok ? [...history.value.values()].map(({ completedAt }) => completedAt) : [];
  const times: readonly Newest[] = [
    { what: "the newest line of the log", time: logged.ok ? (logged.value ?? 0) : 0 },
    { what: "the newest line of history.jsonl", time: ended.reduce((a, b) => Math.max(a, b), 0) },
    { what: "the newest head of a thread", time: await newestHead(storage) },
  ];
  return times.reduce<Newest | null>(
    (best, each) => (best === null || each.time > best.time ? each : best),
    null,
  );
}

async function newestHead(storage: Storage): Promise<number> {
  const threads = await listThreads(storage, { all: false });
  const heads = threads.ok ? threads.value.slice(-MAX_HEADS).map(({ head }) => head) : [];
  const nodes = heads.map((head) => readChainNode(storage.cas, head));
  return nodes.reduce((newest, node) => (node.ok ? Math.max(newest, node.value.timestamp) : newest), 0);
}

/** A damaged store can name any number. */
function text(time: number): string {
  return Math.abs(time) <= 8.64e15 ? new Date(time).toISOString() : String(time);
}
