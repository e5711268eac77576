import { journalContract } from "./contract/journal-contract.ts";
import { createMemoryStore } from "./contract/memory-store.ts";

journalContract("memory", createMemoryStore);
