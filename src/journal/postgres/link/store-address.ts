import { Fault } from "../../../model/fault.ts";

/** Where a store is. `url` may hold a password and goes nowhere but to the driver; `shown` is for people. */
export interface StoreAddress {
  readonly url: string;
  readonly schema: string;
  readonly shown: string;
}

/** Short enough for a notification channel, and no quoting needed anywhere. */
const SCHEMA = /^[a-z_][a-z0-9_]{0,39}$/;

export function storeAddress(url: string, schema: string): StoreAddress {
  if (!SCHEMA.test(schema))
    throw new Fault(
      "usage",
      `the schema "${schema}" is not understood: expected at most 40 of a-z, 0-9 and _, not beginning with a digit`,
    );
  return { url, schema, shown: shownAddress(url, schema) };
}

/** The channel on which handles of one store notify each other that something changed. */
export const channelOf = ({ schema }: StoreAddress): string => `holdfast_${schema}`;

function shownAddress(url: string, schema: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  // The text is not repeated: no matter what it is, a password may stand in it.
  if (parsed === null || !/^postgres(ql)?:$/.test(parsed.protocol))
    throw new Fault(
      "usage",
      "the store's address is not understood: expected postgres://USER@HOST:PORT/DATABASE, with the password after USER as :PASSWORD or in PGPASSWORD, and special characters in it as %XX",
    );
  const user = parsed.username === "" ? "" : `${parsed.username}@`;
  const host = parsed.searchParams.get("host") ?? parsed.host;
  return `postgres://${user}${host}${parsed.pathname} (schema ${schema})`;
}
