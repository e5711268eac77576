export const PARTS = ["doctor", "config", "tokens", "page"] as const;
export type DoctorPart = (typeof PARTS)[number];

export const readDoctorSearch = ({ part }: Record<string, unknown>): { readonly part?: DoctorPart } => {
  const known = PARTS.find((one) => one === part);
  return known === undefined ? {} : { part: known };
};
