import type { Usage } from "./nodes.js";
import type { UsageSum } from "./outputs.js";

type Untyped = Readonly<Partial<Record<keyof Usage, unknown>>>;

/** Tokens and money as an agent reported them; `null` when the three counts are not all there. */
export function asUsage(value: unknown): Usage | null {
  if (typeof value !== "object" || value === null) return null;
  const { inputTokens, outputTokens, totalTokens, costUsd }: Untyped = value;
  if (!isAmount(inputTokens) || !isAmount(outputTokens) || !isAmount(totalTokens)) return null;
  return { inputTokens, outputTokens, totalTokens, costUsd: isAmount(costUsd) ? costUsd : null };
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

/** What is known of these runs, added up, and of how many it is not known. */
export function sumOfUsage(usages: readonly (Usage | null)[]): UsageSum {
  const tokens = usages.filter((usage) => usage !== null);
  const priced = tokens.filter(({ costUsd }) => costUsd !== null);
  return sumOf(
    (field) =>
      sum(
        tokens.flatMap((usage) => usage[field] ?? []),
        usages.length === 0,
      ),
    { tokens: usages.length - tokens.length, cost: usages.length - priced.length },
  );
}

/** Several sums as one. */
export function addedSums(sums: readonly UsageSum[]): UsageSum {
  // Where nothing was used, and somewhere else it is not known what was, the sum is not known: it is not 0.
  const all = (field: keyof Usage): number | null => {
    const known = sums.flatMap((each) => each[field] ?? []);
    const isKnown = known.length === sums.length || known.some((value) => value > 0);
    return isKnown ? sum(known, true) : null;
  };
  return sumOf(all, {
    tokens: sums.reduce((total, { unknown }) => total + unknown.tokens, 0),
    cost: sums.reduce((total, { unknown }) => total + unknown.cost, 0),
  });
}

function sumOf(of: (field: keyof Usage) => number | null, unknown: UsageSum["unknown"]): UsageSum {
  const [inputTokens, outputTokens] = [of("inputTokens"), of("outputTokens")];
  return { inputTokens, outputTokens, totalTokens: of("totalTokens"), costUsd: of("costUsd"), unknown };
}

/** `null` if there are runs and none of them reports it; without runs nothing was used. */
function sum(values: readonly number[], nothing: boolean): number | null {
  if (values.length === 0) return nothing ? 0 : null;
  return rounded(values.reduce((total, value) => total + value, 0));
}

/** Costs are added as binary fractions: 0.1 + 0.2 is to be 0.3. */
function rounded(value: number): number {
  return Math.round(value * 1e10) / 1e10;
}
