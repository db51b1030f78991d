export { isXml, readZip } from "./read.js";
export { writeZip } from "./write.js";
