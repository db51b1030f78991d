type Engine = { readonly Bun?: { readonly unsafe?: { readonly setJITPolicy?: (scale: number) => void } } };

/**
 * For work that compiled code makes up for being compiled: bun's engine compiles again as soon as it usually does. Our
 * launchers tell it to wait, as most runs end before it pays.
 */
export function compileSoon(): void {
  (globalThis as Engine).Bun?.unsafe?.setJITPolicy?.(1);
}
