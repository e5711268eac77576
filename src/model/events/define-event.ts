import type { z } from "zod";

/**
 * An entry of the registry: what the event says, and the shape of its data. The shape is made when it is first asked
 * for: making all of them would take a good part of the time that a program needs to start.
 */
export const event = <Data extends z.ZodType>(says: string, make: () => Data): EventEntry<Data> => {
  let made: Data | null = null;
  return {
    says,
    get data() {
      return (made ??= make());
    },
  };
};

export interface EventEntry<Data extends z.ZodType> {
  readonly says: string;
  readonly data: Data;
}
