/** Milliseconds of a clock that only goes forward. The global `performance` costs Node.js 1 ms when it is first touched. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
