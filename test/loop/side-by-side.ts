import { describe, test } from "node:test";

type Work = () => Promise<void>;

/** Tests that wait more than they work, each in a store of its own: they are listed first, and then played at once. */
export class SideBySide {
  readonly #listed: (readonly [title: string, work: Work])[] = [];

  readonly test = (title: string, work: Work): void => {
    this.#listed.push([title, work]);
  };

  play(name: string): void {
    describe(name, { concurrency: true }, () => {
      for (const [title, work] of this.#listed) test(title, work);
    });
  }
}
