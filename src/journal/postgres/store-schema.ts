import { Fault } from "../../model/fault.ts";
import type { Link } from "./link/link.ts";
import { MIGRATIONS } from "./migrations.ts";
import { integer, integerOrNull, type Row } from "../row-values.ts";
import type { StoreAddress } from "./link/store-address.ts";

/** "HOLD", and the schema's name: the one that prepares a store waits here for others who do. */
const PREPARING = (schema: string): string =>
  `SELECT pg_advisory_xact_lock(1213156420, hashtext('preparing ${schema}'))`;

/** Brings a store to our version, from nothing if need be; several processes may try at once. */
export async function prepareSchema(link: Link, address: StoreAddress): Promise<void> {
  const before = await storeVersion(link, address);
  if (before === MIGRATIONS.length) return;
  await link.runAll("BEGIN");
  try {
    await link.runAll(PREPARING(address.schema));
    const version = await storeVersion(link, address);
    await link.runAll(`CREATE SCHEMA IF NOT EXISTS ${address.schema}`);
    for (const step of MIGRATIONS.slice(version)) await link.runAll(step);
    await link.runAll(`UPDATE store SET version = ${String(MIGRATIONS.length)}; COMMIT`);
  } catch (error) {
    if (!link.broken) await link.runAll("ROLLBACK");
    throw error;
  }
}

const LOOK = (schema: string): string => `
  SELECT (SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = '${schema}') AS tables, to_regclass('${schema}.store') IS NOT NULL AS ours`;

/** 0 for a schema that is not there or empty. What is not ours, or newer than we are, is left alone. */
async function storeVersion(link: Link, address: StoreAddress): Promise<number> {
  const [seen = {}] = await link.runAll(LOOK(address.schema));
  if (seen["ours"] !== true) {
    if (integer(seen, "tables") === 0) return 0;
    throw foreign(address);
  }
  const [row] = await link.runAll(`SELECT name, version FROM ${address.schema}.store`);
  if (row?.["name"] !== "holdfast") throw foreign(address);
  return knownVersion(row, address);
}

function knownVersion(row: Row, { shown }: StoreAddress): number {
  const version = integerOrNull(row, "version") ?? 0;
  if (version <= MIGRATIONS.length) return version;
  throw new Fault(
    "store_version",
    `the store ${shown} has version ${String(version)}, and this Holdfast knows stores up to version ${String(MIGRATIONS.length)}; it was not touched — open it with the Holdfast that wrote it or a newer one`,
    { retry: "after-human", details: { store: shown, version } },
  );
}

const foreign = ({ shown }: StoreAddress): Fault =>
  new Fault(
    "store_foreign",
    `${shown} holds tables of something else; a Holdfast store or an empty schema was expected, and nothing was touched — name another database`,
    { retry: "after-human", details: { store: shown } },
  );
