import type { z } from "zod";

/** An entry of the registry: what the event says, and the shape of its data. */
export const event = <Data extends z.ZodType>(says: string, data: Data) => ({ says, data });
