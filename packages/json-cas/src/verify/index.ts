export type { Finding } from "./findings.js";
export { verifyNode } from "./findings.js";
export { verify, verifyEncoded } from "./verify.js";
