/** A file that is no export, or not a whole and honest one; `reason` says where and why. Nothing was written. */
export class ExportFileError extends Error {
  readonly reason: string;
  constructor(reason: string) {
    super(reason);
    this.name = "ExportFileError";
    this.reason = reason;
  }
}

export function refuse(line: number | null, reason: string): never {
  throw new ExportFileError(line === null ? reason : `line ${line}: ${reason}`);
}
