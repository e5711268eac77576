import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

const repository = path.resolve(import.meta.dirname, "../..");

interface Locked {
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly optionalDependencies?: Record<string, string>;
}

interface Manifest {
  readonly dependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
}

/** Installed by `npm ci`. */
const LOCKS = ["package-lock.json", "toolchain/package-lock.json", "toolchain/agents/package-lock.json"];
/** Installed by `npm install --no-save`: it names builds for the kind of machine that the long tests run on. */
const LOCK_OF_ONE_MACHINE = "toolchain/other-agents/package-lock.json";

function lockedPackages(lock: string): [where: string, locked: Locked][] {
  const text = readFileSync(path.join(repository, lock), "utf8");
  const { packages } = JSON.parse(text) as { packages: Record<string, Locked> };
  return Object.entries(packages).filter(([where]) => where !== "");
}

function manifest(): Manifest {
  return JSON.parse(readFileSync(path.join(repository, "package.json"), "utf8")) as Manifest;
}

test("no runtime dependency runs a script when it is installed", () => {
  const runtime = lockedPackages("package-lock.json").filter(([, locked]) => locked.dev !== true);
  assert.ok(runtime.length >= Object.keys(manifest().dependencies).length);
  const scripted = runtime.filter(([, locked]) => locked.hasInstallScript === true);
  assert.deepEqual(scripted, []);
});

test("the pinned Node comes without an install script", () => {
  const scripted = lockedPackages("toolchain/package-lock.json").filter(
    ([, locked]) => locked.hasInstallScript,
  );
  assert.deepEqual(scripted, []);
});

test("the lock files name a digest for every package and no host", () => {
  for (const lock of [...LOCKS, LOCK_OF_ONE_MACHINE]) {
    for (const [where, locked] of lockedPackages(lock)) {
      assert.equal(locked.resolved, undefined, `${lock}: ${where} names where it was fetched`);
      assert.match(locked.integrity ?? "", /^sha512-/, `${lock}: ${where} has no digest`);
    }
  }
});

test("the lock files hold every optional package of every platform, without which npm ci refuses", () => {
  for (const lock of LOCKS) {
    const packages = lockedPackages(lock);
    const present = new Set(packages.map(([where]) => where.replace(/^.*node_modules\//, "")));
    const absent = packages
      .flatMap(([, locked]) => Object.keys(locked.optionalDependencies ?? {}))
      .filter((name) => !present.has(name));
    assert.deepEqual(absent, [], lock);
  }
});

test("every dependency has its line in docs/dependencies.md", () => {
  const document = readFileSync(path.join(repository, "docs/dependencies.md"), "utf8");
  const { dependencies, devDependencies } = manifest();
  const unexplained = Object.keys({ ...dependencies, ...devDependencies }).filter(
    (name) => !document.includes(`| \`${name}\` |`),
  );
  assert.deepEqual(unexplained, []);
});
