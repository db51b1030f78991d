export { checkLaunchers, type Launcher, launchersOf } from "./check.js";
export { BIN_PACKAGE, launcherText } from "./template.js";
