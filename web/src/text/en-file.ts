/** Texts of the pages on an exported file. */
export const enFile = {
  file: {
    notInFile: "An exported file does not hold this: it is known only to the store that the run is in.",
  },
} as const;
