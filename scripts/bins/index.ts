export { BANNER, type Bundle, bundle } from "./bundle.js";
export { bundleForBun } from "./bytecode.js";
export { writeFormats } from "./formats.js";
export { launcherText, writeLaunchers } from "./launcher.js";
export { writePages } from "./pages.js";
export { sizeOf } from "./size.js";
export { writeTemplates } from "./templates.js";
export { writeTestAgents } from "./test-agents.js";
export { writeBundle } from "./write.js";
