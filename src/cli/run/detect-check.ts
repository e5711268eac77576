import { existsSync } from "node:fs";
import path from "node:path";
import { plainTextIfAny, RECORD_BYTES_MAX } from "../../files/plain-file.ts";

/** The command that runs the tests of the project in a folder, as its files show; null where they do not. */
export function detectCheck(cwd: string): string | null {
  const has = (name: string): boolean => existsSync(path.join(cwd, name));
  if (hasTestScript(path.join(cwd, "package.json"))) {
    if (has("pnpm-lock.yaml")) return "pnpm test";
    return has("yarn.lock") ? "yarn test" : "npm test";
  }
  if (has("Cargo.toml")) return "cargo test";
  if (has("go.mod")) return "go test ./...";
  if (has("pytest.ini") || has("pyproject.toml")) return "python3 -m pytest";
  return hasTestTarget(path.join(cwd, "Makefile")) ? "make test" : null;
}

/** What cannot be read, or is no JSON, shows nothing. */
function hasTestScript(file: string): boolean {
  try {
    const { scripts } = JSON.parse(textOf(file)) as { scripts?: { test?: unknown } };
    return typeof scripts?.test === "string";
  } catch {
    return false;
  }
}

const hasTestTarget = (file: string): boolean => /^test[ \t]*:/mu.test(textOf(file));

const textOf = (file: string): string =>
  plainTextIfAny(file, { bytesMax: RECORD_BYTES_MAX, links: "follow" }) ?? "";
