import { randomBytes } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
  openSync,
  closeSync,
  readFileSync,
  statSync,
} from "node:fs";
import path from "node:path";
import { realWorld } from "../../../src/real-world.ts";
import { gitWorkspace } from "../../../src/workspace/git-workspace.ts";
import { plainGit } from "../plain-git.ts";

/** What an acceptance onto a full disk leaves, and what it comes to once there is room. Prints a line of JSON for each. */
const [root = ""] = process.argv.slice(2);
const MIB = 2 ** 20;

/** Fills the disk up to so many bytes that are left. */
function fill(file: string, leftBytes: number): void {
  const handle = openSync(file, "w");
  try {
    for (const piece = Buffer.alloc(MIB / 16); ;) if (writeSync(handle, piece) < piece.length) break;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  } finally {
    closeSync(handle);
  }
  truncateSync(file, Math.max(0, statSync(file).size - leftBytes));
}

async function story(name: string, leftBytes: number): Promise<void> {
  const [project, filler] = [path.join(root, "disk", name), path.join(root, "disk", "filler")];
  mkdirSync(project);
  const git = (...args: string[]): string => plainGit(project, args).trim();
  git("init", "-q", "-b", "main");
  writeFileSync(path.join(project, "base"), "base\n");
  git("add", ".");
  git("commit", "-qm", "begin");
  git("switch", "-qc", "side");
  const bytes = randomBytes(2 * MIB);
  writeFileSync(path.join(project, "large"), bytes);
  git("add", ".");
  git("commit", "-qm", "side");
  git("switch", "-q", "main");
  const workspace = gitWorkspace({ home: path.join(root, `home-${name}`), world: realWorld() });
  const author = { name: "A User", email: "user@example.test" };
  const commit = git("rev-parse", "side");
  const order = { key: "in", project, commit, message: "merge\n", author, atMs: 1 };
  fill(filler, leftBytes);
  const first = await workspace.takeIn(order).then(
    ({ kind }) => kind,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  const left = readdirSync(path.join(project, ".git")).filter((one) => /holdfast|\.lock$/.test(one));
  const large = existsSync(path.join(project, "large"));
  rmSync(filler);
  const status = git("status", "--porcelain");
  const again = await workspace.takeIn(order);
  const whole = readFileSync(path.join(project, "large")).equals(bytes);
  const after = readdirSync(path.join(project, ".git")).filter((one) => /holdfast|\.lock$/.test(one));
  const facts = {
    first,
    left,
    large,
    status,
    again: again.kind,
    whole,
    after,
    clean: git("status", "--porcelain"),
  };
  process.stdout.write(`${JSON.stringify({ name, ...facts })}\n`);
  await workspace.close();
}

await story("little", MIB);
await story("nothing", 0);
