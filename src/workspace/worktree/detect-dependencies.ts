import { existsSync, readdirSync } from "node:fs";
import path from "node:path";

/** Packages that are installed beside the file that names them, and that git usually ignores. */
const INSTALLED: readonly { readonly by: readonly string[]; readonly into: readonly string[] }[] = [
  { by: ["package.json"], into: ["node_modules"] },
  {
    by: ["pyproject.toml", "requirements.txt", "uv.lock", "poetry.lock", "Pipfile", "setup.py", "setup.cfg"],
    into: [".venv", "venv"],
  },
];

/** The command that installs what a lock file names, without changing the file. */
const INSTALLS: readonly (readonly [file: string, command: string])[] = [
  ["pnpm-lock.yaml", "pnpm install --frozen-lockfile"],
  ["yarn.lock", "yarn install --frozen-lockfile"],
  ["bun.lock", "bun install --frozen-lockfile"],
  ["package-lock.json", "npm ci"],
  ["package.json", "npm install"],
  ["uv.lock", "uv sync --frozen"],
  ["poetry.lock", "poetry install"],
  ["Pipfile.lock", "pipenv sync"],
  ["requirements.txt", "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt"],
  ["Gemfile.lock", "bundle install"],
  ["composer.lock", "composer install"],
  ["Cargo.lock", "cargo fetch --locked"],
  ["go.sum", "go mod download"],
];

const DEPTH_MAX = 3;
const FOLDERS_MAX = 2_000;

/** Folders of installed packages in a project, those of the packages inside of it included. Looks only. */
export function installedFolders(project: string): string[] {
  const found: string[] = [];
  let left = FOLDERS_MAX;
  const look = (inside: string, depth: number): void => {
    const names = new Set(foldersAndFiles(path.join(project, inside)));
    const installed = INSTALLED.flatMap(({ by, into }) => (by.some((name) => names.has(name)) ? into : []));
    found.push(...installed.filter((name) => names.has(name)).map((name) => path.join(inside, name)));
    if (depth === DEPTH_MAX) return;
    for (const entry of subfolders(path.join(project, inside))) {
      if (installed.includes(entry) || entry === "node_modules" || entry.startsWith(".")) continue;
      left -= 1;
      if (left >= 0) look(path.join(inside, entry), depth + 1);
    }
  };
  look("", 0);
  return found;
}

/** What cannot be read holds nothing that could be copied. */
const foldersAndFiles = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

const subfolders = (folder: string): string[] => {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch {
    return [];
  }
};

export const installCommand = (project: string): string | null =>
  INSTALLS.find(([file]) => existsSync(path.join(project, file)))?.[1] ?? null;
