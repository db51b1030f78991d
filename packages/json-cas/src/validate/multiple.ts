/** A finite number as `digits × 10^exponent`, exactly as JavaScript prints it. */
type Decimal = { readonly digits: bigint; readonly exponent: number };

/** Exact in decimal: 0.0075 is a multiple of 0.0001, though no division of floats says so. */
export function isMultipleOf(value: number, divisor: number): boolean {
  const left = decimal(value);
  const right = decimal(divisor);
  const exponent = Math.min(left.exponent, right.exponent);
  const unit = scaled(right, exponent);
  return unit !== 0n && scaled(left, exponent) % unit === 0n;
}

function decimal(value: number): Decimal {
  const [mantissa = "0", power = "0"] = String(value).split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}

function scaled(value: Decimal, exponent: number): bigint {
  return value.digits * 10n ** BigInt(value.exponent - exponent);
}
