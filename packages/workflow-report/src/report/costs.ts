import { addedSums, sumOfUsage, type Usage, type UsageSum } from "@uncaged/workflow-protocol";
import type { FailureFacts, ReportChild, RoleCost, StepFacts } from "./types.js";

type Work = {
  readonly steps: readonly (StepFacts & { readonly inherited: boolean })[];
  readonly failures: readonly FailureFacts[];
  readonly children: readonly ReportChild[];
};

/** What each role has cost; inherited steps were paid for elsewhere. */
export function costsOf(roles: readonly string[], work: Work): readonly RoleCost[] {
  return roles.flatMap((role) => {
    const steps = work.steps.filter((step) => step.role === role && !step.inherited);
    const failures = work.failures.filter((failure) => failure.role === role);
    const children = work.children.filter((child) => child.role === role);
    if (steps.length + failures.length + children.length === 0) return [];
    const times = [
      ...steps.map(({ durationMs }) => durationMs),
      ...failures.filter(({ free }) => !free).map(({ durationMs }) => durationMs),
      ...children.map(({ report }) => report.workMs),
    ];
    return [
      {
        role,
        steps: steps.length,
        failures: failures.length,
        durationMs: times.reduce<number>((sum, time) => sum + (time ?? 0), 0),
        sum: together([usageOf(steps, failures), ...children.map(({ report }) => report.total)]),
        below: merged(children.flatMap(({ report }) => report.roles)),
      },
    ];
  });
}

/** Those of the same role as one. */
function merged(costs: readonly RoleCost[]): readonly RoleCost[] {
  const byRole = new Map<string, RoleCost[]>();
  for (const cost of costs) byRole.set(cost.role, [...(byRole.get(cost.role) ?? []), cost]);
  return [...byRole].map(([role, all]) => ({
    role,
    steps: all.reduce((sum, { steps }) => sum + steps, 0),
    failures: all.reduce((sum, { failures }) => sum + failures, 0),
    durationMs: all.reduce((sum, { durationMs }) => sum + durationMs, 0),
    sum: together(all.map(({ sum }) => sum)),
    below: merged(all.flatMap(({ below }) => below)),
  }));
}

/** What steps and failed runs have used, extraction included; `null`: no model was paid. */
function usageOf(steps: readonly StepFacts[], failures: readonly FailureFacts[]): UsageSum | null {
  const usages: (Usage | null)[] = [
    ...steps
      .filter(({ free }) => !free)
      .flatMap(({ usage, extract }) => (extract === null ? [usage] : [usage, extract.usage])),
    ...failures
      .filter(({ free }) => !free)
      .flatMap(({ usage, extractUsage }) => (extractUsage === null ? [usage] : [usage, extractUsage])),
  ];
  return usages.length === 0 ? null : sumOfUsage(usages);
}

/** A sum of nothing is 0; beside one that is unknown it must not count. */
function together(sums: readonly (UsageSum | null)[]): UsageSum {
  const paid = sums.filter((sum) => sum !== null && !isNothing(sum)).flatMap((sum) => sum ?? []);
  return paid.length === 0 ? sumOfUsage([]) : addedSums(paid);
}

export function isNothing({ totalTokens, costUsd, unknown }: UsageSum): boolean {
  return totalTokens === 0 && costUsd === 0 && unknown.tokens === 0 && unknown.cost === 0;
}

/** The sum of all roles; what belongs to none of them is a run whose line in the log names none. */
export function totalOf(costs: readonly RoleCost[], failures: readonly FailureFacts[]): UsageSum {
  const nameless = failures.filter(({ role }) => role === null || !costs.some((cost) => cost.role === role));
  return together([...costs.map(({ sum }) => sum), usageOf([], nameless)]);
}
