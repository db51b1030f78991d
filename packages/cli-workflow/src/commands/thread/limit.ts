import { argument, option, orNone } from "@uncaged/command-line";
import { limitsOf, reachedOf, threadView } from "@uncaged/workflow-engine";
import {
  type LimitName,
  raiseCommand,
  type SpendingLimits,
  type ThreadId,
  type ThreadLimitOutput,
  waitWords,
} from "@uncaged/workflow-protocol";
import {
  changeLimits,
  findThread,
  loadConfig,
  loadThreadProject,
  readAllSpent,
} from "@uncaged/workflow-store";
import { COUNT, defineRootCommand, MINUTES, ROOT_FAULTS, THREAD, USD } from "../../line/index.js";
import {
  counted,
  left,
  lines,
  money,
  nextCommand,
  paintOn,
  type Row,
  renderTable,
  right,
  type Screen,
} from "../../screen/index.js";
import { readShortIds } from "../known-names.js";
import { document } from "../output.js";
import { eventLog, findTrusted, warnOfCopy } from "./change.js";

/** What a thread may spend and has spent; with a limit, that from now on. */
export const command = defineRootCommand({
  path: "thread limit",
  summary: "print what it may spend and has spent, or change the limits",
  arguments: { thread: argument(THREAD) },
  options: {
    maxSteps: option(orNone(COUNT), "steps; none: as config.yaml says"),
    maxCost: option(orNone(USD), "cost of its agents, as far as they report it"),
    maxMinutes: option(orNone(MINUTES), "minutes of its agents at work"),
  },
  examples: [
    "uwf thread limit 01KAJ5E8",
    "uwf thread limit 01KAJ5E8 --max-cost 10 --max-steps 40",
    "uwf thread limit 01KAJ5E8 --max-minutes none",
  ],
  exits: [...ROOT_FAULTS, "FILE_NOT_FOUND", "INVALID_INPUT", "TOO_LARGE", "THREAD_ENDED", "LOCK_BUSY"],
  sample: {
    line: "thread limit W8YB",
    prints: `                   SPENT  LIMIT
steps                  2     40
…`,
  },
  run: async (context, { thread: text, maxSteps, maxCost, maxMinutes }, storage) => {
    const change = changeOf({ maxSteps, maxCostUsd: maxCost, maxMinutes });
    const isChange = Object.keys(change).length > 0;
    const found = isChange
      ? await findTrusted(context, storage, text, "change")
      : await findThread(storage, text, context.host.cwd);
    if (!found.ok) return found;
    const { thread, head } = found.value;
    if (isChange) {
      const changed = await changeLimits(storage, thread, change);
      if (!changed.ok) return changed;
      warnOfCopy(context, storage, thread);
      const log = eventLog(context, storage, thread);
      log("5JQ8ZC2R", `the thread was given limits: ${wordsOf(change)}`, "limited", { head, ...change });
    }
    const config = await loadConfig(storage);
    if (!config.ok) return config;
    const project = await loadThreadProject(storage, thread);
    if (!project.ok) return project;
    const limits = await limitsOf(storage, thread, { config: config.value.config, project: project.value });
    if (!limits.ok) return limits;
    const all = await readAllSpent(storage, thread);
    if (!all.ok) return all;
    const spent = all.value;
    const output: ThreadLimitOutput = { thread, limits: limits.value, spent };
    const view = await threadView(storage, found.value);
    const held = view.ok ? view.value.held : null;
    if (held !== null && held.limit !== null && held.limit.of !== thread)
      context.warn(
        `it ${waitWords({ ...held, role: null }, thread, (other) => `thread ${other}`)}, which stays: \`${raiseCommand(held.limit)}\` raises that`,
      );
    return document(output, async (screen) => {
      const table = limitTable(screen, output);
      if (!isChange || found.value.kind === "ended") return table;
      const idOf = await readShortIds(storage);
      // Raised, but not beyond what is spent.
      const reached = reachedOf(limits.value, spent);
      if (reached !== null)
        return table + nextCommand(screen, raiseCommand({ of: idOf(thread) as ThreadId, ...reached }));
      return view.ok ? table + nextCommand(screen, view.value.command(idOf)) : table;
    });
  },
});

/** `maxSteps 7, no maxMinutes of its own` */
function wordsOf(change: Partial<SpendingLimits>): string {
  const named = Object.entries(change).map(([name, value]) =>
    value === null ? `no ${name} of its own` : `${name} ${value}`,
  );
  return named.join(", ");
}

/** `null`: it stays; `none`: the thread has none of its own any more. */
type GivenLimits = Readonly<Record<LimitName, number | "none" | null>>;

function changeOf(given: GivenLimits): Partial<SpendingLimits> {
  const named = Object.entries(given).filter(([, limit]) => limit !== null);
  return Object.fromEntries(named.map(([name, limit]) => [name, limit === "none" ? null : limit]));
}

/** What is spent of what may be. */
function limitTable(screen: Screen, { limits, spent }: ThreadLimitOutput): string {
  const { bad, strong, dim } = paintOn(screen);
  const isUnknown = spent.costUsd === 0 && spent.unknownCost > 0;
  const rows = (
    [
      ["steps", spent.steps, limits.maxSteps, String],
      ["cost", spent.costUsd, limits.maxCostUsd, money],
      ["agent minutes", spent.minutes, limits.maxMinutes, String],
    ] as const
  ).map(([name, used, limit, words]): Row => {
    const isReached = limit !== null && used >= limit;
    return [
      name,
      { text: name === "cost" && isUnknown ? "?" : words(used), paint: isReached ? bad : strong },
      limit === null ? { text: "none", paint: dim } : words(limit),
    ];
  });
  const unknown = `the cost of ${counted(spent.unknownCost, "run")} is unknown: the agent does not report it`;
  return (
    renderTable(screen, [left(""), right("SPENT"), right("LIMIT")], rows) +
    lines(screen, [spent.unknownCost === 0 ? null : { text: unknown, paint: dim }])
  );
}
