import { z } from "zod";
import { plainTextIfAny } from "../../files/plain-file.ts";
import { replaceFile } from "../../files/replace-file.ts";
import { ROLES } from "./roles.ts";

const sessionSchema = z.object({
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  token: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  until: z.number(),
});
export type KeptSession = z.infer<typeof sessionSchema>;
const fileSchema = z.object({ version: z.literal(1), sessions: z.array(sessionSchema).max(1_000) });

const FILE_BYTES_MAX = 1024 * 1024;

/** Where the sessions of one server are kept between two of its lives. */
export interface SessionFile {
  read(): readonly KeptSession[];
  write(sessions: readonly KeptSession[]): void;
}

export const sessionFile = (file: string): SessionFile => ({
  read() {
    const text = plainTextIfAny(file, { bytesMax: FILE_BYTES_MAX });
    if (text === undefined) return [];
    try {
      return fileSchema.parse(JSON.parse(text)).sessions;
    } catch {
      // People log in again; nothing else is lost.
      return [];
    }
  },
  write: (sessions) => replaceFile(file, `${JSON.stringify({ version: 1, sessions })}\n`),
});
