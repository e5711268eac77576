import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

const AGENT = `import { readFileSync, writeFileSync } from "node:fs";

export default async ({ task }: { task: string }): Promise<string> => {
  console.log(\`I was asked: \${task}\`);
  const text = readFileSync("sum.js", "utf8");
  writeFileSync("sum.js", text.replace("a - b", "a + b"));
  return "sum adds now";
};
`;

const says = (text: string) => ({ do: "say", text });
const claims = (text: string) => ({ do: "claim", ok: true, text });
const FIXED = "export const sum = (a, b) => a + b;\n";

/** Scripts of agents, in the place of a model: each does what real ones do in a first hour. */
const SCRIPTS: Readonly<Record<string, readonly (readonly object[])[]>> = {
  // Claims too early, is sent back by the check, and mends it then.
  hasty: [
    [
      says("I will look at the sum."),
      { do: "tool", name: "read", args: "sum.js", result: "1 line", ok: true },
      claims("the test passes now"),
    ],
    [says("The check says it does not."), { do: "write", file: "sum.js", content: FIXED }, claims("mended")],
  ],
  // Goes round in circles before it mends it.
  circles: [
    [
      ...Array.from({ length: 4 }, () => ({
        do: "tool",
        name: "bash",
        args: "npm test",
        result: "1 failing",
        ok: false,
      })),
      // Long enough to be noticed before it is over.
      { do: "sleep", ms: 3_000 },
      { do: "write", file: "sum.js", content: FIXED },
      claims("mended after all"),
    ],
  ],
  // Works long enough to be interrupted and killed.
  slow: [
    [
      says("This takes a while."),
      { do: "wait", file: "go" },
      { do: "write", file: "notes.md", content: "noted\n" },
      claims("noted"),
    ],
  ],
  lost: [[says("I cannot find it."), { do: "exit", code: 1 }]],
  notes: [[{ do: "append", file: "notes.md", line: "one more note" }, claims("noted")]],
};

const PACKAGE = {
  name: "sums",
  version: "1.0.0",
  type: "module",
  scripts: { test: "node sum.test.js" },
};
const TEST = `import { sum } from "./sum.js";

const is = sum(1, 2);
if (is !== 3) {
  console.error(\`sum(1, 2) is \${is}, not 3\`);
  process.exit(1);
}
console.log("1 passing");
`;

/** A repository to clone, with one failing test, and what a user would keep beside it. */
export function layOut(root: string): { readonly origin: string; readonly desk: string } {
  const origin = path.join(root, "sums.git");
  const desk = path.join(root, "desk");
  mkdirSync(desk, { recursive: true });
  mkdirSync(origin);
  const write = (folder: string, name: string, text: string): void => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  };
  write(origin, "package.json", `${JSON.stringify(PACKAGE, null, 2)}\n`);
  write(origin, "sum.js", FIXED.replace("+", "-"));
  write(origin, "sum.test.js", TEST);
  write(origin, "README.md", "# Sums\n");
  write(origin, ".gitignore", "go\n");
  const git = (...args: string[]): void => {
    const who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
    execFileSync("git", ["-C", origin, ...who, ...args], { stdio: "ignore" });
  };
  git("init", "--initial-branch=main");
  git("add", "-A");
  git("commit", "--message=Add sums");
  write(desk, "agents/mend.ts", AGENT);
  for (const [name, attempts] of Object.entries(SCRIPTS))
    write(desk, `agents/${name}.json`, JSON.stringify({ attempts }));
  return { origin, desk };
}
