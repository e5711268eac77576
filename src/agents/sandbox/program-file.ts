import path from "node:path";
import { fileURLToPath } from "node:url";

/** A program of its own. Programs lie beside each other where they are built, and beside this file where they are not. */
export const programFile = (name: string): string =>
  fileURLToPath(new URL(`./${name}${path.extname(import.meta.url)}`, import.meta.url));
