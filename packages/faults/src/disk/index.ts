export { type DiskOptions, disk, diskWith, figureOf } from "./disk.js";
