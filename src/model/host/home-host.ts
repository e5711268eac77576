import { z } from "zod";

/** A host by the id of its state folder, which holds what belongs to the files of its runs; and its name, for people. */
export const homeHostSchema = z.object({ id: z.string(), name: z.string() });
export type HomeHost = z.infer<typeof homeHostSchema>;

/** The lease that a host's supervisor holds while it works, beside its own. */
export const homeAddress = ({ id }: HomeHost): string => `home:${id}`;
