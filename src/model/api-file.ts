import { z } from "zod";

export const apiFileSchema = z.looseObject({
  url: z.string(),
  socket: z.string(),
  tokenFile: z.string(),
  store: z.string(),
  process: z.looseObject({ host: z.string(), pid: z.number(), startedAt: z.string() }),
});

/** Where a server of this user is found; for programs it stands in the state folder, readable by its owner alone. */
export type ApiFile = z.infer<typeof apiFileSchema>;
