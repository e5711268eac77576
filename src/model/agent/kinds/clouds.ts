/** The keys of clouds through which several vendors' agents reach their model. */
export const AWS: readonly string[] = ["AWS_*"];
export const VERTEX: readonly string[] = [
  "GOOGLE_APPLICATION_CREDENTIALS",
  "GOOGLE_CLOUD_*",
  "GCLOUD_PROJECT",
  "CLOUD_ML_REGION",
];
