/** `$12.40`, `$0.0042`: of small amounts as much as tells them apart. */
export function money(usd: number): string {
  if (usd === 0) return "$0";
  if (usd < 0.0001) return "<$0.0001";
  return usd < 0.995 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
}

/** `950`, `1.2k`, `12k`, `3.4M`: of tokens, mostly. */
export function count(value: number): string {
  if (value < 1000) return String(value);
  return value < 999_500 ? `${short(value / 1000)}k` : `${short(value / 1_000_000)}M`;
}

/** `950 B`, `1.2 KiB`, `12 MiB`. */
export function bytes(value: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let [amount, unit] = [value, 0];
  while (amount >= 1024 && unit < units.length - 1) [amount, unit] = [amount / 1024, unit + 1];
  return `${unit === 0 ? amount : short(amount)} ${units[unit]}`;
}

function short(value: number): string {
  return value < 9.95 ? value.toFixed(1) : value.toFixed(0);
}

/** `1 step`, `3 steps`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${value} ${value === 1 ? one : many}`;
}
