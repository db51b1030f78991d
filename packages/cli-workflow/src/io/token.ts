const TOKEN_BYTES = 12;

/** A random name that no other run has. */
export function newToken(): string {
  const digits = Array.from(randomBytes(), (byte) => byte.toString(16).padStart(2, "0"));
  return digits.join("");
}

/** From the kernel itself on Node.js, where that can be read: the global `crypto` takes 4 ms when it is first touched. */
function randomBytes(): Uint8Array {
  const bytes = process.versions.bun === undefined ? systemRandom() : null;
  return bytes ?? crypto.getRandomValues(new Uint8Array(TOKEN_BYTES));
}

function systemRandom(): Uint8Array | null {
  const fs = process.getBuiltinModule("node:fs");
  try {
    const fd = fs.openSync("/dev/urandom", "r");
    try {
      const bytes = new Uint8Array(TOKEN_BYTES);
      return fs.readSync(fd, bytes, 0, TOKEN_BYTES, null) === TOKEN_BYTES ? bytes : null;
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return null;
  }
}
