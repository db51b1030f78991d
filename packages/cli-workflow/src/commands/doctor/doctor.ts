import { createRedactors } from "@uncaged/workflow-engine";
import { type DoctorOutput, type Finding, ok } from "@uncaged/workflow-protocol";
import { checkTrust, type Storage } from "@uncaged/workflow-store";
import type { Redactor } from "@uncaged/workflow-util";
import type { Host } from "../../io.js";
import { CONFIG_FAULTS, defineCommand } from "../../line/index.js";
import { counted, type Human, lines, type Paint, paintOn, type Screen, wrapped } from "../../screen/index.js";
import { checkAgents, checkConfig, checkProject } from "./config.js";
import type { Found } from "./findings.js";
import { checkClock, checkRuntime } from "./machine.js";
import { checkFiles, checkRoot } from "./root.js";
import { checkChildren, checkLocks, checkReferences, checkRuns, checkTypes } from "./state.js";

/**
 * Looks at everything that a step needs, offline, and says what to do about each thing that is wrong. Changes nothing
 * that lasts. Ends as the command that the first error would stop does.
 */
export const command = defineCommand({
  path: "doctor",
  summary: "check storage root, configuration, agents and locks without changing anything",
  examples: ["uwf doctor", "uwf doctor | jq '.findings[] | select(.status != \"ok\")'"],
  exits: ["OLDER_ROOT", "ROOT_NOT_TRUSTED", ...CONFIG_FAULTS],
  sample: {
    line: "doctor",
    prints: "everything is fine: 30 checks of root, writable, disk, filesystem, format,\n…",
  },
  run: async (context) => {
    const { host } = context;
    const opened = context.openStorage();
    const storage = opened.ok ? opened.value : null;
    // Findings are redacted as a step redacts its messages.
    const redactor = (await createRedactors(host, storage))(host.cwd);
    const [runtime, clock, inside] = await Promise.all([
      checkRuntime(host, redactor),
      checkClock(host, storage),
      storage === null ? [] : checkInside(host, storage, redactor),
    ]);
    const all = [...checkRoot(host, opened), ...inside, ...runtime, ...clock];
    const first = all.find(({ finding }) => finding.status === "error");
    const findings = redactor.record(all.map(({ finding }) => finding));
    const value: DoctorOutput = { ok: first === undefined, findings };
    const human: Human = (screen) => doctorReport(screen, value);
    return ok({ kind: "verdict", value, human, exitCode: first?.exitCode ?? 0 });
  },
});

async function checkInside(host: Host, storage: Storage, redactor: Redactor): Promise<readonly Found[]> {
  const { found, config } = await checkConfig(host, storage);
  // It starts what config.yaml names.
  const isTrusted = checkTrust(storage, host.env).ok;
  const agents = isTrusted ? await checkAgents(host, storage, config, redactor) : [];
  return [
    ...found,
    ...(await checkProject(host, storage, config)),
    ...agents,
    ...(await checkFiles(storage)),
    ...checkTypes(storage),
    ...(await checkReferences(storage)),
    ...checkLocks(storage),
    ...checkRuns(storage),
    ...(await checkChildren(storage)),
  ];
}

/** What is wrong, the worst first, each with its remedy; the rest as one line. */
function doctorReport(screen: Screen, { findings }: DoctorOutput): string {
  const paint = paintOn(screen);
  const of = (status: Finding["status"]): readonly Finding[] =>
    findings.filter((each) => each.status === status);
  const wrong = [...of("error"), ...of("warning")].map((finding) => problem(screen, finding, paint)).join("");
  const fine = of("ok");
  if (fine.length === 0) return wrong;
  const names = [...new Set(fine.map(({ check }) => check))].join(", ");
  const before = wrong === "" ? "everything is fine" : "everything else is fine";
  return (
    wrong +
    lines(screen, [{ text: `${before}: ${counted(fine.length, "check")} of ${names}`, paint: paint.good }])
  );
}

/** The width of `warning`, and two columns. */
const INDENT = 9;

function problem({ width }: Screen, { status, check, message, fix }: Finding, paint: Paint): string {
  const mark = (status === "error" ? paint.bad : paint.warn)(status.padEnd(INDENT));
  const line = `${mark}${wrapped(`${check}: ${message}`, width, INDENT)}`;
  return fix === null
    ? line
    : `${line}${" ".repeat(INDENT)}${paint.dim("fix:")} ${wrapped(fix, width, INDENT + 5)}`;
}
