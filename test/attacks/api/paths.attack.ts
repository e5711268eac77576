import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { GuardStage } from "../../api/guard/guard-stage.ts";
import { tried, type Attack, type Stage, type Tried } from "../attack.ts";
import { sample } from "../sample.ts";

const SECRET = "what stands beside the store 8844";
const UP = [
  ...["..", "../..", "../secret.txt", "../../secret.txt", "../../../etc/passwd", "....//secret.txt"],
  ...["%2e%2e", "%2e%2e%2fsecret.txt", "..%2f..%2fsecret.txt", "%2e%2e%5csecret.txt", "..\\secret.txt"],
  ...[
    "%252e%252e%252fsecret.txt",
    "%c0%ae%c0%ae/secret.txt",
    "..%00",
    "secret.txt%00.js",
    "%00",
    ".%2e/secret.txt",
  ],
  ...[
    "/etc/passwd",
    "//etc/passwd",
    "%2fetc%2fpasswd",
    "file:///etc/passwd",
    "\\\\host\\share",
    "C:%5csecret.txt",
  ],
  ...[
    "hello/../../secret.txt",
    "hello%2f..%2f..%2fsecret.txt",
    "link",
    "link/secret.txt",
    "~/.ssh/id_rsa",
    ".",
  ],
  ...[
    "__proto__",
    "constructor",
    "toString",
    "hello;id",
    "$(id)",
    "`id`",
    "-rf",
    "--help",
    "*",
    "?x=../secret.txt",
  ],
];

/** Where a part of an address, or of its query, may be read as a path. */
const PLACES: readonly ((part: string) => string)[] = [
  (part) => `/${part}`,
  (part) => `/assets/${part}`,
  (part) => `/api/v1/${part}`,
  (part) => `/api/v1/runs/${part}`,
  (part) => `/api/v1/runs/${part}/events`,
  (part) => `/api/v1/runs/${part}/export`,
  (part) => `/api/v1/runs/${part}/report`,
  (part) => `/api/v1/runs/${part}/verify`,
  (part) => `/api/v1/runs/${part}/replay`,
  (part) => `/api/v1/runs/hello/checkpoints/${part}/diff/${part}`,
  (part) => `/api/v1/runs/hello/checkpoints/${part}/files/${part}`,
  (part) => `/api/v1/runs/hello/changes?from=${part}`,
  (part) => `/api/v1/runs/hello/logs?after=${part}&attempt=${part}`,
  (part) => `/api/v1/proposals/${part}`,
  (part) => `/api/v1/diff?a=${part}&b=${part}`,
  (part) => `/login/${part}`,
];

async function ask(order: Stage): Promise<Tried> {
  const stage = new GuardStage();
  const succeeded: string[] = [];
  try {
    await stage.open();
    const { home, root } = stage.bench.cli;
    for (const folder of [root, home, path.join(home, "api")])
      writeFileSync(path.join(folder, "secret.txt"), SECRET, { mode: 0o600 });
    mkdirSync(path.join(root, "linked"));
    writeFileSync(path.join(root, "linked", "secret.txt"), SECRET);
    symlinkSync(path.join(root, "linked"), path.join(home, "link"));
    const all = PLACES.flatMap((place) => UP.map(place));
    const chosen = sample(all, order.count, order.seed);
    for (const target of chosen) {
      const { status, body } = await stage.send({ target, headers: [stage.bearer] });
      if (body.includes(SECRET) || body.includes("root:x:0"))
        succeeded.push(`${target} reads a file: ${body}`);
      if (status >= 500) succeeded.push(`${target}: ${String(status)} ${body}`);
    }
    if (!(await stage.isUntouched())) succeeded.push("the journal of a run was written");
    return tried(chosen.length, succeeded);
  } finally {
    await stage.close();
  }
}

export const attacks: readonly Attack[] = [
  {
    threat: "T18",
    level: "any",
    promised: "prevented",
    count: { full: PLACES.length * UP.length, short: 60 },
    title:
      "a path in the address of a request leads out of the folder of the dashboard, or to a file of the machine",
    run: ask,
  },
];
