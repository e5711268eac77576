/** So many may work at once; the others wait outside, in order. */
export interface Places {
  enter(): Promise<void>;
  leave(): void;
  /** Resolves once nobody is inside or waiting. */
  empty(): Promise<void>;
}

export function places(count: number): Places {
  const waiting: (() => void)[] = [];
  const leaving: (() => void)[] = [];
  let present = 0;
  return {
    enter() {
      present += 1;
      return present <= count ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve));
    },
    leave() {
      present -= 1;
      waiting.shift()?.();
      if (present === 0) for (const gone of leaving.splice(0)) gone();
    },
    empty: () => (present === 0 ? Promise.resolve() : new Promise((resolve) => leaving.push(resolve))),
  };
}
