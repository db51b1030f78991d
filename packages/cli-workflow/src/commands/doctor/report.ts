import type { DoctorOutput, Finding } from "@uncaged/workflow-protocol";
import { counted, lines, type Paint, paintOn, type Screen, wrapped } from "../../screen/index.js";

/** What is wrong, the worst first, each with its remedy; the rest as one line. */
export function doctorReport(screen: Screen, { findings }: DoctorOutput): string {
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
