import { test } from "vitest";
import { checkServedSample, isSampleRunnable, SERVING } from "#tests/clients/webhook-client.ts";

for (const language of SERVING.filter((one) => one !== "javascript")) {
  test.skipIf(!isSampleRunnable(language))(
    `verifies deliveries as we sign them, and refuses any other: ${language}`,
    () => checkServedSample(language),
    120_000,
  );
}
