import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { CliBench, type Ended } from "../../cli/cli-process.ts";

/** A repository as an attacker publishes it: whatever of it is executed leaves a canary. */
export class HostileClone {
  readonly bench = new CliBench();
  readonly #canaries = path.join(this.bench.root, "canaries");
  readonly #programs = path.join(this.bench.root, "programs");
  #calls = 0;

  constructor(files: Readonly<Record<string, string>> = {}) {
    mkdirSync(this.#canaries);
    execFileSync("git", ["init", "-q", "-b", "main"], { cwd: this.bench.cwd });
    for (const [name, text] of Object.entries(files)) this.write(name, text);
    // An agent that can be found, since one that cannot is refused before anything is looked at.
    mkdirSync(this.#programs);
    writeFileSync(path.join(this.#programs, "claude"), `#!/bin/sh\n${this.touch("claude")}\n`, {
      mode: 0o755,
    });
  }

  write(name: string, text: string): void {
    const file = path.join(this.bench.cwd, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    if (name.endsWith(".sh")) chmodSync(file, 0o755);
  }

  /** A shell command that leaves a canary. */
  touch(name: string): string {
    return `touch ${path.join(this.#canaries, name)}`;
  }

  /** A module that leaves a canary when it is loaded, and exports what is given. */
  module(name: string, exported: string): string {
    const file = JSON.stringify(path.join(this.#canaries, name));
    return `import { writeFileSync } from "node:fs";\nwriteFileSync(${file}, "");\nexport default ${exported};\n`;
  }

  /** What has been executed so far. */
  executed(): string[] {
    return existsSync(this.#canaries) ? readdirSync(this.#canaries).sort() : [];
  }

  /** Calls the command line as a person who has trusted nothing would, without a terminal. */
  call(...words: string[]): Promise<Ended> {
    this.#calls += 1;
    return this.bench.call(words, {
      env: { HOLDFAST_TRUST: "", PATH: `${this.#programs}:${process.env["PATH"] ?? ""}` },
    });
  }

  /** An id for a run that nobody has used. */
  id(): string {
    return `r${String((this.#calls += 1))}`;
  }

  close(): Promise<void> {
    return this.bench.close();
  }
}

/** A flow of one step with this check. */
export const flowWith = (check: string): string =>
  JSON.stringify({
    name: "f",
    steps: [{ name: "work", task: "work", agent: "demo", checks: [{ run: check }] }],
  });
