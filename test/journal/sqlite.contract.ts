import { journalContract } from "./contract/journal-contract.ts";
import { createSqliteStore } from "./contract/sqlite-store.ts";

journalContract("sqlite", createSqliteStore);
