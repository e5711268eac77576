import { test } from "node:test";
import { postgresMissing } from "../postgres-server.ts";
import { journalContract } from "./contract/journal-contract.ts";
import { createPostgresStore } from "./contract/postgres-store.ts";

const missing = postgresMissing();
if (missing === null) journalContract("postgres", createPostgresStore);
else test("J1 what every journal promises (postgres)", { skip: missing }, () => undefined);
