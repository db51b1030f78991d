export { type DiskOptions, disk, diskWith } from "./disk.js";
