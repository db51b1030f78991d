/** The one lazy import of this package: writing needs the schema validator, 5 ms that a process that only reads saves. */
export function loadWriter(): Promise<typeof import("./writer.js")> {
  return import("./writer.js");
}
