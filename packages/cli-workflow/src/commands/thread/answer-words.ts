import type { JsonValue } from "@uncaged/json-cas";
import { exampleOf } from "@uncaged/workflow-agent-kit";
import { commandLine, type StepOutput, type ThreadId } from "@uncaged/workflow-protocol";
import {
  descendantsOf,
  findHeld,
  readFamily,
  readHeads,
  readParents,
  type Storage,
} from "@uncaged/workflow-store";
import { counted, lines, nextCommand, type Screen } from "../../screen/index.js";
import { readShortIds } from "../known-ids.js";

/** What has become of the thread, and who is asked next. */
export async function answeredWords(
  screen: Screen,
  storage: Storage,
  { thread, done }: StepOutput,
  role: string,
): Promise<string> {
  const idOf = await readShortIds(storage);
  const { top, asks } = await readKin(storage, thread);
  const [first] = asks;
  const ended = done ? `; thread ${thread} has ended` : "";
  const others = counted(asks.length, "question");
  const own = done ? `uwf thread read ${idOf(thread)}` : `uwf thread run ${idOf(thread)}`;
  const goesOn = top === null ? own : `uwf thread run ${idOf(top)}`;
  return (
    lines(screen, [
      `answered as ${role}${ended}`,
      top === null ? null : `thread ${idOf(top)}, which has started it, goes on from there`,
      first === undefined ? null : `${others} in the same tree ${asks.length === 1 ? "is" : "are"} open`,
    ]) + nextCommand(screen, first === undefined ? goesOn : `uwf thread answer ${idOf(first)} --show`)
  );
}

/** The thread above all that have started it, and those in its tree that ask a person. */
type Kin = { readonly top: ThreadId | null; readonly asks: readonly ThreadId[] };

/** What cannot be read is left out: the answer is recorded, and this only leads on. */
async function readKin(storage: Storage, thread: ThreadId): Promise<Kin> {
  const above = readParents(storage, thread);
  const family = readFamily(storage);
  const top = (above.ok ? above.value.at(-1) : null) ?? null;
  const tree = family.ok && top !== null ? [top, ...descendantsOf(family.value, top)] : [thread];
  const heads = await readHeads(storage);
  const asks: ThreadId[] = [];
  for (const each of tree) {
    const head = heads.ok ? heads.value.get(each) : undefined;
    const held = head === undefined ? null : await findHeld(storage, { thread: each, head });
    if (held?.ok && held.value?.for === "answer") asks.push(each);
  }
  return { top, asks };
}

/** More fields than these are easier to fill in an editor. */
const MOST_FIELDS = 4;

/** A command with a valid answer: a person who copies it only changes the values. */
export function readyCommand(thread: ThreadId, meta: JsonValue): string {
  const fields = Object.entries(exampleOf(meta) ?? {}).filter(([name]) => !FACTS.has(name));
  const isPlain = fields.every(([, value]) => typeof value !== "object" && !/\n/.test(String(value)));
  const words = ["uwf", "thread", "answer", thread];
  if (fields.length === 0 || fields.length > MOST_FIELDS || !isPlain)
    return commandLine([...words, "--edit"]);
  return commandLine([...words, ...fields.flatMap(([name, value]) => ["--field", `${name}=${value}`])]);
}

/** Fields that uwf fills in if the answer does not give them. */
const FACTS: ReadonlySet<string> = new Set(["answeredBy", "answeredAt", "timedOut"]);
