export { answerCasGet, CAS_GET, namesNodes } from "./cas-get.js";
