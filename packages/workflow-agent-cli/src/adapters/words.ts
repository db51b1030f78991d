/** Defaults that stand unless the user's own words already decide the matter. */
export function unless(
  args: readonly string[],
  names: readonly string[],
  defaults: readonly string[],
): readonly string[] {
  const decided = args.some((word) => names.some((name) => word === name || word.startsWith(`${name}=`)));
  return decided ? [] : defaults;
}

/** One argument is limited to 128 KiB on Linux. */
export const LONGEST_ARGUMENT = 120_000;
