export { checkLaunchers, type Launcher, launchersOf } from "./check.js";
export { launcherText } from "./template.js";
