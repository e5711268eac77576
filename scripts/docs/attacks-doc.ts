/** Writes docs/attacks.md; a test keeps it in step with the registry of attacks. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { attacksDocument } from "../../test/attacks/attacks-document.ts";

const FILE = path.join(import.meta.dirname, "..", "..", "docs", "attacks.md");
writeFileSync(FILE, await attacksDocument());
