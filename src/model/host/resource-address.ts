// Without schemas: the pages load it.

/**
 * What all runs of a store share: whether the store is stopped (`stop --all`), and what they have spent together today.
 * Its journal has an address like those of accounts and hosts.
 */
export const STORE_RESOURCE = "store:all";

/**
 * A shared resource is what several runs depend on: an account of a provider (`account:…`), a host (`host:…`), or a
 * repository on a host (`repository:…`). What happens to it is written to a journal of its own in the same store, so
 * that every run and every supervisor knows of it.
 */
export const accountResource = (account: string): string => `account:${account}`;
export const hostResource = (host: string): string => `host:${host}`;
export const repositoryResource = (host: string, folder: string): string => `repository:${host}:${folder}`;

/** `the account claude`, `the host alpha`, `the repository alpha:/home/a/app`. */
export const sharedResourceText = (resource: string): string =>
  resource === STORE_RESOURCE ? "the store" : `the ${resource.replace(":", " ")}`;
