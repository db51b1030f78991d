const TOKEN_DIGITS = 24;

/** A random name that no other run has: 24 hexadecimal digits. */
export function newToken(): string {
  const digits = process.versions.bun === undefined ? systemRandom() : null;
  return digits ?? crypto.randomUUID().replaceAll("-", "").slice(0, TOKEN_DIGITS);
}

/** From the kernel itself on Node.js, where that can be read: the global `crypto` takes 4 ms when it is first touched. */
function systemRandom(): string | null {
  const fs = process.getBuiltinModule("node:fs");
  try {
    const fd = fs.openSync("/dev/urandom", "r");
    try {
      const bytes = Buffer.alloc(TOKEN_DIGITS / 2);
      return fs.readSync(fd, bytes, 0, bytes.length, null) === bytes.length ? bytes.toString("hex") : null;
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return null;
  }
}
