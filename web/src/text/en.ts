import { enFrame } from "./en-frame.ts";
import { enVerbs } from "./en-verbs.ts";

/** Every text of the pages: a file of this folder for each area, put together here. */
export const en = {
  ...enFrame,
  ...enVerbs,
} as const;
