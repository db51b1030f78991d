/** What one evaluation in a process of its own may take. */
export type Bounds = {
  readonly memoryMib: number;
  /** Of processor time. */
  readonly seconds: number;
  /** Wall clock, for a machine so busy that a second of processor time takes longer. */
  readonly patienceMs: number;
};

/** The kernel counts whole seconds; with the start of the process it has to stay below the 2 s that a step may lose. */
const SECONDS_OF_CPU = 1;

const PATIENCE = 10;

const MIB = 1024 * 1024;

/** Memory in use; an idle runtime has 40 MiB. */
const MEMORY_MIB = 192;

/** The history itself is no fault of the expression's: so many bytes of memory for each of its bytes. */
const BYTES_PER_INPUT_BYTE = 8;

/** The same for the time: a second more for so many bytes, which a slow machine parses in it. */
const INPUT_BYTES_PER_SECOND = 16 * MIB;

/** By the size of the context's JSON text. */
export function boundsFor(inputLength: number): Bounds {
  const seconds = SECONDS_OF_CPU + Math.floor(inputLength / INPUT_BYTES_PER_SECOND);
  const memoryMib = MEMORY_MIB + Math.floor((inputLength * BYTES_PER_INPUT_BYTE) / MIB);
  return { memoryMib, seconds, patienceMs: seconds * PATIENCE * 1000 };
}
